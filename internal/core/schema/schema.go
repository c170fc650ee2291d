// Package schema validates JSON values against JSON Schemas and explains problems in plain words.
//
//	s, err := schema.Compile(tool.InputSchema) // nil, nil if there is none
//	for _, p := range s.Validate(args) {       // a nil schema accepts everything
//		fmt.Println(p) // /amount: expected at most 500, got 1200
//	}
//
// All problems are reported at once, sorted, so that a person or a model can fix the value in one go. In
// addition, Fits compares two schemas before any value exists, and Sample generates a value.
//
// Schemas may come from untrusted servers. References are limited to the schema itself, patterns are RE2,
// numbers are compared exactly, and each validation has a budget: a schema built to explode is reported as a
// problem and does not take down the server. Drafts 4 to 2020-12 are supported; the latest is assumed if
// $schema is missing, and formats are checked.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

const (
	sizeMax         = 256 << 10 // bytes of one schema
	schemaWeightMax = 160_000   // some 10,000 values; compiling is quadratic in them

	problemsMax = 100
	shownMax    = 80 // characters of a value that a message quotes

	location = "assent:///schema"
)

// Schema is a compiled schema, safe for concurrent use. The nil Schema accepts every value.
type Schema struct {
	compiled *jsonschema.Schema
	meter    *meter
	enumMax  int // cost of the most expensive enum

	// The library has no per-call state to attach a budget to, so calls that share a schema take turns.
	mu sync.Mutex
}

// Compile parses a schema. A missing schema (empty, or null) is the nil one.
func Compile(raw json.RawMessage) (*Schema, error) {
	if k := value.KindOf(raw); k == value.Null || len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	if len(raw) > sizeMax {
		return nil, refuse("", "it has %d bytes; at most %d are allowed", len(raw), sizeMax)
	}
	doc, problems := decode(raw, schemaWeightMax)
	if len(problems) > 0 {
		return nil, fault.Of("the schema cannot be used", problems)
	}
	switch doc.(type) {
	case map[string]any, bool:
	default:
		return nil, refuse("", "a schema is an object, not %s", show(doc))
	}
	return compile(doc)
}

func compile(doc any) (s *Schema, err error) {
	defer func() {
		// The library is not trusted with untrusted input.
		if r := recover(); r != nil {
			s, err = nil, refuse("", "it cannot be understood (%v)", r)
		}
	}()
	m := &meter{}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(m.compilePattern)
	if err := c.AddResource(location, doc); err != nil {
		return nil, refuse("", "%v", err)
	}
	root, err := c.Compile(location)
	if err != nil {
		return nil, fault.Of("the schema cannot be used", compileProblems(doc, err))
	}
	s = &Schema{compiled: root, meter: m}
	s.attach(c, doc)
	return s, nil
}

func refuse(path, format string, args ...any) error {
	return fault.Of("the schema cannot be used", []fault.Problem{{Path: path, Message: fmt.Sprintf(format, args...)}})
}

// noLoader keeps references from reading files or calling servers.
type noLoader struct{}

var errOutside = errors.New("outside of the schema")

func (noLoader) Load(string) (any, error) { return nil, errOutside }

// compileProblems reports where in the schema the compiler stopped.
func compileProblems(doc any, err error) []fault.Problem {
	var (
		invalid *jsonschema.SchemaValidationError
		verr    *jsonschema.ValidationError
		regex   *jsonschema.InvalidRegexError
		load    *jsonschema.LoadURLError
		pointer *jsonschema.JSONPointerNotFoundError
		anchor  *jsonschema.AnchorNotFoundError
	)
	one := func(path, format string, args ...any) []fault.Problem {
		return []fault.Problem{{Path: path, Message: fmt.Sprintf(format, args...)}}
	}
	switch {
	case errors.As(err, &invalid) && errors.As(invalid.Err, &verr):
		// A reference to a place that is not a schema is checked on its own; its problems are reported
		// relative to that place.
		base := fragment(invalid.URL)
		problems := explain(at(doc, base), verr)
		for i := range problems {
			problems[i].Path = base + problems[i].Path
		}
		return problems
	case errors.As(err, &regex):
		return one(fragment(regex.URL), "the pattern %s cannot be used: %v", quoted(regex.Regex), regex.Err)
	case errors.As(err, &load):
		return one(refTo(doc, load.URL), "%s is outside of the schema; only references such as #/$defs/name are allowed",
			short(load.URL))
	case errors.As(err, &pointer):
		return one(refTo(doc, pointer.URL), "#%s is not in the schema", short(fragment(pointer.URL)))
	case errors.As(err, &anchor):
		return one(refTo(doc, anchor.Reference), "#%s is not in the schema", short(fragment(anchor.Reference)))
	}
	return one("", "%s", strings.ReplaceAll(err.Error(), location, ""))
}

// fragment is the part of a URL after #.
func fragment(url string) string {
	_, frag, _ := strings.Cut(url, "#")
	return unescapeURL(frag)
}

// Validate lists the problems of raw. The path of a problem is the JSON pointer of its value; the root is "".
func (s *Schema) Validate(raw json.RawMessage) []fault.Problem {
	if s == nil {
		return nil
	}
	doc, problems := decode(raw, instanceWeightMax)
	if len(problems) > 0 {
		return problems
	}
	if s.enumMax*countValues(doc) > enumCostMax {
		return tooCostly()
	}
	ok, err := s.run(doc, len(raw))
	if !ok {
		return tooCostly()
	}
	var verr *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &verr):
		return explain(doc, verr)
	}
	return []fault.Problem{{Message: err.Error()}}
}

func tooCostly() []fault.Problem {
	return []fault.Problem{{Message: "checking this value against this schema takes too long; use a smaller " +
		"value or a simpler schema"}}
}

// run validates within the budget; ok is false if that ran out.
func (s *Schema) run(doc any, size int) (ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter.fill(int64(stepsBase + stepsPerByte*size))
	defer s.meter.stop()
	defer func() {
		switch r := recover(); r {
		case nil:
		case errSpent:
			ok, err = false, nil
		default:
			ok, err = true, fmt.Errorf("the value cannot be checked (%v)", r)
		}
	}()
	return true, s.compiled.Validate(doc)
}
