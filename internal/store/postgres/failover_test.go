//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// TestReusedTransactionNumber: the answer to a commit is lost, and a replica takes over that does not have it, in which
// another transaction has its number. The write is not acknowledged.
func TestReusedTransactionNumber(t *testing.T) {
	now := time.Now()
	puts := map[string]func(s *postgres.Store) error{
		"events": func(s *postgres.Store) error {
			_, err := s.Append(context.Background(), write("run_1", 0))
			return err
		},
		"answer": func(s *postgres.Store) error {
			_, err := s.SaveAnswer(context.Background(), port.Answer{Key: "k", Body: "b", Status: 200,
				Answer: []byte(`{}`), At: now})
			return err
		},
		"entry": func(s *postgres.Store) error {
			_, err := s.AppendAudit(context.Background(), port.AuditDraft{At: now, Actor: run.Actor{Kind: run.System},
				Action: "test.done", Target: "test", Outcome: port.AuditDone})
			return err
		},
	}
	first := pgtest.NewCluster(t)
	wires, stores := map[string]*pgtest.Wire{}, map[string]*postgres.Store{}
	for name := range puts {
		w, url := pgtest.NewWire(t, first.URL())
		wires[name], stores[name] = w, (&urls{}).open(t, url)
	}
	second := first.Follow()
	second.Promote()
	for range 50 {
		second.Run(`SELECT pg_current_xact_id()`)
	}
	for name, put := range puts {
		w, s := wires[name], stores[name]
		w.ThenLeadTo(second.URL())
		w.CutAfterCommit()
		err := put(s)
		if !w.WasCut() {
			t.Fatalf("%s: nothing was cut: %v", name, err)
		}
		if !errors.Is(err, port.ErrUnavailable) {
			t.Errorf("%s: a lost write is answered with %v", name, err)
		}
		if _, err := s.Run(t.Context(), "run_1"); name == "events" && !fault.Is(err, fault.NotFound) {
			t.Errorf("the replica has it: %v", err)
		}
		if err := put(s); err != nil {
			t.Errorf("%s, again: %v", name, err)
		}
	}
}

// TestLostAnswerOfACommit: the same server still has it, and says so.
func TestLostAnswerOfACommit(t *testing.T) {
	w, url := pgtest.NewWire(t, pgtest.Database(t))
	s := (&urls{}).open(t, url)
	w.CutAfterCommit()
	if _, err := s.Append(t.Context(), write("run_1", 0)); err != nil || !w.WasCut() {
		t.Errorf("%v, cut: %t", err, w.WasCut())
	}
}
