package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
)

// trigger is a compiled Trigger. It matches when every part does.
type trigger struct {
	at          string // act, result, or both if it uses the confidence
	sure        bool   // uses the confidence in any part
	risks       []risk.Level
	words       [4][]string // see wordsOf
	confidences []confidence
	fields      []field
	when        *expr.Program
	dotted      map[string]bool // roots in when that are followed by a dot
}

type confidence struct {
	op    string
	value float64
}

type field struct {
	path  value.Path
	op    string
	value json.RawMessage // canonical
	no    int             // number of the path, the same wherever it is used
	test  *expr.Comparison
	sum   *sum // the sum; nil: the field itself
}

// wordNames are the keys of the parts that compare words, in wordsOf's order.
var wordNames = [4]string{"operation_type", "workflow", "agent", "tool"}

func wordsOf(t Trigger) [4][]string {
	return [4][]string{t.OperationType, t.Workflow, t.Agent, t.Tool}
}

func (s *Subject) words() [4]string { return [4]string{s.Operation, s.Workflow, s.Agent, s.Tool} }

// operators maps the words for comparisons, including those of other systems.
var operators = map[string]string{
	">": ">", "gt": ">", "greater_than": ">", "above": ">",
	">=": ">=", "gte": ">=", "ge": ">=", "greater_than_or_equal": ">=", "at_least": ">=",
	"<": "<", "lt": "<", "less_than": "<", "below": "<",
	"<=": "<=", "lte": "<=", "le": "<=", "less_than_or_equal": "<=", "at_most": "<=",
	"==": "==", "=": "==", "eq": "==", "equals": "==", "equal": "==",
	"!=": "!=", "<>": "!=", "ne": "!=", "neq": "!=", "not_equals": "!=", "not_equal": "!=",
	"in": "in", "not in": "not in", "not_in": "not in",
	"contains": "contains", "includes": "contains",
	"startsWith": "startsWith", "starts_with": "startsWith", "endsWith": "endsWith", "ends_with": "endsWith",
}

const operatorHint = `write >, >=, <, <=, ==, !=, in, "not in", contains, startsWith or endsWith`

func (c *compiler) trigger(path string, in Trigger, short *Confidence) trigger {
	out := trigger{at: in.At, risks: in.RiskLevel, words: wordsOf(in)}
	if in.At != "" && in.At != "act" && in.At != "result" {
		c.bad(path+".at", "%q is unknown: write act or result", in.At)
	}
	for i, l := range in.RiskLevel {
		if !l.Valid() {
			c.bad(element(path+".risk_level", i, len(in.RiskLevel)),
				"%q is not a risk level: write low, medium, high or critical", l)
		}
	}
	c.list(path+".risk_level", len(in.RiskLevel), in.RiskLevel != nil)
	for i, ws := range out.words {
		c.list(path+"."+wordNames[i], len(ws), ws != nil)
		for j, w := range ws {
			if w == "" {
				c.bad(element(path+"."+wordNames[i], j, len(ws)), "it is empty")
			}
		}
	}
	c.confidence(path+".agent_confidence", &out, in.AgentConfidence)
	c.confidence(path+".confidence", &out, short)
	c.fields(path+".data_threshold", &out, in.DataThreshold)
	c.fields(path+".custom_field", &out, in.CustomField)
	c.expr(path+".expr", &out, in.Expr)
	return out
}

// element is the path of a list element; a single one may be written without a list.
func element(path string, i, n int) string {
	if n == 1 {
		return path
	}
	return fmt.Sprintf("%s[%d]", path, i)
}

func (c *compiler) list(path string, n int, given bool) {
	c.words += n
	switch {
	case given && n == 0:
		c.bad(path, "it is empty: leave it out to match anything")
	case n > ListMax:
		c.bad(path, "it has %d elements; at most %d are allowed", n, ListMax)
	}
}

func (c *compiler) confidence(path string, out *trigger, in *Confidence) {
	if in == nil {
		return
	}
	op, ok := operators[in.Operator]
	switch {
	case in.Value == nil:
		c.bad(path, `%q is not a comparison: write ">= 0.8" or { operator: ">=", value: 0.8 }`, in.Operator)
	case !ok || !strings.ContainsAny(op, "<>=!"):
		c.bad(path+".operator", "%q is unknown: write >, >=, <, <=, == or !=", in.Operator)
	case !(*in.Value >= 0 && *in.Value <= 1):
		c.bad(path+".value", "%v is not between 0 and 1", *in.Value)
	default:
		out.confidences = append(out.confidences, confidence{op, *in.Value})
		out.sure = true
	}
}

