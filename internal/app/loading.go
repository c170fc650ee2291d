package app

import (
	"slices"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
)

// loading is what the documents of files are checked against, gathered once for all
// of them: loading takes time in proportion to how many there are.
type loading struct {
	app    *App
	known  *definition.Set          // what is in the files, then what is in force, then what is built in
	after  *definition.Surroundings // that
	before *definition.Surroundings // what is in force
	broken []breakage               // what the files together would break
	force  bool                     // put in force what breaks others
}

func (a *App) loading(set *definition.Set) *loading {
	l := &loading{app: a, known: a.around(set)}
	l.after = definition.Around(l.known)
	inForce := a.registry.now().set
	l.broken = a.breaks(l.after, func(k definition.Kind, n string) bool { return l.changedWell(inForce, k, n) })
	if len(l.broken) > 0 {
		l.before = definition.Around(a.around(definition.NewSet()))
	}
	return l
}

// changedWell reports whether the files change a document, too, and to one that
// fits: it is put in force with the rest.
func (l *loading) changedWell(inForce *definition.Set, k definition.Kind, name string) bool {
	next, ok := l.known.Get(k, name)
	last, had := inForce.Get(k, name)
	return ok && had && next != last && value.Digest(next.JSONWithSecrets()) != value.Digest(last.JSONWithSecrets()) &&
		len(errorsOf(next, l.after)) == 0
}

// brokenBy lists what the files would break, if this document is to blame: alone it
// would do so as well, or without its change the rest would not.
func (l *loading) brokenBy(doc definition.Document) []breakage {
	kind, name := slot(doc)
	broken := slices.DeleteFunc(slices.Clone(l.broken), func(b breakage) bool {
		return b.kind == string(kind) && b.name == name
	})
	if len(broken) == 0 {
		return nil
	}
	if l.anyStillBroken(broken, l.before, kind, name, doc) {
		return broken
	}
	last, had := l.app.registry.now().set.Get(kind, name)
	if !had {
		last = nil
	}
	if l.anyStillBroken(broken, l.after, kind, name, last) {
		return nil
	}
	return broken
}

// anyStillBroken reports whether something is broken with a document, or without any
// if it is nil, in these surroundings.
func (l *loading) anyStillBroken(
	broken []breakage, around *definition.Surroundings, k definition.Kind, name string, doc definition.Document,
) bool {
	back := around.Swap(k, name, doc)
	defer back()
	inForce := l.app.registry.now().set
	return slices.ContainsFunc(broken, func(b breakage) bool {
		other, ok := inForce.Get(definition.Kind(b.kind), b.name)
		return ok && slices.ContainsFunc(errorsOf(other, around), func(p string) bool { return !slices.Contains(b.was, p) })
	})
}
