package assent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

const gated = `
workflow: w
steps:
  - { id: a, agent: work, retry: { max: 3, backoff: 1ms } }
  - { id: b, human: { title: Go on?, acts: [approve, reject, request_revision] } }
  - { id: c, human: { kind: choice, title: Which?, options: [{ value: x }, { value: y }] } }
  - { id: d, human: { kind: input, title: How many?, input_schema: { type: object, properties: { n: { type: integer } }, required: [n] } } }
`

func open(t *testing.T, dir string, options ...assent.Option) *assent.Engine {
	t.Helper()
	sqlitetest.Fill(t, dir)
	e, err := assent.Open(t.Context(), dir, options...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestInboxPages(t *testing.T) {
	e := open(t, t.TempDir(), assent.Define(`
workflow: ask
steps: [{ id: s, human: { title: Continue? } }]
`))
	defer e.Close()
	var want []string
	for range 3 {
		r, err := e.Start(t.Context(), "ask", nil)
		if err == nil {
			r, err = e.Wait(t.Context(), r.ID)
		}
		if err != nil || len(r.Pending) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		want = append(want, r.Pending[0])
	}
	var got []string
	var sizes []int
	for cursor, more := "", true; more && len(sizes) < 5; more = cursor != "" {
		page, next, err := e.InboxPage(t.Context(), 2, cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range page {
			got = append(got, a.ID)
		}
		sizes, cursor = append(sizes, len(page)), next
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || !slices.Equal(sizes, []int{2, 1}) {
		t.Errorf("got %v in pages of %v, want %v", got, sizes, want)
	}
}

func TestAProgramGoesOnWhereItStood(t *testing.T) {
	dir := t.TempDir()
	var calls atomic.Int32
	work := assent.FuncOf("work", func(_ context.Context, w assent.Work) (assent.Result, error) {
		calls.Add(1)
		if w.Try < 2 {
			return assent.Result{}, errors.New("busy")
		}
		sure := 0.95
		return assent.Result{Output: map[string]int{"try": w.Try}, Confidence: &sure}, nil
	})
	e := open(t, dir, work, assent.Define(gated))
	r, err := e.Start(t.Context(), "w", map[string]any{"big": 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = e.Wait(t.Context(), r.ID); err != nil || r.Status != assent.Waiting || len(r.Pending) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, dir, work, assent.Define(gated))
	defer e.Close()
	inbox, err := e.Inbox(t.Context())
	if err != nil || len(inbox) != 1 || inbox[0].ID != r.Pending[0] {
		t.Fatalf("%+v, %v", inbox, err)
	}
	for _, d := range []assent.Decision{assent.Approve("ok"), assent.Choose("y", ""),
		assent.Submit(map[string]int{"n": 3}, "")} {
		if r, err = e.Wait(t.Context(), r.ID); err != nil || len(r.Pending) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		if _, err := e.Decide(t.Context(), r.Pending[0], d, assent.As("bob")); err != nil {
			t.Fatal(err)
		}
	}
	if r, err = e.WaitEnd(t.Context(), r.ID); err != nil || r.Status != assent.Completed ||
		!strings.Contains(string(r.Output), `"n":3`) {
		t.Errorf("%+v, %v", r, err)
	}
	if calls.Load() != 2 {
		t.Errorf("the agent was asked %d times", calls.Load())
	}
	events, err := e.Events(t.Context(), r.ID, 0)
	if err != nil || int64(len(events)) != r.Seq || events[0].Type != "run.started" || events[0].By != "program" {
		t.Errorf("%d events, %v", len(events), err)
	}
}

func TestRunsAreSteered(t *testing.T) {
	e := open(t, t.TempDir(), assent.Func("work",
		func(context.Context, any) (int, error) { return 0, assent.Permanent(errors.New("never")) }),
		assent.Define(gated+"---\nworkflow: ask\nsteps: [{ id: a, human: { title: Yes? } }]\n"))
	defer e.Close()
	ctx := t.Context()
	r, err := e.Start(ctx, "w", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = e.WaitEnd(ctx, r.ID); err != nil || r.Status != assent.Failed || r.Error != "never" ||
		r.Steps[0].Try != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = e.Start(ctx, "ask", nil, assent.As("ann")); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{e.Pause(ctx, r.ID), e.Message(ctx, r.ID, "hold on"), e.Resume(ctx, r.ID),
		e.Cancel(ctx, r.ID, "enough")} {
		if err != nil {
			t.Error(err)
		}
	}
	if r, err = e.WaitEnd(ctx, r.ID); err != nil || r.Status != assent.Cancelled {
		t.Errorf("%+v, %v", r, err)
	}
	var refused *assent.Error
	if err := e.Cancel(ctx, r.ID, "again"); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
	if _, err := e.Run(ctx, "run_none"); !errors.As(err, &refused) || refused.Code != "not_found" {
		t.Errorf("%v", err)
	}
	if _, err := e.Decide(ctx, "apr_none", assent.Submit(func() {}, "")); err == nil {
		t.Error("a function is no JSON")
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if r, err = e.Start(ctx, "ask", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.WaitEnd(short, r.ID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestBadDefinitionsAreRefused(t *testing.T) {
	nothing := func(context.Context, any) (int, error) { return 0, nil }
	for name, options := range map[string][]assent.Option{
		"twice":       {assent.Func("a", nothing), assent.Func("a", nothing)},
		"BAD NAME":    {assent.Func("BAD NAME", nothing)},
		"tmeout":      {assent.Define("workflow: w\ntmeout: 1s\nsteps: []")},
		"no agent":    {assent.Define("workflow: w\nsteps: [{ id: a, agent: nobody }]")},
		"no such":     {assent.Load("testdata/none")},
		"more than o": {assent.Define("agent: a\nkind: scripted\nanswers: [{ output: 1 }]"), assent.Func("a", nothing)},
	} {
		e, err := assent.Open(t.Context(), sqlitetest.Dir(t), options...)
		if err == nil {
			e.Close()
			t.Errorf("%s: nobody minded", name)
			continue
		}
		t.Logf("%s: %v", name, err)
	}
}
