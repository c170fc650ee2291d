package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

var errBroken = errors.New("the disk broke")

// failing is a writer's statement that fails when it is its turn.
type failing struct {
	driver.Stmt
	exec driver.StmtExecContext
	left *int // number of statements that succeed before
}

func (f failing) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if *f.left--; *f.left == -1 {
		return nil, errBroken
	}
	return f.exec.ExecContext(ctx, args)
}

// breakable is a store in which each writing statement can be made to fail.
type breakable struct {
	*Store
	t    *testing.T
	left int
}

const works = 1 << 40

func openBreakable(t *testing.T) *breakable {
	t.Helper()
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &breakable{Store: s, t: t, left: works}
}

// prepare wraps the statements used so far.
func (b *breakable) prepare() {
	b.t.Helper()
	err := b.writer.queue.Do(b.t.Context(), &job{do: func(t *tx) error {
		for query, s := range t.direct {
			if _, is := s.(failing); !is {
				t.direct[query] = failing{s.(driver.Stmt), s, &b.left}
			}
		}
		return nil
	}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// rows counts the rows of every table, and returns the length of each run's log.
func (b *breakable) rows() map[string]int64 {
	b.t.Helper()
	var tables []string
	err := database{b.Store}.Query(b.t.Context(), `SELECT name FROM sqlite_schema WHERE type = 'table'
		AND name NOT LIKE '%by_words%'`, nil, func(r storekit.Row) error {
		var name string
		err := r.Scan(&name)
		tables = append(tables, name)
		return err
	})
	out := map[string]int64{}
	count := func(query string) {
		var n int64
		err = errors.Join(err, b.read.QueryRowContext(b.t.Context(), query).Scan(&n))
		out[query] = n
	}
	for _, table := range tables {
		count(`SELECT count(*) FROM ` + table)
	}
	count(`SELECT coalesce(sum(seq), 0) FROM runs`)
	count(`SELECT coalesce(sum(published), 0) FROM versions`)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

var failingAt = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// everyKind is a write to every table that writes go to.
func everyKind(id, blob string, after int64) port.Write {
	at, actor := failingAt, run.Actor{Kind: run.Agent, Name: "drafter"}
	key := fmt.Sprint(id, "_", after)
	w := port.Write{
		Run: id, After: after, Snapshot: json.RawMessage(`1`), Family: id, TakenBack: []string{"b" + id},
		Row: port.RunRow{ID: id, Workflow: "w", Status: run.Running, Seq: after + 2, StartedAt: at, UpdatedAt: at,
			Labels: map[string]string{"team": "a"}},
		Approvals: []port.ApprovalRow{{ID: "apr_" + key, Run: id, Workflow: "w", Status: "pending", Title: "Refund",
			Asked: []string{"ann"}, RequestedAt: at}},
		Deliverables: []port.DeliverableRow{{ID: "dlv_" + key, Run: id, Workflow: "w", Name: "letter", Status: "draft",
			Blob: blob, Newest: true, CreatedAt: at, UpdatedAt: at}},
		Marks:   []port.DeliverableMark{{ID: "dlv_" + key, Status: "accepted", Outdated: true, At: at}},
		Answer:  &port.Answer{Key: "key_" + key, Body: "sha256:b", Status: 200, At: at, Answer: []byte("{}")},
		Uses:    []port.Use{{Rule: "rule", Max: 10_000}},
		Counted: []run.Counted{{Act: "a" + key, Operation: "refund", At: at, Counts: []policy.Count{{Sum: "s"}}}},
		Audit:   []port.AuditDraft{{At: at, Actor: actor, Action: "noted", Target: id, Run: id}},
	}
	for i, f := range []run.Fact{
		&run.StepCompleted{Step: "draft", Result: &run.Result{Output: json.RawMessage(`{"$blob":"` + blob + `"}`)}},
		&run.StepFailed{Step: "send", Error: run.Failure{Code: "timeout"}},
	} {
		w.Events = append(w.Events, run.Event{Run: id, Seq: after + int64(i) + 1, At: at, Actor: actor, Fact: f})
	}
	return w
}

// If any statement of a write fails, the error is returned and nothing is stored; a retry succeeds.
func TestEveryStatementFailsAlone(t *testing.T) {
	b := openBreakable(t)
	ctx := t.Context()
	blob, _, err := b.PutBlob(ctx, strings.NewReader("letter"), 100)
	if err != nil {
		t.Fatal(err)
	}
	note := port.AuditDraft{At: failingAt, Actor: run.Actor{Kind: run.System}, Action: "noted", Target: "x"}
	person := func(i int) string { return fmt.Sprint("ann", i) }
	account := func(i int) port.Account {
		return port.Account{Name: person(i), Hash: "h", Roles: []string{"approver"}, CreatedAt: failingAt}
	}
	version := func(i int) port.Version {
		return port.Version{ID: fmt.Sprint("wfv_", i), Kind: "workflow", Name: "w", Digest: fmt.Sprint("sha256:", i),
			Body: json.RawMessage(`{}`), By: "ann", At: failingAt}
	}
	for _, c := range []struct {
		name   string
		before func(i int) error // works
		do     func(i int) error // one of its statements fails
	}{
		{"a new run", nil, func(i int) error {
			_, err := b.Append(ctx, everyKind(fmt.Sprint("run_new", i), blob, 0))
			return err
		}},
		{"a run that goes on", func(i int) error {
			_, err := b.Append(ctx, everyKind(fmt.Sprint("run_on", i), blob, 0))
			return err
		}, func(i int) error {
			_, err := b.Append(ctx, everyKind(fmt.Sprint("run_on", i), blob, 2))
			return err
		}},
		{"many entries", nil, func(int) error {
			var notes []port.AuditDraft
			for range auditAtOnce + 2 {
				notes = append(notes, note)
			}
			_, err := b.AppendAudit(ctx, notes...)
			return err
		}},
		{"an account", nil, func(i int) error { return b.CreateAccount(ctx, account(i), note) }},
		{"a changed account", nil, func(i int) error {
			hash := fmt.Sprint("h", i)
			_, err := b.ChangeAccount(ctx, person(0), port.AccountChange{Hash: &hash, At: failingAt})
			return err
		}},
		{"no account", func(i int) error { return b.CreateAccount(ctx, account(1000+i)) }, func(i int) error {
			_, err := b.RemoveAccount(ctx, person(1000+i))
			return err
		}},
		{"sessions", func(i int) error {
			return b.CreateSession(ctx, port.Session{ID: fmt.Sprint("s", i), Person: person(i), Method: port.ByPassword,
				CreatedAt: failingAt, SeenAt: failingAt, ExpiresAt: failingAt})
		}, func(i int) error {
			_, err := b.EndSessions(ctx, person(i), func(int) port.AuditDraft { return note })
			return err
		}},
		{"old sessions", nil, func(int) error {
			_, err := b.ForgetSessions(ctx, failingAt, failingAt)
			return err
		}},
		{"a version", nil, func(i int) error {
			_, _, err := b.SaveVersion(ctx, version(i), note)
			return err
		}},
		{"a version in force", nil, func(int) error { return b.Publish(ctx, "workflow", "w", 1, "ann", failingAt, note) }},
		{"no version in force", func(int) error { return b.Publish(ctx, "workflow", "w", 1, "ann", failingAt) },
			func(int) error { return b.Withdraw(ctx, "workflow", "w", note) }},
		{"salts", nil, func(i int) error {
			_, err := b.MakeEventSalts(ctx, []string{fmt.Sprint("run_new", i)})
			return err
		}},
		{"an answer", nil, func(i int) error {
			_, err := b.SaveAnswer(ctx, port.Answer{Key: fmt.Sprint("k", i), Body: "sha256:b", Status: 200, At: failingAt})
			return err
		}},
		{"a blob", nil, func(i int) error {
			_, _, err := b.PutBlob(ctx, strings.NewReader(fmt.Sprint("blob", i)), 100)
			return err
		}},
		{"loose blobs", func(i int) error {
			_, _, err := b.PutBlob(ctx, strings.NewReader(fmt.Sprint("loose", i)), 100)
			return err
		}, func(int) error {
			_, err := b.CollectBlobs(ctx, time.Now().Add(time.Hour), 100)
			return err
		}},
	} {
		must := func(i int, f func(int) error) {
			t.Helper()
			if f == nil {
				return
			}
			if err := f(i); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		must(0, c.before)
		must(0, c.do)
		b.prepare()
		for i := 1; ; i++ {
			must(i, c.before)
			before := b.rows()
			b.left = i - 1
			err := c.do(i)
			if b.left >= 0 { // it used no more
				if err != nil || i < 3 {
					t.Errorf("%s: %d statements, %v", c.name, i-1, err)
				}
				b.left = works
				break
			}
			b.left = works
			if !errors.Is(err, errBroken) {
				t.Errorf("%s: statement %d failed, and its error was not returned: %v", c.name, i, err)
			}
			if after := b.rows(); !maps.Equal(before, after) {
				t.Errorf("%s: statement %d failed, and this is there: %v\nnot: %v", c.name, i, after, before)
			}
			must(i, c.do)
		}
	}
	if err := b.Check(ctx); err != nil {
		t.Error(err)
	}
}