func (c *compiler) fields(path string, out *trigger, in Fields) {
	c.list(path, len(in), in != nil)
	for i, f := range in {
		at := element(path, i, len(in))
		op, ok := operators[f.Operator]
		if !ok {
			c.bad(at+".operator", "%q is unknown: %s", f.Operator, operatorHint)
		}
		p, err := value.ParsePath(f.Field)
		switch {
		case f.Field == "":
			c.bad(at+".field", "it is missing")
		case err != nil:
			c.bad(at+".field", "%v", err)
		default:
			c.set.roots[p[0]] = true
			out.sure = out.sure || p[0] == "confidence"
		}
		raw, _ := value.Get(f.Value)
		if why := unfit(op, value.KindOf(raw)); ok && why != "" {
			c.bad(at+".value", "%s", why)
		}
		made := field{path: p, op: op, value: value.Canonical(raw), no: c.number(f.Field), sum: c.sum(at, out, f)}
		if test, err := expr.NewComparison(op, made.value); err == nil {
			made.test = test
		} else if ok {
			c.bad(at+".value", "%s", plain(err))
		}
		out.fields = append(out.fields, made)
	}
}

// number assigns a number to each path.
func (c *compiler) number(path string) int {
	n, known := c.paths[path]
	if !known {
		n = len(c.paths)
		c.paths[path] = n
		c.set.paths = n + 1
	}
	return n
}

// unfit explains why an operator does not accept values of a kind.
func unfit(op string, k value.Kind) string {
	switch {
	case k == value.Missing:
		return "it is missing"
	case (op == "in" || op == "not in") && k != value.KindArray:
		return "in needs a list: [a, b]"
	case (op == "startsWith" || op == "endsWith") && k != value.String:
		return op + " needs a text"
	case strings.ContainsAny(op, "<>") && k != value.Number && k != value.String:
		return op + " needs a number"
	}
	return ""
}

func (c *compiler) expr(path string, out *trigger, source string) {
	if source == "" {
		return
	}
	p, err := expr.Compile(source)
	if err != nil {
		var e *fault.Error
		if errors.As(err, &e) && len(e.Problems) > 0 {
			bad := e.Problems[0]
			bad.Message = fmt.Sprintf("%s (column %d)", bad.Message, bad.Column)
			bad.Path, bad.Line, bad.Column = path, 0, 0 // the loader adds positions in the file
			c.problems = append(c.problems, bad)
			return
		}
		c.bad(path, "%v", err)
		return
	}
	out.when, out.dotted = p, map[string]bool{}
	for _, path := range p.Paths() {
		c.set.roots[path[0]] = true
		out.sure = out.sure || path[0] == "confidence"
		if len(path) > 1 {
			out.dotted[path[0]] = true
		}
	}
}

func (t trigger) empty() bool {
	for _, ws := range t.words {
		if len(ws) > 0 {
			return false
		}
	}
	return !t.uncertain()
}

// uncertain reports whether the trigger can be unknown for some subject.
func (t trigger) uncertain() bool {
	return len(t.risks) > 0 || len(t.words[0]) > 0 || len(t.confidences) > 0 || len(t.fields) > 0 || t.when != nil
}

// Which results a trigger covers.
const (
	never  = iota
	given  // those with a confidence
	always // all
)

// sums reports whether it uses a sum.
func (t trigger) sums() bool {
	return slices.ContainsFunc(t.fields, func(f field) bool { return f.sum != nil })
}

func (t trigger) acts() bool { return t.at != "result" }

func (t trigger) results() int {
	switch {
	case t.at == "result":
		return always
	case t.at == "" && t.sure && !t.sums():
		return given
	}
	return never
}

// covers reports whether t certainly matches wherever u does, and is certainly not false where u is unknown.
func (t trigger) covers(u trigger) bool {
	if u.acts() && !t.acts() || t.results() < u.results() {
		return false
	}
	for i := range t.words {
		if len(t.words[i]) > 0 && (len(u.words[i]) == 0 || !within(u.words[i], t.words[i])) {
			return false
		}
	}
	if len(t.risks) > 0 && (len(u.risks) == 0 || !subset(u.risks, t.risks)) {
		return false
	}
	if t.when != nil && (u.when == nil || t.when.String() != u.when.String()) {
		return false
	}
	for _, f := range t.fields {
		if !slices.ContainsFunc(u.fields, func(g field) bool {
			return slices.Equal(f.path, g.path) && f.op == g.op && bytes.Equal(f.value, g.value) && f.sum.same(g.sum)
		}) {
			return false
		}
	}
	return subset(t.confidences, u.confidences)
}

func subset[T comparable](a, b []T) bool {
	return !slices.ContainsFunc(a, func(x T) bool { return !slices.Contains(b, x) })
}

// within reports whether every word that matches a pattern of a also matches one of b.
func within(a, b []string) bool {
	covered := func(w string) bool {
		prefix, open := strings.CutSuffix(w, "*")
		return slices.ContainsFunc(b, func(p string) bool {
			return p == w ||
				like(p, prefix) && (!open || strings.HasSuffix(p, "*"))
		})
	}
	return !slices.ContainsFunc(a, func(w string) bool { return !covered(w) })
}

// like matches a word against a pattern that may end in *.
func like(pattern, word string) bool {
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(word, start)
	}
	return pattern == word
}
