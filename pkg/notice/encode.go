package notice

import (
	"encoding/json"
	"fmt"
	"time"
)

// Encode is a message that asks to look at one object, in the embedded gateway's form: the AWS
// schema with a raw key. The reconciler and workers that met a changed object send it.
func Encode(bucket, key string) ([]byte, error) {
	type named struct {
		Name string `json:"name"`
	}
	type object struct {
		Key string `json:"key"`
	}
	type s3 struct {
		Bucket named  `json:"bucket"`
		Object object `json:"object"`
	}
	type record struct {
		EventSource string    `json:"eventSource"`
		EventTime   time.Time `json:"eventTime"`
		EventName   string    `json:"eventName"`
		S3          s3        `json:"s3"`
	}
	r := record{"fingerpost:" + string(Gateway), time.Now().UTC(), "Fingerpost:Look", s3{named{bucket}, object{key}}}
	b, err := json.Marshal(map[string][]record{"Records": {r}})
	if err != nil {
		return nil, fmt.Errorf("notice of %s/%s: %w", bucket, key, err)
	}
	return b, nil
}
