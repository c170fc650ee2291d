package schedule_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// year is a year as two processes see it that share a database.
type year struct {
	*testing.T
	url  string
	now  atomic.Int64 // of the clock of both, in nanoseconds
	lost atomic.Int64 // answers
	mu   sync.Mutex
	rand *rand.Rand // for processes
}

func (y *year) clock() time.Time { return time.Unix(0, y.now.Load()).UTC() }

func (y *year) losing() bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.rand.IntN(20) > 0 {
		return false
	}
	y.lost.Add(1)
	return true
}

// member is one of the processes: a store, an engine and a scheduler, all of them the real ones.
type member struct {
	store     *postgres.Store
	documents *registry.Registry
	engine    *local.Engine
	stop      context.CancelFunc
	ended     sync.WaitGroup
	confused  atomic.Bool // it believes that it leads
}

var errLost = errors.New("the answer was lost")

// forgetful is a store whose answers are lost at times.
type forgetful struct {
	*postgres.Store
	losing func() bool
}

func (f forgetful) PutFiring(ctx context.Context, v port.Firing) error {
	if err := f.Store.PutFiring(ctx, v); err != nil || !f.losing() {
		return err
	}
	return errLost
}

func (y *year) start() *member {
	y.Helper()
	quiet := slog.New(slog.DiscardHandler)
	store, err := postgres.Open(context.Background(), y.url)
	if err != nil {
		y.Fatal(err)
	}
	m := &member{store: store, documents: registry.New(registry.Config{Store: store, Now: y.clock, Log: quiet,
		NewRunID: engine.NewRunID,
		Connect:  func(*definition.Agent) (port.Agent, error) { return enginetest.AgentFunc(enginetest.Echo), nil }})}
	if err := m.documents.Reload(context.Background()); err != nil {
		y.Fatal(err)
	}
	m.engine = local.New(local.Config{Store: store, Shared: true, Agent: m.documents.Agent, Log: quiet,
		Workflow: func(_ context.Context, name string) (*plan.Definition, error) { return m.documents.Definition(name) }})
	m.engine.Start()
	kept := forgetful{store, y.losing}
	host := &schedule.Host{Store: kept, Registry: m.documents, Engine: m.engine, RunIDOf: engine.RunIDOf, Now: y.clock}
	s := schedule.New(host, func() bool { return m.engine.Leads() || m.confused.Load() }, quiet)
	s.Look = 2 * time.Millisecond // the year is short
	start := s.Start
	s.Start = func(ctx context.Context, name string, at time.Time) (string, error) {
		id, err := start(ctx, name, at)
		if err == nil && y.losing() {
			err = errLost
		}
		return id, err
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	m.ended.Go(func() { s.Run(ctx) })
	return m
}

// kill ends a process in the middle of whatever it does.
func (y *year) kill(m *member) {
	y.Helper()
	m.stop()
	if err := m.store.Close(); err != nil { // its connections break
		y.Error(err)
	}
	m.ended.Wait()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_ = m.engine.Stop(ctx) // its store is gone: it can only report that
}

var yearZones = []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
	"Africa/Casablanca"}

func yearDocuments() string {
	text := "agent: echo\nkind: scripted\nanswers: [{ output: {} }]\n---\nworkflow: w\nsteps: [{ id: a, agent: echo }]\n"
	for i, zone := range yearZones {
		for name, times := range map[string]string{"nightly": "30 2 * * *", "weekend": "*/30 1-3 * * sun"} {
			text += fmt.Sprintf("---\nschedule: %s-%d\ncron: %q\ntimezone: %s\nworkflow: w\noverlap: allow\ncatch_up: 7d\n",
				name, i, times, zone)
		}
	}
	return text
}

// season is a part of the year.
type season struct{ begin, end time.Time }

func day(month time.Month, day int) time.Time {
	return time.Date(2024, month, day, 0, 0, 0, 0, time.UTC)
}

// TestAYearOfTwoProcesses is a year in five time zones, or the weeks of it in which their clocks change. Two processes
// share a PostgreSQL database, answers are lost, each is killed and replaced again and again, and at times both believe
// that they lead. Each time starts exactly one run.
func TestAYearOfTwoProcesses(t *testing.T) {
	seasons := map[string]season{
		"spring": {day(time.March, 1), day(time.April, 21)},
		"autumn": {day(time.October, 1), day(time.November, 17)},
	}
	if os.Getenv("ASSENT_STORETEST") == "all" { // make soak
		seasons = map[string]season{"year": {day(time.January, 1), day(time.December, 31)}}
	}
	for name, s := range seasons {
		t.Run(name, func(t *testing.T) { twoProcesses(t, s.begin, s.end) })
	}
}

