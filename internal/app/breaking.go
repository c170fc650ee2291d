package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
)

// breakage is a document in force that would no longer be valid.
type breakage struct{ kind, name, why string }

// breaks lists the workflows and agents in force that are valid now and would
// not be with after in the place of what is in force. Those in changed are left
// out: they are checked by themselves.
func (a *App) breaks(after *definition.Set, changed func(definition.Kind, string) bool) (out []breakage) {
	before := a.around(definition.NewSet())
	for _, doc := range a.registry.now().set.Documents() {
		kind, name := doc.Ident()
		if kind != definition.KindWorkflow && kind != definition.KindAgent || changed(kind, name) {
			continue
		}
		now := errorsOf(doc, after)
		if len(now) == 0 {
			continue
		}
		was := errorsOf(doc, before)
		now = slices.DeleteFunc(now, func(p string) bool { return slices.Contains(was, p) })
		if len(now) > 0 {
			out = append(out, breakage{string(kind), name, now[0]})
		}
	}
	return out
}

// brokenBy lists what the files in known would break, if this document is to
// blame: alone it would do so as well, or without its change the rest would not.
func (a *App) brokenBy(doc definition.Document, known *definition.Set, changed func(definition.Kind, string) bool) []breakage {
	broken := a.breaks(known, changed)
	if len(broken) == 0 || len(a.breaks(a.with(doc), changed)) > 0 {
		return broken
	}
	kind, name := slot(doc)
	rest := a.around(without(known, kind, name)) // with the version in force
	if len(a.breaks(rest, changed)) > 0 {
		return nil
	}
	return broken
}

// errorsOf are the problems of a document with what is around it.
func errorsOf(doc definition.Document, around *definition.Set) (out []string) {
	alone := definition.NewSet()
	alone.Add(doc)
	for _, p := range definition.Errors(alone.Check(around)) {
		out = append(out, p.Problem.String())
	}
	return out
}

// with is everything in force with one document in the place of its old version.
func (a *App) with(doc definition.Document) *definition.Set {
	one := definition.NewSet()
	one.Add(doc)
	return a.around(one)
}

// without is a set but for one document.
func without(set *definition.Set, kind definition.Kind, name string) *definition.Set {
	out := definition.NewSet()
	for _, doc := range set.Documents() {
		if k, n := slot(doc); k != kind || n != name {
			out.Add(doc)
		}
	}
	return out
}

// weighBreakage refuses to publish a document that breaks others in force.
func (a *App) weighBreakage(doc definition.Document, force bool) error {
	kind, name := doc.Ident()
	if force || kind == definition.KindPolicy || kind == definition.KindPrices {
		return nil
	}
	broken := a.breaks(a.with(doc), func(k definition.Kind, n string) bool { return k == kind && n == name })
	if len(broken) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, fmt.Sprintf("publishing %s %q would break %s", kind, name, tellBreakages(broken)),
		"change those first, or publish anyway with force=true")
}

const breakagesTold = 10

func tellBreakages(broken []breakage) string {
	var out []string
	for i, b := range broken {
		if i == breakagesTold {
			out = append(out, fmt.Sprintf("and %d more", len(broken)-i))
			break
		}
		out = append(out, fmt.Sprintf("the published %s %q (%s)", b.kind, b.name, b.why))
	}
	return strings.Join(out, ", ")
}
