package doc

import "sort"

// Window is where one window of a node's text stands (KindWindow, by ordinal).
type Window struct {
	Lines  Lines  `json:"lines"`
	Bytes  Bytes  `json:"bytes"`  // of whole lines; with Part of a part of them
	SHA256 string `json:"sha256"` // lower-case hex, of the Source's bytes in Bytes
	// Part: the window is a piece of a line that is far longer than a window.
	Part bool `json:"part,omitempty"`
	// Row and Chunk are the ordinals of the first row and the first chunk that begin in the window, or after it.
	Row   int `json:"row,omitempty"`
	Chunk int `json:"chunk,omitempty"`
}

// Windows is the windows of a version's long nodes, by node number: of node 0 of a Tree that is cut into windows, where
// each is a place of its own, and of nodes too long to be looked at whole. windows.json.
type Windows map[int][]Window

// Of is the ordinal of the window of a node that the entry belongs to; 0 when nothing is known of it.
func (ws Windows) Of(node int, k Kind, ordinal int) int {
	all := ws[node]
	if k == KindWindow {
		return max(0, min(ordinal, len(all)-1))
	}
	first := func(w Window) int {
		if k == KindRow {
			return w.Row
		}
		return w.Chunk
	}
	return max(0, sort.Search(len(all), func(i int) bool { return first(all[i]) > ordinal })-1)
}
