package catalogue

import (
	"strings"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Agents describes agents by their capabilities.
func Agents(docs map[string]*definition.Agent) []port.Callable {
	out := make([]port.Callable, 0, len(docs))
	for name, doc := range docs {
		e := port.Callable{
			Name: port.AgentPrefix + name, Source: port.SourceAgent, Description: doc.Description, Args: doc.Input,
			Output: doc.Output, Effects: doc.Effects, Words: strings.Join(doc.Capabilities, " "),
			Harmless: doc.Effects == plan.EffectsNone,
		}
		if e.Harmless {
			e.Risk = risk.Safe
		}
		out = append(out, e)
	}
	return out
}
