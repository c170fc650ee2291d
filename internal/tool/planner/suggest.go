package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Limits of a suggestion.
const (
	partsMax  = 16 // of an intent
	stepsMax  = 24 // parts, and the steps that provide what those need
	nameMax   = 48 // of a workflow that is named after its intent
	fallback  = "suggested-plan"
	hint      = 0.05 // share of an intent that a tool has to account for if it returns what another one needs
	shownMost = 50
	searches  = 64 // in the catalogue: a long intent is split no further

	titleMax     = 120 // characters
	describedMax = 500
)

// Suggest makes a plan for an intent: a tool or an agent for each part of it, in the order in which results fit
// arguments, with people asked wherever the risk demands it. An argument that nothing provides becomes part of
// the run's input. The only words of a tool that reach the plan are its name and those of its arguments.
func (p *Planner) Suggest(ctx context.Context, in port.Intent) (port.Suggestion, error) {
	need := port.Need{Plan: &plan.Plan{Definition: &plan.Definition{}}, Input: in.Input}
	d := &design{sketch: &sketch{planner: p, need: need, ids: map[string]bool{}}, intent: in}
	d.data = dataOf(d.need)
	if err := d.look(ctx); err != nil {
		return port.Suggestion{}, err
	}
	if in.Arrangement != nil {
		if err := d.arrange(in.Arrangement); err != nil {
			return port.Suggestion{}, err
		}
	} else {
		d.choose()
		d.provide()
		d.order()
	}
	return d.finish(), nil
}

// design is a new plan as far as it is drawn.
type design struct {
	*sketch
	intent port.Intent
	parts  []part
	near   []port.Match // to the intent as a whole
	asked  int          // searches so far
	picks  []*pick
	fields []value.Member // of the run's input
	wanted []string       // those of them that are required
	gates  []plan.Gate
}

// part is a part of an intent, with the tools that fit it.
type part struct {
	text  string
	then  bool // it comes after the part before
	found []port.Match
}

// pick is a tool that was chosen, and its place.
type pick struct {
	port.Match
	part   string
	needs  []*pick // beyond those that its arguments come from
	given  plan.Mapping
	reason []string
	id     string
}

// look takes the intent apart and searches for each part of it.
func (d *design) look(ctx context.Context) error {
	d.near = d.search(ctx, d.intent.Text, max(candidates, min(d.intent.Candidates, shownMost)))
	all, more := partsOf(d.intent.Text)
	if more {
		d.notes = append(d.notes, fmt.Sprintf("Only the first %d parts of the intent were looked at.", partsMax))
	}
	for _, one := range all {
		one.found = d.search(ctx, one.text, candidates)
		d.parts = append(d.parts, d.split(ctx, one)...)
	}
	return ctx.Err()
}

func (d *design) search(ctx context.Context, text string, most int) []port.Match {
	d.asked++
	found, notes := d.planner.o.Catalogue.Search(ctx, text, most)
	d.note(notes)
	return slices.DeleteFunc(found, func(m port.Match) bool {
		return m.AgentsOnly || !d.usable(m.Name) || strings.ContainsAny(m.Name, " \t\n*") || len(m.Name) > plan.ToolNameMax
	})
}

// partsOf splits an intent where one thing ends and the next begins.
func partsOf(text string) (out []part, more bool) {
	text = joints.Replace(strings.Join(strings.Fields(text), " "))
	for line := range strings.SplitSeq(text, "\n") {
		then := false
		for again := true; again; {
			line = strings.Trim(line, " .;,!?")
			again = false
			for _, w := range []string{"then ", "next ", "after that ", "afterwards ", "finally ", "first ", "and ", "please "} {
				if rest, ok := cutFold(line, w); ok {
					line, again = rest, true
					then = then || w != "first " && w != "and " && w != "please "
				}
			}
		}
		if line == "" {
			continue
		}
		if len(out) == partsMax {
			return out, true
		}
		out = append(out, part{text: line, then: then && len(out) > 0})
	}
	return out, false
}

var joints = strings.NewReplacer("; ", "\n", ". ", "\n", "! ", "\n", "? ", "\n", ", then ", "\nthen ", " and then ",
	"\nthen ", ", and finally ", "\nfinally ", ", finally ", "\nfinally ", " and finally ", "\nfinally ",
	", after that ", "\nafter that ", ", next ", "\nnext ")

