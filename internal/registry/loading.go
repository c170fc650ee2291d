package registry

import (
	"slices"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
)

// loading holds the documents that those of files are checked against. It is prepared once for all of them, so that
// loading takes time in proportion to their number.
type loading struct {
	docs   *Registry
	known  *definition.Set          // documents of the files, then those in force, then built-in ones
	after  *definition.Surroundings // known
	before *definition.Surroundings // the documents in force
	broken []Breakage               // documents that the files together would break
	force  bool                     // publish documents that break others
}

func (r *Registry) loading(set *definition.Set, force bool) *loading {
	l := &loading{docs: r, known: r.around(set), force: force}
	l.after = definition.Around(l.known)
	inForce := r.Current().set
	l.broken = r.breaks(l.after, func(k definition.Kind, n string) bool { return l.changedWell(inForce, k, n) })
	if len(l.broken) > 0 {
		l.before = definition.Around(r.around(definition.NewSet()))
	}
	return l
}

// changedWell reports whether the files also change a document to a valid version, which is published with the rest.
func (l *loading) changedWell(inForce *definition.Set, k definition.Kind, name string) bool {
	next, ok := l.known.Get(k, name)
	last, had := inForce.Get(k, name)
	return ok && had && next != last &&
		value.Digest(next.JSONWithSecrets()) != value.Digest(last.JSONWithSecrets()) &&
		len(errorsOf(next, l.after)) == 0
}

// brokenBy lists the documents that the files would break, if this one is the cause: it
// breaks them alone, or the rest would not break them without its change.
func (l *loading) brokenBy(doc definition.Document) []Breakage {
	kind, name := Slot(doc)
	broken := slices.DeleteFunc(slices.Clone(l.broken), func(b Breakage) bool {
		return b.kind == string(kind) && b.name == name
	})
	if len(broken) == 0 {
		return nil
	}
	if l.anyStillBroken(broken, l.before, kind, name, doc) {
		return broken
	}
	last, had := l.docs.Current().set.Get(kind, name)
	if !had {
		last = nil
	}
	if l.anyStillBroken(broken, l.after, kind, name, last) {
		return nil
	}
	return broken
}

// anyStillBroken reports whether one of some documents is broken with doc in these
// surroundings, or without any document of that name if doc is nil.
func (l *loading) anyStillBroken(
	broken []Breakage, around *definition.Surroundings, k definition.Kind, name string, doc definition.Document,
) bool {
	back := around.Swap(k, name, doc)
	defer back()
	inForce := l.docs.Current().set
	return slices.ContainsFunc(broken, func(b Breakage) bool {
		other, ok := inForce.Get(definition.Kind(b.kind), b.name)
		isNew := func(p string) bool { return !slices.Contains(b.was, p) }
		return ok && slices.ContainsFunc(errorsOf(other, around), isNew)
	})
}
