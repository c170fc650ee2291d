package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/definition/tree"
)

// Level classifies what happened to an element of a source.
type Level string

const (
	Mapped    Level = "mapped"    // included in the result
	Defaulted Level = "defaulted" // missing in the source; this was chosen
	Dropped   Level = "dropped"   // not in the result
	Warning   Level = "warning"   // needs attention
)

// Mapping reports what happened to one location of a source.
type Mapping struct {
	Level  Level  `json:"level"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	From   string `json:"from,omitempty"`    // a path in the source
	ToFile string `json:"to_file,omitempty"` // of the result
	To     string `json:"to,omitempty"`      // a path there
	Note   string `json:"note,omitempty"`
}

// String is file:line:column: level: from → file: path (note).
func (m Mapping) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s: %s", m.File, m.Line, m.Column, m.Level, cmp.Or(m.From, "the document"))
	if m.ToFile != "" {
		b.WriteString(" → " + m.ToFile)
		if m.To != "" {
			b.WriteString(" " + m.To)
		}
	}
	if m.Note != "" {
		b.WriteString(" (" + m.Note + ")")
	}
	return b.String()
}

// place is a location in a source.
type place struct {
	file         string
	doc          int // if there are several in the file, from 1
	path         string
	line, column int
}

func (p place) String() string { return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.column) }

// target is a location in the result.
type target struct{ file, path string }

func (t target) in(key string) target {
	switch {
	case t.path == "" || strings.HasSuffix(t.path, ": "):
		t.path += key
	case strings.HasPrefix(key, "["):
		t.path += key
	default:
		t.path += "." + key
	}
	return t
}

// notes collects the report.
type notes struct {
	order    map[string]int // of the files
	report   []Mapping
	problems []definition.Problem
}

func (n *notes) add(level Level, from place, to target, format string, args ...any) {
	path := from.path
	if from.doc > 0 {
		path = strings.TrimSuffix(fmt.Sprintf("document %d: %s", from.doc, path), ": ")
	}
	n.report = append(n.report, Mapping{
		Level: level, File: from.file, Line: from.line, Column: from.column, From: path, ToFile: to.file, To: to.path,
		Note: fmt.Sprintf(format, args...),
	})
}

func (n *notes) mapped(from place, to target, format string, args ...any) {
	n.add(Mapped, from, to, format, args...)
}

func (n *notes) defaulted(from place, to target, format string, args ...any) {
	n.add(Defaulted, from, to, format, args...)
}

func (n *notes) dropped(from place, format string, args ...any) {
	n.add(Dropped, from, target{}, format, args...)
}

func (n *notes) warn(from place, format string, args ...any) {
	n.add(Warning, from, target{}, format, args...)
}

func (n *notes) bad(at place, format string, args ...any) {
	n.problems = append(n.problems, definition.Problem{File: at.file, Problem: fault.Problem{
		Path: at.path, Message: fmt.Sprintf(format, args...), Line: at.line, Column: at.column,
	}})
}

// written adds syntax errors. The loader's messages include an excerpt unless it might reveal a secret.
func (n *notes) written(f Source, problems []tree.Problem) {
	if len(problems) == 0 {
		return
	}
	_, told := definition.Parse(f.Name, f.Body)
	for _, p := range problems {
		i := slices.IndexFunc(told, func(t definition.Problem) bool {
			return t.Line == p.Line && t.Column == p.Column && t.Message == p.Message
		})
		if i >= 0 {
			n.problems = append(n.problems, told[i])
			continue
		}
		n.bad(place{file: f.Name, line: p.Line, column: p.Column}, "%s", p.Message)
	}
}

// arrange sorts everything in the order of the sources.
func (n *notes) arrange() {
	slices.SortStableFunc(n.report, func(a, b Mapping) int {
		return cmp.Or(cmp.Compare(n.order[a.File], n.order[b.File]), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column))
	})
	slices.SortStableFunc(n.problems, func(a, b definition.Problem) int {
		return cmp.Or(cmp.Compare(n.order[a.File], n.order[b.File]), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column))
	})
}

// clip shortens user input for a message.
func clip(s string) string {
	return phrase.Clip(s, 60)
}
