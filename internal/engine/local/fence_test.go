package local_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// unaware is the store of a process that was suspended, or cut off: it does not learn that it lost
// leadership.
type unaware struct {
	store.Store
	led chan struct{} // closed once it led

	gone chan struct{} // closed when another process leads

	mu      sync.Mutex
	over    bool     // the same
	taken   []string // its writes since then, with their epochs
	refused []string
}

func newUnaware(s store.Store) *unaware {
	return &unaware{Store: s, led: make(chan struct{}), gone: make(chan struct{})}
}

func (u *unaware) Lead(ctx context.Context) (int64, <-chan struct{}, error) {
	u.mu.Lock()
	over := u.over
	u.mu.Unlock()
	if over {
		<-ctx.Done() // the other one leads until the test ends
		return 0, nil, ctx.Err()
	}
	epoch, _, err := u.Store.Lead(ctx)
	if err == nil {
		close(u.led)
	}
	return epoch, make(chan struct{}), err
}

func (u *unaware) Resign(ctx context.Context) error { return nil }

func (u *unaware) Append(ctx context.Context, w port.Write) (int64, error) {
	if _, late := w.Events[0].Fact.(*run.ApprovalTimedOut); late {
		<-u.gone
	}
	feed, err := u.Store.Append(ctx, w)
	u.mu.Lock()
	defer u.mu.Unlock()
	switch what := fmt.Sprintf("%T", w.Events[0].Fact); {
	case !u.over:
	case port.Fenced(err):
		u.refused = append(u.refused, what)
	case err == nil && w.Epoch != 0:
		u.taken = append(u.taken, what)
	}
	return feed, err
}

// replaced is called when another process leads.
func (u *unaware) replaced() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	close(u.gone)
}

func (u *unaware) wrote() (taken, refused []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.taken), slices.Clone(u.refused)
}

// calls records which agent was called for what, and can block one.
type calls struct {
	mu      sync.Mutex
	made    []string
	hold    string // the run whose agent waits for release
	held    chan struct{}
	release chan struct{}
}

func (c *calls) agent(ctx context.Context, w port.Work) (run.Result, error) {
	c.mu.Lock()
	c.made = append(c.made, w.Run+" "+w.Step)
	wait := w.Run == c.hold
	c.mu.Unlock()
	if wait {
		close(c.held)
		<-c.release
	}
	return enginetest.Echo(ctx, w)
}

func (c *calls) list() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.made)
}

// zombie is an engine that lost leadership without knowing, with work in progress, queued and to come.
type zombie struct {
	*local.Engine
	*testing.T
	store              *unaware
	calls              *calls
	shared             bool
	working, line, ask string // runs: in progress, queued, waiting for a person
}

func newZombie(t *testing.T, store store.Store, shared bool, takeOver func(*zombie)) *zombie {
	z := &zombie{T: t, shared: shared, store: newUnaware(store),
		calls: &calls{held: make(chan struct{}), release: make(chan struct{})}}
	z.Engine = local.New(local.Config{
		Store: z.store, Shared: shared, Workers: map[string]int{"": 1},
		Agent: func(string) (port.Agent, bool) { return enginetest.AgentFunc(z.calls.agent), true },
	})
	z.Start()
	<-z.store.led
	waitFor(t, 2*time.Minute, z.Leads)
	one := enginetest.Define(t, `{"workflow":"one","steps":[{"id":"a","agent":"x"}]}`)
	z.ask = z.begin(enginetest.Define(t, `{"workflow":"ask","steps":[{"id":"b","agent":"x"}],"gates":[{"id":"g","at":"before b"}]}`))
	z.working = engine.NewRunID(time.Now())
	z.calls.hold = z.working
	z.beginAs(z.working, one)
	<-z.calls.held
	z.line = z.begin(one)
	takeOver(z)
	z.store.replaced()
	if !z.Leads() {
		t.Fatal("it knows that it does not lead")
	}
	return z
}

func (z *zombie) begin(def *plan.Definition) string {
	id := engine.NewRunID(time.Now())
	z.beginAs(id, def)
	return id
}

func (z *zombie) beginAs(id string, def *plan.Definition) {
	z.Helper()
	if _, err := z.Begin(z.Context(), id, def, run.Command{Do: run.Start{Owner: "ann"}}, nil); err != nil {
		z.Fatal(err)
	}
}