func twoProcesses(t *testing.T, begin, end time.Time) {
	y := &year{T: t, url: pgtest.Database(t), rand: rand.New(rand.NewPCG(1, 2))}
	y.now.Store(begin.UnixNano())
	set, problems := definition.Parse("year.yaml", []byte(yearDocuments()))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	both := [2]*member{y.start(), nil}
	if _, err := both[0].documents.LoadSet(t.Context(), "ann", set); err != nil {
		t.Fatal(err)
	}
	both[1] = y.start()
	defer func() {
		for _, m := range both {
			y.kill(m)
		}
	}()
	times := y.times(begin)
	if len(times) != len(set.Schedules) {
		t.Fatalf("times of %d schedules, not %d", len(times), len(set.Schedules))
	}
	handled := map[string]time.Time{} // the last time of each that is due
	want := map[string][]time.Time{}
	due := func() {
		for name, all := range times {
			n := len(want[name])
			for n < len(all) && !all[n].After(y.clock()) {
				n++
			}
			if n == len(all) {
				t.Fatalf("year.txt ends before %s", y.clock())
			}
			if want[name] = all[:n]; n > 0 {
				handled[name] = all[n-1]
			}
		}
	}
	chance, kills := rand.New(rand.NewPCG(3, 4)), 0
	for y.clock().Before(end) {
		for _, m := range both {
			m.confused.Store(chance.IntN(4) == 0)
		}
		y.now.Add(int64(time.Duration(1+chance.IntN(60)) * time.Hour))
		due()
		if chance.IntN(3) == 0 { // while it works
			i := chance.IntN(2)
			y.kill(both[i])
			both[i], kills = y.start(), kills+1
		}
		y.settled(both[0].store, handled)
	}
	total := 0
	for name, all := range want {
		total += len(all)
		y.exactly(both[0].store, name, all)
	}
	t.Logf("%d times, %d kills, %d answers lost", total, kills, y.lost.Load())
	if days := int(end.Sub(begin).Hours() / 24); kills < days/18 || total < 8*days || int(y.lost.Load()) < days/4 {
		t.Error("too little happened to prove anything")
	}
}

//go:embed testdata/year.txt
var yearTimes string

// times are those at which each schedule is due after a moment. year.py computed them, which shares nothing with the
// code under test.
func (y *year) times(after time.Time) map[string][]time.Time {
	y.Helper()
	out := map[string][]time.Time{}
	for line := range strings.Lines(yearTimes) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var name, zone, first string
		var hours, n int
		if _, err := fmt.Sscan(line, &name, &zone, &first, &hours, &n); err != nil {
			y.Fatalf("%s: %v", line, err)
		}
		at, err := time.Parse("2006-01-02T15:04Z", first)
		if err != nil {
			y.Fatal(err)
		}
		key := fmt.Sprintf("%s-%d", name, slices.Index(yearZones, zone))
		for range n {
			if at.After(after) {
				out[key] = append(out[key], at)
			}
			at = at.Add(time.Duration(hours) * time.Hour)
		}
	}
	for _, all := range out {
		slices.SortFunc(all, time.Time.Compare)
	}
	return out
}

// settled waits until the last time of each schedule is handled.
func (y *year) settled(s *postgres.Store, handled map[string]time.Time) {
	y.Helper()
	late := time.Now().Add(2 * time.Minute)
	for {
		all, err := s.Firings(y.Context())
		if err != nil {
			y.Fatal(err)
		}
		last := map[string]time.Time{}
		for _, f := range all {
			if last[f.Schedule] = f.At; f.Outcome != port.FiringStarted {
				y.Fatalf("%+v", f)
			}
		}
		left := 0
		for name, at := range handled {
			if !last[name].Equal(at) {
				left++
			}
		}
		switch {
		case left == 0:
			return
		case time.Now().After(late):
			y.Fatalf("at %s: %v, not %v", y.clock(), last, handled)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// exactly checks that the runs of a schedule are those of some times, and no others.
func (y *year) exactly(s *postgres.Store, name string, times []time.Time) {
	y.Helper()
	ids := map[string]bool{}
	for cursor := ""; ; {
		page, err := s.Runs(y.Context(), port.RunQuery{Owner: "schedule:" + name, Limit: 100, Cursor: cursor})
		if err != nil {
			y.Fatal(err)
		}
		for _, r := range page.Items {
			ids[r.ID] = true
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	for _, at := range times {
		if id := engine.RunIDOf(name, at); !ids[id] {
			y.Errorf("%s did not start at %s", name, at)
		} else {
			delete(ids, id)
		}
	}
	for id := range ids {
		y.Errorf("%s started %s, and no time asks for it", name, id)
	}
}
