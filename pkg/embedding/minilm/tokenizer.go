package minilm

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWordRunes is BERT's limit: a longer word becomes one [UNK].
const maxWordRunes = 100

// tokenizer is BERT's uncased WordPiece: clean, set CJK apart, strip accents, lower, split at
// spaces and punctuation, then cut each word into the longest pieces of the vocabulary.
type tokenizer struct {
	heads         map[string]int32 // pieces that start a word
	tails         map[string]int32 // pieces written "##x" in the vocabulary, here under "x"
	longest       int              // bytes of the longest piece
	cls, sep, unk int32
}

// newTokenizer reads a vocabulary of so many words, one a line; a word's id is its line, from 0.
func newTokenizer(vocab string, words int) (*tokenizer, error) {
	if n := strings.Count(vocab, "\n"); n != words {
		return nil, fmt.Errorf("minilm: vocabulary has %d lines for %d words", n, words)
	}
	t := &tokenizer{heads: make(map[string]int32, words), tails: make(map[string]int32, words/4)}
	id := int32(0)
	for line := range strings.Lines(vocab) {
		piece := line[:len(line)-1]
		// "#" is punctuation and split off before the look-up, so no word starts with "##".
		if tail, ok := strings.CutPrefix(piece, "##"); ok && tail != "" {
			t.tails[tail] = id
		} else {
			t.heads[piece] = id
		}
		t.longest = max(t.longest, len(piece))
		id++
	}
	for name, to := range map[string]*int32{"[CLS]": &t.cls, "[SEP]": &t.sep, "[UNK]": &t.unk} {
		at, ok := t.heads[name]
		if !ok {
			return nil, fmt.Errorf("minilm: vocabulary without %s", name)
		}
		*to = at
	}
	return t, nil
}

// encode gives [CLS], the pieces and [SEP], and how many they are; of a text over keep ids only the
// count is of use. Special tokens written in the text ("[SEP]") are ordinary text: a document must
// not steer the model.
func (t *tokenizer) encode(text string, keep int) ([]int32, int) {
	s := splitter{t: t, keep: keep, ids: make([]int32, 0, min(keep, len(text)/3+8))}
	s.add(t.cls)
	for _, r := range clean(text) {
		switch {
		case unicode.IsSpace(r):
			s.flush()
		case isPunct(r):
			s.flush()
			s.word = utf8.AppendRune(s.word, r)
			s.flush()
		default:
			s.word = utf8.AppendRune(s.word, unicode.ToLower(r))
		}
	}
	s.flush()
	s.add(t.sep)
	return s.ids, s.n
}

// splitter collects the ids of one text.
type splitter struct {
	t    *tokenizer
	word []byte // begun and not yet cut into pieces
	ids  []int32
	keep int
	n    int // ids so far, kept or not
}

func (s *splitter) add(id int32) {
	if s.n++; s.n <= s.keep {
		s.ids = append(s.ids, id)
	}
}

// flush cuts the word greedily, longest piece first; a word that cannot be covered in full is one
// [UNK].
func (s *splitter) flush() {
	word, table, before, kept := s.word, s.t.heads, s.n, len(s.ids)
	s.word = s.word[:0]
	if len(word) > maxWordRunes && utf8.RuneCount(word) > maxWordRunes {
		s.add(s.t.unk)
		return
	}
	for len(word) > 0 {
		id, size := longestPiece(table, word[:min(len(word), s.t.longest)])
		if size == 0 {
			s.n, s.ids = before, s.ids[:kept]
			s.add(s.t.unk)
			return
		}
		s.add(id)
		word, table = word[size:], s.t.tails
	}
}

// longestPiece is the longest beginning of word in the table and its bytes; 0 bytes when none is.
func longestPiece(table map[string]int32, word []byte) (int32, int) {
	for end := len(word); end > 0; end-- {
		if id, ok := table[string(word[:end])]; ok {
			return id, end
		}
	}
	return 0, 0
}

// clean drops what BERT drops, makes every white space a blank, puts blanks around CJK ideographs
// and removes accents.
func clean(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for _, r := range text {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
			// Dropped: "a<VT>b" is one word. Not unicode.C: that holds unassigned code points too.
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case isCJK(r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(b.String()))
}

// isPlain holds for printable ASCII, which clean leaves alone.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// isPunct: all ASCII symbols count as punctuation for BERT, also $+<=>^`|~.
func isPunct(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x7f
	}
	return unicode.IsPunct(r)
}

// isCJK holds for what the reference tokenizer sets apart; that its fourth extension begins at
// U+2B920, not U+2B820, is its slip, and part of how the texts of the training were read.
func isCJK(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
