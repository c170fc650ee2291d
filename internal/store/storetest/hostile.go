package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

var nasty = []string{`'; DROP TABLE runs; --`, `%_\%`, `" OR ""="`, `$1 ?1 :a @b`, "a\nb\tc", "naïve 日本語 \U0001F600",
	`\x00`, `NULL`, `*`, `**`, "../../x", " "}

// hostile: odd names are handled like any other.
func hostile(t *testing.T, s store.Store) {
	for i, name := range nasty {
		a := fixture.New(name)
		a.Row.Workflow, a.Row.Owner, a.Row.Parent, a.Row.Error = name, name, name, name
		a.Row.Labels = map[string]string{name: name}
		a.Row.StartedAt = fixture.Began.Add(time.Duration(i) * time.Second)
		w := a.Write(fixture.Started(`{}`), fixture.Said(name))
		row := list.Approval("apr"+name, name)
		row.Workflow, row.Agent, row.Tool, row.Title = name, name, name, name
		row.Asked = []string{name + "x"}
		w.Approvals = []port.ApprovalRow{row}
		w.Answer = &port.Answer{Key: name, Body: name, Status: 200, Answer: []byte(name), At: fixture.Began}
		a.Store(t, s, w)
		if _, _, err := s.SaveVersion(t.Context(),
			port.Version{ID: name, Kind: name, Name: name, Digest: name, Body: json.RawMessage(`1`), By: name,
				At: fixture.Began}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Run(t.Context(), name)
		fixture.Must(t, err)
		want := a.Row
		want.Seq = 2
		fixture.WantEqual(t, name, got, want)
		for what, q := range map[string]port.RunQuery{
			"workflow": {Workflow: name}, "owner": {Owner: name}, "parent": {Parent: name},
			"label": {Label: map[string]string{name: name}},
		} {
			page, err := s.Runs(t.Context(), q)
			fixture.Must(t, err)
			if len(page.Items) != 1 || page.Items[0].ID != name {
				t.Errorf("by %s %q: %d runs", what, name, len(page.Items))
			}
		}
		for what, q := range map[string]port.ApprovalQuery{"asked": {Asked: []string{name + "x"}},
			"tool": {Tool: name}, "run": {Run: name}} {
			page, err := s.Approvals(t.Context(), q)
			fixture.Must(t, err)
			if len(page.Items) != 1 || page.Items[0].Title != name {
				t.Errorf("by %s %q: %d approvals", what, name, len(page.Items))
			}
		}
		fixture.WantDense(t, s, name, 2)
		if ans, ok, err := s.Answer(t.Context(), name); !ok || err != nil || string(ans.Answer) != name {
			t.Errorf("answer %q: %v %v", name, ok, err)
		}
		if v, err := s.Version(t.Context(), name, name, -1); err != nil || v.By != name {
			t.Errorf("version %q: %v", name, err)
		}
	}
	hostileText(t, s)
	hostileLookups(t, s)
}

// hostileText: external text never stops a run. NUL bytes and invalid UTF-8 are replaced in lists; the log
// keeps everything that JSON can represent.
func hostileText(t *testing.T, s store.Store) {
	a := fixture.New("run_text")
	a.Row.Error = "a\x00b\xffc" + strings.Repeat("é", 100_000)
	w := a.Write(fixture.Started(`{}`), fixture.Said("nul \x00"))
	row := list.Approval("apr_text", a.ID)
	row.Title = "t\x00\xc3"
	w.Approvals = []port.ApprovalRow{row}
	d := fixture.Deliverable("dlv_text", a.ID, 0)
	d.Name, d.Description, d.URL, d.MIME = "n\x00", "d\xff", "u\x00", "m\x00"
	w.Deliverables = []port.DeliverableRow{d}
	a.Store(t, s, w)
	got, err := s.Run(t.Context(), a.ID)
	fixture.Must(t, err)
	if !strings.HasPrefix(got.Error, "a\uFFFDb\uFFFDcééé") || len(got.Error) > 64<<10 ||
		!strings.HasSuffix(got.Error, "…") {
		t.Errorf("the error is %d bytes, %.20q", len(got.Error), got.Error)
	}
	ap, err := s.Approval(t.Context(), "apr_text")
	fixture.Must(t, err)
	dl, err := s.Deliverable(t.Context(), "dlv_text")
	fixture.Must(t, err)
	if ap.Title != "t\uFFFD\uFFFD" || dl.Name != "n\uFFFD" || dl.Description != "d\uFFFD" || dl.URL != "u\uFFFD" ||
		dl.MIME != "m\uFFFD" {
		t.Errorf("got %q %q %q %q %q", ap.Title, dl.Name, dl.Description, dl.URL, dl.MIME)
	}
	events, err := s.Events(t.Context(), a.ID, 1, 1)
	fixture.Must(t, err)
	if text := events[0].Fact.(*run.MessageAdded).Text; text != "nul \x00" {
		t.Errorf("the log says %q", text)
	}
}

// hostileLookups: values that cannot be stored are not found, and break nothing.
func hostileLookups(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, id := range []string{"", "\x00", "a\x00b", "\xff", strings.Repeat("x", 10_000)} {
		_, err := s.Run(ctx, id)
		fixture.WantCode(t, err, fault.NotFound)
		_, err = s.Approval(ctx, id)
		fixture.WantCode(t, err, fault.NotFound)
		_, err = s.Deliverable(ctx, id)
		fixture.WantCode(t, err, fault.NotFound)
		_, err = s.Version(ctx, id, id, -1)
		fixture.WantCode(t, err, fault.NotFound)
		_, err = s.Version(ctx, "workflow", id, -1)
		fixture.WantCode(t, err, fault.NotFound)
		_, err = s.Version(ctx, id, "refund", -1)
		fixture.WantCode(t, err, fault.NotFound)
		_, err = s.Bundle(ctx, id)
		fixture.WantCode(t, err, fault.NotFound)
		fixture.WantCode(t, s.Publish(ctx, id, id, 1, id, fixture.Began), fault.NotFound)
		if _, ok, err := s.Answer(ctx, id); ok || err != nil {
			t.Errorf("answer %.10q: %v %v", id, ok, err)
		}
		if list, err := s.Events(ctx, id, 0, 1); len(list) > 0 || err != nil {
			t.Errorf("events %.10q: %v", id, err)
		}
		if seq, _, err := s.Snapshot(ctx, id, 1); seq != 0 || err != nil {
			t.Errorf("snapshot %.10q: %v", id, err)
		}
		if _, err := s.Busy(ctx, id, 1); err != nil {
			t.Errorf("busy %.10q: %v", id, err)
		}
		if id == "" {
			continue
		}
		for _, q := range []port.RunQuery{{Workflow: id}, {Owner: id}, {Parent: id}, {Label: map[string]string{id: id}},
			{Status: []run.Status{run.Status(id)}}} {
			if p, err := s.Runs(ctx, q); err != nil || len(p.Items) > 0 {
				t.Errorf("runs by %.10q: %d, %v", id, len(p.Items), err)
			}
		}
		for _, q := range []port.ApprovalQuery{{Workflow: id}, {Tool: id}, {Run: id}, {Status: []string{id}}} {
			if p, err := s.Approvals(ctx, q); err != nil || len(p.Items) > 0 {
				t.Errorf("approvals by %.10q: %d, %v", id, len(p.Items), err)
			}
		}
		if _, err := s.Approvals(ctx, port.ApprovalQuery{Asked: []string{id}}); err != nil {
			t.Errorf("asked %.10q: %v", id, err)
		}
		if list, next, err := s.Feed(ctx, 0, 1, port.FeedFilter{Run: id, Types: []string{id}}); len(list) > 0 || next != 0 ||
			err != nil {
			t.Errorf("feed of %.10q: %v", id, err)
		}
	}
}

func limits(t *testing.T, s store.Store) {
	word := func(n int) string { return strings.Repeat("w", n) }
	label := func(key, value int) func(*port.Write) {
		return func(w *port.Write) { w.Row.Labels = map[string]string{word(key): word(value)} }
	}
	many := func(n int) func(*port.Write) {
		return func(w *port.Write) {
			w.Row.Labels = map[string]string{}
			for i := range n {
				w.Row.Labels[fmt.Sprint(i)] = "x"
			}
		}
	}
	asked := func(n, size int) func(*port.Write) {
		return func(w *port.Write) {
			row := list.Approval("apr_"+w.Run, w.Run)
			row.Asked = nil
			for i := range n {
				row.Asked = append(row.Asked, fmt.Sprintf("%0*d", size, i))
			}
			w.Approvals = []port.ApprovalRow{row}
		}
	}
	owner := func(n int) func(*port.Write) { return func(w *port.Write) { w.Row.Owner = word(n) } }
	for i, c := range []struct {
		what string
		set  func(*port.Write)
		ok   bool
	}{
		{"longest label", label(255, 1024), true},
		{"label name too long", label(256, 1), false},
		{"label value too long", label(1, 1025), false},
		{"huge label", label(1, 10<<20), false},
		{"most labels", many(64), true},
		{"too many labels", many(65), false},
		{"most asked", asked(256, 255), true},
		{"too many asked", asked(257, 4), false},
		{"name asked too long", asked(1, 256), false},
		{"longest owner", owner(255), true},
		{"owner too long", owner(256), false},
	} {
		w := fixture.New(fixture.RunID(i)).Write(fixture.Started(`{}`))
		c.set(&w)
		if _, err := s.Append(t.Context(), w); (err == nil) != c.ok || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	long := fixture.New(word(255))
	long.Row.Workflow = word(255)
	long.Did(t, s, fixture.Started(`{}`))
	_, err := s.Append(t.Context(), fixture.New(word(256)).Write(fixture.Started(`{}`)))
	fixture.WantCode(t, err, fault.Invalid)
	_, err = s.Approvals(t.Context(), port.ApprovalQuery{Asked: make([]string, 257)})
	fixture.WantCode(t, err, fault.Invalid)
	if p, err := s.Runs(t.Context(), port.RunQuery{Limit: 1 << 30}); err != nil || len(p.Items) == 0 {
		t.Errorf("a huge page: %v", err)
	}
}

// closed: after Close every call reports it, and Close may be called again.
func closed(t *testing.T, s store.Store) {
	fixture.New("run_1").Did(t, s, fixture.Started(`{}`))
	fixture.Must(t, s.Close())
	fixture.Must(t, s.Close())
	ctx := context.Background()
	_, err := s.Append(ctx, fixture.New("run_2").Write(fixture.Started(`{}`)))
	wantUnavailable(t, "append", err)
	_, err = s.Run(ctx, "run_1")
	wantUnavailable(t, "run", err)
	_, err = s.Runs(ctx, port.RunQuery{})
	wantUnavailable(t, "runs", err)
	_, _, err = s.Feed(ctx, 0, 1, port.FeedFilter{})
	wantUnavailable(t, "feed", err)
	_, _, err = s.Lead(ctx)
	wantUnavailable(t, "lead", err)
	_, _, err = s.PutBlob(ctx, strings.NewReader("x"), 10)
	wantUnavailable(t, "put blob", err)
}

func wantUnavailable(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, port.ErrUnavailable) {
		t.Errorf("%s on a closed store: %v", what, err)
	}
}
