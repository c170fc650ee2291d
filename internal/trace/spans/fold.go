package spans

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/trace"
	"github.com/assent-run/assent/internal/trace/otlp"
)

// fold follows one run: it knows what has begun and not ended.
type fold struct {
	id     string
	root   trace.Context
	caller trace.Context // zero: none
	copied bool          // the events so far are copies of another run's
	seq    int64
	began  time.Time
	again  int // how often it was reopened

	workflow string
	version  int
	retryOf  string
	from     string // the run it was forked from
	doers    map[string]doer
	steps    map[slot]*step
	asked    map[string]asked // approvals, by id
	settled  map[spot][]trace.Context
	consult  *consult

	o *Options
}

// Options are what spans contain.
type Options struct {
	// Sample decides whether a run is traced; called is whether its caller has decided.
	Sample func(c trace.Context, called bool) trace.Context
	// Model is the provider and the model of an LLM agent, as far as they are known.
	Model func(agent string) (provider, model string)
	// Content: spans contain what models and tools said.
	Content bool
}

// doer is who does a step.
type doer struct{ agent, tool, workflow string }

// slot is a step, or one element of a map.
type slot struct {
	step  string
	index int // -1: the step
}

// spot is where an approval was asked for.
type spot struct {
	slot
	call int // 0: none
}

// step is a step or an element at work.
type step struct {
	rev, try int
	began    time.Time // zero: its span is not open
	tried    time.Time // zero: no try is open
	child    string
	ahead    bool
	links    []trace.Context // of the try
	turn     turn
	calls    map[int]*call
}

// turn is a turn of a model.
type turn struct {
	no, try      int
	agent        string
	began, asked time.Time // zero asked: the model is not at work
}

// call is a call of a tool.
type call struct {
	tool, id, args string
	parent         trace.Context
	began          time.Time // zero: it has not
	try            int
	links          []trace.Context
}

// asked is an approval that is open.
type asked struct {
	at   time.Time
	span trace.Context
}

// consult is a question to the planning agent.
type consult struct {
	no, try int
	agent   string
	began   time.Time
}

func newFold(id string, forked bool, o *Options) *fold {
	return &fold{id: id, copied: forked, o: o, doers: map[string]doer{}, steps: map[slot]*step{},
		asked: map[string]asked{}, settled: map[spot][]trace.Context{}}
}

// name prefixes the names of spans that are not those of effects.
func (f *fold) name(parts ...string) trace.Context {
	return f.root.Child(f.id + "/span/" + strings.Join(parts, "/"))
}

func index(i *int) int {
	if i == nil {
		return -1
	}
	return *i
}

func (f *fold) at(name string, i *int) *step {
	at := slot{name, index(i)}
	st := f.steps[at]
	if st == nil {
		st = &step{calls: map[int]*call{}}
		f.steps[at] = st
	}
	return st
}

// stepSpan is the span of a step in its current revision; that of an element is its step's.
func (f *fold) stepSpan(name string) trace.Context {
	rev := 0
	if st := f.steps[slot{name, -1}]; st != nil {
		rev = st.rev
	}
	return f.name("step", name+"#"+strconv.Itoa(rev))
}

// key names the work of a step.
func (f *fold) key(kind run.KeyKind, name string, i *int, n, try int) run.Key {
	return run.Key{Run: f.id, Kind: kind, Step: name, Index: index(i), Rev: f.at(name, i).rev, N: n, Try: try}
}

func (f *fold) trySpan(name string, i *int) trace.Context {
	return f.root.Child(f.key(run.KeyStep, name, i, 0, f.at(name, i).try).String())
}

func (f *fold) turnSpan(name string, i *int) trace.Context {
	st := f.at(name, i)
	if st.turn.agent == "" {
		return f.trySpan(name, i) // a step that calls a tool has no model
	}
	return f.name("turn", name+"["+strconv.Itoa(index(i))+"]#"+strconv.Itoa(st.rev)+"~"+strconv.Itoa(st.try)+"."+
		strconv.Itoa(st.turn.no))
}

// span is a span of this run.
func (f *fold) span(c, parent trace.Context, name string, kind otlp.Kind, from, to time.Time,
	attrs ...otlp.Attr) otlp.Span {
	if to.Before(from) {
		to = from // clocks of two machines differ
	}
	return otlp.Span{Context: c, Parent: parent.Span, Name: name, Kind: kind, Start: from, End: to,
		Attrs: append([]otlp.Attr{{Key: "assent.run.id", Value: f.id}}, attrs...)}
}

