//go:build unix

package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/jackc/pgx/v5/pgxpool"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// onBoth runs a test on either store.
func onBoth(t *testing.T, test func(t *testing.T, s *Service, store store.Store)) {
	t.Run("sqlite", func(t *testing.T) {
		s, store := open(t)
		test(t, s, store)
	})
	t.Run("postgres", func(t *testing.T) {
		s, store, _ := openPostgres(t)
		test(t, s, store)
	})
}

func openPostgres(t *testing.T) (*Service, *postgres.Store, string) {
	t.Helper()
	url := pgtest.Database(t)
	store, err := postgres.Open(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return New(Config{Store: store, Key: KeyIn(t.TempDir())}), store, url
}

// paid stores a finished run whose input is easy to guess.
func paid(ctx context.Context, store store.Store, id string) error {
	_, err := store.Append(ctx, payment(id))
	return err
}

// started is the entry for the start of a run.
func started(id string, by run.Actor) port.AuditDraft {
	return port.AuditDraft{At: began, Actor: by, Action: "run.started", Target: id, Run: id,
		Detail: map[string]any{"seq": 1}}
}

// payment is such a run before it is stored.
func payment(id string) port.Write {
	facts := []run.Fact{
		&run.RunStarted{Workflow: "pay", Version: 1, Definition: "sha256:d", Input: json.RawMessage(`{"amount":35}`),
			Owner: "bob"},
		&run.RunCompleted{Output: json.RawMessage(`{"amount":35}`)},
	}
	w := port.Write{Run: id, Row: port.RunRow{
		ID: id, Workflow: "pay", Status: run.Completed, Seq: 2, StartedAt: began, UpdatedAt: began, EndedAt: began,
	}}
	for i, f := range facts {
		w.Events = append(w.Events, run.Event{Run: id, Seq: int64(i) + 1, At: began, Actor: ann, Fact: f})
	}
	w.Audit = []port.AuditDraft{started(id, ann)}
	return w
}

// forgotten deletes a run's payloads the way the application does: an order, an event and its entry, and the
// deletion itself.
func forgotten(ctx context.Context, store store.Store, id string) error {
	if _, err := store.OrderRemoval(ctx, port.Removal{Run: id, By: ann, Reason: "asked for", At: began}); err != nil {
		return err
	}
	fact := &run.PayloadsRemoved{Reason: "asked for"}
	_, err := store.Append(ctx, port.Write{
		Run: id, After: 2, Events: []run.Event{{Run: id, Seq: 3, At: began, Actor: ann, Fact: fact}},
		Row: port.RunRow{ID: id, Workflow: "pay", Status: run.Completed, Seq: 3, StartedAt: began, UpdatedAt: began,
			EndedAt: began},
		Audit: []port.AuditDraft{{At: began, Actor: ann, Action: fact.Type(), Target: id, Run: id,
			Detail: map[string]any{"seq": 3}}},
	})
	if err != nil {
		return err
	}
	for { // a busy machine copies for long, and who erases tries again
		if err := store.RemovePayloads(ctx, id); err == nil || !fault.Is(err, fault.Conflict) {
			return err
		}
	}
}

func checked(t *testing.T, s *Service, ok bool, why string) {
	t.Helper()
	got, err := s.Check(t.Context(), 0, 0)
	must(t, err)
	if got.OK != ok || !strings.Contains(got.Why, why) {
		t.Fatalf("%+v, want %v %q", got, ok, why)
	}
}

// wholeLog is everything that is known to someone with a copy of the log.
func wholeLog(t *testing.T, store store.Store) string {
	t.Helper()
	rows, err := store.AuditRows(t.Context(), 0, 1000)
	must(t, err)
	var all bytes.Buffer
	for _, r := range rows {
		all.Write(r.Body)
		all.Write(r.Open)
	}
	return all.String()
}

// TestRemovedEventsCannotBeGuessed: with the log, the store and the right guess, there is nothing to compare
// it with once the payloads are deleted.
func TestRemovedEventsCannotBeGuessed(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Service, store store.Store) {
		ctx := t.Context()
		must(t, paid(ctx, store, "run_1"))
		must(t, paid(ctx, store, "run_2"))
		guess, err := s.read(ctx, 0, 4, nil)
		must(t, err)
		must(t, s.Bind(ctx, sealTick))
		checked(t, s, true, "")
		salts, err := store.EventSalts(ctx, []string{"run_1", "run_2"})
		must(t, err)
		if len(salts) != 2 || salts["run_1"] == salts["run_2"] {
			t.Fatalf("%v", salts)
		}
		log := wholeLog(t, store)
		for _, r := range guess.runs {
			if strings.Contains(log, r.whole) {
				t.Errorf("the log holds a digest of %s without a salt", r.run)
			}
			if strings.Contains(log, salts[r.run]) || !strings.Contains(log, r.salted(salts[r.run])) {
				t.Errorf("the log does not hold the digest of %s, or holds its salt", r.run)
			}
		}
		must(t, forgotten(ctx, store, "run_1"))
		must(t, s.Bind(ctx, sealTick)) // the event about it, of a run that no longer has a salt
		checked(t, s, true, "")
		left, err := store.EventSalts(ctx, []string{"run_1", "run_2"})
		must(t, err)
		if left["run_1"] != "" || left["run_2"] != salts["run_2"] {
			t.Errorf("%v are left of %v", left, salts)
		}
		var file bytes.Buffer
		must(t, s.Export(ctx, &file))
		if r := verified(t, file.Bytes(), Expected{}); !r.OK {
			t.Errorf("%+v", r)
		}
		if strings.Contains(file.String(), salts["run_2"]) {
			t.Error("the export holds a salt")
		}
	})
}

