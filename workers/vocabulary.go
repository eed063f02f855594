package workers

import (
	"fmt"
	"os"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/doc"
	"github.com/fingerpost/fingerpost/pkg/route"
)

// maxWords bounds a file of a user's vocabulary or aliases, in bytes.
const maxWords = 1 << 20

// checkWords refuses a source whose vocabulary or aliases cannot be read; the sentence names file and line.
func (s *Source) checkWords() error {
	if v, err := wordsFile(s.Vocabulary); err != nil {
		return fmt.Errorf("source %s: vocabulary: %w", s.Bucket, err)
	} else if _, err := route.ParseVocabulary(v); err != nil {
		return fmt.Errorf("source %s: %s: %w", s.Bucket, s.Vocabulary, err)
	}
	if a, err := wordsFile(s.Aliases); err != nil {
		return fmt.Errorf("source %s: aliases: %w", s.Bucket, err)
	} else if err := route.NewLibrary().Aliases(a); err != nil {
		return fmt.Errorf("source %s: %s: %w", s.Bucket, s.Aliases, err)
	}
	return nil
}

// wordsFile is the text of a file; "" without one.
func wordsFile(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	fi, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if fi.Size() > maxWords {
		return "", fmt.Errorf("%s has %d bytes; at most %d are read", path, fi.Size(), maxWords)
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

// userWords is what the sources of each tenant add: the program's vocabulary with theirs in front, and aliases. A file
// that was broken since Check looked at it adds nothing.
func (c *Config) userWords() (map[doc.Tenant]*route.Vocabulary, map[doc.Tenant]string) {
	texts, aliases := map[doc.Tenant]string{}, map[doc.Tenant]string{}
	for _, s := range c.Sources {
		t := doc.Tenant(s.Tenant)
		if v, err := wordsFile(s.Vocabulary); err == nil && strings.TrimSpace(v) != "" {
			texts[t] += v + "\n\n"
		}
		if a, err := wordsFile(s.Aliases); err == nil && strings.TrimSpace(a) != "" {
			aliases[t] += a + "\n"
		}
	}
	vocabularies := map[doc.Tenant]*route.Vocabulary{}
	for t, text := range texts {
		if v, err := route.ParseVocabulary(text); err == nil {
			vocabularies[t] = v.With(route.StandardVocabulary.Strict())
		}
	}
	return vocabularies, aliases
}
