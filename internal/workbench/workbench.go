// Package workbench is where people edit workflows: working copies that are saved while they type, templates to
// start from, and previews of a text that is not saved as a version.
//
//	copy, err := bench.Put(ctx, "refund", workbench.Change{YAML: text, Revision: 7})
//
// A working copy is a text. It may be invalid, and its comments and order are kept; saving it as a version is a step of
// its own. Beside the text it has what is not part of the workflow: where its steps are drawn, and inputs to try it
// with. Two people may edit the same one: each change names the revision that it is based on, and is refused if there
// is a newer one.
package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// Bench is the workbench of one caller.
type Bench struct {
	Store    port.WorkingCopies
	Registry *registry.Registry
	By       string
	Now      time.Time
	// May refuses an action of the caller, or a workflow that the caller may not see.
	May func(ctx context.Context, action access.Action, workflow string) error
	// Discarded tells other editors that a working copy is gone.
	Discarded func()
}

// WorkingCopy is a workflow that people are editing.
type WorkingCopy struct {
	Name string `json:"name"` // The name of the workflow.
	// The number of this state; send it with the next change.
	Revision int64     `json:"revision"`
	By       string    `json:"by"` // Who changed it last.
	At       time.Time `json:"at"`
	Content
}

// Content is what people edit.
type Content struct {
	// The workflow as a file, with its comments. It need not be valid.
	YAML string `json:"yaml"`
	// The version that it started from, or was last saved as; 0: none.
	Base int `json:"base"`
	// Where steps are drawn, by their id; others are placed automatically.
	Layout map[string]Point `json:"layout"`
	// Inputs to try it with.
	Samples []Input `json:"samples"`
}

// Point is a place on the canvas.
type Point struct {
	X float64 `json:"x"` // From the left.
	Y float64 `json:"y"` // From the top.
}

// Input is an input to try a workflow with.
type Input struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// Change replaces the content of a working copy.
type Change struct {
	Content
	// The revision that the change is based on; 0: there is no working copy yet.
	Revision int64 `json:"revision"`
}

// Saved is the state of a working copy after a change.
type Saved struct {
	Name     string    `json:"name"`     // The name of the workflow.
	Revision int64     `json:"revision"` // Send it with the next change.
	By       string    `json:"by"`
	At       time.Time `json:"at"`
}

