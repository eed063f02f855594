package weaviate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/weaviate/weaviate/entities/models"
	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/vector"
	layout "github.com/fingerpost/fingerpost/schemas/weaviate"
)

// class is one of our classes as the schema has it.
type class struct {
	name string
	dim  int // numbers of a vector; 0 for classes by words
}

// className is "<Prefix>_<build>_<Kind>": the name carries only the build's number.
func (x *Index) className(b vector.Build, k doc.Kind) string {
	return fmt.Sprintf("%s_%d_%s%s", x.conf.Prefix, b, strings.ToUpper(string(k[:1])), k[1:])
}

// description is what a class carries besides its layout.
func description(k doc.Kind, dim int) string {
	s := fmt.Sprintf("Fingerpost's entries of kind %s; format %d", k, layout.Format)
	if k == doc.KindChunk {
		s += fmt.Sprintf("; dimensions %d", dim)
	}
	return s
}

var described = regexp.MustCompile(`^Fingerpost's entries of kind ([a-z]+); format (\d{1,9})(?:; dimensions (\d{1,9}))?`)

// recognise is our class behind a class of the schema, or why it can't be used.
func recognise(c *models.Class) (class, error) {
	m := described.FindStringSubmatch(c.Description)
	if m == nil {
		return class{}, fmt.Errorf("class %s was not made by this program; choose another prefix for ours", c.Class)
	}
	if format, _ := strconv.Atoi(m[2]); format > layout.Format {
		return class{}, fmt.Errorf("class %s: %w: it has format %d, this program knows %d", c.Class, vector.ErrNewer, format, layout.Format)
	}
	if c.MultiTenancyConfig == nil || !c.MultiTenancyConfig.Enabled {
		return class{}, fmt.Errorf("class %s was changed: it keeps no tenants apart; drop the build and index again", c.Class)
	}
	for _, p := range c.Properties {
		if (p.Name == "terms" || p.Name == "crumb") && p.Tokenization != models.PropertyTokenizationWhitespace {
			return class{}, fmt.Errorf("class %s was changed: property %s is tokenized by %s, not by white space; drop the build and index again", c.Class, p.Name, p.Tokenization)
		}
	}
	dim, _ := strconv.Atoi(m[3])
	return class{name: c.Class, dim: dim}, nil
}

// survey looks at every class that has our prefix, so that a newer one is seen at start.
func (x *Index) survey(ctx context.Context) error {
	return x.try(ctx, func(ctx context.Context) error {
		s, err := x.rest.Schema().Getter().Do(ctx)
		if err != nil {
			return explain(ctx, err)
		}
		for _, c := range s.Classes {
			if !strings.HasPrefix(c.Class, x.conf.Prefix+"_") {
				continue
			}
			ours, err := recognise(c)
			if err != nil {
				return err
			}
			x.remember(ours)
		}
		return nil
	})
}

func (x *Index) remember(c class) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.classes[c.name] = c
}

// forget drops what is known of a class that turned out to be gone.
func (x *Index) forget(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.classes, name)
	for at := range x.guarded {
		if at.class == name {
			delete(x.guarded, at)
		}
	}
}

// gone drops what is known of a class that a read found missing; a missing tenant says nothing about its class.
func (x *Index) gone(at tenantClass, err error) {
	if !strings.Contains(strings.ToLower(err.Error()), "tenant not found") {
		x.forget(at.class)
	}
}

// class is the class of a build's kind; ok is false when there is none.
func (x *Index) class(ctx context.Context, b vector.Build, k doc.Kind) (c class, ok bool, err error) {
	name := x.className(b, k)
	x.mu.Lock()
	c, ok = x.classes[name]
	x.mu.Unlock()
	if ok {
		return c, true, nil
	}
	err = x.try(ctx, func(ctx context.Context) error {
		got, err := x.rest.Schema().ClassGetter().WithClassName(name).Do(ctx)
		if err != nil {
			return explain(ctx, err)
		}
		c, err = recognise(got)
		return err
	})
	if errors.Is(err, errMissing) {
		return class{}, false, nil
	}
	if err == nil {
		x.remember(c)
	}
	return c, err == nil, err
}

// ensure is the class of a build's kind, made when there is none; dim is of chunks. Of two processes that make it
// at once the first decides about the dimensions.
func (x *Index) ensure(ctx context.Context, b vector.Build, k doc.Kind, dim int) (class, error) {
	c, ok, err := x.class(ctx, b, k)
	if ok || err != nil {
		return c, err
	}
	m, err := x.layout(b, k, dim)
	if err != nil {
		return c, err
	}
	err = x.try(ctx, func(ctx context.Context) error {
		return explain(ctx, x.rest.Schema().ClassCreator().WithClass(m).Do(ctx))
	})
	c, ok, again := x.class(ctx, b, k)
	switch {
	case again != nil:
		return c, again
	case ok:
		return c, nil
	case err == nil:
		err = fmt.Errorf("it is not in the schema after it was made")
	}
	return c, fmt.Errorf("make class %s: %w", m.Class, err)
}

// layout is the class to make.
func (x *Index) layout(b vector.Build, k doc.Kind, dim int) (*models.Class, error) {
	file, err := layout.Class(string(k))
	if err != nil {
		return nil, fmt.Errorf("no such kind of entry: %q", k)
	}
	m := &models.Class{}
	if err := json.Unmarshal(file, m); err != nil {
		return nil, fmt.Errorf("layout of %ss: %w", k, err)
	}
	m.Class, m.Description = x.className(b, k), description(k, dim)
	if x.conf.Replicas > 0 {
		m.ReplicationConfig = &models.ReplicationConfig{Factor: int64(x.conf.Replicas)}
	}
	return m, nil
}

// DropBuild implements vector.Index: it deletes the four classes.
func (x *Index) DropBuild(ctx context.Context, b vector.Build) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, k := range doc.Kinds {
		name := x.className(b, k)
		g.Go(func() error {
			err := x.try(ctx, func(ctx context.Context) error {
				return explain(ctx, x.rest.Schema().ClassDeleter().WithClassName(name).Do(ctx))
			})
			x.forget(name)
			if err != nil && !errors.Is(err, errMissing) {
				return fmt.Errorf("drop build %d: class %s: %w", b, name, err)
			}
			return nil
		})
	}
	err := g.Wait()
	x.counts.drop(func(at field) bool { return at.build == b })
	return err
}
