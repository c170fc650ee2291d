package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// loadedFrom is the body of a mark: the file or folder that a document came from.
type loadedFrom struct {
	From string `json:"from,omitempty"`
	Gone bool   `json:"gone,omitempty"` // it was taken out of force since
	// Digest is that of the document. Marks from before it was kept here have it
	// as their own, and those from before folders were noted have no From.
	Digest string `json:"digest,omitempty"`
}

func readMark(v port.Version) (from loadedFrom, ok bool) {
	ok = json.Unmarshal(v.Body, &from) == nil
	from.Digest = cmp.Or(from.Digest, v.Digest)
	return from, ok
}

// markOf is what to remember of a document once it is loaded. Known says that it
// was loaded before as it is now; a mark that does not say from where is renewed.
func (a *App) markOf(
	ctx context.Context, kind definition.Kind, name, digest, by, from string,
) (mark port.Version, known bool, err error) {
	last, err := a.Store.Version(ctx, kindLoaded, ident(kind, name), -1)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return mark, false, err
	}
	was := loadedFrom{}
	if err == nil {
		was, _ = readMark(last)
	}
	body, err := value.Marshal(loadedFrom{From: from, Digest: digest})
	if err != nil {
		return mark, false, err
	}
	mark = port.Version{
		ID: versionID(kind, a.NewRunID(a.now())) + "_loaded", Kind: kindLoaded, Name: ident(kind, name),
		Digest: value.Digest([]byte(digest), []byte(from)), Body: body, By: by, At: a.now(),
	}
	known = was.Digest == digest && !was.Gone
	if known && was.From == "" && from != "" {
		_, _, err = a.Store.SaveVersion(ctx, mark)
	}
	return mark, known, err
}

// rootOf names a loaded path the same wherever the process was started.
func rootOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// goneFile is a document whose file is gone.
type goneFile struct {
	mark port.Version
	from loadedFrom
	kind definition.Kind
	name string
}

// missing lists the documents in force whose files are gone: those that were loaded
// from one of the roots, are in none of them now, and have not been published in
// another way since.
func (a *App) missing(ctx context.Context, roots []string, set *definition.Set) ([]goneFile, error) {
	marks, err := a.Store.Latest(ctx, kindLoaded)
	if err != nil {
		return nil, err
	}
	here := map[string]bool{}
	for _, doc := range set.Documents() {
		here[ident(slot(doc))] = true
	}
	var out []goneFile
	for _, mark := range marks {
		from, ok := readMark(mark)
		if !ok || from.Gone || here[mark.Name] || from.From == "" || !slices.Contains(roots, from.From) {
			continue
		}
		current, inForce := a.registry.now().versions[mark.Name]
		if !inForce || current.Digest != from.Digest {
			continue // it holds what somebody published since
		}
		kind, name, _ := strings.Cut(mark.Name, "/")
		out = append(out, goneFile{mark, from, definition.Kind(kind), name})
	}
	return out, nil
}

// withoutGone says which documents would break if those whose files are gone were
// taken out of force, by name of the gone one. All at once is looked at first, so
// that it takes as long as there are documents; one by one only if that breaks something.
func (a *App) withoutGone(set *definition.Set, gone []goneFile) map[string][]breakage {
	known := a.around(set)
	breaks := func(out func(definition.Kind, string) bool) []breakage {
		around := definition.Around(without(known, out))
		broken := a.breaks(around, func(k definition.Kind, n string) bool {
			_, here := set.Get(k, n)
			return here || out(k, n)
		})
		for _, doc := range set.Documents() {
			if why := errorsOf(doc, around); len(why) > 0 {
				k, n := doc.Ident()
				broken = append(broken, breakage{kind: string(k), name: n, why: why[0]})
			}
		}
		return broken
	}
	all := map[string]bool{}
	for _, g := range gone {
		all[g.mark.Name] = true
	}
	if len(breaks(func(k definition.Kind, n string) bool { return all[ident(k, n)] })) == 0 {
		return nil
	}
	stays := map[string][]breakage{}
	left := map[string]bool{}
	for _, g := range gone {
		left[g.mark.Name] = true
		if broken := breaks(func(k definition.Kind, n string) bool { return left[ident(k, n)] }); len(broken) > 0 {
			stays[g.mark.Name] = broken
			delete(left, g.mark.Name)
		}
	}
	return stays
}