// cutFold is CutPrefix, whatever the case of the letters.
func cutFold(text, prefix string) (string, bool) {
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		return text[len(prefix):], true
	}
	return text, false
}

// split takes a part apart at its commas and "and"s, if different tools then account for more of it: "read the
// orders and mail the report" is two wishes, "search for rock and roll" is one.
func (d *design) split(ctx context.Context, whole part) []part {
	texts := strings.Split(commas.Replace(whole.text), "\n")
	if len(texts) < 2 || len(texts) > partsMax || d.asked+len(texts) > searches-partsMax {
		return []part{whole}
	}
	var out []part
	var names []string
	total := 0.0
	for i, text := range texts {
		one := part{text: strings.TrimSpace(text), then: whole.then && i == 0}
		one.found = d.search(ctx, one.text, candidates)
		if len(one.found) == 0 || one.found[0].Confidence < enough || slices.Contains(names, one.found[0].Name) {
			return []part{whole}
		}
		names = append(names, one.found[0].Name)
		total += one.found[0].Confidence
		out = append(out, one)
	}
	if len(whole.found) > 0 && total/float64(len(out)) < whole.found[0].Confidence {
		return []part{whole}
	}
	return out
}

var commas = strings.NewReplacer(", and ", "\n", " and ", "\n", ", ", "\n")

// choose picks a tool for each part.
func (d *design) choose() {
	var before *pick
	for _, one := range d.parts {
		var best *pick
		for _, m := range one.found {
			if m.Confidence < enough {
				continue
			}
			if best == nil || m.Score > best.Score {
				best = &pick{Match: m, part: one.text}
			}
		}
		if best == nil {
			continue
		}
		if at := slices.IndexFunc(d.picks, func(p *pick) bool { return p.Name == best.Name }); at >= 0 && !one.then {
			d.picks[at].part += "; " + one.text
			before = d.picks[at]
			continue
		}
		if one.then && before != nil {
			best.needs = append(best.needs, before)
			best.reason = append(best.reason, "comes after "+called(before)+" in your description")
		}
		d.picks = append(d.picks, best)
		before = best
	}
}

// missing are the parts that nothing fits.
func (d *design) missing() (out []string) {
	for _, one := range d.parts {
		if !slices.ContainsFunc(one.found, func(m port.Match) bool { return m.Confidence >= enough }) {
			out = append(out, one.text)
		}
	}
	return out
}

// provide adds tools that return what a chosen one needs and nothing else provides, if the intent speaks of
// them too.
func (d *design) provide() {
	for at := 0; at < len(d.picks) && len(d.picks) < stepsMax; at++ {
		for _, name := range required(d.picks[at].Args) {
			if len(d.sourcesFor(d.picks[at], name)) > 0 || slices.ContainsFunc(d.picks, func(p *pick) bool {
				return p != d.picks[at] && provides(p.Callable, d.picks[at].Callable, name)
			}) {
				continue
			}
			for _, m := range d.near {
				if m.Confidence < hint || slices.ContainsFunc(d.picks, func(p *pick) bool { return p.Name == m.Name }) ||
					!provides(m.Callable, d.picks[at].Callable, name) {
					continue
				}
				d.picks = append(d.picks, &pick{Match: m, part: d.picks[at].part,
					reason: []string{fmt.Sprintf("returns the %s, which %s needs", spaced(name), called(d.picks[at]))}})
				break
			}
		}
	}
}

// sourcesFor are the sources of an argument outside of the plan.
func (d *design) sourcesFor(p *pick, name string) []source {
	s := *d.sketch
	s.outputs = nil
	return s.sources(p.part, name, p.Args)
}

// provides reports whether one tool returns what another one needs under a name.
func provides(from, to port.Callable, name string) bool {
	_, _, ok := mapped(produced{"from", from.Output}, name, to.Args)
	return ok
}

