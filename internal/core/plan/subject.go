package plan

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// guessMost is how many input values form the default subject.
const guessMost = 3

// compileSubject compiles the template of the workflow's subject.
func (c *compiler) compileSubject() {
	text := c.workflow().Subject
	if text == "" {
		return
	}
	p, err := phrase.Parse(text)
	if err != nil {
		c.bad(where{}, "subject", "%v", err)
		return
	}
	c.plan.subject = &p
	declared, _ := value.Get(c.workflow().Input, "properties")
	for _, f := range p.Fields() {
		_, inInput := value.Get(declared, f[0])
		if _, isStep := c.plan.Step(f[0]); isStep && !inInput {
			c.warn(where{}, "subject", "%s is the name of a step: a subject is made of the input when the run starts", f[0])
		}
	}
}

// Subject summarises a run with this input in one line: the workflow's template filled with the input's
// fields, else the first values of the input.
func (p *Plan) Subject(input json.RawMessage) string {
	switch {
	case value.KindOf(input) != value.KindObject:
		return ""
	case p.subject == nil:
		return phrase.Guess(input, guessMost)
	}
	return p.subject.Fill(func(path value.Path) (json.RawMessage, bool) {
		if v, ok := value.Get(input, path...); ok || path[0] != "input" {
			return v, ok
		}
		return value.Get(input, path[1:]...) // {amount} and {input.amount} mean the same
	})
}
