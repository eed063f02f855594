package nats

import "testing"

// The client's word that the present keys were told counts only when the leader's last revision was among it.
func TestPresentKeysEndWhereTheLeaderEnded(t *testing.T) {
	for _, c := range []struct {
		last, seen uint64
		told, want bool
	}{
		{0, 0, true, true}, {0, 0, false, false}, {9, 9, true, true}, {9, 12, true, true}, {9, 9, false, false},
		{9, 8, true, false}, {9, 0, true, false},
	} {
		if s := (shore{last: c.last, seen: c.seen, told: c.told}); s.reached() != c.want {
			t.Errorf("%+v: %v", c, !c.want)
		}
	}
	s := shore{last: 9, seen: 8}
	if s.saw(nil); s.reached() {
		t.Error("the replica's end is taken for the leader's")
	}
}
