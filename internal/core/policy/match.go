package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
)

// view resolves fields of a subject. However many rules refer to them, the data is scanned once, and all of
// them share one budget.
type view struct {
	sub    *Subject
	roots  map[string]bool // the names that any rule refers to
	paths  int             // how many fields they refer to
	data   map[string]json.RawMessage
	fields []operand // indexed by the number of their path
	budget int
	now    time.Time
	totals map[*sum]added
}

// operand is a field that has been looked up.
type operand struct {
	expr.Operand
	known bool
}

// operand reads a field once, however many rules refer to it.
func (v *view) operand(f *field) expr.Operand {
	if v.fields == nil {
		v.fields = make([]operand, v.paths)
	}
	o := &v.fields[f.no]
	if !o.known {
		*o = operand{expr.Read(&v.budget, v.field(f.path)), true}
	}
	return o.Operand
}

// root resolves a name as Subject describes.
func (v *view) root(name string, dotted bool) (json.RawMessage, bool) {
	switch name {
	case "risk":
		return word(string(v.sub.Risk))
	case "operation":
		return word(v.sub.Operation)
	case "tool":
		return word(v.sub.Tool)
	case "agent":
		return word(v.sub.Agent)
	case "confidence":
		if v.sub.sure() {
			return strconv.AppendFloat(nil, *v.sub.Confidence, 'g', -1, 64), true
		}
		return nil, false
	case "input", "context":
		return v.look(name)
	}
	if dotted {
		if raw, ok := v.look(name); ok {
			return raw, true
		}
	}
	if v.data == nil {
		v.read()
	}
	if raw, ok := v.data[name]; ok {
		return raw, true
	}
	return v.look(name)
}

func (v *view) look(name string) (json.RawMessage, bool) {
	if v.sub.Look == nil {
		return nil, false
	}
	return v.sub.Look(name)
}

func (v *view) read() {
	v.data = map[string]json.RawMessage{}
	for name, raw := range value.Members(v.sub.Data) {
		if v.roots[name] {
			v.data[name] = raw
		}
	}
}

func word(s string) (json.RawMessage, bool) {
	if s == "" {
		return nil, false
	}
	return value.Quote(s), true
}

func (v *view) field(path value.Path) json.RawMessage {
	raw, ok := v.root(path[0], len(path) > 1)
	if !ok {
		return nil
	}
	if len(path) > 1 {
		v.budget -= len(raw)
	}
	raw, _ = value.Get(raw, path[1:]...)
	return raw
}

// match evaluates a trigger, cheap parts first. One false part settles it; otherwise one unknown part makes
// the result unknown. mistyped reports that a value is present but of the wrong type.
func (t *trigger) match(v *view) (truth expr.Truth, mistyped bool) {
	truth = expr.True
	switch {
	case len(t.risks) == 0 || slices.Contains(t.risks, v.sub.Risk):
	case v.sub.Risk == "" && v.sub.Operation != "":
		truth = expr.Unknown
	default:
		return expr.False, false
	}
	for i, w := range v.sub.words() {
		switch {
		case len(t.words[i]) == 0 || w != "" && slices.ContainsFunc(t.words[i], func(p string) bool { return like(p, w) }):
		case i == 0 && v.sub.undeclared():
			truth = expr.Unknown
		default:
			return expr.False, false
		}
	}
	for _, c := range t.confidences {
		switch {
		case !v.sub.sure():
			truth = expr.Unknown
		case !c.holds(*v.sub.Confidence):
			return expr.False, false
		}
	}
	for i := range t.fields {
		switch got, why := v.weigh(&t.fields[i]); got {
		case expr.False:
			return expr.False, false
		case expr.Unknown:
			if mutant.Is(mutant.MissingIsFalse) {
				return expr.False, false
			}
			truth, mistyped = expr.Unknown, mistyped || why != ""
		}
	}
	if t.when != nil {
		switch got := t.weigh(v); got.Truth {
		case expr.False:
			return expr.False, false
		case expr.Unknown:
			truth, mistyped = expr.Unknown, mistyped || got.Doubt != ""
		}
	}
	return truth, mistyped
}

// weigh compares a field, or its sum, with the rule's value.
func (v *view) weigh(f *field) (truth expr.Truth, why string) {
	if f.sum == nil {
		return f.test.Weigh(&v.budget, v.operand(f))
	}
	sum := v.sumOf(f.sum)
	if sum.raw == nil {
		return expr.Unknown, sum.why
	}
	return f.test.Weigh(&v.budget, expr.Read(&v.budget, sum.raw))
}

// sumOf computes a sum once, however many rules use it.
func (v *view) sumOf(m *sum) added {
	out, known := v.totals[m]
	if !known {
		if v.totals == nil {
			v.totals = map[*sum]added{}
		}
		out = v.total(v.now, m)
		v.totals[m] = out
	}
	return out
}

func (t *trigger) weigh(v *view) expr.Answer {
	return t.when.Weigh(&v.budget, func(root string) (json.RawMessage, bool) { return v.root(root, t.dotted[root]) })
}

// undeclared reports whether a subject of more than low risk does not declare its operation.
func (s *Subject) undeclared() bool { return s.Operation == "" && s.Risk.Rank() > risk.Low.Rank() }

// sure reports whether the confidence is known.
func (s *Subject) sure() bool {
	return s.Confidence != nil && !math.IsNaN(*s.Confidence) && !math.IsInf(*s.Confidence, 0)
}

