package rank

import "github.com/fingerpost/fingerpost/pkg/doc"

// TextTerms is the text whose words are an entry's Terms: windows and rows carry their breadcrumb in
// front; a node has its title alone (its breadcrumb is the Crumb field, see CrumbText). The Refs of a
// node are further Terms, verbatim and unanalysed, so that Search finds them. Chunks have no words.
func TextTerms(c doc.Chunk) string {
	switch c.Kind {
	case doc.KindNode:
		return c.Text
	case doc.KindWindow, doc.KindRow:
		if c.Crumb == "" {
			return c.Text
		}
		return c.Crumb + "\n" + c.Text
	}
	return ""
}

// CrumbText is the text whose words are an entry's Crumb field: of nodes only.
func CrumbText(c doc.Chunk) string {
	if c.Kind == doc.KindNode {
		return c.Crumb
	}
	return ""
}

// Words are the terms and the breadcrumb terms of an index entry for c; analyse is the analyzer of
// the document's language.
func Words(c doc.Chunk, analyse func(string) []string) (terms, crumb []string) {
	if s := TextTerms(c); s != "" {
		terms = analyse(s)
	}
	if s := CrumbText(c); s != "" {
		crumb = analyse(s)
	}
	return append(terms, c.Refs...), crumb
}
