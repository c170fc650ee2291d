package importer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/plan"
)

// condition reads when people are asked. In doubt they are: specification 003 asks whenever it cannot interpret a
// condition, and so does the gate.
func (c *checkpoint) condition() {
	o, ok := c.object.object("trigger_condition")
	if !ok {
		return
	}
	defer o.rest()
	kind, e, typed := o.text("type")
	if !typed {
		e.at = o.at
	}
	source, s, given := o.text("condition")
	always := func(at place, why string) {
		c.notes.warn(at, "%s: the gate always asks", why)
		for _, other := range []entry{e, s} {
			if other.node != nil && other.at != at {
				c.notes.dropped(other.at, "the gate always asks")
			}
		}
	}
	switch {
	case kind == "always":
		c.notes.mapped(e.at, c.to, "no when: always")
		if given {
			c.notes.dropped(s.at, "a condition has no effect with the type always")
		}
		return
	case kind != "output_based" && kind != "input_based":
		always(e.at, "the type is missing: output_based or input_based")
		return
	case !given:
		always(e.at, "the condition is missing")
		return
	case kind == "output_based" && c.At == "start":
		always(e.at, "no output exists at the start")
		return
	}
	about := "input"
	if kind == "output_based" {
		about = c.step
	}
	when, why := c.rewrite(source, about, kind == "input_based")
	if why != "" {
		always(s.at, why)
		return
	}
	c.When = when
	c.mapped(e, "when", "")
	c.mapped(s, "when", "%s", clip(when))
	c.warnOfSteps(s.at, when)
}

// rewrite translates a condition, or reports why it cannot. about is what its names are fields of: of all names, or
// only those with another meaning at a gate.
func (c *checkpoint) rewrite(source, about string, all bool) (when, why string) {
	before, err := expr.Compile(source)
	if err != nil {
		return "", "the condition cannot be read: " + sentence(err)
	}
	strange := func(name string) bool { return all || slices.Contains(aside, name) }
	if !slices.ContainsFunc(before.Roots(), strange) {
		return source, ""
	}
	if about == "" {
		return "", "the names in the condition have another meaning at the end of a run"
	}
	when = prefixed(source, inExpression(about)+".", strange)
	after, err := expr.Compile(when)
	if err != nil {
		return "", "the condition has no equivalent: " + sentence(err)
	}
	for _, root := range after.Roots() {
		if root != about && strange(root) {
			return "", "the condition has no equivalent"
		}
	}
	return when, ""
}

// warnOfSteps reports names that are steps here and were fields there.
func (c *checkpoint) warnOfSteps(at place, when string) {
	p, err := expr.Compile(when)
	if err != nil {
		return
	}
	for _, root := range p.Roots() {
		if slices.ContainsFunc(c.flow.Steps, func(s plan.Step) bool { return s.ID == root }) &&
			!strings.HasPrefix(c.At, "after "+root) {
			c.notes.warn(at, "%s means the output of the step of that name here", root)
		}
	}
}

// inExpression writes a name as in expressions.
func inExpression(name string) string {
	if strings.Contains(name, "-") || name[0] >= '0' && name[0] <= '9' {
		return "`" + name + "`"
	}
	return name
}

// words of expressions that are not names.
var keywords = []string{"and", "or", "not", "in", "contains", "startsWith", "endsWith", "matches",
	"true", "false", "null"}

// prefixed adds a prefix to each name that begins a path and that pick selects. The source is an expression that
// compiles, so a rough scan is enough: strings, names in backticks, names, and everything else.
func prefixed(source, prefix string, pick func(string) bool) string {
	var b strings.Builder
	last := byte(0) // the last non-space character
	for i := 0; i < len(source); {
		start := i
		r, size := utf8.DecodeRuneInString(source[i:])
		i += size
		name := ""
		switch {
		case r == '"' || r == '\'':
			for i < len(source) && source[i] != byte(r) {
				if source[i] == '\\' {
					i++
				}
				i++
			}
			i = min(i+1, len(source))
		case r == '`':
			end := strings.IndexByte(source[i:], '`')
			name = source[i:max(i, i+end)]
			i = min(i+max(end, 0)+1, len(source))
		case nameLetter(r) && !unicode.IsDigit(r):
			for i < len(source) {
				r, size := utf8.DecodeRuneInString(source[i:])
				if !nameLetter(r) {
					break
				}
				i += size
			}
			name = source[start:i]
			if slices.Contains(keywords, name) || strings.HasPrefix(strings.TrimLeft(source[i:], " \t\r\n"), "(") {
				name = ""
			}
		case unicode.IsDigit(r):
			for i < len(source) && (source[i] >= '0' && source[i] <= '9' || source[i]|0x20 >= 'a' && source[i]|0x20 <= 'z' ||
				source[i] == '_') {
				i++
			}
		}
		if name != "" && last != '.' && pick(name) {
			b.WriteString(prefix)
		}
		b.WriteString(source[start:i])
		if c := source[i-1]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			last = c
		}
	}
	return b.String()
}

func nameLetter(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
