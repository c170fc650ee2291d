package planner

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Drawing a suggested plan: arguments, needs, and the input that a run has to bring along.

// drawn is one step while it is drawn.
type drawn struct {
	step  plan.Step
	from  []string // steps that it reads from
	unset []string
	notes []string
}

// step draws the step of a pick.
func (d *design) step(p *pick) (plan.Step, port.StepReason) {
	p.id = d.name(p.Name)
	s := &drawn{step: plan.Step{ID: p.id}}
	for _, f := range p.given {
		d.setGiven(s, f)
	}
	for _, name := range required(p.Args) {
		if !slices.ContainsFunc(s.step.With, func(f plan.Field) bool { return f.Target == name }) {
			d.set(s, p, name)
		}
	}
	if agent, ok := strings.CutPrefix(p.Name, port.AgentPrefix); ok {
		s.step.Agent = agent
	} else {
		s.step.Tool = p.Name
	}
	if needs := d.needsOf(s, p); len(d.out.Steps) > 0 {
		s.step.Needs = &needs
	}
	why := port.StepReason{Step: p.id, Tool: p.Name, Part: p.part, Score: p.Score, Confidence: p.Confidence,
		Because: slices.Concat(p.Why, p.reason, s.notes), Unset: s.unset, Asks: asks(p.Callable), Risk: p.Risk}
	if len(s.unset) > 0 {
		why.Confidence *= incomplete
	}
	why.Confidence = rounded(why.Confidence)
	if why.Asks {
		d.gate(&s.step, p.Callable)
	}
	d.out.Steps = append(d.out.Steps, s.step)
	out := produced{p.id, p.Output}
	if s.step.Each != "" {
		out.schema = nil // it is a list of them
	}
	d.outputs = append(d.outputs, out)
	return s.step, why
}

// takes is the reason for the source of an argument, in words.
func takes(name, source string) string {
	return fmt.Sprintf("takes the %s from %s", spaced(name), source)
}

func eachOf(list, name string) string {
	return fmt.Sprintf("runs once for each item in %s, passed as the %s", inPath(list, ""), spaced(name))
}

// Sources of arguments, in reasons.
const (
	fromText  = "your description"
	fromInput = "the run's input"
)

// inPath names a value of an earlier step or of the input in words: find_pages.urls are the urls of Find pages. For an
// argument of the same name, the step is enough.
func inPath(path, argument string) string {
	src, err := plan.ParseSource(path)
	if err != nil || len(src.Path) == 0 {
		return path
	}
	owner := fromInput
	if src.Path[0] != "input" {
		owner = inWords(src.Path[0])
	}
	for _, field := range slices.Backward(src.Path[1:]) {
		if _, err := strconv.Atoi(field); err == nil {
			continue
		}
		if argument != "" && sameName(field, argument) {
			return owner
		}
		return fmt.Sprintf("the %s of %s", spaced(field), owner)
	}
	return owner
}

func (s *drawn) map1(name, source, from, note string) {
	s.step.With = append(s.step.With, plan.Field{Target: name, Source: source})
	if from != "" && !slices.Contains(s.from, from) {
		s.from = append(s.from, from)
	}
	s.notes = append(s.notes, note)
}

// setGiven takes an argument of an arrangement over: it was checked before.
func (d *design) setGiven(s *drawn, f plan.Field) {
	src, _ := plan.ParseSource(f.Source)
	switch {
	case src.Path == nil:
		s.map1(f.Target, f.Source, "", takes(f.Target, fromText))
	case src.Path[0] == "steps":
		n := 0
		_, _ = fmt.Sscanf(src.Path[1], "%d", &n)
		path := append(value.Path{d.picks[n].id}, src.Path[2:]...)
		s.map1(f.Target, path.String(), d.picks[n].id, takes(f.Target, inPath(path.String(), f.Target)))
	default:
		if len(src.Path) > 1 {
			d.field(src.Path[1], json.RawMessage(`{}`))
		}
		s.map1(f.Target, src.Path.String(), "", takes(f.Target, fromInput))
	}
}

// set finds the source of a required argument.
func (d *design) set(s *drawn, p *pick, name string) {
	given := d.sourcesFor(p, name)
	for k := len(d.outputs) - 1; k >= 0; k-- {
		o := d.outputs[k]
		path, each, ok := mapped(o, name, p.Args)
		switch {
		case !ok || len(given) > 0 && given[0].score > 6 || each && s.step.Each != "":
			continue
		case each:
			s.step.Each = path
			s.map1(name, "item", o.step, eachOf(path, name))
		default:
			s.map1(name, path, o.step, takes(name, inPath(path, name)))
		}
		return
	}
	if len(given) > 0 && d.fromInput(s, name, given[0], p.Args) {
		return
	}
	own := property(p.Args, name)
	field := d.newField(s.step.ID, name, plainSchema(own))
	s.unset = append(s.unset, name)
	s.map1(name, "input."+field, "", "nothing provides the "+spaced(name)+", so each run asks for it")
}

