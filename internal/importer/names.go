package importer

import (
	"slices"
	"strconv"
	"strings"
)

// names maps every name of one kind to a valid name, always the same one.
type names struct {
	what  string
	fits  func(string) bool
	lower bool
	of    map[string]string // by the name in the source
	first map[string]string // the source name a name was first used for
}

// name is the valid name for a name of the source. Two source names never become one: that would mix up permissions.
func (n *names) name(told *notes, e entry, raw string) string {
	if n.of == nil {
		n.of, n.first = map[string]string{}, map[string]string{}
	}
	if name, known := n.of[raw]; known {
		return name
	}
	name := raw
	if !n.fits(name) {
		name = fitting(raw, n.lower, n.fits)
		told.warn(e.at, "%q is not a name here: the %s is called %s", clip(raw), n.what, name)
	}
	if other, taken := n.first[name]; taken {
		told.bad(e.at, "%q and %q would both be called %s: rename one of them", clip(raw), clip(other), name)
	}
	n.of[raw], n.first[name] = name, raw
	return name
}

// fitting makes a valid name from any text.
func fitting(raw string, lower bool, fits func(string) bool) string {
	if lower {
		raw = strings.ToLower(raw)
	}
	name := strings.Trim(strings.Map(func(r rune) rune {
		if fits(string(r)) {
			return r
		}
		return '_'
	}, raw), "_")
	name = name[:min(len(name), 60)]
	if !fits(name) {
		name = "x" + strings.TrimSuffix("_"+name, "_")
	}
	return name
}

func isName(s string) bool {
	return made(s, func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '.' })
}

func isWorkflowName(s string) bool {
	return made(s, func(c byte) bool { return c >= 'a' && c <= 'z' || c == '.' })
}

// isID accepts valid ids of steps and gates.
func isID(s string) bool {
	return !slices.Contains(reserved, s) && made(s, func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' })
}

func made(s string, more func(byte) bool) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !(c >= '0' && c <= '9' || c == '-' || c == '_' || more(c)) {
			return false
		}
	}
	return true
}

// aside are names that do not refer to a field of the subject at a gate.
var aside = []string{"input", "context", "confidence", "risk", "operation", "tool", "agent", "item", "index"}

// reserved are words that cannot be ids.
var reserved = append(slices.Clone(aside), "output", "true", "false", "null", "and", "or", "not", "in", "contains")

// free makes an id unique.
func free(id string, taken func(string) bool) string {
	for i := 2; taken(id); i++ {
		base := strings.TrimSuffix(id, "_"+strconv.Itoa(i-1))
		id = base[:min(len(base), 58)] + "_" + strconv.Itoa(i)
	}
	return id
}
