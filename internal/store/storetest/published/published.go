// Package published tests how stores put versions of documents in force.
package published

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Over: nothing is published over another version than the expected one.
func Over(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, n := range []int{1, 2} {
		_, _, err := s.SaveVersion(ctx, port.Version{
			ID: fmt.Sprintf("pol_over_%d", n), Kind: "policy", Name: "over", Digest: fmt.Sprintf("sha256:%d", n),
			Body: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)), By: "ann", At: fixture.Began,
		})
		fixture.Must(t, err)
	}
	over := func(number, over int) error {
		return s.PublishOver(ctx, "policy", "over", number, over, "ann", fixture.Began)
	}
	fixture.WantCode(t, over(1, 1), fault.VersionMismatch)
	fixture.WantCode(t, over(9, 0), fault.NotFound)
	before, err := s.Generation(ctx)
	fixture.Must(t, err)
	fixture.Must(t, over(1, 0))
	fixture.Must(t, over(2, 1))
	for _, wrong := range []int{0, 1, 9} {
		fixture.WantCode(t, over(1, wrong), fault.VersionMismatch)
	}
	if v, err := s.Version(ctx, "policy", "over", 0); err != nil || v.Number != 2 {
		t.Errorf("in force is %+v: %v", v, err)
	}
	if after, err := s.Generation(ctx); err != nil || after != before+2 {
		t.Errorf("generation %d after %d: %v", after, before, err)
	}
	fixture.Must(t, s.Withdraw(ctx, "policy", "over"))
	fixture.WantCode(t, over(1, 2), fault.VersionMismatch)
	// Of two at once, one wins.
	results := make(chan error)
	for range 2 {
		go func() { results <- over(1, 0) }()
	}
	var lost int
	for range 2 {
		if err := <-results; err != nil {
			fixture.WantCode(t, err, fault.VersionMismatch)
			lost++
		}
	}
	if lost != 1 {
		t.Errorf("%d of two lost", lost)
	}
}

// After: nothing is saved over another version than the expected one.
func After(t *testing.T, s store.Store) {
	ctx := t.Context()
	version := func(n int) port.Version {
		v := fixture.Version("lesson", "after", n)
		v.ID = fmt.Sprintf("doc_after_%d", n)
		return v
	}
	save := func(n, over int) error {
		saved, created, err := s.SaveVersionOver(ctx, version(n), over, fixture.AuditDraft("lesson.corrected", "after", ""))
		if err == nil && (!created || saved.Number != over+1) {
			t.Errorf("%d over %d is version %d", n, over, saved.Number)
		}
		return err
	}
	fixture.WantCode(t, save(1, 1), fault.VersionMismatch)
	fixture.Must(t, save(1, 0))
	fixture.WantCode(t, save(2, 0), fault.VersionMismatch)
	fixture.Must(t, save(2, 1))
	fixture.WantCode(t, save(2, 1), fault.VersionMismatch) // also if it is what is there
	if got := len(fixture.ReadAudit(t, s)); got != 2 {
		t.Errorf("%d entries, want 2", got)
	}
	// Of two at once, one wins.
	results := make(chan error)
	for n := range 2 {
		go func() { results <- save(3+n, 2) }()
	}
	var lost int
	for range 2 {
		if err := <-results; err != nil {
			fixture.WantCode(t, err, fault.VersionMismatch)
			lost++
		}
	}
	if v, err := s.Version(ctx, "lesson", "after", -1); lost != 1 || err != nil || v.Number != 3 {
		t.Errorf("%d of two lost, newest is %d: %v", lost, v.Number, err)
	}
}

