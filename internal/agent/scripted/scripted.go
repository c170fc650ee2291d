// Package scripted contains agents that answer from a list, for demonstrations, tests and dry runs:
//
//	agent: fraud_agent
//	kind: scripted
//	answers:
//	  - { match: 'input.amount > 1000', delay: 20ms, output: { fraud_score: 0.85 }, confidence: 0.9 }
//	  - { fail: "connection timed out", transient: true }
//	  - { output: { fraud_score: 0.1 } }
//
// # Choosing an answer
//
// Answers whose match is true take precedence over those without one: here an amount of 2000 always gets the
// first one, and any other amount gets the failure and then the last. A match is an expression; input is the
// whole input, and any other name is a field of it, so amount > 1000 means the same. Answers without match
// are for inputs that no match covers. If nothing is left, the work fails permanently.
//
// The matching answers are taken once each, in order, and the last one repeats. Turns are counted per step of
// each run, and per element of a map. They are never kept in memory but follow from the Work alone, so the
// same question has the same answer after a restart and on every host:
//
//   - each retry takes the next answer;
//   - each time that work is sent back, the answers continue after the one that
//     was sent back: the next that did not fail. The revision is read from the
//     key, or, for an element of a map, is the number of guidances;
//   - a planning agent takes the next answer at each decision point.
package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Agent is a scripted agent. It is stateless and safe for concurrent use.
type Agent struct{ answers []entry }

// entry is a validated answer.
type entry struct {
	match    *expr.Program // nil: none
	delay    time.Duration
	progress []string
	result   run.Result
	failure  *run.Failure
}

var _ port.Agent = (*Agent)(nil)

// New parses a script. The error lists all problems, by path.
func New(s definition.Scripted) (*Agent, error) {
	a := &Agent{}
	var problems []fault.Problem
	for i, in := range s.Answers {
		e, ps := compile(in)
		for _, p := range ps {
			p.Path = fmt.Sprintf("/answers/%d/%s", i, p.Path)
			problems = append(problems, p)
		}
		a.answers = append(a.answers, e)
	}
	if len(s.Answers) == 0 {
		problems = append(problems, fault.Problem{Path: "/answers", Message: "a scripted agent needs at least one answer"})
	}
	if len(problems) > 0 {
		return nil, fault.Of("the script is not valid", problems)
	}
	return a, nil
}

func compile(in definition.Answer) (e entry, problems []fault.Problem) {
	e.delay, e.progress = in.Delay.Std(), in.Progress
	if in.Match != "" {
		var err error
		if e.match, err = expr.Compile(in.Match); err != nil {
			problems = append(problems, within("match", err)...)
		}
	}
	usage := run.Usage{}
	if in.Usage != nil {
		usage = *in.Usage
	}
	if in.Fail != "" {
		if len(in.Output) > 0 {
			problems = append(problems, fault.Problem{Path: "fail", Message: "an answer has an output or fails, not both"})
		}
		e.failure = &run.Failure{Code: "failed", Message: in.Fail, Transient: in.Transient, Usage: usage}
		return e, problems
	}
	deliverables, err := answer.Deliverables(in.Deliverables)
	if err != nil {
		problems = append(problems, fault.Problem{Path: "deliverables", Message: err.Error()})
	}
	e.result, err = answer.Check(run.Result{
		Output: in.Output, Confidence: in.Confidence, Reasoning: in.Reasoning, Usage: usage, Logs: in.Logs,
		Deliverables: deliverables,
	})
	if err != nil {
		problems = append(problems, fault.Problem{Path: "output", Message: err.Error()})
	}
	return e, problems
}

// within keeps the position inside an expression that does not compile.
func within(path string, err error) []fault.Problem {
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Problems) == 0 {
		return []fault.Problem{{Path: path, Message: err.Error()}}
	}
	out := make([]fault.Problem, len(f.Problems))
	for i, p := range f.Problems {
		p.Path = path
		out[i] = p
	}
	return out
}

// Invoke answers after the delay, or when ctx ends.
func (a *Agent) Invoke(ctx context.Context, w port.Work, tell func(port.Progress)) (run.Result, error) {
	if err := ctx.Err(); err != nil {
		return run.Result{}, err
	}
	fit, err := a.fitting(w.Input)
	if err != nil {
		return run.Result{}, err
	}
	e := fit[turn(fit, w)]
	if err := e.take(ctx, tell); err != nil {
		return run.Result{}, err
	}
	if e.failure != nil {
		return run.Result{}, &port.Failed{Failure: *e.failure}
	}
	r := e.result
	// Hosts put references into deliverables, so each result has its own copy.
	r.Deliverables = append([]run.Deliverable(nil), r.Deliverables...)
	return r, nil
}

// take waits for the delay, and reports progress in equal parts of it.
func (e *entry) take(ctx context.Context, tell func(port.Progress)) error {
	parts := len(e.progress) + 1
	for i := range parts {
		if i > 0 {
			tell(port.Progress{Text: e.progress[i-1], Percent: 100 * i / parts})
		}
		if e.delay <= 0 {
			continue
		}
		timer := time.NewTimer(e.delay / time.Duration(parts))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
	return nil
}

// fitting lists the answers for an input; at least one.
func (a *Agent) fitting(input json.RawMessage) ([]*entry, error) {
	var matched, others []*entry
	look := func(root string) (json.RawMessage, bool) {
		if root == "input" {
			return input, true
		}
		return value.Get(input, root)
	}
	for i := range a.answers {
		e := &a.answers[i]
		if e.match == nil {
			others = append(others, e)
			continue
		}
		ok, err := e.match.Test(look)
		if err != nil {
			return nil, permanent("invalid_input",
				fmt.Sprintf("the match of answer %d (%s) cannot be evaluated for this input: %v", i+1, e.match, err))
		}
		if ok {
			matched = append(matched, e)
		}
	}
	switch {
	case len(matched) > 0:
		return matched, nil
	case len(others) > 0:
		return others, nil
	}
	return nil, permanent("no_answer", "no answer of the script matches this input")
}

// turn is the index of the current answer.
func turn(fit []*entry, w port.Work) int {
	at := 0
	for range revisions(w) {
		for at < len(fit) && fit[at].failure != nil {
			at++
		}
		if at++; at >= len(fit) {
			break
		}
	}
	return min(at+max(w.Try, 1)-1, len(fit)-1)
}

// revisions is how often the work was sent back, or requested before.
func revisions(w port.Work) int {
	if w.Index != nil {
		return len(w.Guidance) // revisions of a map are counted over all elements
	}
	key, err := run.ParseKey(w.Key + "~1")
	switch {
	case err != nil:
		return len(w.Guidance)
	case key.Kind == run.KeyStep:
		return key.Rev
	}
	return key.Rev + max(key.N-1, 0) // decision points count from 1
}

func permanent(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}
