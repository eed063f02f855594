package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Satisfies reports why text is not one JSON value that satisfies schema: it wraps ErrJSON; nil when it does.
func Satisfies(schema json.RawMessage, text string) error {
	s, err := compile(schema)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return fmt.Errorf("%w: %.60q is no JSON: %w", ErrJSON, text, err)
	}
	if err := s.Validate(v); err != nil {
		return fmt.Errorf("%w: %s", ErrJSON, where(err))
	}
	return nil
}

// compile reads a schema; nothing is fetched from elsewhere.
func compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		return nil, fmt.Errorf("schema that is no JSON: %w", err)
	}
	const name = "answer.json"
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if err := c.AddResource(name, v); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s, err := c.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return s, nil
}

// nowhere loads no schema.
type nowhere struct{}

// Load refuses.
func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema may not refer to %s", url)
}

// where is the innermost complaint of a validation, in one line.
func where(err error) string {
	v, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err.Error()
	}
	for len(v.Causes) > 0 {
		v = v.Causes[0]
	}
	out := v.BasicOutput()
	if out == nil || out.Error == nil {
		return "at /" + strings.Join(v.InstanceLocation, "/")
	}
	return "at /" + strings.Join(v.InstanceLocation, "/") + ": " + out.Error.String()
}