// fromInput maps a value of the example input, or a word of the intent. Of a list, every element is meant.
func (d *design) fromInput(s *drawn, name string, found source, args json.RawMessage) bool {
	path, isPath := strings.CutPrefix(found.text, "input")
	if !isPath || d.isLiteral(found.text) {
		if slices.ContainsFunc(s.step.With, func(f plan.Field) bool { return f.Source == found.text }) {
			return false // one word does not stand for two things
		}
		s.map1(name, found.text, "", takes(name, fromText))
		return true
	}
	if list, element := strings.CutSuffix(path, "]"); element {
		list = list[:strings.LastIndexByte(list, '[')]
		if s.step.Each != "" || strings.Contains(list, "[") || !d.allFit("input"+list, name, args) {
			return false
		}
		s.step.Each = "input" + list
		d.used(list)
		s.map1(name, "item", "", eachOf("input"+list, name))
		return true
	}
	if strings.Contains(path, "[") || path == "" {
		return false
	}
	d.used(path)
	s.map1(name, found.text, "", takes(name, fromInput))
	return true
}

func (d *design) isLiteral(text string) bool {
	src, err := plan.ParseSource(text)
	return err == nil && src.Literal != nil
}

// allFit reports whether every element of a list fits an argument.
func (d *design) allFit(list, name string, args json.RawMessage) bool {
	fits := checker(args, name)
	for _, v := range d.data {
		if v.list == list && !fits(v.value) {
			return false
		}
	}
	return true
}

// used makes a field of the example a required one.
func (d *design) used(path string) {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "."), ".")
	given, _ := value.Get(d.intent.Input, name)
	d.field(name, typeOf(given))
}

// field declares a field of the run's input, once.
func (d *design) field(name string, s json.RawMessage) {
	if slices.Contains(d.wanted, name) {
		return
	}
	d.wanted = append(d.wanted, name)
	d.fields = append(d.fields, value.Member{Key: name, Value: s})
}

// newField declares a field of the run's input for an argument that nothing provides.
func (d *design) newField(step, name string, s json.RawMessage) string {
	_, given := value.Get(d.intent.Input, name)
	field := name
	if !plainName.MatchString(name) {
		field = "value_" + safe(name, "")
	}
	taken := func(f string) bool {
		return slices.Contains(d.wanted, f) || given && f == name
	}
	if taken(field) {
		field = step + "_" + field
	}
	base := field
	for n := 2; taken(field); n++ {
		field = fmt.Sprintf("%s_%d", base, n)
	}
	d.field(field, s)
	return field
}

// inputSchema is the schema of the run's input; nil if the plan needs none.
func (d *design) inputSchema() json.RawMessage {
	if len(d.fields) == 0 {
		return nil
	}
	names := make([]json.RawMessage, len(d.wanted))
	for i, n := range d.wanted {
		names[i] = value.Quote(n)
	}
	return value.Object(value.Member{Key: "type", Value: value.Quote("object")},
		value.Member{Key: "required", Value: value.Array(names...)},
		value.Member{Key: "properties", Value: value.Object(d.fields...)})
}