// Sources: a document is kept as people wrote it, beside its version; rewording it changes nothing else.
func Sources(t *testing.T, s store.Store) {
	ctx := t.Context()
	v := fixture.Version("workflow", "told", 1)
	v.Source = []byte("# why: \U0001F600\n\nworkflow: told\n")
	saved, _, err := s.SaveVersion(ctx, v)
	fixture.Must(t, err)
	if string(saved.Source) != string(v.Source) {
		t.Errorf("saved %q", saved.Source)
	}
	bare := fixture.Version("workflow", "bare", 1)
	_, _, err = s.SaveVersion(ctx, bare)
	fixture.Must(t, err)
	read := func(name string) port.Version {
		v, err := s.Version(ctx, "workflow", name, -1)
		fixture.Must(t, err)
		return v
	}
	if got := read("bare").Source; got != nil {
		t.Errorf("a version without a source has %q", got)
	}
	// The same document in other words is the same version, and keeps its source until it is replaced.
	again := fixture.Version("workflow", "told", 1)
	again.ID, again.Source = "wfv_again", []byte("# other\nworkflow: told\n")
	if saved, created, err := s.SaveVersion(ctx, again); err != nil || created ||
		string(saved.Source) != string(v.Source) {
		t.Errorf("saved again: %q, %v, %v", saved.Source, created, err)
	}
	fixture.Must(t, s.Publish(ctx, "workflow", "told", 1, "ann", fixture.Began))
	entries, before := len(fixture.ReadAudit(t, s)), read("told")
	for i, step := range []struct {
		name, source       string
		changed, published bool
	}{
		{"told", string(v.Source), false, true}, {"told", string(again.Source), true, true},
		{"told", string(again.Source), false, true}, {"bare", "workflow: bare", true, false},
	} {
		was, err := s.Generation(ctx)
		fixture.Must(t, err)
		changed, err := s.SetSource(ctx, "workflow", step.name, 1, []byte(step.source),
			fixture.AuditDraft("definition.text_saved", "workflow/"+step.name, ""))
		if err != nil || changed != step.changed {
			t.Errorf("%d: changed %v: %v", i, changed, err)
		}
		if now, err := s.Generation(ctx); err != nil || (now > was) != (step.changed && step.published) {
			t.Errorf("%d: generation %d after %d: %v", i, now, was, err)
		}
		if step.changed {
			entries++
		}
		if got := len(fixture.ReadAudit(t, s)); got != entries {
			t.Errorf("%d: %d entries, want %d", i, got, entries)
		}
		if got := read(step.name); string(got.Source) != step.source {
			t.Errorf("%d: source is %q", i, got.Source)
		}
	}
	before.Source = again.Source
	fixture.WantEqual(t, "version", read("told"), before)
	wantListed(t, s, string(again.Source))
	refused(t, s)
}

// wantListed: lists of whole documents contain the source, the list of versions does not.
func wantListed(t *testing.T, s store.Store, source string) {
	t.Helper()
	ctx := t.Context()
	force, err := s.InForce(ctx, "workflow")
	fixture.Must(t, err)
	if len(force) != 1 || string(force[0].Source) != source {
		t.Errorf("in force: %+v", force)
	}
	latest, err := s.Latest(ctx, "workflow")
	fixture.Must(t, err)
	if len(latest) != 2 || string(latest[1].Source) != source {
		t.Errorf("latest: %+v", latest)
	}
	all, err := s.Versions(ctx, "workflow", "told")
	fixture.Must(t, err)
	if len(all) != 1 || all[0].Source != nil {
		t.Errorf("versions: %+v", all)
	}
}

// refused: sources have limits.
func refused(t *testing.T, s store.Store) {
	t.Helper()
	set := func(name string, number int, source string) error {
		_, err := s.SetSource(t.Context(), "workflow", name, number, []byte(source))
		return err
	}
	fixture.WantCode(t, set("told", 2, "x"), fault.NotFound)
	fixture.WantCode(t, set("none", 1, "x"), fault.NotFound)
	fixture.WantCode(t, set("\x00", 1, "x"), fault.NotFound)
	fixture.WantCode(t, set("told", 1, "a\x00b"), fault.Invalid)
	fixture.WantCode(t, set("told", 1, "\xff"), fault.Invalid)
	fixture.WantCode(t, set("told", 1, strings.Repeat("x", port.SourceMax+1)), fault.TooLarge)
	fixture.Must(t, set("told", 1, strings.Repeat("x", port.SourceMax)))
	v := fixture.Version("workflow", "large", 1)
	v.Source = []byte(strings.Repeat("x", port.SourceMax+1))
	_, _, err := s.SaveVersion(t.Context(), v)
	fixture.WantCode(t, err, fault.TooLarge)
}
