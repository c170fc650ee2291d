package planner

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Where arguments come from: the values of the run that fit the argument's schema and are called the same, or
// that contain a word of the wish; words of the wish itself; outputs of steps that were just found. Evidence is
// required: a value that merely has the right type is not used.

const (
	dataMax  = 4_000 // values of a run that are looked at
	depthMax = 5
)

// datum is a value of the run, with its path in mappings.
type datum struct {
	path  string
	from  string // the step; empty: the run's input
	name  string // of the last field
	value json.RawMessage
	list  string // the path of the list whose element it is
	order int
}

// dataOf lists the values of a run: the newest results first, then the input.
func dataOf(n port.Need) (out []datum) {
	for k := len(n.Done) - 1; k >= 0; k-- {
		out = walk(out, datum{path: n.Done[k].Step, from: n.Done[k].Step, name: n.Done[k].Step, value: n.Done[k].Output}, 0)
	}
	out = walk(out, datum{path: "input", name: "input", value: n.Input}, 0)
	for i := range out {
		out[i].order = i
	}
	return out
}

func walk(out []datum, d datum, depth int) []datum {
	if len(out) >= dataMax || len(d.value) == 0 {
		return out
	}
	out = append(out, d)
	if depth == depthMax {
		return out
	}
	switch value.KindOf(d.value) {
	case value.KindObject:
		for key, v := range value.Members(d.value) {
			if plainName.MatchString(key) {
				out = walk(out, datum{path: d.path + "." + key, from: d.from, name: key, value: v}, depth+1)
			}
		}
	case value.KindArray:
		for k, v := range value.Elements(d.value) {
			out = walk(out, datum{path: d.path + "[" + strconv.Itoa(k) + "]", from: d.from, name: d.name, value: v,
				list: d.path}, depth+1)
		}
	}
	return out
}

// plainName is a key that a path can name.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// arguments are those of one call.
type arguments struct {
	with  plan.Mapping
	from  []string // the steps that they come from
	unset []string
}

// clone copies them.
func (a arguments) clone() arguments {
	return arguments{slices.Clone(a.with), slices.Clone(a.from), slices.Clone(a.unset)}
}

func (a *arguments) set(name string, s source) {
	a.with = append(a.with, plan.Field{Target: name, Source: s.text})
	if s.from != "" && !slices.Contains(a.from, s.from) {
		a.from = append(a.from, s.from)
	}
}

// source is where an argument comes from.
type source struct {
	text, from string
	score      int
	order      int
}

// arguments maps the required arguments of a tool. If several values of one list fit one of them equally well,
// there is one call for each.
func (s *sketch) arguments(wish string, c port.Callable) []arguments {
	calls := []arguments{{with: plan.Mapping{}}}
	spread := false
	for _, name := range required(c.Args) {
		fits := s.sources(wish, name, c.Args)
		switch {
		case len(fits) == 0:
			for k := range calls {
				calls[k].unset = append(calls[k].unset, name)
			}
		case len(fits) > 1 && !spread:
			spread = true
			var next []arguments
			for _, f := range fits {
				one := calls[0].clone()
				one.set(name, f)
				next = append(next, one)
			}
			calls = next
		default:
			for k := range calls {
				calls[k].set(name, fits[0])
			}
		}
	}
	return calls
}

// required are the arguments that a tool cannot do without.
func required(args json.RawMessage) (out []string) {
	raw, _ := value.Get(args, "required")
	for _, e := range value.Elements(raw) {
		if name, ok := value.Text(e); ok {
			out = append(out, name)
		}
	}
	return out
}

// sources are the best sources of an argument: one, or several elements of one list that fit equally well.
func (s *sketch) sources(wish, name string, args json.RawMessage) []source {
	fits := checker(args, name)
	var best []source
	list := ""
	consider := func(c source, of string) {
		switch {
		case c.score == 0:
		case len(best) == 0 || c.score > best[0].score:
			best, list = []source{c}, of
		case c.score == best[0].score && of != "" && of == list && len(best) < copiesMax:
			best = append(best, c)
		}
	}
	words := wordsOf(wish)
	for _, d := range s.data {
		if score := evidence(d, name, words); score > 0 && fits(d.value) {
			consider(source{text: d.path, from: d.from, score: score, order: d.order}, d.list)
		}
	}
	for _, o := range s.outputs {
		if c, ok := fromOutput(o, name, args); ok {
			consider(c, "")
		}
	}
	for _, literal := range literals(wish, name, args) {
		if fits(literal) {
			consider(source{text: string(literal), score: 3}, "")
		}
	}
	return best
}