// decide approves the waiting run.
func (z *zombie) decide() {
	z.Helper()
	page, err := z.store.Approvals(z.Context(), port.ApprovalQuery{Run: z.ask, Status: []string{"pending"}, Limit: 1})
	if err != nil || len(page.Items) != 1 {
		z.Fatalf("%+v, %v", page, err)
	}
	a := page.Items[0]
	_, err = z.Do(z.Context(), z.ask, run.Command{ID: "d", By: run.Actor{Kind: run.Person, Name: "bob"}, Do: run.Decide{
		Approval: a.ID, Answer: gate.Answer{By: gate.Person{Name: "bob"}, Act: gate.Approve, Version: a.Version},
	}}, nil)
	if err != nil {
		z.Error("a person's decision does not take a leader: ", err)
	}
}

// finish lets the agent answer and the engine end, and checks what it did.
func (z *zombie) finish() {
	z.Helper()
	close(z.calls.release)
	if !z.shared { // otherwise it may see first that nothing is left to do
		waitFor(z.T, 2*time.Minute, func() bool { return !z.Leads() })
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := z.Stop(ctx); err != nil {
		z.Error(err)
	}
	if got, want := z.calls.list(), []string{z.working + " a"}; !slices.Equal(got, want) {
		z.Errorf("it asked agents for %v, and only for %v while it led", got, want)
	}
	if taken, _ := z.store.wrote(); len(taken) > 0 {
		z.Errorf("the store took %v under its epoch", taken)
	}
}

// A result outlives the leadership under which it was requested: the write is refused, and then repeated as
// any process may write it.
func TestZombieHandsInWhatItHas(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	z := newZombie(t, store, false, func(*zombie) { again(t, store) })
	close(z.calls.release)
	waitFor(t, 2*time.Minute, func() bool {
		row, err := store.Run(t.Context(), z.working)
		return err == nil && row.Status == run.Completed
	})
	z.calls.release = make(chan struct{})
	z.finish()
	if _, refused := z.store.wrote(); len(refused) == 0 {
		t.Error("no write was refused")
	}
}

// again takes over leadership, as another process on the same file would.
func again(t *testing.T, store *sqlite.Store) {
	t.Helper()
	if err := store.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Lead(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Queued work does not start after leadership is lost, and a step that a person approves is left to the new
// leader.
func TestZombieStartsNothing(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	z := newZombie(t, store, false, func(*zombie) { again(t, store) })
	z.decide()
	z.finish()
	for _, id := range []string{z.line, z.ask} {
		if row, err := store.Run(t.Context(), id); err != nil || row.Status != run.Running || !row.Busy {
			t.Errorf("%s is %s, busy %v, %v: it is owed to the next leader", id, row.Status, row.Busy, err)
		}
	}
}

// A timer that fires in a process that no longer leads changes nothing.
func TestZombieDoesNotTick(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	var timed string
	z := newZombie(t, store, false, func(z *zombie) {
		timed = z.begin(enginetest.Define(t, `{"workflow":"t","steps":[{"id":"h","human":{"kind":"approval","timeout":{"after":"10ms","then":"approve"}}}]}`))
		again(t, store)
	})
	waitFor(t, 2*time.Minute, func() bool { return !z.Leads() }) // the alarm rang, and the store refused the write
	z.finish()
	if row, err := store.Run(t.Context(), timed); err != nil || row.Pending != 1 {
		t.Errorf("%+v, %v: the question was settled by a clock that does not count", row, err)
	}
	if _, refused := z.store.wrote(); !slices.Contains(refused, "*run.ApprovalTimedOut") {
		t.Errorf("refused: %v", refused)
	}
}

// On a shared store the next leader does what the zombie did not, each effect once.
func TestZombieBesideALeader(t *testing.T) {
	url := pgtest.Database(t)
	first, second := openPostgres(t, url), openPostgres(t, url)
	defer second.Close()
	defer first.Close()
	leader := &calls{}
	var next *local.Engine
	z := newZombie(t, first, true, func(*zombie) {
		if err := first.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		next = on(t, second, true, enginetest.Surroundings{Agent: leader.agent}, nil)
		waitFor(t, 2*time.Minute, next.Leads)
	})
	defer next.Stop(context.Background()) //nolint:errcheck // the test is over
	z.decide()
	for _, id := range []string{z.line, z.ask, z.working} {
		waitFor(t, 2*time.Minute, func() bool {
			row, err := second.Run(t.Context(), id)
			return err == nil && row.Status == run.Completed
		})
	}
	z.finish()
	want := []string{z.working + " a", z.line + " a", z.ask + " b"}
	got := leader.list()
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the leader asked agents for %v, not %v", got, want)
	}
}
