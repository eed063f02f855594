// Command normalise reads a JSON list of texts and writes the same list normalised for embedding.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/fingerpost/fingerpost/pkg/embedding"
)

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		log.Fatalf("read texts: %v", err)
	}
	for i, t := range texts {
		texts[i] = embedding.Normalise(t)
	}
	if err := json.NewEncoder(os.Stdout).Encode(texts); err != nil {
		log.Fatalf("write texts: %v", err)
	}
}
