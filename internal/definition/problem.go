package definition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition/tree"
)

// Problem is one problem at one place of one file, with the path inside its document.
type Problem struct {
	File string `json:"file,omitempty"` // The file, if there is one.
	fault.Problem
	Excerpt string `json:"excerpt,omitempty"` // The line and a caret.
}

// String is file:line:column: path: message, as compilers print it.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File + ":")
	}
	if p.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", p.Line, p.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if p.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(p.Problem.String())
	return b.String()
}

// Errors returns the problems that are not warnings.
func Errors(problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Warning })
}

// Warnings returns the warnings.
func Warnings(problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return !p.Warning })
}

// faults drops the file names, for callers that know the file.
func faults(problems []Problem) []fault.Problem {
	out := make([]fault.Problem, len(problems))
	for i, p := range problems {
		out[i] = p.Problem
	}
	return out
}

// arrange sorts problems by file, and removes duplicates and any over the limit.
func arrange(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	problems = slices.Compact(problems)
	if more := len(problems) - problemsMost; more > 0 {
		problems = append(problems[:problemsMost:problemsMost], Problem{Problem: fault.Problem{
			Message: fmt.Sprintf("%d more problems are not listed: fix these first", more),
		}})
	}
	return problems
}

// noKey begins the message about an unknown key; such a problem is shown at the key, not at its value.
const noKey = "unknown key"

// locate sets the position of a problem in its file, from its path. A position that it already has is inside an
// expression.
func (p Place) locate(problem fault.Problem) Problem {
	out := Problem{File: p.File, Problem: problem}
	if p.root == nil {
		return out
	}
	spot := p.root.Find(problem.Path)
	pos := spot.Pos
	switch {
	case problem.Line > 0 && spot.Exact:
		pos = spot.Node.Within(problem.Line, problem.Column)
	case spot.Exact && spot.Key.Line > 0 && strings.HasPrefix(problem.Message, noKey):
		pos = spot.Key
	case spot.Exact && strings.HasPrefix(problem.Message, "/"):
		// Problems of a schema begin with a pointer into it.
		pointer, _, _ := strings.Cut(problem.Message, ": ")
		spot = spot.Node.Find(pointer)
		pos = spot.Pos
	}
	out.Line, out.Column = pos.Line, pos.Column
	if spot.Node.Source != nil {
		out.File = spot.Node.Source.Name
	}
	return out
}

func (p Place) bad(path, format string, args ...any) Problem {
	return p.locate(fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (p Place) warn(path, format string, args ...any) Problem {
	return p.locate(fault.Problem{Path: path, Message: fmt.Sprintf(format, args...), Warning: true})
}

// locateAll locates the problems found by a parser of the core.
func (p Place) locateAll(problems []fault.Problem) []Problem {
	out := make([]Problem, len(problems))
	for i := range problems {
		out[i] = p.locate(problems[i])
	}
	return out
}

// written is a syntax problem, with an excerpt unless that might reveal a secret.
func written(src *tree.Source, p tree.Problem) Problem {
	out := Problem{File: src.Name, Problem: fault.Problem{Message: p.Message, Line: p.Line, Column: p.Column}}
	if !secretLine(src, p.Line) {
		out.Excerpt = src.Excerpt(p.Pos)
	}
	return out
}

// secretWords are parts of keys whose values are not shown.
var secretWords = []string{"key", "token", "secret", "passw", "auth", "credential", "headers", "env"}

// secretLine reports whether a line may contain a secret: it mentions one, or follows a key that does. Broken text
// has no structure to examine.
func secretLine(src *tree.Source, line int) bool {
	indent := -1
	for n := line; n > 0 && n > line-200; n-- {
		text := src.Line(n)
		rest := strings.TrimLeft(text, " \t")
		if depth := len(text) - len(rest); rest != "" && (indent < 0 || depth < indent) {
			indent = depth
			low := strings.ToLower(rest)
			if slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(low, w) }) {
				return true
			}
		}
		if indent == 0 {
			return false
		}
	}
	return false
}
