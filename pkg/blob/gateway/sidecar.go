package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/versity/versitygw/backend/meta"
)

// metadata is where the metadata of objects goes. A folder that was begun with a sidecar stays
// with it, or its objects would lose theirs after a move to another file system.
func metadata(buckets, side string) (meta.MetadataStorer, error) {
	_, err := os.Stat(side)
	if err != nil && (meta.XattrMeta{}).Test(buckets) == nil {
		return meta.XattrMeta{}, nil
	}
	if err := os.MkdirAll(side, 0o700); err != nil {
		return nil, fmt.Errorf("s3 gateway folder: %w", err)
	}
	sc, err := meta.NewSideCar(side)
	if err != nil {
		return nil, fmt.Errorf("s3 gateway folder: %w", err)
	}
	return sidecar{sc}, nil
}

// sidecar corrects the library's: an extended attribute goes away with the file that an overwrite
// replaces, a file in the sidecar stays, and the new object would show the old one's metadata and
// tags. Uploads therefore always carry metadata, if only the mark, and with it the old is cleared.
// Also, it keeps the attributes of `a` in the folder a/meta, where the key a/meta/etag belongs as well: one
// such key would break every list. So a component "meta" of a key gets a tilde in the sidecar.
//
// What stays: Content-Encoding, -Language, -Disposition, Cache-Control and Expires that the new object
// does not set, and metadata when the overwrite is a copy of an object without any.
type sidecar struct{ meta.SideCar }

// mark is a metadata name that no client sends.
const mark = "fingerpost overwrite"

// Names of the library's attributes.
const (
	attrMetadata = "metadata"
	attrTags     = "X-Amz-Tagging"
	attrParts    = "mp-metadata"
)

// marked is m with the mark.
func (n *notifier) marked(key string, m map[string]string) map[string]string {
	if !n.sidecar || key[len(key)-1] == '/' {
		return m
	}
	out := map[string]string{mark: ""}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// StoreAttribute clears what belongs to the object before, when f is a new object's file.
func (s sidecar) StoreAttribute(f *os.File, bucket, object, attribute string, value []byte) error {
	object = aside(object)
	if f == nil || attribute != attrMetadata {
		return s.SideCar.StoreAttribute(f, bucket, object, attribute, value)
	}
	var m map[string]string
	if err := json.Unmarshal(value, &m); err != nil {
		return fmt.Errorf("metadata of %s: %w", filepath.Join(bucket, object), err)
	}
	if _, ok := m[mark]; !ok {
		return s.SideCar.StoreAttribute(f, bucket, object, attribute, value)
	}
	delete(m, mark)
	for _, a := range []string{attrMetadata, attrTags, attrParts} {
		if err := s.SideCar.DeleteAttribute(bucket, object, a); err != nil && !errors.Is(err, meta.ErrNoSuchKey) {
			return err
		}
	}
	if len(m) == 0 {
		return nil
	}
	value, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.SideCar.StoreAttribute(f, bucket, object, attribute, value)
}

// RetrieveAttribute and the rest are the library's, under the name in the sidecar.
func (s sidecar) RetrieveAttribute(f *os.File, bucket, object, attribute string) ([]byte, error) {
	return s.SideCar.RetrieveAttribute(f, bucket, aside(object), attribute)
}

func (s sidecar) DeleteAttribute(bucket, object, attribute string) error {
	return s.SideCar.DeleteAttribute(bucket, aside(object), attribute)
}

func (s sidecar) ListAttributes(bucket, object string) ([]string, error) {
	return s.SideCar.ListAttributes(bucket, aside(object))
}

func (s sidecar) DeleteAttributes(bucket, object string) error {
	return s.SideCar.DeleteAttributes(bucket, aside(object))
}

func (s sidecar) RenameObject(bucket, from, to string) error {
	return s.SideCar.RenameObject(bucket, aside(from), aside(to))
}

// aside is the object's path in the sidecar: meta, meta~, meta~~... get one more tilde, so that no two
// keys share a path and none has the component "meta".
func aside(object string) string {
	if !strings.Contains(object, "meta") {
		return object
	}
	parts := strings.Split(object, "/")
	for i, p := range parts {
		if strings.TrimRight(p, "~") == "meta" {
			parts[i] = p + "~"
		}
	}
	return strings.Join(parts, "/")
}
