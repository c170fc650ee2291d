package aggregate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/storekit"
)

// Not every property of a query shows in its result: an unused index or a missing row lock only affects
// response times and concurrency. So these tests check the query itself.

// asked is a database that records queries. Anything not set up panics, so unexpected queries fail.
type asked struct {
	DB
	batches []BatchQuery
	locks   []string
}

var errAsked = errors.New("that is all")

func (a *asked) Batches(_ context.Context, q BatchQuery, _ func(*storekit.Batch) (bool, error)) error {
	a.batches = append(a.batches, q)
	return nil
}

func (a *asked) Write(_ context.Context, _ int, f func(Tx) error) error { return f(askedTx{a: a}) }

// askedTx is a transaction that ends with the first lock.
type askedTx struct {
	Tx
	a *asked
}

func (x askedTx) Lock(name string) error {
	x.a.locks = append(x.a.locks, name)
	return errAsked
}

func newAsked() (*asked, *Aggregates) {
	db := &asked{}
	a := New(db, &storekit.Vault{}, Dialect{True: "1"})
	return db, &a
}

// The conditions of partial indexes are repeated where they hold, and only there.
func TestConditionsOfTheAuditLog(t *testing.T) {
	at := time.Unix(1, 0)
	for _, c := range []struct {
		q    port.AuditQuery
		want string
	}{
		{port.AuditQuery{}, "1 = 1"},
		{port.AuditQuery{Actor: "ann"}, "actor = ?"},
		{port.AuditQuery{Action: "run.started"}, "action = ?"},
		{port.AuditQuery{Action: "run.paused"}, "action = ? AND action <> 'run.started'"},
		{port.AuditQuery{Outcome: "done"}, "outcome = ?"},
		{port.AuditQuery{Outcome: "refused"}, "outcome = ? AND outcome <> 'done'"},
		{port.AuditQuery{Target: "run_1"}, "run = ? AND run <> ''"},
		{port.AuditQuery{Target: "apr_1"}, "target = ? AND target <> run"},
		{port.AuditQuery{Since: at}, "at >= ?"},
		{port.AuditQuery{Until: at}, "at < ?"},
	} {
		got := auditFilter(&c.q).Cond()
		text := strings.NewReplacer("(", "", ")", "").Replace(got.SQL)
		if text != c.want || strings.Count(text, "?") != len(got.Args) {
			t.Errorf("%+v: %s with %v, want %s", c.q, text, got.Args, c.want)
		}
	}
}

// When events are filtered by type, more of them are read than requested.
func TestHowManyEventsAreAskedFor(t *testing.T) {
	db, a := newAsked()
	for _, f := range []port.FeedFilter{{}, {Run: "run_1"}, {Types: []string{"run.started"}}} {
		if records, next, err := a.Feed(t.Context(), -3, 7, f); len(records) > 0 || next != 0 || err != nil {
			t.Errorf("%v, %d, %v", records, next, err)
		}
	}
	if _, err := a.Events(t.Context(), "run_1", 4, 9); err != nil {
		t.Error(err)
	}
	want := []BatchQuery{{Feed: true, Events: 7}, {Run: "run_1", Feed: true, Events: 7},
		{Feed: true, Events: storekit.ScanMax}, {Run: "run_1", After: 4, Events: 9}}
	if !slices.Equal(db.batches, want) {
		t.Errorf("%+v, want %+v", db.batches, want)
	}
}