// checker reports whether a value fits an argument.
func checker(args json.RawMessage, name string) func(json.RawMessage) bool {
	props, _ := value.Get(args, "properties")
	own, ok := value.Get(props, name)
	if !ok {
		own = json.RawMessage("{}")
	}
	members := []value.Member{{Key: "type", Value: value.Quote("object")},
		{Key: "properties", Value: value.Object(value.Member{Key: name, Value: own})}}
	for _, defs := range []string{"$defs", "definitions"} {
		if raw, ok := value.Get(args, defs); ok {
			members = append(members, value.Member{Key: defs, Value: raw})
		}
	}
	compiled, err := schema.Compile(value.Object(members...))
	if err != nil {
		return func(json.RawMessage) bool { return false }
	}
	return func(v json.RawMessage) bool {
		return len(compiled.Validate(value.Object(value.Member{Key: name, Value: v}))) == 0
	}
}

// evidence is how much speaks for a value as an argument: 0 nothing.
func evidence(d datum, name string, words []string) (score int) {
	if sameName(d.name, name) && d.list == "" {
		score += 4
	}
	text, ok := value.Text(d.value)
	if !ok || len(text) > 1_000 {
		return score
	}
	parts := wordsOf(text)
	for _, w := range words {
		if len(w) >= 3 && !common[w] && slices.Contains(parts, w) {
			score += 5
			break
		}
	}
	if score > 0 && d.list != "" && sameName(d.name, name) {
		score++
	}
	return score
}

// sameName compares names as people do: path and paths, file_name and fileName.
func sameName(a, b string) bool {
	return strings.Join(wordsOf(a), " ") == strings.Join(wordsOf(b), " ")
}

// common are words that tell nothing about a value.
var common = map[string]bool{"the": true, "and": true, "for": true, "file": true, "from": true, "with": true,
	"all": true, "read": true, "get": true, "into": true, "that": true, "this": true, "data": true, "new": true}

// wordsOf are the words of a text, in lower case and without a plural's s.
func wordsOf(text string) (out []string) {
	var b strings.Builder
	flush := func() {
		w := strings.ToLower(b.String())
		b.Reset()
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		if w != "" {
			out = append(out, w)
		}
	}
	small := false
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && small:
			flush()
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		small = unicode.IsLower(r)
	}
	flush()
	return out
}

// fromOutput maps the output of a step that was just found, if its schema fits.
func fromOutput(o produced, name string, args json.RawMessage) (source, bool) {
	props, _ := value.Get(args, "properties")
	want, ok := value.Get(props, name)
	if !ok || len(o.schema) == 0 {
		return source{}, false
	}
	have, _ := value.Get(o.schema, "properties")
	for key, one := range value.Members(have) {
		if sameName(key, name) && plainName.MatchString(key) && fit(one, want) {
			return source{text: o.step + "." + key, from: o.step, score: 6}, true
		}
	}
	return source{}, false
}

// fit reports whether data of one schema certainly matches the other.
func fit(have, want json.RawMessage) bool {
	for _, p := range schema.Fits(have, want) {
		if !p.Warning {
			return false
		}
	}
	return true
}

var (
	// quoted is compiled when it is first used: its repetitions take a millisecond.
	quoted  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"([^"]{1,500})"|'([^']{1,500})'`) })
	address = regexp.MustCompile(`https?://[^\s"'<>]+`)
	file    = regexp.MustCompile(`(?:^|\s)((?:[\w.-]*/)*[\w-]+\.[A-Za-z0-9]{1,5})(?:\s|$)`)
	number  = regexp.MustCompile(`(?:^|\s)(-?\d+(?:\.\d+)?)(?:\s|$)`)
)

// asking are arguments that take a request in plain words.
var asking = map[string]bool{"query": true, "q": true, "question": true, "prompt": true, "instruction": true,
	"request": true, "task": true, "goal": true, "search": true}

// literals are values that the wish itself contains.
func literals(wish, name string, args json.RawMessage) (out []json.RawMessage) {
	for _, m := range quoted().FindAllStringSubmatch(wish, 4) {
		out = append(out, value.Quote(m[1]+m[2]))
	}
	for _, m := range address.FindAllString(wish, 2) {
		out = append(out, value.Quote(m))
	}
	for _, m := range file.FindAllStringSubmatch(wish, 2) {
		out = append(out, value.Quote(m[1]))
	}
	for _, m := range number.FindAllStringSubmatch(wish, 2) {
		out = append(out, json.RawMessage(m[1]))
	}
	props, _ := value.Get(args, "properties")
	own, _ := value.Get(props, name)
	words := wordsOf(wish)
	choices, _ := value.Get(own, "enum")
	for _, e := range value.Elements(choices) {
		if text, ok := value.Text(e); ok && len(wordsOf(text)) == 1 && slices.Contains(words, wordsOf(text)[0]) {
			out = append(out, e)
		}
	}
	if last := wordsOf(name); len(last) > 0 && asking[last[len(last)-1]] {
		out = append(out, value.Quote(wish))
	}
	return out
}
