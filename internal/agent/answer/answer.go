// Package answer is the protocol of agents outside this process, over HTTP or through a pipe:
//
//	question, err := answer.Question(work)      // {"run","step","try","key","input","guidance","lessons"}
//	body, err := answer.Read(response)          // bounded
//	result, err := answer.Decode(body, veil)    // {"output":…,"confidence":0.9,…}
//
// Tools answer in the same way: package reply has the format and its limits.
package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/outbound/reply"
	"github.com/assent-run/assent/internal/port"
)

// Limits, each tested at and over.
const (
	OutputMax       = reply.OutputMax       // bytes of an output
	BodyMax         = outbound.BodyMax      // bytes of a whole answer: the output, logs and deliverables
	SaidMax         = outbound.SaidMax      // bytes kept of an invalid answer
	DeliverablesMax = reply.DeliverablesMax // deliverables of one answer
)

// Codes of failures.
const (
	Invalid  = outbound.Invalid  // not a valid answer
	TooLarge = outbound.TooLarge // the answer or its output is over a limit
)

// Lookup resolves a reference to a secret.
type Lookup func(definition.Reference) (string, error)

// Veil redacts secrets in external texts.
type Veil = outbound.Veil

// NewVeil redacts these texts, also in their JSON and URL encodings.
func NewVeil(secrets ...string) Veil { return outbound.NewVeil(secrets...) }

// Expand resolves secrets for headers or an environment, with a veil over them and others.
func Expand(in map[string]definition.Secret, lookup Lookup, others ...string) (map[string]string, Veil, error) {
	return outbound.Expand(in, lookup, others...)
}

// Failed converts failures of package outbound to those of an agent. Other errors are returned as is.
func Failed(err error) error {
	var f *outbound.Failed
	if errors.As(err, &f) {
		return &port.Failed{Failure: f.Failure}
	}
	return err
}

// Question is the request for a piece of work. Lists are never null.
func Question(w port.Work) (json.RawMessage, error) {
	if len(w.Input) == 0 {
		w.Input = json.RawMessage("null")
	}
	if w.Guidance == nil {
		w.Guidance = []string{}
	}
	if w.Lessons == nil {
		w.Lessons = []port.Lesson{}
	}
	q, err := value.Marshal(w)
	if err != nil {
		return nil, &port.Failed{Failure: run.Failure{Code: "invalid_input", Message: "put the question: " + err.Error()}}
	}
	return q, nil
}

// Read reads an answer up to BodyMax. Errors of r are returned as is.
func Read(r io.Reader) ([]byte, error) {
	body, err := outbound.Read(r)
	return body, Failed(err)
}

// OverLimit is the failure of an answer that is longer than BodyMax.
func OverLimit() error { return Failed(outbound.OverLimit()) }

// Decode parses an answer.
func Decode(body []byte, v Veil) (run.Result, error) {
	r, err := reply.Decode(body, v)
	return r, Failed(err)
}

// Check is what every result must pass: an output that is JSON and within the limit. A missing output is
// null.
func Check(r run.Result) (run.Result, error) {
	r, err := reply.Check(r)
	return r, Failed(err)
}

// Deliverables converts agents' deliverables.
func Deliverables(in []definition.Deliverable) ([]run.Deliverable, error) {
	var out []run.Deliverable
	for i, d := range in {
		got, err := reply.Deliverable(reply.Handed{
			Name: d.Name, Type: d.Type, Content: d.Content, ContentBase64: d.ContentBase64, URL: d.URL, MIME: d.MIME,
			Description: d.Description, Status: d.Status,
		})
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
		out = append(out, got)
	}
	return out, nil
}
