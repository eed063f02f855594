package audit

import (
	"context"
	"fmt"

	"github.com/fingerpost/fingerpost/pkg/artefact"
	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/ledger"
)

// text compares the Source that is shown with the hash of each node of its tree. Queries verify what they read; this
// finds the damage before anybody asks.
func (x *run) text(ctx context.Context, t doc.Tenant, o *owner) error {
	ref := artefact.Ref{Tenant: t, Doc: o.docID(), Generation: o.current}
	detail, err := x.damage(ctx, ref)
	if detail == "" || err != nil {
		return err
	}
	return x.shown(ctx, t, o, func(r ledger.Record) Difference {
		return Difference{Kind: Damaged, Detail: detail,
			repair: func(ctx context.Context) (bool, error) { return true, x.Restore(ctx, r) }}
	})
}

// damage says what is wrong with a stored text; "" when nothing is.
func (x *run) damage(ctx context.Context, ref artefact.Ref) (string, error) {
	tree, err := x.Artefacts.Tree(ctx, ref)
	if artefact.Missing(err) {
		return "its tree is gone", nil
	}
	if err != nil {
		return "", err
	}
	src, err := x.Artefacts.Source(ctx, ref)
	if artefact.Missing(err) {
		return "its text is gone", nil
	}
	if err != nil {
		return "", err
	}
	wrong := 0
	for _, n := range tree.Nodes {
		if !n.Holds(src) {
			wrong++
		}
	}
	if wrong == 0 {
		return "", nil
	}
	return fmt.Sprintf("%d of %d sections are not the text that was parsed", wrong, len(tree.Nodes)), nil
}
