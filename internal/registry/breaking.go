package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
)

// Breakage is a document in force that would no longer be valid.
type Breakage struct {
	kind, name, why string
	was             []string // its problems before
}

// breaks lists the workflows and agents in force that are valid now and would not be
// with other documents around them. Those that changed reports are left out: they are
// checked by themselves.
func (r *Registry) breaks(
	after *definition.Surroundings, changed func(definition.Kind, string) bool,
) (out []Breakage) {
	var before *definition.Surroundings
	for _, doc := range r.Current().set.Documents() {
		kind, name := doc.Ident()
		if kind != definition.KindWorkflow && kind != definition.KindAgent || changed(kind, name) {
			continue
		}
		now := errorsOf(doc, after)
		if len(now) == 0 {
			continue
		}
		if before == nil {
			before = definition.Around(r.around(definition.NewSet()))
		}
		was := errorsOf(doc, before)
		now = slices.DeleteFunc(now, func(p string) bool { return slices.Contains(was, p) })
		if len(now) > 0 {
			out = append(out, Breakage{string(kind), name, now[0], was})
		}
	}
	return out
}

// errorsOf are the errors of a document together with those around it.
func errorsOf(doc definition.Document, around *definition.Surroundings) (out []string) {
	for _, p := range definition.Errors(around.Check(doc)) {
		out = append(out, p.Problem.String())
	}
	return out
}

// with is everything in force, with one document in place of its previous version.
func (r *Registry) with(doc definition.Document) *definition.Set {
	one := definition.NewSet()
	one.Add(doc)
	return r.around(one)
}

// without is a set with some documents left out.
func without(set *definition.Set, gone func(definition.Kind, string) bool) *definition.Set {
	out := definition.NewSet()
	for _, doc := range set.Documents() {
		if !gone(Slot(doc)) {
			out.Add(doc)
		}
	}
	return out
}

// Weigh refuses to publish a document that would make others in force invalid, unless it
// is forced. It returns those that it breaks.
func (r *Registry) Weigh(doc definition.Document, force bool) ([]Breakage, error) {
	kind, name := doc.Ident()
	if kind == definition.KindPolicy || kind == definition.KindPrices {
		return nil, nil
	}
	itself := func(k definition.Kind, n string) bool { return k == kind && n == name }
	broken := r.breaks(definition.Around(r.with(doc)), itself)
	if len(broken) == 0 || force {
		return broken, nil
	}
	return nil, fault.New(fault.Conflict,
		fmt.Sprintf("publishing %s %q would break %s", kind, name, tellBreakages(broken)),
		"change those first, or publish anyway with force=true (assent load FILE --force)")
}

const breakagesTold = 10

func tellBreakages(broken []Breakage) string {
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
