package local_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func openPostgres(t testing.TB, url string) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestOnPostgres(t *testing.T) {
	var mu sync.Mutex
	homes := map[string]string{}
	enginetest.Run(t, func(t testing.TB, home string, s enginetest.Surroundings) (port.Engine, enginetest.Store) {
		mu.Lock()
		url := homes[home]
		if url == "" {
			url = pgtest.Database(t)
			homes[home] = url
		}
		mu.Unlock()
		store := openPostgres(t, url)
		return on(t, store, true, s, nil), store
	})
}

func BenchmarkThreeStepRunsOnPostgres(b *testing.B) {
	threeStepRuns(b, openPostgres(b, pgtest.Database(b)), true)
}

// Any process executes commands, one leads, and another takes over when it dies.
func TestFailOver(t *testing.T) {
	url := pgtest.Database(t)
	ran := make(chan string, 10)
	process := func(name string) (port.Engine, *postgres.Store) {
		store := openPostgres(t, url)
		return on(t, store, true, enginetest.Surroundings{Agent: func(ctx context.Context, w port.Work) (run.Result, error) {
			ran <- name + " " + w.Step
			return enginetest.Echo(ctx, w)
		}}, nil), store
	}
	first, firstStore := process("first")
	waitFor(t, 2*time.Minute, first.Leads)
	second, secondStore := process("second")
	defer secondStore.Close()
	defer second.Stop(context.Background())
	if second.Leads() {
		t.Fatal("two lead")
	}

	// The follower takes the commands, the leader does the work.
	def := enginetest.Define(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}],"gates":[{"id":"g","at":"before b"}]}`)
	id := engine.NewRunID(time.Now())
	if _, err := second.Begin(t.Context(), id, def, run.Command{Do: run.Start{Owner: "ann"}}, nil); err != nil {
		t.Fatal(err)
	}
	if got := <-ran; got != "first a" {
		t.Fatal(got)
	}
	var pending []port.ApprovalRow
	waitFor(t, 2*time.Minute, func() bool {
		page, err := secondStore.Approvals(t.Context(), port.ApprovalQuery{Status: []string{"pending"}, Limit: 1})
		pending = page.Items
		return err == nil && len(pending) == 1
	})

	// The leader dies abruptly: its connections break and it does nothing more.
	if err := firstStore.Close(); err != nil {
		t.Error(err)
	}
	waitFor(t, 2*time.Minute, second.Leads)
	a := pending[0]
	if _, err := second.Do(t.Context(), id,
		run.Command{ID: "d", By: run.Actor{Kind: run.Person, Name: "bob"},
			Do: run.Decide{Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: "bob"}, Act: gate.Approve,
				Version: a.Version}}}, nil); err != nil {
		t.Fatal(err)
	}
	if got := <-ran; got != "second b" {
		t.Error(got)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = first.Stop(ctx) // its store is gone: it can only report that
}

// waitFor polls until a condition is true.
func waitFor(t *testing.T, most time.Duration, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(most)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("it never came to hold")
		}
	}
}
