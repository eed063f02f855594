package blob_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/blob/blobtest"
	"github.com/fingerpost/fingerpost/pkg/blob/faulty"
	"github.com/fingerpost/fingerpost/pkg/blob/mem"
)

func TestCountedConforms(t *testing.T) {
	blobtest.Run(t, blob.Count(mem.New()), blobtest.Options{})
}

func TestCounted(t *testing.T) {
	c, ctx := blob.Count(mem.New("b")), t.Context()
	if _, err := c.Put(ctx, "b", "k", strings.NewReader("0123456789"), 10, blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, o := range []blob.GetOptions{{Offset: 2, Length: 3}, {Offset: 7}} {
		if _, _, err := blob.ReadAll(ctx, c, "b", "k", o, 10); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Head(ctx, "b", "none"); !errors.Is(err, blob.ErrNotFound) {
		t.Fatal(err)
	}
	for range c.List(ctx, "b", "", "") {
	}
	if err := c.Delete(ctx, "b", "k"); err != nil {
		t.Fatal(err)
	}
	want := blob.Counts{Heads: 1, Gets: 2, Puts: 1, Deletes: 1, Lists: 1, Read: 6, Written: 10}
	if got := c.Counts(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	c.Reset()
	if got := c.Counts(); got != (blob.Counts{}) {
		t.Errorf("after Reset %+v", got)
	}
}

func TestReadAllLimit(t *testing.T) {
	s := mem.New("b")
	if _, err := s.Put(t.Context(), "b", "k", strings.NewReader("0123456789"), 10, blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if b, _, err := blob.ReadAll(t.Context(), s, "b", "k", blob.GetOptions{}, 10); string(b) != "0123456789" || err != nil {
		t.Errorf("at the limit: %q, %v", b, err)
	}
	_, _, err := blob.ReadAll(t.Context(), s, "b", "k", blob.GetOptions{}, 9)
	if e, ok := errors.AsType[*blob.TooLargeError](err); !ok || e.Limit != 9 || e.Key != "k" {
		t.Errorf("over the limit: %v", err)
	}
}

// TestShortReadsConform holds that a body in single bytes is as good as any.
func TestShortReadsConform(t *testing.T) {
	blobtest.Run(t, &faulty.Store{Store: mem.New(), Plan: func(op faulty.Op, _, key string) faulty.Fault {
		return faulty.Fault{Short: op == faulty.Get && !strings.Contains(key, "20 MiB") && key != "k"}
	}}, blobtest.Options{Pages: 10})
}

func TestFaulty(t *testing.T) {
	boom := errors.New("boom")
	var fault faulty.Fault
	inner := mem.New("b")
	s, ctx := &faulty.Store{Store: inner, Plan: func(faulty.Op, string, string) faulty.Fault { return fault }}, t.Context()
	put := func(key string) error {
		_, err := s.Put(ctx, "b", key, strings.NewReader("0123456789"), 10, blob.PutOptions{})
		return err
	}
	if err := errors.Join(put("a"), put("c")); err != nil {
		t.Fatal(err)
	}
	fault = faulty.Fault{After: 4}
	if b, _, err := blob.ReadAll(ctx, s, "b", "a", blob.GetOptions{}, 100); !errors.Is(err, io.ErrUnexpectedEOF) || b != nil {
		t.Errorf("a body that breaks off: %q, %v", b, err)
	}
	fault = faulty.Fault{Err: boom}
	_, head := s.Head(ctx, "b", "a")
	_, _, get := s.Get(ctx, "b", "a", blob.GetOptions{})
	for _, err := range []error{head, get, put("d"), s.Delete(ctx, "b", "a"), s.MakeBucket(ctx, "x")} {
		if !errors.Is(err, boom) {
			t.Errorf("a failing call: %v", err)
		}
	}
	if _, err := inner.Head(ctx, "b", "d"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a failing put stored: %v", err)
	}
	fault = faulty.Fault{Late: boom}
	if err := put("late"); !errors.Is(err, boom) {
		t.Errorf("a lost answer: %v", err)
	}
	if _, err := inner.Head(ctx, "b", "late"); err != nil {
		t.Errorf("a put whose answer was lost did not store: %v", err)
	}
	fault = faulty.Fault{Err: boom, After: 1}
	var keys []string
	var last error
	for i, err := range s.List(ctx, "b", "", "") {
		if last = err; err == nil {
			keys = append(keys, i.Key)
		}
	}
	if strings.Join(keys, " ") != "a" || !errors.Is(last, boom) {
		t.Errorf("a list that breaks off: %q, %v", keys, last)
	}
}
