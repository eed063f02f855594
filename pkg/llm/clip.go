package llm

// Clip is the first n characters of a text, for what is told of one thing in a request; none for n of 0.
func Clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
