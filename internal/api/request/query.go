package request

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
)

// Param is a query parameter of an operation.
type Param struct {
	Name     string
	Kind     Kind
	Doc      string
	Words    []string // the only values it may have
	Min, Max int64    // of a number
	Fallback any      // the default, for the document
}

// Kind is the form of a parameter's value.
type Kind int

const (
	Text Kind = iota
	List      // texts, separated by commas or given several times
	Number
	Flag
	Label // k:v, may be given several times
)

// Query holds parameters that have been checked.
type Query map[string][]string

// valueMax bounds one value; the only long ones are cursors.
const valueMax = 4096

// Parse checks parameters against those of an operation, and reports every problem at
// once.
func Parse(raw string, params []Param) (Query, error) {
	given, err := url.ParseQuery(raw)
	if err != nil {
		return nil, problem.Invalid("", "the query string is not valid")
	}
	var problems []fault.Problem
	bad := func(name, format string, args ...any) {
		problems = append(problems, fault.Problem{Path: name, Message: fmt.Sprintf(format, args...)})
	}
	out := Query{}
	for name, values := range given {
		i := slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			shown := problem.Printable(name)
			bad(shown, "unknown parameter %q%s", shown, definition.DidYouMean(name, names(params)))
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

func names(params []Param) []string {
	out := make([]string, len(params))
	for i, p := range params {
		out[i] = p.Name
	}
	return out
}

// check returns the values of a parameter, or what is wrong with them.
func (p *Param) check(values []string) (out []string, wrong string) {
	if p.Kind == List {
		for _, v := range values {
			out = append(out, strings.Split(v, ",")...)
		}
		values = slices.DeleteFunc(out, func(v string) bool { return v == "" })
	}
	if len(values) > 1 && p.Kind != List && p.Kind != Label {
		return nil, "must not be repeated"
	}
	for _, v := range values {
		if wrong := p.checkOne(v); wrong != "" {
			return nil, wrong
		}
	}
	return values, ""
}

func (p *Param) checkOne(v string) string {
	if len(v) > valueMax {
		return "is too long"
	}
	switch p.Kind {
	case Number:
		if n, err := strconv.ParseInt(v, 10, 64); err != nil || n < p.Min || p.Max > 0 && n > p.Max {
			if p.Max == 0 {
				return fmt.Sprintf("expected a whole number of at least %d", p.Min)
			}
			return fmt.Sprintf("expected a whole number from %d to %d", p.Min, p.Max)
		}
	case Flag:
		if v != "true" && v != "false" {
			return "expected true or false"
		}
	case Label:
		if key, _, ok := strings.Cut(v, ":"); !ok || key == "" {
			return "expected name:value"
		}
	}
	if p.Words != nil && !slices.Contains(p.Words, v) {
		return fmt.Sprintf("%q is not one of %s%s",
			problem.Printable(v), strings.Join(p.Words, ", "), definition.DidYouMean(v, p.Words))
	}
	return ""
}

func (q Query) Text(name string) string {
	if len(q[name]) == 0 {
		return ""
	}
	return q[name][0]
}

func (q Query) Number(name string) (int64, bool) {
	n, err := strconv.ParseInt(q.Text(name), 10, 64)
	return n, err == nil
}

func (q Query) Flag(name string) bool { return q.Text(name) == "true" }

// Limit is the size of a page.
func (q Query) Limit() int {
	if n, ok := q.Number("limit"); ok {
		return int(n)
	}
	return limitDefault
}

const (
	limitDefault = 50
	LimitMax     = 1000
)

// Paging are the parameters of every list.
var Paging = []Param{
	{
		Name: "limit", Kind: Number, Min: 1, Max: LimitMax, Fallback: limitDefault,
		Doc: "The maximum number of items.",
	},
	{Name: "cursor", Doc: "The next_cursor of the previous page."},
}
