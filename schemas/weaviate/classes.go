// Package weaviate holds the classes that a build of the index is in Weaviate, one file a kind of entry: node.json,
// window.json, row.json, chunk.json, as POST /v1/schema takes them. The program adds the name of the class and its
// description, which carries Format and, for chunks, the number of dimensions.
package weaviate

import "embed"

// Format is the number of this layout of classes. A program refuses classes with a higher one.
const Format = 1

//go:embed *.json
var files embed.FS

// Class is the file of a kind of entry ("node", "window", "row", "chunk"); an error for any other.
func Class(kind string) ([]byte, error) { return files.ReadFile(kind + ".json") }