// unknowns explains why a trigger is neither true nor false.
func (t *trigger) unknowns(v *view) string {
	var out, missing []string
	if len(t.risks) > 0 && v.sub.Risk == "" {
		out = append(out, "no risk is declared")
	}
	if len(t.words[0]) > 0 && v.sub.undeclared() {
		out = append(out, "no operation is declared")
	}
	if t.sure && !v.sub.sure() {
		out = append(out, "the confidence is unknown")
	}
	add := func(path string) {
		if path != "confidence" && !slices.Contains(missing, path) {
			missing = append(missing, path)
		}
	}
	for i := range t.fields {
		f := &t.fields[i]
		switch got, why := v.weigh(f); {
		case got != expr.Unknown:
		case f.sum != nil && why != "":
			out = append(out, f.sum.String()+" is unknown: "+why)
		case f.sum != nil:
			add(v.sumOf(f.sum).missing)
		case why != "":
			out = append(out, f.path.String()+": "+why)
		default:
			add(f.path.String())
		}
	}
	if t.when != nil {
		got := t.weigh(v)
		for _, p := range got.Missing {
			add(p.String())
		}
		if got.Doubt != "" {
			out = append(out, got.Doubt)
		}
	}
	switch len(missing) {
	case 0:
	case 1:
		out = append(out, missing[0]+" is missing")
	default:
		out = append(out, strings.Join(missing[:len(missing)-1], ", ")+" and "+missing[len(missing)-1]+" are missing")
	}
	return strings.Join(out, "; ")
}

func (c confidence) holds(x float64) bool {
	switch c.op {
	case ">":
		return x > c.value
	case ">=":
		return x >= c.value
	case "<":
		return x < c.value
	case "<=":
		return x <= c.value
	case "==":
		return x == c.value
	}
	return x != c.value && !math.IsNaN(x)
}

// plain is an error's message without the source it refers to.
func plain(err error) string {
	var e *fault.Error
	if errors.As(err, &e) && len(e.Problems) > 0 {
		return e.Problems[0].Message
	}
	return err.Error()
}

// because lists the conditions that matched, with the values people want to see.
func (t *trigger) because(v *view) string {
	var out []string
	if len(t.risks) > 0 {
		out = append(out, "risk is "+string(v.sub.Risk))
	}
	for i, w := range v.sub.words() {
		if len(t.words[i]) > 0 {
			out = append(out, strings.TrimSuffix(wordNames[i], "_type")+" is "+w)
		}
	}
	for _, c := range t.confidences {
		out = append(out, fmt.Sprintf("confidence %s %s %s", decimal(*v.sub.Confidence), comparing[c.op], decimal(c.value)))
	}
	for _, f := range t.fields {
		out = append(out, f.because(v))
	}
	if t.when != nil {
		out = append(out, short(t.when.String()))
	}
	if len(out) == 0 {
		return "it applies to everything"
	}
	return strings.Join(out, ", ")
}

// comparing maps operators to words: amount 1,200 is over 1,000.
var comparing = map[string]string{
	">": "is over", ">=": "is at least", "<": "is under", "<=": "is at most", "==": "is", "!=": "is not",
	"in": "is one of", "not in": "is not one of", "contains": "contains", "startsWith": "starts with",
	"endsWith": "ends with",
}

// because describes how a matching value compares.
func (f field) because(v *view) string {
	limit := phrase.Grouped(short(string(f.value)))
	if f.sum != nil {
		return fmt.Sprintf("%s, which %s %s", f.sum.tells(v.sumOf(f.sum)), comparing[f.op], limit)
	}
	got := phrase.Grouped(short(string(v.field(f.path))))
	if f.op == "==" {
		return fmt.Sprintf("%s is %s", f.path, got)
	}
	return fmt.Sprintf("%s %s %s %s", f.path, got, comparing[f.op], limit)
}

// exceeded lists the thresholds that a subject exceeds.
func (t *trigger) exceeded(v *view) (out []string) {
	for _, f := range t.fields {
		if f.op == ">" || f.op == ">=" {
			out = append(out, f.because(v))
		}
	}
	return out
}

// String describes the trigger on its own, without a subject.
func (t trigger) String() string {
	var out []string
	switch t.at {
	case "result":
		out = append(out, "a result")
	case "act":
		out = append(out, "before it runs")
	}
	if len(t.risks) > 0 {
		out = append(out, "risk is "+either(t.risks))
	}
	for i, ws := range t.words {
		if len(ws) > 0 {
			out = append(out, strings.TrimSuffix(wordNames[i], "_type")+" is "+either(ws))
		}
	}
	for _, c := range t.confidences {
		out = append(out, fmt.Sprintf("confidence %s %s", c.op, decimal(c.value)))
	}
	for _, f := range t.fields {
		if f.sum != nil {
			out = append(out, fmt.Sprintf("%s %s %s", f.sum, f.op, phrase.Grouped(string(f.value))))
			continue
		}
		out = append(out, fmt.Sprintf("%s %s %s", f.path, f.op, short(string(f.value))))
	}
	if t.when != nil {
		out = append(out, t.when.String())
	}
	if len(out) == 0 {
		return "always"
	}
	return strings.Join(out, " and ")
}

func either[T ~string](words []T) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, " or ")
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// short truncates a long value.
func short(s string) string { return phrase.ClipBytes(s, 60) }