func attr(key string, value any) otlp.Attr { return otlp.Attr{Key: key, Value: value} }

// place are the attributes of a step or element.
func place(name string, i *int) []otlp.Attr {
	out := []otlp.Attr{attr("assent.step.id", name)}
	if i != nil {
		out = append(out, attr("assent.step.index", int64(*i)))
	}
	return out
}

// failed marks a span. The message of a failure is what an agent or a tool said.
func (f *fold) failed(s *otlp.Span, e run.Failure) {
	code := e.Code
	if code == "" {
		code = "failed"
	}
	s.Failed, s.Error = true, code
	s.Attrs = append(s.Attrs, attr("error.type", code))
	if f.o.Content {
		s.Error = f.content(e.Message)
	}
}

// contentMax limits what is said in one attribute.
const contentMax = 8 << 10

// content is what a model or tool said, without credentials.
func (f *fold) content(text string) string {
	return phrase.ClipValid(mask.Credentials(text), contentMax)
}

// said adds what was said, if spans contain that.
func (f *fold) said(s *otlp.Span, key, text string) {
	if f.o.Content && text != "" {
		s.Attrs = append(s.Attrs, attr(key, f.content(text)))
	}
}

// apply folds an event, and returns the spans that it ends.
func (f *fold) apply(e *run.Event) (out []otlp.Span) {
	f.seq = e.Seq
	switch fact := e.Fact.(type) {
	case *run.RunStarted:
		f.start(e.At, fact)
	case *run.RunForked:
		// A fork is another run, whose caller is not the original's.
		workflow, version, doers := f.workflow, f.version, f.doers
		*f = *newFold(f.id, false, f.o)
		f.seq, f.began, f.from = e.Seq, e.At, fact.From
		f.workflow, f.version, f.doers = workflow, version, doers
		f.root = f.o.Sample(trace.OfRun(f.id, ""), false)
	case *run.RunReopened:
		f.again++
		f.began = e.At
	case *run.RunCompleted:
		out = f.end(e.At, string(run.Completed), nil)
	case *run.RunCancelled:
		out = f.end(e.At, string(run.Cancelled), nil)
	case *run.RunFailed:
		out = f.end(e.At, string(run.Failed), &fact.Error)
	case *run.RunLimitReached:
		out = f.end(e.At, "limit_reached", &run.Failure{Code: "limit_reached"})
	case *run.PlanChanged:
		for _, s := range fact.Steps {
			f.doers[s.ID] = doer{s.Agent, s.Tool, s.Workflow}
		}
	case *run.ConsultStarted:
		f.consult = &consult{fact.N, max(fact.Try, 1), fact.Agent, e.At}
	case *run.ConsultRetrying:
		out = f.consulted(e.At, &fact.Error)
	case *run.ConsultAnswered:
		out = f.consulted(e.At, nil)
	case *run.ApprovalNeeded:
		out = f.ask(e.At, fact.Spot, fact.Request.ID, fact.Want, string(fact.Request.Risk.Level), "")
	case *run.ApprovalAutoApproved:
		out = f.ask(e.At, fact.Spot, fact.Request.ID, fact.Want, string(fact.Request.Risk.Level), "auto_approved")
	case *run.ApprovalResolved:
		out = f.settle(e.At, fact)
	default:
		out = f.applyStep(e)
	}
	if f.copied || !f.root.Sampled {
		return nil
	}
	return out
}

func (f *fold) start(at time.Time, s *run.RunStarted) {
	f.began, f.workflow, f.version, f.retryOf = at, s.Workflow, s.Version, s.RetryOf
	caller, called := trace.Parse(s.Trace)
	f.caller = caller
	f.root = f.o.Sample(trace.OfRun(f.id, s.Trace), called)
}

