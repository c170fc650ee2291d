package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// shelf has the documents in force: agents, tools and workflows, by kind and name. All start at version 1. A
// withdrawn tool does not exist until it is published again.
type shelf struct {
	rnd      *rand.Rand
	versions map[[2]string]int
	removed  map[string]bool // tools
}

func newShelf(rnd *rand.Rand) *shelf {
	return &shelf{rnd: rnd, versions: map[[2]string]int{}, removed: map[string]bool{}}
}

// inForce is what something would be done with now.
func (s *shelf) inForce(kind, name string) []gate.Implementation {
	if tool, calls := plan.CalledBy(name); kind == "agent" && calls {
		return s.inForce("tool", tool)
	}
	return []gate.Implementation{{Kind: kind, Name: name, Version: 1 + s.versions[[2]string{kind, name}]}}
}

// spec is a host's current knowledge of a tool. Every third version is riskier than the others, so that a
// change may require more approvals, or fewer.
func (s *shelf) spec(tool string) run.ToolSpec {
	at := slices.IndexFunc(tools, func(c run.Call) bool { return c.Tool == tool })
	if at < 0 || tools[at].Spec.Unknown || s.removed[tool] {
		return run.ToolSpec{Unknown: true}
	}
	spec := tools[at].Spec
	spec.Implementation = s.inForce("tool", tool)
	if spec.Implementation[0].Version%3 == 2 && spec.Class != "critical" {
		spec.Class = "high"
	}
	return spec
}

// publish publishes a new version of a document while runs are in progress, usually of one that is up for
// approval.
func (w *world) publish() {
	if w.quiet || w.opts.off(NewVersions) {
		return
	}
	s := w.shelf
	w.after([]time.Duration{time.Second, 20 * time.Second, 10 * time.Minute, 3 * time.Hour}[s.rnd.IntN(4)], w.publish)
	im := w.somethingAsked()
	switch s.rnd.IntN(3) {
	case 0:
		im = gate.Implementation{Kind: "tool", Name: tools[s.rnd.IntN(len(tools))].Tool}
	case 1:
		if im.Name == "" {
			im = gate.Implementation{Kind: "agent",
				Name: []string{"worker", "picky", "unsure", "thinker", "reader"}[s.rnd.IntN(5)]}
		}
	}
	if im.Name == "" {
		return
	}
	s.versions[[2]string{im.Kind, im.Name}]++
	if im.Kind == "tool" {
		s.removed[im.Name] = !s.removed[im.Name] && s.rnd.IntN(12) == 0
	}
	w.cover.add("document", "new version of a "+im.Kind)
	w.say("%s %s is published as version %d (removed: %v)", im.Kind, im.Name,
		s.inForce(im.Kind, im.Name)[0].Version, s.removed[im.Name])
}

// somethingAsked is an implementation that is up for approval.
func (w *world) somethingAsked() (im gate.Implementation) {
	var all []gate.Implementation
	for _, r := range w.store.order {
		for _, a := range r.truth.Pending() {
			all = append(all, a.Action.Implementation...)
		}
	}
	if len(all) > 0 {
		im = all[w.shelf.rnd.IntN(len(all))]
	}
	return im
}

// changed reports to a run that the implementation is no longer the approved one. Nothing has been done.
func (h *host) changed(r *record, k run.Key, approved, now []gate.Implementation) bool {
	if len(approved) == 0 || gate.Same(approved, now) {
		return false
	}
	h.report(r, run.Command{Do: run.Rebind{Key: k, Implementation: now}}, h.w.delay())
	return true
}

// changedTool is changed for calls: it includes the tool's current spec.
func (h *host) changedTool(r *record, k run.Key, c run.Call) bool {
	now := h.w.shelf.spec(c.Tool)
	switch {
	case now.Unknown:
		gone := run.CallResult{Error: fmt.Sprintf("there is no tool %q", c.Tool)}
		h.report(r, run.Command{Do: run.CompleteCall{Key: k, Result: gone}}, h.w.delay())
		return true
	case len(c.Spec.Implementation) == 0 || gate.Same(c.Spec.Implementation, now.Implementation):
		return false
	}
	h.report(r, run.Command{Do: run.Rebind{Key: k, Spec: &now}}, h.w.delay())
	return true
}

// used records what something is done with, for the auditor.
func used(list []gate.Implementation) (out []string) {
	for _, im := range list {
		out = append(out, fmt.Sprintf("%s %s %d", im.Kind, im.Name, im.Version))
	}
	return out
}
