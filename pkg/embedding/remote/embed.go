package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

// Embed gives a unit vector a text. A text over the limit is a *embedding.TooLongError before anything is sent.
// Whole servers that are away are an outage (fault.Outage); a text that the server will not embed is
// embedding.ErrText for the whole call, so that the caller may halve it.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var far, near sent
	for i, t := range texts {
		normal := embedding.Normalise(t)
		n := e.countEach(normal)
		switch {
		case n > e.model.Limit:
			return nil, &embedding.TooLongError{Index: i, Tokens: n, Limit: e.model.Limit}
		case e.here && e.reading.Garbled(normal):
			near.add(i, t, n)
		default:
			far.add(i, e.prepare(normal), n)
		}
	}
	out := make([][]float32, len(texts))
	all, part := errgroup.WithContext(ctx)
	all.SetLimit(e.pace.most + 1)
	if len(near.texts) > 0 {
		all.Go(func() error {
			v, err := e.reading.Here.Embed(part, near.texts)
			return near.deliver(out, v, err)
		})
	}
	for len(far.texts) > 0 {
		next := far.cut(e.fit(far.counts))
		all.Go(func() error {
			v, err := e.some(part, next.texts, next.counts)
			return next.deliver(out, v, err)
		})
	}
	err := all.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// sent is texts on their way to vectors: their places among those of the call, and their tokens.
type sent struct {
	places []int
	texts  []string
	counts []int
}

func (s *sent) add(place int, text string, tokens int) {
	s.places, s.texts, s.counts = append(s.places, place), append(s.texts, text), append(s.counts, tokens)
}

// cut takes the first n out.
func (s *sent) cut(n int) sent {
	first := sent{s.places[:n], s.texts[:n], s.counts[:n]}
	*s = sent{s.places[n:], s.texts[n:], s.counts[n:]}
	return first
}

// deliver puts vectors in their places.
func (s *sent) deliver(out, vectors [][]float32, err error) error {
	if err != nil {
		return err
	}
	for i, place := range s.places {
		out[place] = vectors[i]
	}
	return nil
}

// prepare is what is sent for a normalised text. A blank text is sent as a full stop where the tokenizer is not
// known, for some servers refuse to embed nothing.
func (e *Embedder) prepare(normal string) string {
	if e.reading.Prepare != nil {
		return e.reading.Prepare(normal)
	}
	if !e.exact && strings.TrimSpace(normal) == "" {
		return "."
	}
	return normal
}

// fit is how many of the next texts go into one call: at least one.
func (e *Embedder) fit(counts []int) int {
	most, sum := e.clock.batch(), 0
	for n, c := range counts {
		if sum += c; n > 0 && (sum > most || n == e.texts) {
			return n
		}
	}
	return len(counts)
}

// some embeds texts in one call. A server may count more tokens than we estimated: then the texts are halved down
// to the one that is too long, and that one is embedded in two parts.
func (e *Embedder) some(ctx context.Context, texts []string, counts []int) ([][]float32, error) {
	v, err := e.call(ctx, texts, total(counts))
	if !errors.Is(err, ErrLong) {
		return v, err
	}
	if len(texts) == 1 {
		one, err := e.halves(ctx, texts[0])
		return [][]float32{one}, err
	}
	half := len(texts) / 2
	a, err := e.some(ctx, texts[:half], counts[:half])
	if err != nil {
		return nil, err
	}
	b, err := e.some(ctx, texts[half:], counts[half:])
	return append(a, b...), err
}

// halves is the direction between the vectors of a text's two halves, weighted by their lengths: nothing is cut.
func (e *Embedder) halves(ctx context.Context, text string) ([]float32, error) {
	at := middle(text)
	if at == 0 {
		return nil, fmt.Errorf("%w: the server finds %.20q too long", embedding.ErrText, text)
	}
	v, err := e.some(ctx, []string{text[:at]}, []int{e.countEach(text[:at])})
	if err != nil {
		return nil, err
	}
	w, err := e.some(ctx, []string{text[at:]}, []int{e.countEach(text[at:])})
	if err != nil {
		return nil, err
	}
	if len(v[0]) != len(w[0]) {
		return nil, fmt.Errorf("%w: vectors of %d and %d numbers", embedding.ErrText, len(v[0]), len(w[0]))
	}
	mean := make([]float32, len(v[0]))
	share := float32(at) / float32(len(text))
	for i := range mean {
		mean[i] = share*v[0][i] + (1-share)*w[0][i]
	}
	embedding.Unit(mean)
	return mean, nil
}

// middle is where a text is cut in two, at a blank if one is near; 0 when it has no two characters.
func middle(text string) int {
	half := len(text) / 2
	if at := strings.LastIndexAny(text[:half], " \n\t"); at > len(text)/4 {
		return at
	}
	for half < len(text) && text[half]&0xC0 == 0x80 {
		half++
	}
	if half == len(text) {
		return 0
	}
	return half
}

func total(counts []int) (sum int) {
	for _, c := range counts {
		sum += c
	}
	return sum
}
