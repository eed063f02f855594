package chunker

import "testing"

func TestLabels(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2.1 Initial term. This Agreement continues until May.", "Initial term"},
		{"(b) Late payment: interest of four per cent.", "Late payment"},
		{"\"Business Day\" means a day other than a Sunday.", "Business Day"},
		{"- read_timeout (duration, 1s to 60s): how long a request may take.", "read_timeout"},
		{"• listen.address: where the server listens.", "listen.address"},
		{"phone (string): needed always.", "phone"},
		{"3.2 No rent is payable for five months.", ""},
		{"He said: nothing.", ""},
		{"it was clear (as always): nothing", ""},
		{"see:", ""},
		{"", ""},
	} {
		if got := labelOf(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
