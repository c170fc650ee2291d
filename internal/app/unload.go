package app

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// loadedFrom is the body of a mark: the file or folder that a document came from.
type loadedFrom struct {
	From string `json:"from,omitempty"`
	Gone bool   `json:"gone,omitempty"` // it was taken out of force since
}

// rootOf names a loaded path the same wherever the process was started.
func rootOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// unload takes documents out of force whose files are gone: those that were
// loaded from one of the roots, are in none of them now, and have not been
// published in another way since. Nothing is taken out while something in the
// roots cannot be read, or while there is not a single document: a folder that
// is not mounted looks just like that.
func (a *App) unload(ctx context.Context, by string, roots []string, set *definition.Set, out *Loaded) (err error) {
	marks, err := a.Store.Latest(ctx, kindLoaded)
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for _, doc := range set.Documents() {
		here[ident(slot(doc))] = true
	}
	known := a.around(set)
	unsure := len(here) == 0 || len(definition.Errors(out.Problems)) > 0
	for _, mark := range marks {
		var from loadedFrom
		if json.Unmarshal(mark.Body, &from) != nil || from.Gone || here[mark.Name] || from.From == "" || !slices.Contains(roots, from.From) {
			continue
		}
		kind, name, _ := strings.Cut(mark.Name, "/")
		current, inForce := a.registry.now().versions[mark.Name]
		if !inForce || current.Digest != mark.Digest {
			continue // it holds what somebody published since
		}
		tell := func(warning bool, format string, args ...any) {
			out.Problems = append(out.Problems, definition.Problem{File: from.From, Problem: fault.Problem{
				Path: mark.Name, Message: fmt.Sprintf(format, args...), Warning: warning,
			}})
		}
		if unsure {
			tell(true, "its file is gone; it stays in force until everything in the folder can be read")
			continue
		}
		known = without(known, definition.Kind(kind), name)
		broken := a.breaks(known, func(k definition.Kind, n string) bool {
			return k == definition.Kind(kind) && n == name || here[ident(k, n)]
		})
		for _, doc := range set.Documents() {
			if why := errorsOf(doc, known); len(why) > 0 {
				k, n := doc.Ident()
				broken = append(broken, breakage{string(k), n, why[0]})
			}
		}
		if len(broken) > 0 {
			known = a.around(set)
			tell(false, "its file is gone; it stays in force, because taking it out would break %s", tellBreakages(broken))
			continue
		}
		if err := a.withdraw(ctx, by, definition.Kind(kind), name, mark, from); err != nil {
			return err
		}
		out.Withdrawn = append(out.Withdrawn, mark.Name)
		tell(true, "its file is gone; it is no longer in force")
	}
	return nil
}

// withdraw takes a document out of force, and remembers that its file did it.
func (a *App) withdraw(ctx context.Context, by string, kind definition.Kind, name string, mark port.Version, from loadedFrom) error {
	at := a.now()
	err := a.Store.Withdraw(ctx, string(kind), name, port.AuditDraft{
		At: at, Actor: writer(by), Action: "definition.withdrawn", Target: ident(kind, name),
		Detail: map[string]any{"kind": string(kind), "name": name, "digest": mark.Digest, "reason": "its file is gone"},
	})
	if err != nil && !fault.Is(err, fault.NotFound) { // another process was faster
		return err
	}
	from.Gone = true
	body, err := value.Marshal(from)
	if err != nil {
		return err
	}
	_, _, err = a.Store.SaveVersion(ctx, port.Version{
		ID: versionID(kind, a.NewRunID(at)) + "_gone", Kind: kindLoaded, Name: mark.Name, Digest: value.Digest([]byte("gone "), []byte(at.Format(time.RFC3339Nano))), Body: body, By: by, At: at,
	})
	return err
}
