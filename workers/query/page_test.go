package query_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/blob"
	"github.com/fingerpost/fingerpost/pkg/bus/nats/natstest"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// mostReply is far below the server's limit of a message.
const mostReply = 700 << 10

// Long sections are read in pages of whole characters that put the text together again, however JSON blows it up.
func TestReadPages(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	for name, line := range map[string]string{"plain": "ordinary matters at ordinary length", "cyrillic": "обычные дела", "tags": "<<<<>>>>&&&&", "quotes": `"\"\"\\`, "emoji": "😀😀"} {
		t.Run(name, func(t *testing.T) {
			key := name + ".md"
			text := "# Long\n\n" + strings.Repeat(line+"\n", (300<<10)/len(line))
			h.Put(key, text)
			h.Settle()
			tree, err := ask[api.TreeReply](t, h, api.Tree, api.TreeRequest{Key: key})
			if err != nil {
				t.Fatal(err)
			}
			n := tree.Nodes[len(tree.Nodes)-1]
			p := doc.Pointer{Doc: tree.DocID, Version: tree.Version, Anchor: n.Anchor, Lines: n.Lines}.String()
			var got strings.Builder
			pages := 0
			for offset := 0; ; pages++ {
				rep, err := ask[api.ReadReply](t, h, api.Read, api.ReadRequest{Pointer: p, Offset: offset})
				if b, _ := json.Marshal(rep); err != nil || len(b) > mostReply {
					t.Fatalf("page %d: %d bytes, %v", pages, len(b), err)
				}
				got.WriteString(rep.Text)
				if offset = rep.Next; offset == 0 {
					break
				}
			}
			if want := text[n.Bytes.Start:n.Bytes.End]; got.String() != want || pages < 1 {
				t.Errorf("%d pages of %d bytes, want %d", pages+1, got.Len(), len(want))
			}
		})
	}
}

func TestTreePages(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("a.md", paper("Paper", 9))
	h.Put("titles.md", strings.Repeat("# "+strings.Repeat("title ", 300)+"\n\ntext\n\n", 900))
	h.Settle()
	for key, limit := range map[string]int{"a.md": 3, "titles.md": api.MaxPage} {
		var nodes []doc.NodeID
		pages := 0
		for cursor := 0; ; pages++ {
			req := fmt.Sprintf(`{"key":%q,"cursor":%d,"limit":%d}`, key, cursor, limit)
			if reply, err := raw(t, h, workertest.Tenant, api.Tree, req); err != nil || len(reply) > mostReply {
				t.Fatalf("%s: %d bytes, %v", req, len(reply), err)
			}
			rep, err := ask[api.TreeReply](t, h, api.Tree, api.TreeRequest{Key: key, Cursor: cursor, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range rep.Nodes {
				nodes = append(nodes, n.ID)
			}
			if cursor = rep.Next; cursor == 0 {
				break
			}
		}
		for i, n := range nodes {
			if n.Number() != i {
				t.Fatalf("%s: node %s stands at %d", key, n, i)
			}
		}
		if want := map[string]int{"a.md": 11, "titles.md": 901}[key]; len(nodes) != want || pages == 0 {
			t.Errorf("%s: %d nodes on %d pages, want %d", key, len(nodes), pages+1, want)
		}
		_, err := ask[api.TreeReply](t, h, api.Tree, api.TreeRequest{Key: key, Cursor: len(nodes)})
		refused(t, "cursor beyond the end", err, 400, "beyond the end")
	}
}

func TestDocumentsPages(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	var want []string
	for i := range 7 {
		key := fmt.Sprintf("papers/%d.md", i)
		h.Put(key, paper(fmt.Sprint("Paper ", i), 1))
		want = append(want, key)
	}
	h.Put("empty.md", "")
	runChain(h)
	caughtUp(t, h, 8)
	var got []string
	req := api.DocumentsRequest{Prefix: "papers/", Limit: 3}
	for pages := 1; ; pages++ {
		rep, err := ask[api.DocumentsReply](t, h, api.Documents, req)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range rep.Documents {
			got = append(got, d.Key)
		}
		if req.Cursor = rep.Next; rep.Next == "" {
			if pages != 3 {
				t.Errorf("%d pages", pages)
			}
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	rep, err := ask[api.DocumentsReply](t, h, api.Documents, api.DocumentsRequest{State: doc.Skipped})
	if err != nil || len(rep.Documents) != 1 || rep.Documents[0].Key != "empty.md" || rep.Documents[0].Class != doc.Empty || rep.Documents[0].Reason == "" {
		t.Errorf("skipped: %+v, %v", rep.Documents, err)
	}
	st, err := ask[api.StatusReply](t, h, api.Status, struct{}{})
	if err != nil || st.Documents != (api.Counts{Indexed: 7, Skipped: 1}) || st.Levels.Full != 7 {
		t.Errorf("status %+v, %v", st, err)
	}
	if rep, err := ask[api.DocumentsReply](t, h, api.Documents, api.DocumentsRequest{Cursor: "zzz"}); err != nil || len(rep.Documents) != 0 || rep.Next != "" {
		t.Errorf("after the last: %+v, %v", rep, err)
	}
}

// runChain runs the chain until no document is on its way.
func runChain(h *workertest.House) {
	defer h.Start(nil)()
	h.Until("all at rest", func() bool {
		pending := 0
		err := h.Ledger.Each(h.T.Context(), workertest.Tenant, func(r ledger.Record) error {
			if r.State == doc.Pending {
				pending++
			}
			return nil
		})
		return err == nil && pending == 0
	})
}

// caughtUp waits until the table, which follows a moment behind, knows n documents and none on its way.
func caughtUp(t *testing.T, h *workertest.House, n int) {
	t.Helper()
	natstest.Await(t, "the table has caught up", func() bool {
		st, err := h.Query.Status(t.Context(), workertest.Tenant, struct{}{})
		d := st.Documents
		return err == nil && d.Indexed+d.Skipped+d.Failed == n && d.Pending == 0
	})
}

// The object's own metadata is shown, renewed without new work, and has the last word on facts of the same name.
func TestMetadataIsShown(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	put := func(meta map[string]string) api.Document {
		t.Helper()
		text := paper("Paper", 1)
		if _, err := h.Blobs.Put(t.Context(), workertest.Bucket, "a.md", strings.NewReader(text), int64(len(text)), blob.PutOptions{Meta: meta}); err != nil {
			t.Fatal(err)
		}
		h.Look(workertest.Bucket, "a.md")
		h.Settle()
		var rep api.DocumentsReply
		natstest.Await(t, "the table has caught up", func() bool {
			var err error
			rep, err = ask[api.DocumentsReply](t, h, api.Documents, api.DocumentsRequest{})
			return err == nil && len(rep.Documents) == 1 && rep.Documents[0].Meta["owner"] == meta["owner"] && rep.Documents[0].Level == doc.LevelFull
		})
		return rep.Documents[0]
	}
	if d := put(nil); d.Facts["title"] != "Paper" || d.Meta != nil {
		t.Errorf("without metadata: %+v", d)
	}
	d := put(map[string]string{"title": "Another name", "owner": "me", "language": "klingon"})
	if d.Generation != 1 || d.Facts["title"] != "Another name" || d.Facts["language"] != "en" || d.Facts["owner"] != "" || d.Meta["owner"] != "me" || len(d.Meta) != 3 {
		t.Errorf("with metadata: %+v", d)
	}
	if d := put(map[string]string{"owner": "you"}); d.Generation != 1 || d.Facts["title"] != "Paper" || d.Meta["owner"] != "you" {
		t.Errorf("with other metadata: %+v", d)
	}
}
