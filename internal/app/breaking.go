package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
)

// breakage is a document in force that would no longer be valid.
type breakage struct {
	kind, name, why string
	was             []string // what is wrong with it already
}

// breaks lists the workflows and agents in force that are valid now and would
// not be with after in the place of what is in force. Those in changed are left
// out: they are checked by themselves.
func (a *App) breaks(after *definition.Surroundings, changed func(definition.Kind, string) bool) (out []breakage) {
	var before *definition.Surroundings
	for _, doc := range a.registry.now().set.Documents() {
		kind, name := doc.Ident()
		if kind != definition.KindWorkflow && kind != definition.KindAgent || changed(kind, name) {
			continue
		}
		now := errorsOf(doc, after)
		if len(now) == 0 {
			continue
		}
		if before == nil {
			before = definition.Around(a.around(definition.NewSet()))
		}
		was := errorsOf(doc, before)
		now = slices.DeleteFunc(now, func(p string) bool { return slices.Contains(was, p) })
		if len(now) > 0 {
			out = append(out, breakage{string(kind), name, now[0], was})
		}
	}
	return out
}

// errorsOf are the problems of a document with what is around it.
func errorsOf(doc definition.Document, around *definition.Surroundings) (out []string) {
	for _, p := range definition.Errors(around.Check(doc)) {
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

// without is a set but for some documents.
func without(set *definition.Set, gone func(definition.Kind, string) bool) *definition.Set {
	out := definition.NewSet()
	for _, doc := range set.Documents() {
		if !gone(slot(doc)) {
			out.Add(doc)
		}
	}
	return out
}

// weighBreakage refuses to publish a document that breaks others in force, unless
// it is forced; then it says what it breaks.
func (a *App) weighBreakage(doc definition.Document, force bool) ([]breakage, error) {
	kind, name := doc.Ident()
	if kind == definition.KindPolicy || kind == definition.KindPrices {
		return nil, nil
	}
	broken := a.breaks(definition.Around(a.with(doc)), func(k definition.Kind, n string) bool { return k == kind && n == name })
	if len(broken) == 0 || force {
		return broken, nil
	}
	return nil, fault.New(fault.Conflict, fmt.Sprintf("publishing %s %q would break %s", kind, name, tellBreakages(broken)),
		"change those first, or publish anyway with force=true (assent load FILE --force)")
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
