package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
)

// reserved words have a meaning in expressions, so they are not valid ids.
var reserved = []string{
	"input", "context", "item", "index", "confidence", "risk", "operation", "tool", "agent", "output",
	"true", "false", "null", "and", "or", "not", "in", "contains",
}

const (
	workflowName = "lower-case letters, digits, - _ . (at most 64)"
	idName       = "letters, digits, - _ (at most 64)"
)

// IsWorkflowName reports whether a workflow can have this name.
func IsWorkflowName(s string) bool { return isWorkflowName(s) }

func isWorkflowName(s string) bool {
	return isName(s, func(c byte) bool { return c >= 'a' && c <= 'z' || c == '.' })
}

func isID(s string) bool {
	return isName(s, func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' })
}

func isName(s string, more func(byte) bool) bool {
	if len(s) == 0 || len(s) > NameMax {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !(c >= '0' && c <= '9' || c == '-' || c == '_' || more(c)) {
			return false
		}
	}
	return true
}

// checkID returns the problem with an id, or "".
func checkID(id string) string {
	switch {
	case id == "":
		return "the id is missing: use " + idName
	case !isID(id):
		return fmt.Sprintf("%q is not an id: use %s", clip(id), idName)
	case slices.Contains(reserved, id):
		return fmt.Sprintf("%q has a meaning of its own in expressions: use another id", id)
	}
	return ""
}

// suggester finds the known name that was probably meant, and gives up once a document full of misspelt names
// has cost enough.
type suggester struct{ looked int }

const lookedMax = 1_000_000

// didYouMean ends a message with the nearest known name, if one is close.
func (s *suggester) didYouMean(name string, known ...[]string) string {
	if s.looked > lookedMax {
		return ""
	}
	for _, list := range known {
		s.looked += len(list)
	}
	if best := nearest(name, known...); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// nearest returns the known name with the smallest edit distance to name, or "" if none is close. Ties go to
// the one listed first.
func nearest(name string, known ...[]string) string {
	if len(name) < 2 || len(name) > NameMax {
		return "" // any single letter is close to any other
	}
	most := max(1, len(name)/3)
	best := ""
	for _, list := range known {
		for _, k := range list {
			if d := mistakes(name, k, most); d <= most {
				best, most = k, d-1
			}
		}
	}
	return best
}

// mistakes counts insertions, deletions, replacements and transpositions, ignoring case, and gives up over
// most.
func mistakes(a, b string, most int) int {
	if most < 0 || len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			d := prev[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, prev[j]+1, cur[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, prev2[j-2]+1)
			}
			cur[j] = d
			least = min(least, d)
		}
		if least > most {
			return most + 1
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

// The words of each vocabulary, for checks and suggestions.
var (
	levelWords     = known(risk.Levels)
	classWords     = known(risk.Classes)
	effectsWords   = []string{EffectsNone}
	autonomyWords  = known(risk.Autonomies)
	kindWords      = known(gate.Kinds)
	onRejectWords  = known(gate.OnRejects)
	thenWords      = known(gate.Thens)
	agentKindWords = known(AgentKinds)
	agentAtWords   = known(AgentAts)
	humanWords     = known(HumanWhens)
	fallbackWords  = known(Fallbacks)
	replanWords    = known(ReplanModes)
	learnWords     = known(LearnModes)
	snapshotWords  = known(SnapshotWords)
	onLimitWords   = []string{"stop", "ask"}
	missingWords   = []string{MissingAsks, MissingIgnored}
	requesterWords = []string{RequesterAllowed, RequesterExcluded}
)

// known converts words of any string type, for messages and suggestions.
func known[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

func quote(s string) string { return strconv.Quote(clip(s)) }

func itoa(n int) string { return strconv.Itoa(n) }

// at formats the path of an element: needs[0].
func at(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }
