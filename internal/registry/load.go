package registry

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
	"github.com/assent-run/assent/internal/view"
)

// Loaded is the result of loading files.
type Loaded struct {
	Files     int
	Documents int
	Published []string             // kind/name of new and changed documents
	Withdrawn []string             // kind/name of documents no longer in force, because their files are gone
	Problems  []definition.Problem // including warnings
}

// Load publishes the documents of files and folders that changed since they were last
// loaded, also before a restart. A document with an error is left out, and its version in
// force stays. A document saved through the API stays in force until its file changes.
// If force is set, documents are published even if they make others in force invalid; the
// audit log then lists those.
func (r *Registry) Load(ctx context.Context, by string, force bool, paths ...string) (Loaded, error) {
	var out Loaded
	// Taken before the files are read: a change in between is noticed next time.
	seen := fingerprint(paths)
	set := definition.NewSet()
	var roots []string
	from := map[string]string{}
	for _, path := range paths {
		one, problems := definition.LoadPath(path)
		roots = append(roots, rootOf(path))
		for _, doc := range one.Documents() {
			from[ident(Slot(doc))] = rootOf(path)
		}
		out.Problems = append(out.Problems, problems...)
		out.Problems = append(out.Problems, set.Merge(one)...)
		out.Files += len(one.Files)
	}
	err := r.publishChanged(ctx, by, set, &out, roots, from, force)
	if err == nil {
		r.seen.Store(strings.Join(paths, "\n"), seen)
		r.problems.Store(view.NotNil(definition.Errors(out.Problems)))
	}
	return out, err
}

// fileProblems are the errors of files when they were last loaded.
func (r *Registry) fileProblems() []definition.Problem {
	problems, _ := r.problems.Load().([]definition.Problem)
	return view.NotNil(problems)
}

// LoadSet is Load for documents that are not in files.
func (r *Registry) LoadSet(ctx context.Context, by string, set *definition.Set) (Loaded, error) {
	var out Loaded
	err := r.publishChanged(ctx, by, set, &out, nil, nil, false)
	return out, err
}

// publishChanged publishes the documents that changed since they were last loaded.
func (r *Registry) publishChanged(
	ctx context.Context, by string, set *definition.Set, out *Loaded, roots []string, from map[string]string, force bool,
) error {
	r.write.Lock()
	defer r.write.Unlock()
	if len(roots) > 0 {
		if err := r.unload(ctx, by, roots, set, out); err != nil {
			return err
		}
	}
	l := r.loading(set, force)
	for _, doc := range inOrder(set.Documents()) {
		out.Documents++
		published, problems, err := r.loadOne(ctx, doc, l, by, from[ident(Slot(doc))])
		if err != nil {
			return err
		}
		out.Problems = append(out.Problems, problems...)
		if published != "" {
			out.Published = append(out.Published, published)
		}
	}
	return r.renew(ctx)
}

// around is everything that a document of set may refer to: first those of the set, then
// those in force, then the built-in ones.
func (r *Registry) around(set *definition.Set) *definition.Set {
	known := definition.NewSet()
	known.Listed, known.Withdrawn = r.Listed, r.Current().withdrawn
	for _, s := range []*definition.Set{set, r.Current().set} {
		for _, doc := range s.Documents() {
			known.Add(doc) // the first of a name is kept
		}
	}
	for _, tool := range r.Builtin {
		known.Add(tool)
	}
	return known
}

// inOrder sorts documents so that each follows those that it may refer to.
func inOrder(docs []definition.Document) []definition.Document {
	rank := func(d definition.Document) int {
		k, _ := d.Ident()
		return slices.Index(kinds, k)
	}
	slices.SortStableFunc(docs, func(x, y definition.Document) int { return rank(x) - rank(y) })
	return docs
}

// kindLoaded is the kind under which the store keeps the digest of each document when its
// file was last loaded.
const kindLoaded = "loaded"

// loadOne publishes a document if it changed since it was last loaded.
func (r *Registry) loadOne(
	ctx context.Context, doc definition.Document, l *loading, by, from string,
) (published string, problems []definition.Problem, err error) {
	kind, name := Slot(doc)
	digest := value.Digest(doc.JSONWithSecrets())
	mark, known, err := r.markOf(ctx, doc, digest, by, from)
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
		said := "not published, because it would break %s: change those as well; the published version stays in force"
		if l.force {
			said = "published although it breaks %s"
		}
		problems = append(problems, definition.Problem{File: doc.Where().File, Problem: fault.Problem{
			Path: string(kind), Line: doc.Where().Line, Column: doc.Where().Column, Warning: l.force,
			Message: fmt.Sprintf(said, tellBreakages(broken)),
		}})
		if !l.force {
			return "", problems, nil
		}
	}
	if problem := r.weighFile(ctx, doc, digest); problem != nil {
		return "", append(problems, *problem), nil
	}
	v := r.versionOf(doc, by)
	source := v.Source
	v, created, err := r.Store.SaveVersion(ctx, v, savedEntry(v))
	if err == nil && !created {
		v, err = r.reword(ctx, v, source, by)
	}
	if err == nil && !v.Published {
		now := r.Now()
		err = r.Store.Publish(ctx, string(kind), name, v.Number, by, now, publishedEntry(v, by, now, broken))
	}
	if err == nil {
		_, _, err = r.Store.SaveVersion(ctx, mark)
	}
	if err != nil {
		return "", problems, fmt.Errorf("publish %s: %w", ident(kind, name), err)
	}
	return ident(kind, name), problems, nil
}

// watchEvery is how often watched files are checked: changes are in force within two
// seconds.
const watchEvery = time.Second

// Watch loads files again whenever one of them has changed since they were last loaded,
// until ctx ends. Told is called with each result.
func (r *Registry) Watch(ctx context.Context, by string, told func(Loaded, error), paths ...string) {
	for {
		select {
		case <-time.After(watchEvery):
		case <-ctx.Done():
			return
		}
		if seen, ok := r.seen.Load(strings.Join(paths, "\n")); ok && seen == fingerprint(paths) {
			continue
		}
		loaded, err := r.Load(ctx, by, false, paths...)
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
		// Walking does not follow a link; loading does.
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		entries := 0
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if entries++; entries > definition.EntriesMax {
				return fs.SkipAll // Load reports it
			}
			if err != nil || d.IsDir() {
				return nil // Load reports what cannot be read
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
