package app

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Loaded tells what became of files.
type Loaded struct {
	Files     int
	Documents int
	Published []string             // kind/name of what is new or changed
	Withdrawn []string             // kind/name of what is no longer in force, because its file is gone
	Problems  []definition.Problem // warnings, too
}

// Load publishes the documents of files and folders that changed since they
// were last loaded, also before a restart. A document with a mistake is left
// out, and what was in force stays. What somebody saved through the API holds
// until the file changes again.
func (a *App) Load(ctx context.Context, by string, paths ...string) (Loaded, error) {
	return a.load(ctx, by, false, paths)
}

// LoadForced is Load that puts documents in force although others in force are no
// longer valid then. The audit log says so.
func (a *App) LoadForced(ctx context.Context, by string, paths ...string) (Loaded, error) {
	return a.load(ctx, by, true, paths)
}

func (a *App) load(ctx context.Context, by string, force bool, paths []string) (Loaded, error) {
	var out Loaded
	// Taken before they are read: a change in between is noticed next time.
	seen := fingerprint(paths)
	set := definition.NewSet()
	var roots []string
	from := map[string]string{}
	for _, path := range paths {
		one, problems := definition.LoadPath(path)
		roots = append(roots, rootOf(path))
		for _, doc := range one.Documents() {
			from[ident(slot(doc))] = rootOf(path)
		}
		out.Problems = append(out.Problems, problems...)
		out.Problems = append(out.Problems, set.Merge(one)...)
		out.Files += len(one.Files)
	}
	err := a.publishChanged(ctx, by, set, &out, roots, from, force)
	if err == nil {
		a.registry.seen.Store(strings.Join(paths, "\n"), seen)
		a.registry.problems.Store(view.NotNil(definition.Errors(out.Problems)))
	}
	return out, err
}

// loadProblems are what was wrong with files when they were last loaded.
func (a *App) loadProblems() []definition.Problem {
	problems, _ := a.registry.problems.Load().([]definition.Problem)
	return view.NotNil(problems)
}

// LoadSet is Load for documents that are in no file.
func (a *App) LoadSet(ctx context.Context, by string, set *definition.Set) (Loaded, error) {
	var out Loaded
	err := a.publishChanged(ctx, by, set, &out, nil, nil, false)
	return out, err
}

// publishChanged publishes the documents that changed since they were last loaded.
func (a *App) publishChanged(
	ctx context.Context, by string, set *definition.Set, out *Loaded, roots []string, from map[string]string, force bool,
) error {
	a.registry.write.Lock()
	defer a.registry.write.Unlock()
	if len(roots) > 0 {
		if err := a.unload(ctx, by, roots, set, out); err != nil {
			return err
		}
	}
	l := a.loading(set)
	l.force = force
	for _, doc := range inOrder(set.Documents()) {
		out.Documents++
		published, problems, err := a.loadOne(ctx, doc, l, by, from[ident(slot(doc))])
		if err != nil {
			return err
		}
		out.Problems = append(out.Problems, problems...)
		if published != "" {
			out.Published = append(out.Published, published)
		}
	}
	return a.registry.renew(ctx)
}

// around is everything a document of set may refer to: first what is in the
// set, then what is in force, then what is built in.
func (a *App) around(set *definition.Set) *definition.Set {
	known := definition.NewSet()
	for _, s := range []*definition.Set{set, a.registry.now().set} {
		for _, doc := range s.Documents() {
			known.Add(doc) // one that is there already stays
		}
	}
	for _, tool := range a.Builtin {
		known.Add(tool)
	}
	return known
}

// inOrder puts documents first to which others refer.
func inOrder(docs []definition.Document) []definition.Document {
	rank := func(d definition.Document) int {
		k, _ := d.Ident()
		return slices.Index(kinds, k)
	}
	slices.SortStableFunc(docs, func(x, y definition.Document) int { return rank(x) - rank(y) })
	return docs
}

// kindLoaded is under which the store keeps what each document was when its
// file was last loaded.
const kindLoaded = "loaded"

// loadOne publishes a document if it changed since it was last loaded.
func (a *App) loadOne(
	ctx context.Context, doc definition.Document, l *loading, by, from string,
) (published string, problems []definition.Problem, err error) {
	kind, name := slot(doc)
	body := doc.JSONWithSecrets()
	digest := value.Digest(body)
	mark, known, err := a.markOf(ctx, kind, name, digest, by, from)
	if err != nil || known {
		return "", nil, err
	}
	problems = l.after.Check(doc)
	if len(definition.Errors(problems)) > 0 {
		return "", problems, nil
	}
	broken := l.brokenBy(doc)
	if kind == definition.KindPolicy || kind == definition.KindPrices {
		broken = nil
	}
	if len(broken) > 0 {
		said := "it is not put in force, because it would break %s: change those as well; what is in force stays"
		if l.force {
			said = "it is put in force although it breaks %s"
		}
		problems = append(problems, definition.Problem{File: doc.Where().File, Problem: fault.Problem{
			Path: string(kind), Line: doc.Where().Line, Column: doc.Where().Column, Warning: l.force,
			Message: fmt.Sprintf(said, tellBreakages(broken)),
		}})
		if !l.force {
			return "", problems, nil
		}
	}
	if problem := a.weighFile(ctx, doc, digest); problem != nil {
		return "", append(problems, *problem), nil
	}
	v := port.Version{
		ID: versionID(kind, a.NewRunID(a.now())), Kind: string(kind), Name: name, Digest: digest, Body: body, By: by, At: a.now(),
	}
	v, _, err = a.Store.SaveVersion(ctx, v, savedEntry(v))
	if err == nil && !v.Published {
		now := a.now()
		err = a.Store.Publish(ctx, string(kind), name, v.Number, by, now, publishedEntry(v, by, now, broken))
	}
	if err == nil {
		_, _, err = a.Store.SaveVersion(ctx, mark)
	}
	if err != nil {
		return "", problems, fmt.Errorf("publish %s: %w", ident(kind, name), err)
	}
	return ident(kind, name), problems, nil
}

// watchEvery is how often watched files are looked at: changes are in force
// within two seconds.
const watchEvery = time.Second

// Watch loads files again whenever one of them has changed since they were
// last loaded, until ctx ends. Told hears about it.
func (a *App) Watch(ctx context.Context, by string, told func(Loaded, error), paths ...string) {
	for {
		select {
		case <-time.After(watchEvery):
		case <-ctx.Done():
			return
		}
		if seen, ok := a.registry.seen.Load(strings.Join(paths, "\n")); ok && seen == fingerprint(paths) {
			continue
		}
		loaded, err := a.Load(ctx, by, paths...)
		if ctx.Err() != nil {
			return
		}
		told(loaded, err)
	}
}

// fingerprint changes when a file does: its name, size or time.
func fingerprint(paths []string) string {
	var b strings.Builder
	for _, root := range paths {
		// Walking does not go through a link; loading does.
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		entries := 0
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if entries++; entries > definition.EntriesMax {
				return fs.SkipAll // which Load tells
			}
			if err != nil || d.IsDir() {
				return nil // what cannot be read is told by Load
			}
			if info, err := os.Stat(path); err == nil {
				fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
		if err != nil {
			fmt.Fprintln(&b, root, err)
		}
	}
	return b.String()
}