// order sorts the steps: as the intent says; then by results that fit arguments; then as earlier runs did; and
// otherwise as the intent mentions them.
func (d *design) order() {
	o := newOrder(len(d.picks))
	index := func(p *pick) int { return slices.Index(d.picks, p) }
	for i, p := range d.picks {
		for _, n := range p.needs {
			o.add(index(n), i)
		}
	}
	for i, p := range d.picks {
		for _, name := range required(p.Args) {
			if len(d.sourcesFor(p, name)) > 0 {
				continue
			}
			for j, q := range d.picks {
				if j != i && provides(q.Callable, p.Callable, name) && o.add(j, i) {
					break
				}
			}
		}
	}
	if then := d.planner.o.Then; then != nil {
		for i, p := range d.picks {
			for j, q := range d.picks[:i] {
				switch forth, back := then(q.Name, p.Name), then(p.Name, q.Name); {
				case back > forth && o.add(i, j):
					q.needs = append(q.needs, p)
					q.reason = append(q.reason, "comes after "+called(p)+" in earlier runs")
				case forth > back && o.add(j, i):
					p.needs = append(p.needs, q)
					p.reason = append(p.reason, "comes after "+called(q)+" in earlier runs")
				}
			}
		}
	}
	sorted := make([]*pick, 0, len(d.picks))
	for _, i := range o.sorted() {
		sorted = append(sorted, d.picks[i])
	}
	d.picks = sorted
}

// offered are the tools that an arrangement may use.
func (d *design) offered() []port.Match {
	out := slices.Clone(d.near)
	for _, one := range d.parts {
		for _, m := range one.found {
			if !slices.ContainsFunc(out, func(o port.Match) bool { return o.Name == m.Name }) {
				out = append(out, m)
			}
		}
	}
	return out
}

// finish draws the plan.
func (d *design) finish() port.Suggestion {
	most := min(max(d.intent.Candidates, 0), shownMost)
	out := port.Suggestion{Missing: d.missing(), Candidates: d.offered(), Notes: d.notes}
	slices.SortStableFunc(out.Candidates, func(a, b port.Match) int {
		return strings.Compare(fmt.Sprintf("%.4f", b.Score), fmt.Sprintf("%.4f", a.Score))
	})
	out.Candidates = out.Candidates[:min(most, len(out.Candidates))]
	if len(d.picks) == 0 {
		return out
	}
	w := &plan.Workflow{Name: d.intent.Name,
		Description: phrase.Clip(strings.Join(strings.Fields(d.intent.Text), " "), describedMax)}
	if w.Name == "" {
		w.Name = nameOf(d.intent.Text)
	}
	out.Confidence = 1
	for _, p := range d.picks {
		step, why := d.step(p)
		w.Steps = append(w.Steps, step)
		out.Why = append(out.Why, why)
		out.Confidence = min(out.Confidence, why.Confidence)
	}
	if parts := len(d.parts); parts > 0 && d.intent.Arrangement == nil {
		out.Confidence *= float64(parts-len(out.Missing)) / float64(parts)
	}
	out.Confidence = rounded(out.Confidence)
	w.Gates, w.Input = d.gates, d.inputSchema()
	out.Workflow = w
	return out
}

// asks reports whether people are asked before a step: unless what it uses is safe, or declared to change
// nothing.
func asks(c port.Callable) bool {
	if c.Source == port.SourceAgent {
		return !c.Harmless
	}
	return c.Risk == "" || c.Risk.Asks() || !c.Risk.Valid()
}

// gate asks people before a step.
func (d *design) gate(step *plan.Step, c port.Callable) {
	id := d.free("approve_" + step.ID)
	g := plan.Gate{ID: id, At: "before " + step.ID, Kind: gate.KindApproval,
		Title: phrase.Clip("Run "+inWords(step.ID)+"?", titleMax)}
	if step.Tool != "" {
		g.At = "call " + step.Tool
		if slices.ContainsFunc(d.gates, func(o plan.Gate) bool { return o.At == g.At }) {
			return // it asks at every call of the tool
		}
		g.Title = phrase.Clip("Call "+inWords(shortName(c))+"?", titleMax)
	}
	d.gates = append(d.gates, g)
}

// called is the tool of a step in a reason.
func called(p *pick) string { return inWords(shortName(p.Callable)) }

// inWords is a name as people read it: page_sender is Page sender.
func inWords(name string) string {
	words := spaced(name)
	first, size := utf8.DecodeRuneInString(words)
	if size == 0 {
		return name
	}
	return string(unicode.ToUpper(first)) + words[size:]
}

// spaced is the name of a field as people read it: customer_email is customer email.
func spaced(name string) string {
	return strings.TrimSpace(strings.NewReplacer("_", " ", "-", " ").Replace(name))
}

// shortName is the name of a tool without its source.
func shortName(c port.Callable) string { return c.Name[strings.LastIndexAny(c.Name, ":/")+1:] }
