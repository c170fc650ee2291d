package audit

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// finds expects a check of the log to report something, or nothing at all.
func finds(t *testing.T, name string, s *Service, want string) {
	t.Helper()
	got, err := s.Check(t.Context(), 0, 0)
	must(t, err)
	if got.OK != (want == "") || !strings.Contains(got.Why, want) {
		t.Errorf("%s: ok %t, %q, want %q", name, got.OK, got.Why, want)
	}
}

// Every field of a run's events is compared with the entries about them, and payloads may only be missing if
// that is recorded.
func TestBoundEventsAreCompared(t *testing.T) {
	s, store := open(t)
	c := &checking{s: s}
	is := runEvents{run: "run_1", from: 1, to: 4, whole: "w", kept: "k"}
	bare := runEvents{run: "run_1", from: 1, to: 4, whole: "k", kept: "k"}
	old := boundRun{Run: "run_1", From: 1, To: 4, Events: "w", Kept: "k"}
	salted := boundRun{Run: "run_1", From: 1, To: 4, Salted: is.salted("s"), Kept: "k"}
	plain := boundRun{Run: "run_1", From: 1, To: 4, Kept: "k"}
	with := func(b boundRun, change func(*boundRun)) boundRun { change(&b); return b }
	look := func(name string, was boundRun, is runEvents, salt, want string) {
		t.Helper()
		err := c.compareRun(t.Context(), 9, was, is, salt)
		if b, isBad := asBad(err); (err == nil) != (want == "") || isBad && (b.N != 9 || !strings.Contains(b.Why, want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	look("as they were", salted, is, "s", "")
	look("as they were, without a salt", old, is, "", "")
	const changed = "events 1 to 4 of run run_1 were changed"
	look("of another run", with(old, func(b *boundRun) { b.Run = "run_2" }), is, "", "were changed")
	look("from another one on", with(old, func(b *boundRun) { b.From = 2 }), is, "", "were changed")
	look("up to another one", with(old, func(b *boundRun) { b.To = 5 }), is, "", "were changed")
	look("changed", with(salted, func(b *boundRun) { b.Kept = "x" }), is, "t", changed)
	look("changed in what may be removed", salted, is, "t", changed)
	look("nothing to compare with", plain, is, "", changed)
	look("without its salt", salted, is, "", "the salt of the run is missing")
	look("removed, and more", with(salted, func(b *boundRun) { b.Kept = "x" }), bare, "", changed)
	const unsaid = "no entry records their deletion"
	look("removed, with no entry", salted, bare, "", unsaid)
	says := func(seq int64, outcome port.AuditOutcome) {
		_, err := store.AppendAudit(t.Context(), port.AuditDraft{At: began, Actor: ann, Outcome: outcome,
			Action: (*run.PayloadsRemoved)(nil).Type(), Target: "run_1", Run: "run_1", Detail: map[string]any{"seq": seq}})
		must(t, err)
	}
	aRun(t, store, "run_1")
	says(5, port.AuditRefused)
	look("removed, and that was refused", salted, bare, "", unsaid)
	says(4, port.AuditDone)
	look("removed, and the event is about something else", salted, bare, "", unsaid)
	says(5, port.AuditDone)
	look("removed, and there is no such event", salted, bare, "", unsaid)
	more := runWrite("run_1")
	more.After, more.Audit, more.Events, more.Row.Seq = 4, nil, more.Events[:1], 5
	more.Events[0].Seq, more.Events[0].Fact = 5, &run.PayloadsRemoved{}
	_, err := store.Append(t.Context(), more)
	must(t, err)
	look("removed", salted, bare, "", "")
	look("removed before they were bound", plain, bare, "", "")
}

// The events that an entry claims to bind must exist and belong to the runs it names.
func TestWhatAnEntryBinds(t *testing.T) {
	for _, c := range []struct {
		name  string
		bound boundEvents
		want  string
	}{
		{"more than there is", boundEvents{After: 0, Through: 99},
			"it binds events up to 99 of the feed, which ends at 4"},
		{"of nobody", boundEvents{After: 0, Through: 4}, "events 1 to 4 of the feed were moved to other runs"},
		{"of others", boundEvents{After: 0, Through: 4, Runs: []boundRun{{Run: "run_2", From: 1, To: 4}}},
			"events 1 to 4 of run run_2 were changed"},
		{"with a gap", boundEvents{After: 2, Through: 4}, "events 1 to 2 of the feed are not bound to an entry"},
		{"nothing", boundEvents{After: 4, Through: 4}, "it does not name the events it binds"},
	} {
		s, store := open(t)
		aRun(t, store, "run_1")
		_, err := store.AppendAudit(t.Context(), port.AuditDraft{
			At: began, Actor: ann, Action: ActionEvents, Target: "events", Detail: c.bound,
		})
		must(t, err)
		finds(t, c.name, s, c.want)
	}
}

// An entry states the first and last event of each run it binds.
func TestWhichEventsAreBound(t *testing.T) {
	s, store := open(t)
	aRun(t, store, "run_1")
	must(t, s.Bind(t.Context(), 100))
	more := runWrite("run_1")
	more.After, more.Audit, more.Events, more.Row.Seq = 4, nil, more.Events[:1], 5
	more.Events[0].Seq, more.Events[0].Fact = 5, &run.SnapshotSaved{}
	_, err := store.Append(t.Context(), more)
	must(t, err)
	aRun(t, store, "run_2")
	must(t, s.Bind(t.Context(), 100))
	page, err := store.AuditEntries(t.Context(), port.AuditQuery{Action: ActionEvents, Limit: 10})
	must(t, err)
	var said []string
	for _, row := range page.Items {
		e, err := port.ReadAuditBody(row.Body)
		must(t, err)
		b, err := readBound(e)
		must(t, err)
		for _, r := range b.Runs {
			said = append(said, fmt.Sprintf("%d-%d: %s %d-%d", b.After, b.Through, r.Run, r.From, r.To))
		}
	}
	if want := "4-9: run_1 5-5, 4-9: run_2 1-4, 0-4: run_1 1-4"; strings.Join(said, ", ") != want {
		t.Errorf("%s", strings.Join(said, ", "))
	}
	if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK || got.Events != 9 || got.Unbound != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	aRun(t, store, "run_3")
	s.Store = skipping{store}
	if err := s.Bind(t.Context(), 100); err == nil ||
		!strings.Contains(err.Error(), "event 11 of the feed is in the place of event 10") {
		t.Error(err)
	}
}

// skipping is a store whose feed has a gap.
type skipping struct{ Store }

func (s skipping) Feed(ctx context.Context, after int64, limit int, f port.FeedFilter) ([]port.Record, int64, error) {
	records, next, err := s.Store.Feed(ctx, after, limit, f)
	for i := range records {
		records[i].Feed++
	}
	return records, next, err
}

// Every property that a head must share with the previous one is checked.
func TestWhyAHeadDoesNotFollow(t *testing.T) {
	s, heads := headed(t)
	var c consistency
	must(t, json.Unmarshal(followed(t, s, heads[0].N, 0), &c))
	const apart = "does not continue the one at"
	for _, x := range []struct {
		name   string
		change func(f *following, before *port.AuditHead)
		want   string
	}{
		{"as it is", func(*following, *port.AuditHead) {}, ""},
		{"a gap", func(_ *following, before *port.AuditHead) { before.N-- }, apart},
		{"an overlap", func(_ *following, before *port.AuditHead) { before.N++ }, apart},
		{"another hash before", func(_ *following, before *port.AuditHead) { before.Hash = heads[2].Hash }, apart},
		{"an end before its beginning", func(f *following, _ *port.AuditHead) { f.Head.N = f.Head.From - 1 }, apart},
		{"too long", func(f *following, _ *port.AuditHead) { f.Head.N = f.Head.From + segmentMax }, apart},
		{"as long as may be", func(f *following, _ *port.AuditHead) { f.Head.N = f.Head.From + segmentMax - 1 }, "signed"},
		{"another first entry", func(f *following, _ *port.AuditHead) {
			f.First = bytes.Replace(f.First, fmt.Appendf(nil, `"n":%d,`, f.Head.From),
				fmt.Appendf(nil, `"n":%d,`, f.Head.From+1), 1)
		}, apart},
		{"another root", func(f *following, _ *port.AuditHead) { f.Head.Root = heads[0].Root },
			"it is not among the signed entries"},
		{"a way that cannot be read", func(f *following, _ *port.AuditHead) { f.Last = []string{"x"} },
			"its inclusion proof cannot be read"},
		{"a way in capitals", func(f *following, _ *port.AuditHead) {
			f.Path = []string{strings.ToUpper(strings.Join(f.Path[:1], ""))}
		}, "its inclusion proof cannot be read"},
	} {
		f, before := c.Then[0], c.From
		f.First = bytes.Clone(f.First)
		x.change(&f, &before)
		err := f.follows(before)
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.name, err, x.want)
		}
		if b, _ := asBad(err); x.name == "a way that cannot be read" && b.N != f.Head.N {
			t.Errorf("it is the way from entry %d, and %d is named", f.Head.N, b.N)
		}
	}
}

// The subject of a decision is compared with earlier proposals: not with the decision's own changes, or later
// ones.
func TestWhatADecisionWasAbout(t *testing.T) {
	for name, c := range map[string]struct {
		original string
		want     string
	}{
		"what was proposed":       {`{"amount":5000}`, ""},
		"what was decided":        {`{"amount":4000}`, `the value "original" of event 4`},
		"what nobody ever wanted": {`{"amount":3000}`, `the value "original" of event 4`},
	} {
		s, store := open(t)
		w := runWrite("run_1")
		w.Audit[1].Sealed[3].Value = json.RawMessage(c.original)
		_, err := store.Append(t.Context(), w)
		must(t, err)
		must(t, s.Bind(t.Context(), 100))
		finds(t, name, s, c.want)
		var out bytes.Buffer
		must(t, s.Prove(t.Context(), "run_1", ann, &out))
		if r := verifiedProof(t, out.Bytes(), Expected{}); r.OK != (c.want == "") || !strings.Contains(r.Why, c.want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A decision without an entry was not made by the server, unless it is in the history of a fork or older than
// the log. What the decision itself says about that, such as its time, does not count.
func TestDecisionsWithoutAnEntry(t *testing.T) {
	old := func(w *port.Write) {
		for i := range w.Events {
			w.Events[i].At = began.Add(-time.Hour)
		}
	}
	forks := func(w *port.Write, at int64) {
		w.Events = append(w.Events, run.Event{Run: "run_1", Seq: 5, At: began, Actor: ann,
			Fact: &run.RunForked{From: "run_0", AtSeq: 4}})
		w.Row.Seq = 5
		w.Audit = []port.AuditDraft{{At: began, Actor: ann, Action: "run.forked", Target: "run_1", Run: "run_1",
			Detail: map[string]any{"seq": 5, "at_seq": at}}}
	}
	more := func(w *port.Write) {
		w.Row.Seq++
		w.Events = append(w.Events, w.Events[3])
		w.Events[w.Row.Seq-1].Seq = w.Row.Seq
	}
	backdated := func(w *port.Write) { w.Audit = w.Audit[:1]; w.Events[3].At = began.Add(-time.Hour) }
	const inserted = "event 4 of run run_1 (approval.decided) is not recorded in the log"
	for name, c := range map[string]struct {
		older  bool // there is a run from before the log
		change func(*port.Write)
		want   string
	}{
		"put there":            {false, func(w *port.Write) { w.Audit = w.Audit[:1] }, inserted},
		"of another run":       {false, func(w *port.Write) { forks(w, 4) }, ""},
		"more than was copied": {false, func(w *port.Write) { forks(w, 3) }, inserted},
		"after the fork": {false, func(w *port.Write) { forks(w, 4); more(w) },
			"event 6 of run run_1 (approval.decided) is not recorded"},
		"a fork put after it": {false, func(w *port.Write) {
			start := w.Audit[:1]
			forks(w, 4)
			w.Audit = start
		}, inserted},
		"older than the log": {true, func(w *port.Write) { old(w); w.Audit = nil }, ""},
		"older than the log, and continued": {true, func(w *port.Write) {
			old(w)
			w.Audit = nil
			more(w)
			w.Events[4].At = began
		},
			"event 5 of run run_1 (approval.decided) is not recorded"},
		"backdated": {false, backdated, inserted},
		"backdated, in a store older than its log": {true, backdated, inserted},
		"a backdated run": {false, func(w *port.Write) { old(w); w.Audit = nil },
			"event 1 of run run_1 (run.started) is not recorded"},
	} {
		s, store := open(t)
		_, err := store.AppendAudit(t.Context(), draft(0))
		must(t, err)
		first := runWrite("run_0")
		if c.older {
			old(&first)
			first.Audit = nil
		}
		_, err = store.Append(t.Context(), first)
		must(t, err)
		w := runWrite("run_1")
		c.change(&w)
		_, err = store.Append(t.Context(), w)
		must(t, err)
		finds(t, name, s, c.want)
		must(t, s.Bind(t.Context(), 100))
		finds(t, name+", bound", s, c.want)
	}
}

// Heads cover all entries without a gap, including those signed by an attacker with the key.
func TestHeadsFollowOneAnother(t *testing.T) {
	h := newHouse(t)
	s := h.start()
	h.grow(s, 5)
	key, err := s.Key()
	must(t, err)
	head, err := h.store.LastAuditHead(t.Context())
	must(t, err)
	rows, err := h.store.AuditRows(t.Context(), head.From, 100)
	must(t, err)
	var hashes []string
	for _, r := range rows {
		hashes = append(hashes, r.Hash)
	}
	head.From++
	head.Root, err = rootOf(hashes)
	must(t, err)
	must(t, key.sign(&head))
	text, err := json.Marshal(head)
	must(t, err)
	h.close()
	h.withDB(func(db *sql.DB) {
		_, err := db.Exec(`UPDATE audit_heads SET head = ? WHERE n = ?`, string(text), head.N)
		must(t, err)
	})
	s = h.start()
	s.Anchor = nil
	finds(t, "a gap", s, "the heads do not continue one another")
}

// The entry for a new key names its actor: the server, or the operator who rotated it.
func TestWhoMadeAKeyKnown(t *testing.T) {
	h := newHouse(t)
	s := h.start()
	s.Rotation = RotationIn(h.dir)
	_, err := s.Cut(t.Context())
	must(t, err)
	_, err = s.Rotate(t.Context(), ann)
	must(t, err)
	page, err := h.store.AuditEntries(t.Context(), port.AuditQuery{Action: ActionKey, Limit: 10})
	must(t, err)
	if len(page.Items) != 2 || page.Items[0].Actor != "ann" || page.Items[1].Actor != "audit" {
		t.Errorf("%+v", page.Items)
	}
	// The anchor trusts both from then on, whichever of them signed last.
	a, err := AnchorFor(h.dir, "").Load()
	must(t, err)
	keys, err := s.Keys(t.Context())
	must(t, err)
	for _, k := range keys {
		if !a.trusts(k.Public) {
			t.Errorf("the anchor trusts %v, and not %s", a.Keys, k.Public)
		}
	}
}

// lying is a store that claims that the log ends with another entry.
type lying struct{ Store }

func (l lying) AuditEnd(ctx context.Context) (int64, string, error) {
	n, _, err := l.Store.AuditEnd(ctx)
	return n, strings.Repeat("ab", 32), err
}

func TestWhereTheLogEnds(t *testing.T) {
	s, store := open(t)
	_, err := store.AppendAudit(t.Context(), draft(1), draft(2))
	must(t, err)
	finds(t, "as it is", s, "")
	s.Store = lying{store}
	finds(t, "elsewhere", s, "the store records another entry as the end of the log")
}

// A log may have more heads than one page.
func TestManyHeads(t *testing.T) {
	s, store := open(t)
	for i := range pageRows + 3 {
		_, err := store.AppendAudit(t.Context(), draft(i))
		must(t, err)
		_, err = s.Cut(t.Context())
		must(t, err)
	}
	last, err := store.LastAuditHead(t.Context())
	must(t, err)
	if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK || got.Signed != last.N {
		t.Errorf("%+v, %v", got, err)
	}
	heads, err := store.AuditHeads(t.Context(), 0, 1)
	must(t, err)
	if r := verifiedConsistency(t, followed(t, s, heads[0].N, 0), Expected{}); !r.OK || r.Entries != last.N-heads[0].N {
		t.Errorf("%+v", r)
	}
}