// TestPayloadsRemovedWhileEventsAreBound: values read before their deletion leave no digest that could be
// compared with a guess.
func TestPayloadsRemovedWhileEventsAreBound(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Service, store store.Store) {
		ctx := t.Context()
		must(t, paid(ctx, store, "run_1"))
		between := &betweenStore{Store: store, then: func() error { return forgotten(ctx, store, "run_1") }}
		late := New(Config{Store: between, Key: s.Key, Now: s.Now})
		b, err := late.bind(ctx, 0, 2)
		must(t, err)
		if len(b.Runs) != 1 || b.Runs[0].Salted != "" || b.Runs[0].Kept == "" {
			t.Fatalf("%+v", b)
		}
		if salts, err := store.EventSalts(ctx, []string{"run_1"}); err != nil || len(salts) != 0 {
			t.Fatalf("%v %v", salts, err)
		}
		_, err = store.AppendAudit(ctx,
			port.AuditDraft{At: began, Actor: ann, Action: ActionEvents, Target: "events", Detail: b})
		must(t, err)
		must(t, s.Bind(ctx, sealTick))
		checked(t, s, true, "")
	})
}

// betweenStore runs a function after events were read and before salts are created.
type betweenStore struct {
	Store
	then func() error
}

func (b *betweenStore) MakeEventSalts(ctx context.Context, runs []string) (map[string]string, error) {
	if err := b.then(); err != nil {
		return nil, err
	}
	return b.Store.MakeEventSalts(ctx, runs)
}

// TestEntriesWithoutSalt: entries of an earlier release still verify.
func TestEntriesWithoutSalt(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Service, store store.Store) {
		ctx := t.Context()
		must(t, paid(ctx, store, "run_1"))
		must(t, paid(ctx, store, "run_2"))
		read, err := s.read(ctx, 0, 4, nil)
		must(t, err)
		old := boundEvents{Through: 4}
		for _, r := range read.runs {
			old.Runs = append(old.Runs, boundRun{Run: r.run, From: r.from, To: r.to, Events: r.whole, Kept: r.kept})
		}
		_, err = store.AppendAudit(ctx,
			port.AuditDraft{At: began, Actor: ann, Action: ActionEvents, Target: "events", Detail: old})
		must(t, err)
		must(t, paid(ctx, store, "run_3"))
		must(t, s.Bind(ctx, sealTick))
		checked(t, s, true, "")
		must(t, forgotten(ctx, store, "run_1"))
		checked(t, s, true, "")
	})
}

// TestTamperedSalts: a salt cannot be removed or replaced to hide an edit.
func TestTamperedSalts(t *testing.T) {
	s, store, url := openPostgres(t)
	ctx := t.Context()
	must(t, paid(ctx, store, "run_1"))
	must(t, s.Bind(ctx, sealTick))
	checked(t, s, true, "")
	pool, err := pgxpool.New(ctx, url)
	must(t, err)
	defer pool.Close()
	change := func(sql string) {
		t.Helper()
		_, err := pool.Exec(ctx, sql)
		must(t, err)
	}
	change(`CREATE TABLE was AS SELECT run, salt FROM event_salts`)
	change(`UPDATE event_salts SET salt = repeat('0', 32)`)
	checked(t, s, false, "were changed")
	change(`DELETE FROM event_salts`)
	checked(t, s, false, "the salt of the run is missing")
	change(`INSERT INTO event_salts SELECT run, salt FROM was`)
	checked(t, s, true, "")
	change(`UPDATE batches SET body = convert_to(replace(convert_from(body, 'UTF8'), '35', '36'), 'UTF8')`)
	checked(t, s, false, "were changed")
}

// TestVerifyUnderLoad: while runs start, end and lose their payloads, and two processes bind events, no check
// raises a false alarm.
func TestVerifyUnderLoad(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Service, store store.Store) {
		const writers, each = 4, 8
		ctx, end := context.WithCancel(t.Context())
		defer end()
		var writing, looking sync.WaitGroup
		failed := make(chan error, writers+3)
		for w := range writers {
			writing.Go(func() {
				for i := range each {
					id := fmt.Sprintf("run_%d_%d", w, i)
					err := paid(ctx, store, id)
					if err == nil && i%2 == 0 {
						err = forgotten(ctx, store, id)
					}
					if err != nil {
						failed <- fmt.Errorf("%s: %w", id, err)
						return
					}
				}
			})
		}
		repeat := func(do func() error) {
			looking.Go(func() {
				for ctx.Err() == nil {
					if err := do(); err != nil && ctx.Err() == nil {
						failed <- err
						return
					}
				}
			})
		}
		repeat(func() error { return s.Bind(ctx, 7) })
		repeat(func() error { return New(s.Config).Bind(ctx, 3) })
		repeat(func() error {
			got, err := s.Check(ctx, 0, 0)
			if err == nil && !got.OK {
				err = fmt.Errorf("a false alarm: %s", got.Why)
			}
			return err
		})
		writing.Wait()
		end()
		looking.Wait()
		select {
		case err := <-failed:
			t.Fatal(err)
		default:
		}
		must(t, s.Bind(t.Context(), sealTick))
		checked(t, s, true, "")
	})
}
