package registry

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
	Gone bool   `json:"gone,omitempty"` // it was withdrawn since
	// Digest is that of the document. Older marks have it as their own digest, and still
	// older ones have no From.
	Digest string `json:"digest,omitempty"`
	Text   string `json:"text,omitempty"` // digest of the document as written
}

func readMark(v port.Version) (from loadedFrom, ok bool) {
	ok = json.Unmarshal(v.Body, &from) == nil
	from.Digest = cmp.Or(from.Digest, v.Digest)
	return from, ok
}

// markOf is the mark to store once a document is loaded. Known reports that it was loaded
// before as it is now; then its source is brought up to date, and a mark without a folder is replaced.
func (r *Registry) markOf(
	ctx context.Context, doc definition.Document, digest, by, from string,
) (mark port.Version, known bool, err error) {
	kind, name := Slot(doc)
	text := ""
	if written := doc.Where().Text(); written != "" {
		text = value.Digest([]byte(written))
	}
	last, err := r.Store.Version(ctx, kindLoaded, ident(kind, name), -1)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return mark, false, err
	}
	was := loadedFrom{}
	if err == nil {
		was, _ = readMark(last)
	}
	body, err := value.Marshal(loadedFrom{From: from, Digest: digest, Text: text})
	if err != nil {
		return mark, false, err
	}
	mark = port.Version{
		ID: versionID(kind, r.NewRunID(r.Now())) + "_loaded", Kind: kindLoaded, Name: ident(kind, name),
		Digest: value.Digest([]byte(digest), []byte(from), []byte(text)), Body: body, By: by, At: r.Now(),
	}
	known = was.Digest == digest && !was.Gone
	reworded := known && was.Text != text
	if reworded {
		err = r.rewordLoaded(ctx, doc, digest, by)
	}
	if err == nil && (reworded || known && was.From == "" && from != "") {
		_, _, err = r.Store.SaveVersion(ctx, mark)
	}
	return mark, known, err
}

// rootOf is a loaded path, independent of the working directory.
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

// missing lists the documents in force whose files are gone: those that were loaded from
// one of the roots, are in none of them now, and have not been published by other means.
func (r *Registry) missing(ctx context.Context, roots []string, set *definition.Set) ([]goneFile, error) {
	marks, err := r.Store.Latest(ctx, kindLoaded)
	if err != nil {
		return nil, err
	}
	here := map[string]bool{}
	for _, doc := range set.Documents() {
		here[ident(Slot(doc))] = true
	}
	var out []goneFile
	for _, mark := range marks {
		from, ok := readMark(mark)
		if !ok || from.Gone || here[mark.Name] || from.From == "" || !slices.Contains(roots, from.From) {
			continue
		}
		current, inForce := r.Current().versions[mark.Name]
		if !inForce || current.Digest != from.Digest {
			continue // the version in force was published through the API
		}
		kind, name, _ := strings.Cut(mark.Name, "/")
		out = append(out, goneFile{mark, from, definition.Kind(kind), name})
	}
	return out, nil
}

// withoutGone lists the documents that would break if those whose files are gone were
// withdrawn, by the name of the withdrawn one. It first tries all of them at once, which
// takes time in proportion to the number of documents, and one by one only if that breaks
// something.
func (r *Registry) withoutGone(set *definition.Set, gone []goneFile) map[string][]Breakage {
	known := r.around(set)
	breaks := func(out func(definition.Kind, string) bool) []Breakage {
		around := definition.Around(without(known, out))
		broken := r.breaks(around, func(k definition.Kind, n string) bool {
			_, here := set.Get(k, n)
			return here || out(k, n)
		})
		for _, doc := range set.Documents() {
			if why := errorsOf(doc, around); len(why) > 0 {
				k, n := doc.Ident()
				broken = append(broken, Breakage{kind: string(k), name: n, why: why[0]})
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
	stays := map[string][]Breakage{}
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

// unload withdraws documents whose files are gone. Nothing is withdrawn while something in
// the roots cannot be read, or while they contain no document at all: a folder that is not
// mounted looks the same.
func (r *Registry) unload(ctx context.Context, by string, roots []string, set *definition.Set, out *Loaded) error {
	gone, err := r.missing(ctx, roots, set)
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
			tell(g, true, "its file is missing; it stays in force until everything in the folder can be read")
		}
		return nil
	}
	stays := r.withoutGone(set, gone)
	for _, g := range gone {
		if broken := stays[g.mark.Name]; len(broken) > 0 {
			tell(g, false, "its file is missing; it stays in force, because withdrawing it would break %s",
				tellBreakages(broken))
			continue
		}
		if err := r.withdraw(ctx, by, g); err != nil {
			return err
		}
		out.Withdrawn = append(out.Withdrawn, g.mark.Name)
		tell(g, true, "its file is missing; it is no longer in force")
	}
	return nil
}

// withdraw takes a document out of force, and marks its file as gone.
func (r *Registry) withdraw(ctx context.Context, by string, g goneFile) error {
	at, from := r.Now(), g.from
	err := r.Store.Withdraw(ctx, string(g.kind), g.name, port.AuditDraft{
		At: at, Actor: run.ActorOf(by), Action: "definition.withdrawn", Target: ident(g.kind, g.name),
		Detail: map[string]any{
			"kind": string(g.kind), "name": g.name, "digest": from.Digest, "reason": "its file is missing",
		},
	})
	if err != nil && !fault.Is(err, fault.NotFound) { // another process was faster
		return err
	}
	from.Gone, from.Digest = true, ""
	body, err := value.Marshal(from)
	if err != nil {
		return err
	}
	_, _, err = r.Store.SaveVersion(ctx, port.Version{
		ID: versionID(g.kind, r.NewRunID(at)) + "_gone", Kind: kindLoaded, Name: g.mark.Name,
		Digest: value.Digest([]byte("gone "), []byte(at.Format(time.RFC3339Nano))), Body: body, By: by, At: at,
	})
	return err
}

// Gone lists the documents in force whose files were deleted since they were loaded, and
// whether loading these paths would withdraw them. It also lists where they ask a withdrawn role.
func (r *Registry) Gone(ctx context.Context, paths ...string) ([]definition.Problem, error) {
	set := definition.NewSet()
	var roots []string
	var problems []definition.Problem
	for _, path := range paths {
		one, wrong := definition.LoadPath(path)
		roots = append(roots, rootOf(path))
		problems = append(append(problems, wrong...), set.Merge(one)...)
	}
	gone, err := r.missing(ctx, roots, set)
	told := set.WithdrawnAsked(r.around(set))
	if err != nil || len(gone) == 0 {
		return told, err
	}
	unsure := len(set.Documents()) == 0 || len(definition.Errors(problems)) > 0
	var stays map[string][]Breakage
	if !unsure {
		stays = r.withoutGone(set, gone)
	}
	for _, g := range gone {
		message := "its file is missing; loading the folder withdraws it"
		switch broken := stays[g.mark.Name]; {
		case unsure:
			message = "its file is missing; it stays in force until everything in the folder can be read"
		case len(broken) > 0:
			message = "its file is missing; it stays in force, because withdrawing it would break " + tellBreakages(broken)
		}
		told = append(told, definition.Problem{File: g.from.From, Problem: fault.Problem{
			Path: g.mark.Name, Message: message, Warning: true,
		}})
	}
	return told, nil
}