// needsOf are the steps that a step waits for: those that it reads from, and those that it has to come after. A
// step that may change something, or reads the whole context, waits for everything before it.
func (d *design) needsOf(s *drawn, p *pick) []string {
	ids := slices.Clone(s.from)
	for _, n := range p.needs {
		ids = append(ids, n.id)
	}
	if !p.Harmless && asks(p.Callable) || s.step.Agent != "" && s.step.With == nil {
		for _, before := range d.out.Steps {
			ids = append(ids, before.ID)
		}
	}
	out := []string{}
	for _, id := range ids {
		behind := slices.ContainsFunc(ids, func(other string) bool { return other != id && d.after(other, id) })
		if !behind && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// after reports whether one drawn step runs after another.
func (d *design) after(id, first string) bool {
	at := slices.IndexFunc(d.out.Steps, func(s plan.Step) bool { return s.ID == id })
	if at < 0 || d.out.Steps[at].Needs == nil {
		return false
	}
	return slices.ContainsFunc(*d.out.Steps[at].Needs, func(n string) bool { return n == first || d.after(n, first) })
}

// mapped finds the field of a result that fits an argument: of the same name, or the only one whose name ends
// like that. A list whose elements fit is meant one by one.
func mapped(o produced, name string, args json.RawMessage) (path string, each, ok bool) {
	want := property(args, name)
	if want == nil || len(o.schema) == 0 {
		return "", false, false
	}
	fields, _ := value.Get(o.schema, "properties")
	similar, several := "", false
	for key, one := range value.Members(fields) {
		if !plainName.MatchString(key) {
			continue
		}
		switch {
		case sameName(key, name) && declared(one) && fit(one, want):
			return o.step + "." + key, false, true
		case sameName(key, name) && isList(one) && fit(itemsOf(one), want):
			return o.step + "." + key, true, true
		case endsLike(key, name) && declared(one) && declared(want) && fit(one, want):
			several = similar != ""
			similar = key
		}
	}
	if similar == "" || several {
		return "", false, false
	}
	return o.step + "." + similar, false, true
}

// declared reports whether a schema says of which type a value is.
func declared(s json.RawMessage) bool {
	t, ok := value.Get(s, "type")
	return ok && value.KindOf(t) == value.String
}

func isList(s json.RawMessage) bool {
	t, _ := value.Get(s, "type")
	text, _ := value.Text(t)
	return text == "array" && itemsOf(s) != nil
}

func itemsOf(s json.RawMessage) json.RawMessage {
	items, _ := value.Get(s, "items")
	if value.KindOf(items) != value.KindObject {
		return nil
	}
	return items
}

// endsLike reports whether a name ends with the words of another: customer_email and email.
func endsLike(long, short string) bool {
	a, b := wordsOf(long), wordsOf(short)
	return len(b) > 0 && len(a) > len(b) && slices.Equal(a[len(a)-len(b):], b)
}

// property is the schema of an argument.
func property(args json.RawMessage, name string) json.RawMessage {
	props, _ := value.Get(args, "properties")
	own, _ := value.Get(props, name)
	return own
}

const enumMax = 1_000 // bytes

// plainSchema is what a schema says about the type of a value, without the words that others wrote into it.
func plainSchema(s json.RawMessage) json.RawMessage {
	var out []value.Member
	keep := func(key string, ok func(json.RawMessage) bool) {
		if v, given := value.Get(s, key); given && ok(v) {
			out = append(out, value.Member{Key: key, Value: v})
		}
	}
	keep("type", func(v json.RawMessage) bool { return value.KindOf(v) == value.String })
	keep("format", func(v json.RawMessage) bool { return value.KindOf(v) == value.String && len(v) <= 40 })
	keep("enum", func(v json.RawMessage) bool { return value.KindOf(v) == value.KindArray && len(v) <= enumMax })
	if items := itemsOf(s); items != nil {
		out = append(out, value.Member{Key: "items", Value: typeOnly(items)})
	}
	raw := json.RawMessage(value.Object(out...))
	if _, err := schema.Compile(raw); err != nil {
		return json.RawMessage(`{}`)
	}
	return raw
}

func typeOnly(s json.RawMessage) json.RawMessage {
	if t, ok := value.Get(s, "type"); ok && value.KindOf(t) == value.String {
		return value.Object(value.Member{Key: "type", Value: t})
	}
	return json.RawMessage(`{}`)
}

// typeOf is the schema of a value, as far as its type goes.
func typeOf(v json.RawMessage) json.RawMessage {
	word := map[value.Kind]string{value.String: "string", value.Number: "number", value.Bool: "boolean",
		value.KindArray: "array", value.KindObject: "object"}[value.KindOf(v)]
	if word == "" {
		return json.RawMessage(`{}`)
	}
	return value.Object(value.Member{Key: "type", Value: value.Quote(word)})
}

// free is an id that no step and no gate has.
func (d *design) free(base string) string {
	base = base[:min(len(base), plan.NameMax-4)]
	id := base
	for n := 2; d.ids[id]; n++ {
		id = fmt.Sprintf("%s_%d", base, n)
	}
	d.ids[id] = true
	return id
}

// nameOf makes the name of a workflow from its intent.
func nameOf(text string) string {
	var words []string
	for _, w := range wordsIn(text) {
		if small[w] || slices.Contains(words, w) || len(strings.Join(append(words, w), "-")) > nameMax {
			continue
		}
		if words = append(words, w); len(words) == 5 {
			break
		}
	}
	if len(words) == 0 {
		return fallback
	}
	return strings.Join(words, "-")
}

// wordsIn are the words of a text that a name may have.
func wordsIn(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
}

var small = map[string]bool{"a": true, "an": true, "the": true, "and": true, "or": true, "of": true, "to": true,
	"in": true, "on": true, "for": true, "with": true, "from": true, "then": true, "please": true, "i": true, "we": true,
	"my": true, "our": true, "me": true, "want": true, "it": true, "that": true, "this": true, "all": true, "first": true}

func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// order is a partial order without cycles.
type order struct{ before [][]bool }

func newOrder(n int) *order {
	o := &order{make([][]bool, n)}
	for i := range o.before {
		o.before[i] = make([]bool, n)
	}
	return o
}

// add puts one before another, unless that contradicts what was added earlier.
func (o *order) add(first, second int) bool {
	if first == second || o.before[second][first] {
		return false
	}
	for i := range o.before {
		for j := range o.before {
			if (i == first || o.before[i][first]) && (j == second || o.before[second][j]) {
				o.before[i][j] = true
			}
		}
	}
	return true
}

// sorted lists all, what was added first where nothing else is known.
func (o *order) sorted() (out []int) {
	done := make([]bool, len(o.before))
	for len(out) < len(o.before) {
		for j := range o.before {
			ready := !done[j]
			for i := range o.before {
				ready = ready && (done[i] || !o.before[i][j])
			}
			if ready {
				done[j] = true
				out = append(out, j)
				break
			}
		}
	}
	return out
}
