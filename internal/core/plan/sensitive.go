package plan

import (
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

// SensitiveMax limits how many sensitive fields a workflow may name.
const SensitiveMax = 1000

// checkSensitive checks that sensitive fields can exist: a misspelt name would leave a value visible.
func (c *compiler) checkSensitive() {
	places := c.workflow().Sensitive
	if len(places) > SensitiveMax {
		c.bad(where{}, "sensitive", "%d sensitive fields are too many: at most %d", len(places), SensitiveMax)
		return
	}
	for _, text := range places {
		path, err := value.ParsePath(text)
		switch {
		case err != nil:
			c.bad(where{}, "sensitive", "%q is not a place: %v", clip(text), err)
		case len(path) == 0:
			c.bad(where{}, "sensitive", "a place is empty: write a name such as iban, or a path such as input.customer.email")
		case path[0] == "steps" && len(path) > 1:
			c.checkSensitiveStep(text, path)
		}
	}
}

func (c *compiler) checkSensitiveStep(text string, path value.Path) {
	known := false
	for id := range c.plan.nodeByID {
		known = known || strings.EqualFold(id, path[1])
	}
	switch {
	case !known:
		c.bad(where{}, "sensitive", "%q names no step of this workflow", clip(text))
	case len(path) > 2 && path[2] != "input" && path[2] != "output":
		c.bad(where{}, "sensitive", "%q is neither in the input nor in the output of a step: write steps.%s.output.%s",
			clip(text), path[1], strings.Join(path[2:], "."))
	}
}
