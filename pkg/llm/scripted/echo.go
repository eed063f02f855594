package scripted

import (
	"encoding/json"
	"strings"

	"github.com/fingerpost/fingerpost/pkg/llm"
)

// Echo is a model that repeats the user's last message, three times, or gives the smallest value of the request's schema.
func Echo() *Model {
	return Replying(func(r llm.Request) Turn {
		if r.Schema != nil {
			return Turn{Text: smallest(r.Schema)}
		}
		last := r.Messages[len(r.Messages)-1].Text
		return Turn{Text: strings.Repeat(last+" ", 3)}
	})
}

// shape is what is understood of a schema.
type shape struct {
	Type       string
	Enum       []json.RawMessage
	Properties map[string]json.RawMessage
	Required   []string
}

// smallest is a value that satisfies a plain schema.
func smallest(schema json.RawMessage) string {
	var s shape
	if err := json.Unmarshal(schema, &s); err != nil {
		return "null"
	}
	if len(s.Enum) > 0 {
		return string(s.Enum[0])
	}
	switch s.Type {
	case "object":
		var fields []string
		for _, name := range s.Required {
			key, _ := json.Marshal(name) // a string is always written
			fields = append(fields, string(key)+": "+smallest(s.Properties[name]))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case "array":
		return "[]"
	case "string":
		return `""`
	case "boolean":
		return "false"
	case "integer", "number":
		return "0"
	}
	return "null"
}