// unload takes documents out of force whose files are gone. Nothing is taken out
// while something in the roots cannot be read, or while there is not a single
// document: a folder that is not mounted looks just like that.
func (a *App) unload(ctx context.Context, by string, roots []string, set *definition.Set, out *Loaded) error {
	gone, err := a.missing(ctx, roots, set)
	if err != nil || len(gone) == 0 {
		return err
	}
	tell := func(g goneFile, warning bool, format string, args ...any) {
		out.Problems = append(out.Problems, definition.Problem{File: g.from.From, Problem: fault.Problem{
			Path: g.mark.Name, Message: fmt.Sprintf(format, args...), Warning: warning,
		}})
	}
	if len(set.Documents()) == 0 || len(definition.Errors(out.Problems)) > 0 {
		for _, g := range gone {
			tell(g, true, "its file is gone; it stays in force until everything in the folder can be read")
		}
		return nil
	}
	stays := a.withoutGone(set, gone)
	for _, g := range gone {
		if broken := stays[g.mark.Name]; len(broken) > 0 {
			tell(g, false, "its file is gone; it stays in force, because taking it out would break %s", tellBreakages(broken))
			continue
		}
		if err := a.withdraw(ctx, by, g.kind, g.name, g.mark, g.from); err != nil {
			return err
		}
		out.Withdrawn = append(out.Withdrawn, g.mark.Name)
		tell(g, true, "its file is gone; it is no longer in force")
	}
	return nil
}

// withdraw takes a document out of force, and remembers that its file did it.
func (a *App) withdraw(ctx context.Context, by string, kind definition.Kind, name string, mark port.Version, from loadedFrom) error {
	at := a.now()
	err := a.Store.Withdraw(ctx, string(kind), name, port.AuditDraft{
		At: at, Actor: run.ActorOf(by), Action: "definition.withdrawn", Target: ident(kind, name),
		Detail: map[string]any{"kind": string(kind), "name": name, "digest": from.Digest, "reason": "its file is gone"},
	})
	if err != nil && !fault.Is(err, fault.NotFound) { // another process was faster
		return err
	}
	from.Gone, from.Digest = true, ""
	body, err := value.Marshal(from)
	if err != nil {
		return err
	}
	_, _, err = a.Store.SaveVersion(ctx, port.Version{
		ID: versionID(kind, a.NewRunID(at)) + "_gone", Kind: kindLoaded, Name: mark.Name, Digest: value.Digest([]byte("gone "), []byte(at.Format(time.RFC3339Nano))), Body: body, By: by, At: at,
	})
	return err
}

// Gone says which documents in force loading these paths would take out of force,
// because their files were removed since they were loaded, and which would stay.
func (a *App) Gone(ctx context.Context, paths ...string) ([]definition.Problem, error) {
	set := definition.NewSet()
	var roots []string
	var problems []definition.Problem
	for _, path := range paths {
		one, wrong := definition.LoadPath(path)
		roots = append(roots, rootOf(path))
		problems = append(append(problems, wrong...), set.Merge(one)...)
	}
	gone, err := a.missing(ctx, roots, set)
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	unsure := len(set.Documents()) == 0 || len(definition.Errors(problems)) > 0
	var stays map[string][]breakage
	if !unsure {
		stays = a.withoutGone(set, gone)
	}
	told := make([]definition.Problem, 0, len(gone))
	for _, g := range gone {
		message := "its file is gone; loading the folder takes it out of force"
		switch broken := stays[g.mark.Name]; {
		case unsure:
			message = "its file is gone; it stays in force until everything in the folder can be read"
		case len(broken) > 0:
			message = "its file is gone; it stays in force, because taking it out would break " + tellBreakages(broken)
		}
		told = append(told, definition.Problem{File: g.from.From, Problem: fault.Problem{
			Path: g.mark.Name, Message: message, Warning: true,
		}})
	}
	return told, nil
}
