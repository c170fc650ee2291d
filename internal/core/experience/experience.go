// Package experience derives what a run that has ended teaches about tools: which ones worked and in which order, and
// which ones people rejected or did not help.
//
//	if e := experience.Of(state); e != nil { … } // one event, for the graph of core/learn
package experience

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Of is what a run teaches about tools; nil: nothing, because it has not ended, is a test, or its
// payloads were deleted. A run that was not completed teaches only what did not work, and a fork only what it
// did itself.
func Of(s *machine.State) *run.Experience {
	if !s.Status.Ended() || s.Started.TestMode || s.Removed != nil {
		return nil
	}
	x := &collector{s: s}
	if s.Status == run.Completed {
		x.steps()
		x.described()
	}
	x.found()
	for _, d := range s.Declined {
		x.serve(d.Request, true, "", d.Tool)
	}
	if x.out.Empty() {
		return nil
	}
	return &x.out
}

// collector is what was collected so far.
type collector struct {
	s   *machine.State
	out run.Experience
}

// steps collects the tools that worked, and how they followed each other.
func (x *collector) steps() {
	s := x.s
	after := make([][]int, len(s.Steps)) // positions of the tools that a step leaves behind
	for _, i := range s.Plan().Order() {
		n := &s.Plan().Nodes[i]
		var before []int
		for _, need := range n.Needs {
			before = union(before, after[need])
		}
		after[i] = before // a step without a tool passes on what it was given
		if !x.worked(i) {
			continue
		}
		at, ok := x.tool(toolOf(n.Step))
		if !ok {
			continue
		}
		after[i] = []int{at}
		for _, from := range before {
			pair(&x.out.Then, from, at)
		}
		x.fits(i, at)
		x.calls(n.Step.ID)
	}
}

// worked reports whether a step was done in this run, and not in the one that it was forked from or by hand.
func (x *collector) worked(i int) bool {
	st := x.s.Steps[i]
	if st.Status != run.DoneStep || st.Copied || len(st.Tasks) == 0 {
		return false
	}
	if x.s.Forked == nil {
		return true
	}
	_, edited := x.s.Forked.Edits.Outputs[x.s.Plan().Nodes[i].Step.ID]
	return !edited
}

// fits collects whose results a step was given.
func (x *collector) fits(i, at int) {
	n := &x.s.Plan().Nodes[i]
	from := func(path []string) {
		if len(path) == 0 {
			return
		}
		k, ok := x.s.Plan().Step(path[0])
		if !ok || !x.worked(k) {
			return
		}
		if source, ok := x.tool(toolOf(x.s.Plan().Nodes[k].Step)); ok {
			pair(&x.out.Fits, source, at)
		}
	}
	for _, a := range n.With {
		from(a.Source.Path)
	}
	from(n.Each)
}

// calls collects the tools that an agent called, one after the other.
func (x *collector) calls(step string) {
	last := -1
	for _, u := range x.s.Used {
		if u.Step != step {
			continue
		}
		at, ok := x.tool(u.Tool)
		if !ok {
			return
		}
		if last >= 0 {
			pair(&x.out.Then, last, at)
		}
		last = at
	}
}

// described is the workflow's own description, which all of its tools served.
func (x *collector) described() {
	w := &x.s.Plan().Definition.Workflow
	for _, tool := range x.out.Tools {
		x.serve(w.Description, false, tool, "")
	}
	for i, st := range x.s.Steps {
		if tool := toolOf(x.s.Plan().Nodes[i].Step); st.Status == run.FailedStep && !st.Copied &&
			!slices.Contains(x.out.Tools, tool) {
			x.serve(w.Description, false, "", tool)
		}
	}
}

// found is what became of the steps that were found for requirements.
func (x *collector) found() {
	for _, change := range x.s.PlanChanges {
		for _, b := range change.Because {
			i, ok := x.s.Plan().Step(b.Step)
			if !ok || x.s.Steps[i].Copied {
				continue
			}
			st := x.s.Steps[i]
			request := cmp.Or(b.Wanted, strings.TrimPrefix(change.Why, "replan: "))
			switch {
			case x.worked(i) && x.s.Status == run.Completed:
				x.serve(request, true, b.Tool, "")
			case st.Status == run.FailedStep, st.Status == run.SkippedStep && st.Skipped == run.SkipRejected:
				x.serve(request, true, "", b.Tool)
			}
		}
	}
}

// tool is the position of a tool; false if there is none, or no room for it.
func (x *collector) tool(name string) (int, bool) {
	if name == "" {
		return 0, false
	}
	if at := slices.Index(x.out.Tools, name); at >= 0 {
		return at, true
	}
	if len(x.out.Tools) >= run.ExperienceTools {
		return 0, false
	}
	x.out.Tools = append(x.out.Tools, name)
	return len(x.out.Tools) - 1, true
}

// serve adds a tool that served a request, or one that did not. Of the two, what did not work counts.
func (x *collector) serve(request string, said bool, tool, not string) {
	request = phrase.ClipValid(strings.TrimSpace(request), run.RequestMax-len("…"))
	kept := !said || x.s.Plan().Definition.Workflow.Loops.LearnsRequests()
	if !kept || request == "" || request == run.RemovedText || tool == "" && not == "" {
		return
	}
	at := slices.IndexFunc(x.out.Served, func(s run.Served) bool { return s.Request == request && s.Said == said })
	if at < 0 {
		if len(x.out.Served) >= run.ServedMax {
			return
		}
		at = len(x.out.Served)
		x.out.Served = append(x.out.Served, run.Served{Request: request, Said: said, Declared: said})
	}
	s := &x.out.Served[at]
	switch {
	case not != "" && !slices.Contains(s.Not, not) && len(s.Not) < run.ExperienceTools:
		s.Not = append(s.Not, not)
		s.Tools = slices.DeleteFunc(s.Tools, func(t string) bool { return t == not })
	case tool != "" && !slices.Contains(s.Tools, tool) && !slices.Contains(s.Not, tool):
		s.Tools = append(s.Tools, tool)
	}
}

// toolOf is the tool of a step as catalogues name it; empty if it has none.
func toolOf(s *plan.Step) string {
	switch {
	case s.Tool != "":
		return s.Tool
	case s.Agent != "":
		return run.AgentPrefix + s.Agent
	}
	return ""
}

func pair(to *[][2]int, a, b int) {
	p := [2]int{a, b}
	if a != b && len(*to) < run.ExperiencePairs && !slices.Contains(*to, p) {
		*to = append(*to, p)
	}
}

func union(a, b []int) []int {
	for _, i := range b {
		if !slices.Contains(a, i) && len(a) < run.ExperienceTools {
			a = append(slices.Clip(a), i)
		}
	}
	return a
}
