package plan

import (
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
)

// SpotKind is the kind of spot that a gate is attached to.
type SpotKind string

const (
	SpotStart  SpotKind = "start"
	SpotBefore SpotKind = "before"
	SpotAfter  SpotKind = "after"
	SpotCall   SpotKind = "call"
	SpotEnd    SpotKind = "end"
	SpotHuman  SpotKind = "human" // the gate of a human step; never written in `at`
)

// Spot is where a gate is attached. Step is set for before, after and human, Tool for call; a Tool that ends
// in * matches a prefix.
type Spot struct {
	Kind SpotKind
	Step string
	Tool string
}

// ParseSpot parses start, before STEP, after STEP, call TOOL, call * or end.
func ParseSpot(s string) (Spot, error) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return Spot{}, badSpot("the place of the gate is missing")
	}
	kind, rest := SpotKind(words[0]), words[1:]
	switch kind {
	case SpotStart, SpotEnd:
		if len(rest) > 0 {
			return Spot{}, fault.Newf(fault.Invalid, "unexpected text after %q", kind)
		}
		return Spot{Kind: kind}, nil
	case SpotBefore, SpotAfter:
		if len(rest) != 1 {
			return Spot{}, fault.Newf(fault.Invalid, "%q needs the id of one step: write %s STEP", kind, kind)
		}
		return Spot{Kind: kind, Step: rest[0]}, nil
	case SpotCall:
		if len(rest) != 1 {
			return Spot{}, fault.New(fault.Invalid, `"call" needs the name of one tool: write call TOOL, or call * for all`, "")
		}
		if i := strings.IndexByte(rest[0], '*'); i >= 0 && i < len(rest[0])-1 {
			return Spot{}, fault.Newf(fault.Invalid, "%s: a * is only allowed at the end of a tool's name", quote(rest[0]))
		}
		return Spot{Kind: kind, Tool: rest[0]}, nil
	}
	return Spot{}, badSpot(quote(s) + " is not a place")
}

func badSpot(why string) error {
	return fault.New(fault.Invalid, why+": write start, before STEP, after STEP, call TOOL or end", "")
}

func (s Spot) String() string {
	switch {
	case s.Step != "":
		return string(s.Kind) + " " + s.Step
	case s.Tool != "":
		return string(s.Kind) + " " + s.Tool
	}
	return string(s.Kind)
}

// matches reports whether the gate applies to a call of this tool.
func (s Spot) matches(tool string) bool {
	if prefix, ok := strings.CutSuffix(s.Tool, "*"); ok {
		return strings.HasPrefix(tool, prefix)
	}
	return s.Tool == tool
}
