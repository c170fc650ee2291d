package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/assent-run/assent/internal/core/fault"
)

// part orders problems as they appear in the document: head, steps, gates, agents.
type part int

const (
	inHead part = iota
	inSteps
	inGates
	inAgents
)

// where is an element of the document that can have a problem.
type where struct {
	part   part
	index  int
	name   string // of an agent
	within string // a part of the element, such as human
}

func (w where) path(field string) string {
	var p string
	switch w.part {
	case inSteps:
		p = "steps[" + strconv.Itoa(w.index) + "]"
	case inGates:
		p = "gates[" + strconv.Itoa(w.index) + "]"
	case inAgents:
		p = "agents." + w.name
	}
	for _, s := range []string{w.within, field} {
		if p != "" && s != "" {
			p += "."
		}
		p += s
	}
	return p
}

// Limits of a report on one document; the rest is counted.
const (
	problemsMax = 1_000
	warningsMax = 200
)

// report collects problems from checks that do not run in document order.
type report struct {
	found            []finding
	errors, warnings int
}

type finding struct {
	where   where
	problem fault.Problem
}

func (r *report) bad(w where, field, format string, args ...any) {
	r.add(w, fault.Problem{Path: w.path(field), Message: fmt.Sprintf(format, args...)})
}

func (r *report) warn(w where, field, format string, args ...any) {
	r.add(w, fault.Problem{Path: w.path(field), Message: fmt.Sprintf(format, args...), Warning: true})
}

func (r *report) add(w where, p fault.Problem) {
	count, most := &r.errors, problemsMax
	if p.Warning {
		count, most = &r.warnings, warningsMax
	}
	if *count++; *count <= most {
		r.found = append(r.found, finding{w, p})
	}
}

// failed passes on a parser's error, with its position in the text at this place.
func (r *report) failed(w where, field string, err error) {
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Problems) == 0 {
		r.bad(w, field, "%s", messageOf(err))
		return
	}
	for _, p := range f.Problems {
		at := w.path(field)
		if p.Path != "" {
			p.Message = p.Path + ": " + p.Message
		}
		p.Path = at
		r.add(w, p)
	}
}

// messageOf is an error's message with its hint.
func messageOf(err error) string {
	var f *fault.Error
	if errors.As(err, &f) && f.Hint != "" {
		return err.Error() + ": " + f.Hint
	}
	return err.Error()
}

// problems lists the problems found, in document order.
func (r *report) problems() []fault.Problem {
	slices.SortStableFunc(r.found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.where.part, b.where.part), cmp.Compare(a.where.index, b.where.index))
	})
	var out []fault.Problem
	for _, f := range r.found {
		out = append(out, f.problem)
	}
	if more := r.errors - problemsMax; more > 0 {
		out = append(out, fault.Problem{Message: fmt.Sprintf("%d more problems are not listed: fix these first", more)})
	}
	return out
}
