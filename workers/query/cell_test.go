package query_test

import (
	"strings"
	"testing"

	"github.com/fingerpost/fingerpost/pkg/api"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/workers/workertest"
)

// sales is a document with one table.
const sales = "# Zqsalesxv\n\nSales by region (in thousands of euros)\n\n| Region | 2024 | 2023 |\n|---|---|---|\n| North | 1,234.5 | (12) |\n| South (a) | 7 | — |\n\n(a) Since May.\n"

func TestCellByPointer(t *testing.T) {
	h := workertest.Open(t, workertest.Config{NoVectors: true})
	h.Put("sales.md", sales)
	h.Settle()
	s := one(t, h, "zqsalesxv")
	at := func(spot doc.Spot) string {
		p, err := doc.ParsePointer(s.Pointer)
		if err != nil {
			t.Fatal(err)
		}
		p.Lines, p.Spot = doc.Lines{Start: 7, End: 7}, spot
		return p.String()
	}
	got, err := ask[api.CellReply](t, h, api.GetCell, api.CellRequest{Pointer: at(doc.Spot{Table: 1, Row: 1, Column: 3})})
	if err != nil || got.Text != "(12)" || got.Number != "-12000" || got.Row != "North" || got.Period != "2023" || got.Currency != "EUR" ||
		got.Line != 7 || !got.Verified || got.Quote != "| North | 1,234.5 | (12) |" {
		t.Errorf("%+v, %v", got, err)
	}
	if again, err := ask[api.CellReply](t, h, api.GetCell, api.CellRequest{Pointer: got.Pointer}); err != nil || again.Text != got.Text {
		t.Errorf("its own pointer gives %+v, %v", again, err)
	}
	south, err := ask[api.CellReply](t, h, api.GetCell, api.CellRequest{Pointer: at(doc.Spot{Table: 1, Row: 2, Column: 2})})
	if err != nil || south.Row != "South" || len(south.Notes) != 1 || south.Notes[0].Text != "Since May." || south.Number != "7000" {
		t.Errorf("%+v, %v", south, err)
	}
	for spot, want := range map[doc.Spot]int{{}: 400, {Table: 1, Row: 9, Column: 2}: 404, {Table: 2, Row: 1, Column: 1}: 404, {Table: 1, Row: 1, Column: 1}: 404} {
		_, err := ask[api.CellReply](t, h, api.GetCell, api.CellRequest{Pointer: at(spot)})
		refused(t, at(spot), err, want, "cell")
	}

	h.Put("sales.md", strings.ReplaceAll(sales, "1,234.5", "1,300"))
	h.Settle()
	now := one(t, h, "zqsalesxv").Pointer
	_, err = ask[api.CellReply](t, h, api.GetCell, api.CellRequest{Pointer: got.Pointer})
	refused(t, "a cell of a version that is gone", err, 410, "superseded: the document has another version now; the section stands at "+now)
}
