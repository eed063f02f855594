package ledger

import (
	"context"
	"maps"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/fault"
)

// FirstBuild is the build whose standing a record without Home has at the top.
const FirstBuild uint32 = 1

// For is the same ledger as one build sees it: what it reads and writes of a record's Standing is that build's. A
// document that the build has not met is pending there, or purged if it is deleted.
func (l *Ledger) For(build uint32) *Ledger {
	v := *l
	v.view = func() uint32 { return build }
	return &v
}

// Following is the ledger as the build sees it that `live` names at each call.
func (l *Ledger) Following(live func() uint32) *Ledger {
	v := *l
	v.view = live
	return &v
}

// WithKin has records know which builds share their artefacts (those of the same folder), for Kept.
func (l *Ledger) WithKin(kin func(build uint32) []uint32) *Ledger {
	v := *l
	v.kin = kin
	return &v
}

// home is the build at the top of the stored record.
func (r *Record) home() uint32 {
	if r.Home == 0 {
		return FirstBuild
	}
	return r.Home
}

// Kept reports whether generation g is shown, or serves as cache of vectors, in this build or in another one with the
// same artefacts.
func (r *Record) Kept(g doc.Generation) bool {
	if g == 0 {
		return false
	}
	if r.Current == g || r.Vectors == g {
		return true
	}
	for _, b := range r.kin {
		if s, ok := r.Builds[b]; ok && (s.Current == g || s.Vectors == g) {
			return true
		}
	}
	return false
}

// In is the document's standing in a build.
func (r *Record) In(build uint32) Standing {
	if build == r.view || r.view == 0 && build == r.home() {
		return r.Standing
	}
	if s, ok := r.Builds[build]; ok {
		return s
	}
	return r.unmet()
}

// unmet is the standing in a build that has not met the document.
func (r *Record) unmet() Standing {
	if r.State == doc.Deleted {
		return Standing{State: doc.Deleted, Purged: true}
	}
	return Standing{State: doc.Pending}
}

// look turns the stored record into the one that a build sees; back undoes it.
func (r *Record) look(build uint32, kin []uint32) {
	r.view, r.kin = build, kin
	if build == 0 || build == r.home() {
		r.view = r.home()
		return
	}
	s, ok := r.Builds[build]
	if !ok {
		s = r.unmet()
	}
	r.Builds = maps.Clone(r.Builds)
	if r.Builds == nil {
		r.Builds = map[uint32]Standing{}
	}
	delete(r.Builds, build)
	r.Builds[r.home()] = r.Standing
	r.Standing = s
}

func (r *Record) back() {
	if r.view == 0 || r.view == r.home() {
		return
	}
	top := r.Builds[r.home()]
	delete(r.Builds, r.home())
	r.Builds[r.view] = r.Standing
	r.Standing = top
}

// every changes the standing in each build.
func (r *Record) every(f func(*Standing)) {
	f(&r.Standing)
	for b, s := range r.Builds {
		f(&s)
		r.Builds[b] = s
	}
}

// kindred changes the standing in this build and in those that share its artefacts.
func (r *Record) kindred(f func(*Standing)) {
	f(&r.Standing)
	for _, b := range r.kin {
		if s, ok := r.Builds[b]; ok {
			f(&s)
			r.Builds[b] = s
		}
	}
}

// any reports whether the standing in some build is so.
func (r *Record) any(f func(*Standing) bool) bool {
	if f(&r.Standing) {
		return true
	}
	for _, s := range r.Builds {
		if f(&s) {
			return true
		}
	}
	return false
}

// Forget takes a build that is gone out of a record; heir is the build whose standing takes the top when the one that
// is gone stood there.
func (l *Ledger) Forget(ctx context.Context, t doc.Tenant, id doc.ID, build, heir uint32) error {
	base := l.For(0)
	_, err := base.update(ctx, t, id, func(r *Record, found bool) error {
		if !found {
			return errUnchanged
		}
		if build != r.home() {
			if _, ok := r.Builds[build]; !ok {
				return errUnchanged
			}
			delete(r.Builds, build)
			return nil
		}
		if heir == build {
			return fault.Failf(doc.Internal, "record of %s: build %d cannot be its own heir", id, build)
		}
		r.Standing = r.In(heir)
		delete(r.Builds, heir)
		r.Home, r.view = heir, heir
		return nil
	})
	return err
}
