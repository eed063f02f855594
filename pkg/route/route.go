package route

// Route is what a question asks for.
type Route struct {
	Text string   `json:"text"`           // the words worth searching, in the question's order
	Refs []string `json:"refs,omitempty"` // structural references, canonical: "note:7", "item:7a"
}

// MaxQuestion bounds what is read of a question, in bytes; the rest is not looked at.
const MaxQuestion = 4 << 10

// Of reads a question. references finds structural references in a text (pkg/reference); nil finds none.
func Of(question string, references func(string) []string) Route {
	question = cut(question, MaxQuestion)
	r := Route{Text: Clean(question)}
	if references != nil {
		r.Refs = references(question)
	}
	return r
}

// cut is the first n bytes of s at most, whole runes only.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