const (
	textMax    = port.SourceMax // it is kept with the version
	samplesMax = 20
	sampleMax  = 256 << 10
	placedMax  = 10_000
	farthest   = 1e6
)

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_.-]{1,64}$`) })

// List shows the working copies of workflows that the caller may see, by name; if a name is given, only that one.
func (b Bench) List(ctx context.Context, name string) (view.List[WorkingCopy], error) {
	if err := b.May(ctx, access.Look, ""); err != nil {
		return view.List[WorkingCopy]{}, err
	}
	all, err := b.stored(ctx, name)
	if err != nil {
		return view.List[WorkingCopy]{}, err
	}
	out := []WorkingCopy{}
	for _, c := range all {
		if b.May(ctx, access.Look, c.Name) != nil {
			continue
		}
		shown, err := shown(c)
		if err != nil {
			return view.List[WorkingCopy]{}, err
		}
		out = append(out, shown)
	}
	return view.Whole(out), nil
}

func (b Bench) stored(ctx context.Context, name string) ([]port.WorkingCopy, error) {
	if name == "" {
		return b.Store.WorkingCopies(ctx)
	}
	c, err := b.Store.WorkingCopy(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return []port.WorkingCopy{c}, err
}

// Get shows the working copy of a workflow.
func (b Bench) Get(ctx context.Context, name string) (WorkingCopy, error) {
	if err := b.May(ctx, access.Look, name); err != nil {
		return WorkingCopy{}, err
	}
	c, err := b.Store.WorkingCopy(ctx, name)
	if err != nil {
		return WorkingCopy{}, err
	}
	return shown(c)
}

// Put changes the working copy of a workflow, or makes one.
func (b Bench) Put(ctx context.Context, name string, change Change) (Saved, error) {
	if err := b.May(ctx, access.Write, name); err != nil {
		return Saved{}, err
	}
	if found := problemsOf(name, change); len(found) > 0 {
		return Saved{}, fault.Of("the working copy is not valid", found)
	}
	body, err := value.Marshal(change.Content)
	if err != nil {
		return Saved{}, fmt.Errorf("write the working copy of %s: %w", name, err)
	}
	// A working copy that is deleted and made again does not reuse revisions.
	revision := max(change.Revision+1, b.Now.UnixMilli())
	c := port.WorkingCopy{Name: name, Revision: revision, By: b.By, At: b.Now, Body: body}
	if err := b.Store.PutWorkingCopy(ctx, c, change.Revision); err != nil {
		return Saved{}, err
	}
	return Saved{name, revision, b.By, b.Now}, nil
}

// Delete discards the working copy with a revision.
func (b Bench) Delete(ctx context.Context, name string, revision int64) (WorkingCopy, error) {
	if err := b.May(ctx, access.Write, name); err != nil {
		return WorkingCopy{}, err
	}
	c, err := b.Store.WorkingCopy(ctx, name)
	if err != nil {
		return WorkingCopy{}, err
	}
	entry := port.AuditDraft{At: b.Now, Actor: run.ActorOf(b.By), Action: "working_copy.deleted",
		Target: "workflow/" + name, Detail: map[string]any{"revision": c.Revision, "changed_by": c.By}}
	if err := b.Store.DeleteWorkingCopy(ctx, name, revision, entry); err != nil {
		return WorkingCopy{}, err
	}
	b.Discarded()
	return shown(c)
}

func shown(c port.WorkingCopy) (WorkingCopy, error) {
	out := WorkingCopy{Name: c.Name, Revision: c.Revision, By: c.By, At: c.At}
	if err := json.Unmarshal(c.Body, &out.Content); err != nil {
		return out, fmt.Errorf("read the working copy of %s: %w", c.Name, err)
	}
	if out.Layout == nil {
		out.Layout = map[string]Point{}
	}
	out.Samples = view.NotNil(out.Samples)
	return out, nil
}

// problemsOf lists everything in a change that cannot be stored.
func problemsOf(name string, c Change) (out []fault.Problem) {
	add := func(path, format string, args ...any) {
		out = append(out, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	if !plainName().MatchString(name) {
		add("name", "must have 1 to 64 lower-case letters, digits, - _ .")
	}
	if len(c.YAML) > textMax {
		add("yaml", "must be at most %s", phrase.Bytes(textMax))
	}
	if !utf8.ValidString(c.YAML) || strings.ContainsRune(c.YAML, 0) {
		add("yaml", "must be text without NUL")
	}
	if c.Base < 0 {
		add("base", "must be 0 or the number of a version")
	}
	if c.Revision < 0 {
		add("revision", "must be 0 or the revision of the working copy")
	}
	if len(c.Layout) > placedMax {
		add("layout", "must have at most %d steps", placedMax)
	}
	for id, p := range c.Layout {
		if len(id) > 128 || math.Abs(p.X) > farthest || math.Abs(p.Y) > farthest {
			add("layout", "%q is not a place between -%g and %g", id, farthest, farthest)
			break
		}
	}
	if len(c.Samples) > samplesMax {
		add("samples", "must be at most %d", samplesMax)
	}
	for i, s := range c.Samples {
		if s.Name == "" || len(s.Name) > 200 || len(s.Input) == 0 || len(s.Input) > sampleMax {
			add(fmt.Sprintf("samples[%d]", i), "needs a name of at most 200 bytes and an input of at most %s",
				phrase.Bytes(sampleMax))
		}
	}
	return out
}
