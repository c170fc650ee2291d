package planner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// ErrArrangement is in the error about an arrangement that is not used.
var ErrArrangement = errors.New("the arrangement is not valid")

// arrange takes an arrangement over, if everything in it was offered and follows from the intent.
func (d *design) arrange(steps []port.ArrangedStep) error {
	if len(steps) > stepsMax {
		return fmt.Errorf("%w: it has %d steps; the limit is %d", ErrArrangement, len(steps), stepsMax)
	}
	offered := d.offered()
	for i, s := range steps {
		at := slices.IndexFunc(offered, func(m port.Match) bool { return m.Name == s.Tool })
		if at < 0 {
			return fmt.Errorf("%w: %s was not among the candidates", ErrArrangement, phrase.Clip(s.Tool, titleMax))
		}
		p := &pick{Match: offered[at], part: d.intent.Text, given: plan.Mapping{},
			reason: []string{"arranged by the agent"}}
		if s.Part != "" && strings.Contains(strings.ToLower(d.intent.Text), strings.ToLower(s.Part)) {
			p.part = s.Part
		}
		for _, n := range s.Needs {
			if n < 0 || n >= i {
				return fmt.Errorf("%w: step %d needs step %d, which is not an earlier one", ErrArrangement, i, n)
			}
			p.needs = append(p.needs, d.picks[n])
		}
		if err := d.take(p, s.With, i); err != nil {
			return err
		}
		d.picks = append(d.picks, p)
	}
	return nil
}

// take takes the arguments of an arrangement over. They come from earlier steps, from the run's input, or from
// the words of the intent: descriptions of tools are written by others, so nothing of them may become a value.
func (d *design) take(p *pick, with plan.Mapping, at int) error {
	if len(with) > plan.FieldsMax {
		return fmt.Errorf("%w: step %d has %d arguments", ErrArrangement, at, len(with))
	}
	props, _ := value.Get(p.Args, "properties")
	for _, f := range with {
		if _, known := value.Get(props, f.Target); !known {
			return fmt.Errorf("%w: %s takes no %s", ErrArrangement, p.Name, phrase.Clip(f.Target, titleMax))
		}
		src, err := plan.ParseSource(f.Source)
		switch {
		case err != nil:
			return fmt.Errorf("%w: the source of %s of %s: %w", ErrArrangement, phrase.Clip(f.Target, titleMax), p.Name, err)
		case src.Literal != nil && !d.mentions(src.Literal):
			return fmt.Errorf("%w: the value of %s of %s is not in the intent", ErrArrangement,
				phrase.Clip(f.Target, titleMax), p.Name)
		case src.Path != nil && src.Path[0] == "steps":
			n := -1
			if len(src.Path) > 1 {
				_, _ = fmt.Sscanf(src.Path[1], "%d", &n)
			}
			if n < 0 || n >= at {
				return fmt.Errorf("%w: step %d reads from %s, which is not an earlier step", ErrArrangement, at,
					phrase.Clip(f.Source, titleMax))
			}
			p.needs = append(p.needs, d.picks[n])
		case src.Path != nil && src.Path[0] != "input":
			return fmt.Errorf("%w: %s is neither the run's input nor an earlier step", ErrArrangement,
				phrase.Clip(f.Source, titleMax))
		}
		p.given = append(p.given, f)
	}
	return nil
}

// mentions reports whether a value stands in the intent.
func (d *design) mentions(literal []byte) bool {
	text, ok := value.Text(literal)
	if !ok {
		text = string(literal)
	}
	text = strings.TrimSpace(text)
	return text != "" && strings.Contains(strings.ToLower(d.intent.Text), strings.ToLower(text))
}
