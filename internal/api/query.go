package api

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
)

// param is a query parameter of an operation.
type param struct {
	name     string
	kind     kind
	doc      string
	words    []string // the only values it may have
	min, max int64    // of a number
	fallback any      // what leaving it out means, for the document
}

// kind is what a parameter's value looks like.
type kind int

const (
	aText kind = iota
	aList      // texts, with commas between them or given several times
	aNumber
	aFlag
	aLabel // k:v, may be given several times
)

// query holds parameters that have been checked.
type query map[string][]string

// valueMax bounds one value; the only long ones are cursors.
const valueMax = 4096

// parseQuery checks parameters against those an operation knows, and says all
// that is wrong at once.
func parseQuery(raw string, params []param) (query, error) {
	given, err := url.ParseQuery(raw)
	if err != nil {
		return nil, problem.Invalid("", "the query of the address is not written well")
	}
	var problems []fault.Problem
	bad := func(name, format string, args ...any) {
		problems = append(problems, fault.Problem{Path: name, Message: fmt.Sprintf(format, args...)})
	}
	out := query{}
	for name, values := range given {
		i := slices.IndexFunc(params, func(p param) bool { return p.name == name })
		if i < 0 {
			bad(problem.Printable(name), "there is no parameter %q%s", problem.Printable(name), definition.DidYouMean(name, names(params)))
			continue
		}
		checked, wrong := params[i].check(values)
		if wrong != "" {
			bad(name, "%s", wrong)
			continue
		}
		out[name] = checked
	}
	if len(problems) > 0 {
		slices.SortFunc(problems, func(a, b fault.Problem) int { return strings.Compare(a.Path, b.Path) })
		return nil, fault.Of("the parameters are not valid", problems)
	}
	return out, nil
}

func names(params []param) []string {
	out := make([]string, len(params))
	for i, p := range params {
		out[i] = p.name
	}
	return out
}

// check says what is wrong with the values of a parameter.
func (p *param) check(values []string) (out []string, wrong string) {
	if p.kind == aList {
		for _, v := range values {
			out = append(out, strings.Split(v, ",")...)
		}
		values = slices.DeleteFunc(out, func(v string) bool { return v == "" })
	}
	if len(values) > 1 && p.kind != aList && p.kind != aLabel {
		return nil, "is given more than once"
	}
	for _, v := range values {
		if wrong := p.checkOne(v); wrong != "" {
			return nil, wrong
		}
	}
	return values, ""
}

func (p *param) checkOne(v string) string {
	if len(v) > valueMax {
		return "is too long"
	}
	switch p.kind {
	case aNumber:
		if n, err := strconv.ParseInt(v, 10, 64); err != nil || n < p.min || p.max > 0 && n > p.max {
			if p.max == 0 {
				return fmt.Sprintf("expected a whole number from %d on", p.min)
			}
			return fmt.Sprintf("expected a whole number from %d to %d", p.min, p.max)
		}
	case aFlag:
		if v != "true" && v != "false" {
			return "expected true or false"
		}
	case aLabel:
		if key, _, ok := strings.Cut(v, ":"); !ok || key == "" {
			return "expected name:value"
		}
	}
	if p.words != nil && !slices.Contains(p.words, v) {
		return fmt.Sprintf("%q is not one of %s%s", problem.Printable(v), strings.Join(p.words, ", "), definition.DidYouMean(v, p.words))
	}
	return ""
}

func (q query) text(name string) string {
	if len(q[name]) == 0 {
		return ""
	}
	return q[name][0]
}

func (q query) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(q.text(name), 10, 64)
	return n, err == nil
}

func (q query) flag(name string) bool { return q.text(name) == "true" }

// limit is the size of a page.
func (q query) limit() int {
	if n, ok := q.number("limit"); ok {
		return int(n)
	}
	return limitDefault
}

const (
	limitDefault = 50
	limitMax     = 1000
)

// paging are the parameters of every list.
var paging = []param{
	{name: "limit", kind: aNumber, min: 1, max: limitMax, fallback: limitDefault, doc: "How many items to answer with at most."},
	{name: "cursor", doc: "Where to go on: the next_cursor of the page before."},
}

// page cuts a list that is there as a whole, in the order of its names.
func page[T any](all view.List[T], q query, name func(T) string) (view.List[T], error) {
	items, cursor := all.Items, q.text("cursor")
	if cursor != "" {
		after, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			return all, fault.New(fault.Invalid, "this cursor does not belong to this list", "leave it out to begin at the start")
		}
		at := slices.IndexFunc(items, func(t T) bool { return name(t) == string(after) })
		if at < 0 {
			return all, fault.New(fault.Invalid, "this cursor does not belong to this list", "leave it out to begin at the start")
		}
		items = items[at+1:]
	}
	all.Items = items
	if limit := q.limit(); len(items) > limit {
		all.Items = items[:limit]
		all.Next = base64.RawURLEncoding.EncodeToString([]byte(name(items[limit-1])))
	}
	return all, nil
}