// A read ends after the batch that reaches one of its limits.
func TestWhereAReadEnds(t *testing.T) {
	body, err := storekit.EncodeBatch([]run.Event{{Run: "run_1", Seq: 1, At: time.Unix(1, 0), Fact: &run.RunWaiting{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		r    reading
		more bool
	}{
		{"far from all of them", reading{limit: 2}, true},
		{"enough events", reading{limit: 1}, false},
		{"almost enough bytes", reading{limit: 9, bytes: storekit.ReadBytes - len(body) - 1}, true},
		{"enough bytes", reading{limit: 9, bytes: storekit.ReadBytes - len(body)}, false},
		{"almost enough looked at", reading{limit: 9, looked: storekit.ScanMax - 2}, true},
		{"enough looked at", reading{limit: 9, looked: storekit.ScanMax - 1}, false},
	} {
		c.r.vault = &storekit.Vault{}
		more, err := c.r.take(&storekit.Batch{Run: "run_1", LastSeq: 1, LastFeed: 5, Count: 1, Body: slices.Clone(body)})
		if more != c.more || err != nil || len(c.r.out) != 1 || c.r.at != 5 {
			t.Errorf("%s: %t, %v, %d events up to %d", c.name, more, err, len(c.r.out), c.r.at)
		}
	}
	r := reading{limit: 9, vault: &storekit.Vault{}}
	if more, err := r.take(&storekit.Batch{Run: "run_1", LastSeq: 1, Count: 1, Body: []byte("x")}); more || err == nil {
		t.Errorf("a batch that cannot be read: %t, %v", more, err)
	}
}

// A document is locked by its name before its versions are read.
func TestDocumentsAreLocked(t *testing.T) {
	db, a := newAsked()
	v := port.Version{ID: "wfv_1", Kind: "workflow", Name: "refund", Digest: "sha256:d", Body: json.RawMessage(`{}`),
		At: time.Unix(1, 0)}
	_, created, err := a.SaveVersion(t.Context(), v)
	if created || !errors.Is(err, errAsked) {
		t.Errorf("%t, %v", created, err)
	}
	for _, err := range []error{
		a.Publish(t.Context(), "workflow", "refund", 1, "ann", time.Unix(1, 0)),
		a.PublishOver(t.Context(), "workflow", "refund", 1, 0, "ann", time.Unix(1, 0)),
		a.Withdraw(t.Context(), "workflow", "refund"),
	} {
		if !errors.Is(err, errAsked) {
			t.Error(err)
		}
	}
	if want := slices.Repeat([]string{"document workflow refund"}, 4); !slices.Equal(db.locks, want) {
		t.Errorf("%q", db.locks)
	}
	unwritable := port.AuditDraft{Action: "noted", Detail: make(chan int)}
	if _, created, err := a.SaveVersion(t.Context(), v, unwritable); created || err == nil {
		t.Errorf("an entry that cannot be written: %t, %v", created, err)
	}
	v.Name = "refund\x00"
	if _, created, err := a.SaveVersion(t.Context(), v); created || !fault.Is(err, fault.Invalid) {
		t.Errorf("%t, %v", created, err)
	}
}

// Words that no row can contain are not queried: one of the databases would reject them.
func TestImpossibleWords(t *testing.T) {
	_, a := newAsked()
	ctx, no := t.Context(), "x\x00"
	missing := map[string]error{}
	for i, words := range [][2]string{{no, "x"}, {"x", no}, {no, no}} {
		name := []string{" (first)", " (second)", " (both)"}[i]
		_, missing["Version"+name] = a.Version(ctx, words[0], words[1], 1)
		_, missing["Subject"+name] = a.Subject(ctx, words[0], words[1])
		missing["PublishOver"+name] = a.PublishOver(ctx, words[0], words[1], 1, 0, "ann", time.Unix(1, 0))
		missing["Publish"+name] = a.Publish(ctx, words[0], words[1], 1, "ann", time.Unix(1, 0))
	}
	_, missing["Run"] = a.Run(ctx, no)
	_, missing["ChangeAccount"] = a.ChangeAccount(ctx, no, port.AccountChange{})
	_, missing["RemoveAccount"] = a.RemoveAccount(ctx, no)
	for name, err := range missing {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var errs []error
	nothing := func(n int, err error) {
		if errs = append(errs, err); n != 0 {
			t.Errorf("answer %d: %d found", len(errs), n)
		}
	}
	versions, err := a.Versions(ctx, "x", no)
	nothing(len(versions), err)
	sessions, err := a.SessionsOf(ctx, no)
	nothing(len(sessions), err)
	standing, err := a.StandingIn(ctx, no, time.Unix(1, 0))
	nothing(len(standing), err)
	events, err := a.Events(ctx, no, 0, 1)
	nothing(len(events), err)
	records, _, err := a.Feed(ctx, 0, 1, port.FeedFilter{Run: no})
	nothing(len(records), err)
	_, state, err := a.Snapshot(ctx, no, 1)
	nothing(len(state), err)
	ended, err := a.EndSessions(ctx, no)
	nothing(ended, err)
	nothing(0, a.TouchToken(ctx, no, time.Unix(1, 0)))
	if _, found, err := a.Answer(ctx, no); found || err != nil {
		t.Errorf("%t, %v", found, err)
	}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if err := (readTx{}).Exec("DELETE FROM runs"); err == nil {
		t.Error("what only reads has written")
	}
}

// twice is a database that runs every function twice, as after a commit that failed because of another job.
type twice struct {
	DB
	runs, archived []string
	entries        int
}

func (d *twice) WriteAlone(_ context.Context, f func(Tx) error) error {
	return errors.Join(f(twiceTx{d: d}), f(twiceTx{d: d}))
}

func (d *twice) ExpireRuns(Tx, int64, int) ([]string, int, error) {
	return d.runs, 3 * len(d.runs), nil
}

func (d *twice) ExpireArchived(Tx, int64, int) ([]string, int, error) {
	return d.archived, 2 * len(d.archived), nil
}

// twiceTx is a transaction with two keys that counts audit entries.
type twiceTx struct {
	Tx
	d *twice
}

func (twiceTx) Query(_ string, _ []any, each func(storekit.Row) error) error {
	return errors.Join(each(keyRow(1)), each(keyRow(2)))
}

func (twiceTx) Exec(string, ...any) error { return nil }

func (x twiceTx) Audit(forms []*port.AuditForm) error {
	x.d.entries += len(forms)
	return nil
}

// keyRow is a key with that number.
type keyRow int64

func (r keyRow) Scan(to ...any) error { *to[0].(*int64) = int64(r); return nil }

// Running a write twice counts once, and a write without effect leaves no audit entry.
func TestDoneTwice(t *testing.T) {
	old := time.Unix(1, 0)
	runs, archived := []string{"run_1"}, []string{"dlv_1"}
	for _, c := range []struct {
		db            *twice
		x             port.Expiry
		want, entries int
	}{
		{&twice{runs: runs, archived: archived}, port.Expiry{Ended: old, Archived: old}, 5, 2},
		{&twice{runs: runs, archived: archived}, port.Expiry{Ended: old}, 3, 1},
		{&twice{runs: runs, archived: archived}, port.Expiry{Archived: old}, 2, 1},
		{&twice{}, port.Expiry{Ended: old, Archived: old}, 0, 0},
	} {
		a := New(c.db, &storekit.Vault{}, Dialect{})
		if n, err := a.Expire(t.Context(), c.x); n != c.want || err != nil || c.db.entries != 2*c.entries {
			t.Errorf("%+v: %d removed, %d entries in two tries, %v", c.x, n, c.db.entries, err)
		}
	}
	keys := KeyTable{Lock: (&twice{}).WriteAlone}
	n, err := keys.RewrapKeys(t.Context(), func(w seal.Wrapped) (seal.Wrapped, bool, error) {
		return w, w.ID == 2, nil
	})
	if n != 1 || err != nil {
		t.Errorf("%d keys were changed, %v", n, err)
	}
}

// unsalted is a database without salts, or one that cannot be read.
type unsalted struct {
	DB
	err error
}

func (u unsalted) Query(context.Context, string, []any, func(storekit.Row) error) error { return u.err }

// Nothing is written for runs that all have a salt, or for which that is unknown.
func TestSaltsThatAreNotMade(t *testing.T) {
	for _, c := range []struct {
		err  error
		runs []string
	}{{nil, nil}, {errAsked, nil}, {errAsked, []string{"run_1"}}} {
		a := New(unsalted{err: c.err}, &storekit.Vault{}, Dialect{})
		salts, err := a.MakeEventSalts(t.Context(), c.runs)
		if len(salts) > 0 || len(c.runs) > 0 && !errors.Is(err, errAsked) {
			t.Errorf("%+v: %v, %v", c, salts, err)
		}
	}
}
