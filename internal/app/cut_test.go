//go:build unix

package app_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// A publish whose answer was lost is in force as soon as it is said to be.
func TestPublishWhoseAnswerIsLost(t *testing.T) {
	w, url := pgtest.NewWire(t, pgtest.Database(t))
	h := openOn(t, assembly.Config{Data: t.TempDir(), DB: url, Local: true},
		"workflow: other\nsteps: [{ id: ask, human: { kind: approval } }]\n")
	// The process commits things of its own, too, and may lose the answer to one of those instead.
	flow, lost := "", false
	for n := 0; !lost; n++ {
		flow = fmt.Sprintf("workflow: pay\ndescription: version %d\nsteps: [{ id: ask, human: { kind: approval } }]\n", n)
		saved, _ := h.save(definition.KindWorkflow, "pay", flow, false)
		w.CutAfterCommit()
		_, err := h.Documents.Publish(t.Context(), admin, definition.KindWorkflow, "pay", saved.Version, documents.Saving{})
		if lost = errors.Is(err, port.ErrUnavailable) && w.WasCut(); !lost && (err != nil || n == 20) {
			t.Fatalf("try %d: the connection was not cut: %v", n, err)
		}
	}
	again, _ := h.save(definition.KindWorkflow, "pay", flow, true)
	if !again.Published {
		t.Fatalf("%+v: it was not stored, so nothing is tested", again)
	}
	_, known := h.Supply.Judge()
	if generation, err := h.server.Store.Generation(t.Context()); err != nil || known != generation {
		t.Errorf("the definitions of generation %d are in force, and %d are known: %v", generation, known, err)
	}
	h.begin(admin, "pay", `{}`)
}

// What one process published can be started on another at once.
func TestPublishedElsewhereAMomentAgo(t *testing.T) {
	url := pgtest.Database(t)
	const flow = "workflow: pay\nsteps: [{ id: ask, human: { kind: approval } }]\n"
	second := openOn(t, assembly.Config{Data: t.TempDir(), DB: url, Local: true}, "")
	openOn(t, assembly.Config{Data: t.TempDir(), DB: url, Local: true}, flow)
	second.begin(admin, "pay", `{}`)
}