// end ends a run and everything in it.
func (f *fold) end(at time.Time, status string, why *run.Failure) []otlp.Span {
	out := f.consulted(at, nil)
	places := make([]slot, 0, len(f.steps))
	for p := range f.steps {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b slot) int { // elements before their step
		if c := strings.Compare(a.step, b.step); c != 0 {
			return c
		}
		return b.index - a.index
	})
	for _, p := range places {
		i := &p.index
		if p.index < 0 {
			i = nil
		}
		out = append(out, f.endStep(p.step, i, at, nil, nil)...)
	}
	span, parent, name := f.root, f.caller, "run "+f.workflow
	if f.again > 0 {
		span, parent, name = f.name("reopened", strconv.Itoa(f.again)), f.root, "resume "+f.workflow
	}
	s := f.span(span, parent, name, otlp.Internal, f.began, at, attr("assent.workflow.name", f.workflow),
		attr("assent.workflow.version", int64(f.version)), attr("assent.run.status", status))
	for key, value := range map[string]string{"assent.run.retry_of": f.retryOf, "assent.run.forked_from": f.from} {
		if value != "" {
			s.Attrs = append(s.Attrs, attr(key, value))
		}
	}
	if why != nil {
		f.failed(&s, *why)
	}
	f.steps, f.settled = map[slot]*step{}, map[spot][]trace.Context{}
	return append(out, s)
}

// consulted ends a question to the planning agent.
func (f *fold) consulted(at time.Time, why *run.Failure) []otlp.Span {
	c := f.consult
	if f.consult = nil; c == nil {
		return nil
	}
	s := f.span(f.name("consult", strconv.Itoa(c.no), strconv.Itoa(c.try)), f.root, "invoke_agent "+c.agent,
		otlp.Client, c.began, at, attr("gen_ai.operation.name", "invoke_agent"), attr("gen_ai.agent.name", c.agent))
	if why != nil {
		f.failed(&s, *why)
	}
	return []otlp.Span{s}
}

// parentOf is the span in which an approval was asked for.
func (f *fold) parentOf(s run.Spot) trace.Context {
	st := f.steps[slot{s.Step, s.Element()}]
	switch {
	case s.Step == "" || st == nil:
		return f.root
	case s.At == run.AtCall:
		if c := st.calls[s.Call]; c != nil {
			return c.parent
		}
		return f.turnSpan(s.Step, s.Index)
	case s.At == run.AtBefore:
		return f.root // the step has not begun
	}
	return f.stepSpan(s.Step)
}

// ask is the moment in which an approval was asked for: people may take days, which no span should.
func (f *fold) ask(at time.Time, where run.Spot, id, want, risk, outcome string) []otlp.Span {
	s := f.span(f.name("approval", id), f.parentOf(where), "request_approval", otlp.Internal, at, at,
		append(approvalAttrs(where, id), attr("assent.approval.want", want))...)
	if risk != "" {
		s.Attrs = append(s.Attrs, attr("assent.approval.risk", risk))
	}
	if outcome != "" {
		s.Attrs = append(s.Attrs, attr("assent.approval.status", outcome))
		f.follow(where, s.Context)
	} else {
		f.asked[id] = asked{at, s.Context}
	}
	return []otlp.Span{s}
}

func approvalAttrs(where run.Spot, id string) []otlp.Attr {
	out := []otlp.Attr{attr("assent.approval.id", id), attr("assent.approval.at", string(where.At))}
	if where.Step != "" {
		out = append(out, place(where.Step, where.Index)...)
	}
	return out
}

// linksMax limits the links of one span.
const linksMax = 32

// follow links whatever comes next at a spot to what made it possible.
func (f *fold) follow(where run.Spot, c trace.Context) {
	at := spot{slot{where.Step, where.Element()}, where.Call}
	if len(f.settled[at]) < linksMax {
		f.settled[at] = append(f.settled[at], c)
	}
}

// settle is the moment in which an approval was settled, linked to the one in which it was asked for.
func (f *fold) settle(at time.Time, r *run.ApprovalResolved) []otlp.Span {
	s := f.span(f.name("approval", r.ID, "settled"), f.root, "settle_approval", otlp.Internal, at, at,
		append(approvalAttrs(r.Spot, r.ID), attr("assent.approval.status", string(r.Outcome.Status)))...)
	if a, ok := f.asked[r.ID]; ok {
		s.Links = []trace.Context{a.span}
		s.Attrs = append(s.Attrs, attr("assent.approval.wait_s", at.Sub(a.at).Seconds()))
		delete(f.asked, r.ID)
	}
	if r.Outcome.Act != "" {
		s.Attrs = append(s.Attrs, attr("assent.approval.act", string(r.Outcome.Act)))
	}
	f.follow(r.Spot, s.Context)
	return []otlp.Span{s}
}
