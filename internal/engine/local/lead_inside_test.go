package local

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// notes is a logger that keeps errors.
type notes struct {
	mu   sync.Mutex
	said []string
}

func (n *notes) Write(line []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, string(line))
	return len(line), nil
}

func (n *notes) count(text string) (times int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range n.said {
		if strings.Contains(line, text) {
			times++
		}
	}
	return times
}

func (n *notes) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(n, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// stopwatch records when something happens.
type stopwatch struct {
	began time.Time
	laps  []time.Duration
}

func start() *stopwatch { return &stopwatch{began: time.Now()} }

func (w *stopwatch) lap() int {
	w.laps = append(w.laps, time.Since(w.began))
	return len(w.laps)
}

func (w *stopwatch) wants(t *testing.T, want ...time.Duration) {
	t.Helper()
	if !slices.Equal(w.laps, want) {
		t.Errorf("it happened after %v, not after %v", w.laps, want)
	}
}

const ms = time.Millisecond

// ticks are times with the given intervals.
func ticks(pauses ...time.Duration) (out []time.Duration) {
	sum := time.Duration(0)
	for _, p := range append([]time.Duration{0}, pauses...) {
		sum += p
		out = append(out, sum)
	}
	return out
}

// doubled are the delays of an exponential backoff up to five seconds.
var doubled = []time.Duration{50 * ms, 100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms,
	3200 * ms, 5000 * ms, 5000 * ms}

// A refused write is retried with backoff.
func TestResultsAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, watch := New(Config{}), start()
		err := e.persist(finished{what: "x", size: func() int64 { return 1 }}, func() error {
			if watch.lap() <= len(doubled) {
				return errAway
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		watch.wants(t, ticks(doubled...)...)
	})
}

// While the store cannot confirm the leader, it is asked again with backoff.
func TestWhoLeadsIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch := start()
		e := New(Config{Store: &told{epoch: func() (int64, error) {
			if watch.lap() <= len(doubled) {
				return 0, errAway
			}
			return 3, nil
		}}})
		e.leading.epoch.Store(3)
		if !e.confirmed(t.Context(), 3) {
			t.Error("it leads")
		}
		watch.wants(t, ticks(doubled...)...)
		ctx, cancel := context.WithTimeout(t.Context(), 10*ms)
		defer cancel()
		e.Store.(*told).epoch = func() (int64, error) { return 0, errAway }
		again := start()
		if e.confirmed(ctx, 3) || time.Since(again.began) != 10*ms {
			t.Errorf("it waited for %s", time.Since(again.began))
		}
	})
}

// Concurrent callers share an answer, but never one to a question that was asked before they called.
func TestAnswersAboutTheLeadAreFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, let := int64(0), make(chan struct{})
		e := New(Config{Store: &told{epoch: func() (int64, error) {
			asked++
			n := asked
			<-let
			return n, nil
		}}})
		answers := make(chan int64, 10)
		ask := func(times int) {
			for range times {
				go func() {
					epoch, err := e.currentEpoch()
					if err != nil {
						t.Error(err)
					}
					answers <- epoch
				}()
			}
			synctest.Wait()
		}
		expect := func(questions int64, want ...int64) {
			t.Helper()
			let <- struct{}{}
			synctest.Wait()
			var got []int64
			for range len(answers) {
				got = append(got, <-answers)
			}
			if asked != questions || !slices.Equal(got, want) {
				t.Errorf("%d questions, answers %v: want %d and %v", asked, got, questions, want)
			}
		}
		ask(1)
		ask(2)
		expect(2, 1) // those two did not get the answer in progress
		ask(1)
		expect(3, 2, 2)
		expect(3, 3)
		ask(1)
		expect(4, 4)
	})
}

// A process that cannot become leader tries again every second, and Stop waits for it.
func TestTheLeadIsSought(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch, over := start(), false
		e := New(Config{Store: &told{lead: func(ctx context.Context) (int64, <-chan struct{}, error) {
			if watch.lap() < 4 {
				return 0, nil, errAway
			}
			<-ctx.Done()
			time.Sleep(time.Second)
			over = true
			return 0, nil, ctx.Err()
		}}})
		e.Start()
		time.Sleep(time.Minute)
		if err := e.Stop(t.Context()); err != nil || !over {
			t.Errorf("%v, over: %t", err, over)
		}
		watch.wants(t, ticks(time.Second, time.Second, time.Second)...)
	})
}

// leader leads in a synctest bubble of its own.
type leader struct {
	*Engine
	store     *told
	resigned  int
	cancelled int
	back      chan struct{} // closed when it no longer leads
}

func lead(t *testing.T, c Config) *leader {
	l := &leader{back: make(chan struct{})}
	l.store = &told{
		due:    func() ([]port.DueRun, error) { return nil, nil },
		busy:   func(context.Context, string) ([]string, error) { return nil, nil },
		resign: func() error { l.resigned++; return nil },
	}
	c.Store = l.store
	l.Engine = New(c)
	r := l.runs.acquire("run_1")
	r.underway[run.Key{}] = func() { l.cancelled++ }
	return l
}

func (l *leader) runAs(epoch int64, lost <-chan struct{}) {
	go func() {
		l.leadWith(epoch, lost)
		close(l.back)
	}()
	synctest.Wait()
	l.clock.set("run_1", time.Now().Add(30*time.Second))
}

func (l *leader) ended() bool {
	synctest.Wait()
	select {
	case <-l.back:
		return true
	default:
		return false
	}
}

// Losing leadership stops all work in progress, and gives up leadership that the store still believes in.
func TestTheLeadIsLost(t *testing.T) {
	t.Run("the store says so", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, lost := lead(t, Config{}), make(chan struct{})
			l.leading.fallen <- struct{}{} // of an earlier epoch
			if l.runAs(3, lost); !l.Leads() || l.ended() {
				t.Fatal("it does not lead")
			}
			close(lost)
			if !l.ended() || l.Leads() || l.cancelled != 1 || len(l.clock.at) != 0 || l.resigned != 0 {
				t.Errorf("ended %t, leads %t, %d efforts stopped, alarms %v, resigned %d times",
					l.ended(), l.Leads(), l.cancelled, l.clock.at, l.resigned)
			}
		})
	})
	for name, err := range map[string]error{"a write was refused": nil, "and the lead cannot be given back": errAway} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := lead(t, Config{})
				l.store.resign = func() error { l.resigned++; return err }
				l.runAs(3, make(chan struct{}))
				l.deposed(3)
				if l.Leads() || l.ended() == (err != nil) || l.cancelled != 1 || l.resigned != 1 {
					t.Errorf("leads %t, ended %t, %d efforts stopped, resigned %d times", l.Leads(), l.ended(),
						l.cancelled, l.resigned)
				}
				if time.Sleep(time.Second); !l.ended() {
					t.Error("it does not go on")
				}
			})
		})
	}
	t.Run("the engine stops", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, over := lead(t, Config{}), false
			l.store.busy = func(ctx context.Context, _ string) ([]string, error) {
				<-ctx.Done()
				time.Sleep(time.Second)
				over = true
				return nil, ctx.Err()
			}
			l.runAs(3, make(chan struct{}))
			l.stop()
			if l.ended() {
				t.Error("it did not wait for what it had begun")
			}
			if time.Sleep(time.Second); !l.ended() || !over || !l.Leads() || l.resigned != 0 {
				t.Errorf("leads %t, resigned %d times: Stop gives the lead back", l.Leads(), l.resigned)
			}
		})
	})
	t.Run("a shared store", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, lost, watched := lead(t, Config{Shared: true}), make(chan struct{}), 0
			l.store.head = func() (int64, error) { return 7, nil }
			l.store.moves = func(after int64) ([]port.Move, int64, error) {
				if after != 7 {
					t.Errorf("the feed is read from %d on", after)
				}
				return nil, after, nil
			}
			l.store.watch = func() <-chan struct{} { watched++; return make(chan struct{}) }
			l.runAs(3, lost)
			close(lost)
			if !l.ended() || watched != 1 {
				t.Errorf("ended %t, watched %d times", l.ended(), watched)
			}
		})
	})
}

// Only the epoch in force can be lost, and only once.
func TestDeposed(t *testing.T) {
	e := New(Config{})
	e.deposed(0)
	e.leading.epoch.Store(3)
	if e.deposed(2); !e.Leads() || len(e.leading.fallen) != 0 {
		t.Error("it was deposed by an epoch of the past")
	}
	for range 2 {
		if e.deposed(3); e.Leads() || len(e.leading.fallen) != 1 {
			t.Error("it was not deposed")
		}
	}
	e.leading.epoch.Store(4)
	if e.deposed(4); e.Leads() || len(e.leading.fallen) != 1 {
		t.Error("it was not deposed again")
	}
}

// Stop lets agents finish, within a default time if the caller sets none, and resigns.
func TestStopWaits(t *testing.T) {
	for _, c := range []struct {
		name     string
		deadline time.Duration // of the caller; 0: none
		work     time.Duration
		epoch    int64
		resign   error
		took     time.Duration
	}{
		{"nothing is under way", 0, 0, 0, nil, 0},
		{"an agent finishes", 0, 10 * time.Second, 3, nil, 10 * time.Second},
		{"an agent does not finish", 0, time.Hour, 3, nil, drainDefault},
		{"the caller is patient", time.Minute, time.Hour, 0, nil, time.Minute},
		{"the caller is impatient", time.Second, time.Hour, 0, nil, time.Second},
		{"the lead cannot be given back", 0, 0, 3, errAway, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				resigned := 0
				e := New(Config{Store: &told{resign: func() error { resigned++; return c.resign }}})
				e.leading.epoch.Store(c.epoch)
				e.work.Add(1)
				time.AfterFunc(c.work, e.work.Done)
				ctx, cancel := context.WithCancel(t.Context())
				if c.deadline > 0 {
					ctx, cancel = context.WithTimeout(t.Context(), c.deadline)
				}
				defer cancel()
				watch := start()
				err := e.Stop(ctx)
				watch.lap()
				watch.wants(t, c.took)
				if late := c.took < c.work; errors.Is(err, context.DeadlineExceeded) != late ||
					errors.Is(err, errAway) != (c.resign != nil) {
					t.Error(err)
				}
				if (resigned == 1) != (c.epoch != 0) {
					t.Errorf("resigned %d times", resigned)
				}
				if e.clock.set("run_1", time.Now()); len(e.clock.at) != 0 {
					t.Error("an alarm was set after the end")
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// All effects are reconciled at every interval, and errors are reported.
func TestSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch, log := start(), &notes{}
		var away, ends atomic.Bool
		away.Store(true)
		ctx, cancel := context.WithCancel(t.Context())
		e := New(Config{Sweep: time.Minute, Log: log.logger(), Store: &told{
			due: func() ([]port.DueRun, error) {
				if watch.lap(); ends.Load() {
					cancel()
				}
				if away.Load() {
					return nil, errAway
				}
				return nil, nil
			},
			busy: func(context.Context, string) ([]string, error) { return nil, nil },
		}})
		over := make(chan struct{})
		go func() { e.recover(ctx); close(over) }()
		time.Sleep(150 * time.Second)
		away.Store(false)
		time.Sleep(time.Minute)
		if n := log.count("find runs to resume"); n != 3 {
			t.Errorf("trouble was told %d times", n)
		}
		away.Store(true)
		ends.Store(true)
		<-over
		if n := log.count("find runs to resume"); n != 3 {
			t.Error("that it stops is no trouble")
		}
		watch.wants(t, ticks(time.Minute, time.Minute, time.Minute, time.Minute)...)
	})
}

// A sweep visits all runs with effects, page by page, except those at work. A page that is not full is the last: others
// began meanwhile. Of those that seem to begin after it, it visits some: runs may begin faster than it is.
func TestASweep(t *testing.T) {
	log := &notes{}
	var looked []string
	ctx, cancel := context.WithCancel(t.Context())
	last := "run_c"
	s := &told{
		due: func() ([]port.DueRun, error) { return nil, nil },
		busy: func(_ context.Context, after string) ([]string, error) {
			switch {
			case after == "":
				return append([]string{"run_a", "run_b"}, slices.Repeat([]string{"run_busy"}, sweepBatch-2)...), nil
			case after == "run_busy" && last == "run_c":
				return []string{last}, nil
			case after == "run_busy":
				return slices.Repeat([]string{last}, sweepBatch), nil
			case !strings.HasPrefix(after, "run_zzz"):
				t.Fatalf("asked for runs behind %s, although the page before was not full", after)
			}
			return slices.Repeat([]string{after + "z"}, sweepBatch), nil
		},
		run: func(id string) (port.RunRow, error) {
			if looked = append(looked, id); id == "run_b" {
				return port.RunRow{}, errAway
			}
			return port.RunRow{}, fault.New(fault.NotFound, "gone", "")
		},
	}
	// Ids contain a time: these are in the past.
	e := New(Config{Store: s, Log: log.logger(),
		Now: func() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }})
	e.runs.acquire("run_busy").underway[run.Key{}] = func() {}
	if err := e.sweep(ctx); err != nil || !slices.Equal(looked, []string{"run_a", "run_b", "run_c"}) {
		t.Errorf("looked at %v, %v", looked, err)
	}
	if n := log.count("take up a run"); n != 1 {
		t.Errorf("trouble was told %d times", n)
	}
	looked, last = nil, "run_zzz" // begins later than the sweep, or the clock of its process is ahead
	if err := e.sweep(ctx); err != nil || len(looked) != 2+aheadMost || looked[2] != last {
		t.Errorf("looked at %d runs, %v", len(looked), err)
	}
	looked = nil
	s.run = func(id string) (port.RunRow, error) {
		looked = append(looked, id)
		cancel()
		return port.RunRow{}, errAway
	}
	if err := e.sweep(ctx); !errors.Is(err, context.Canceled) || len(looked) != 1 {
		t.Errorf("it goes on after its end: %v, %v", looked, err)
	}
	s.busy = func(context.Context, string) ([]string, error) { return nil, errAway }
	if err := e.sweep(t.Context()); !errors.Is(err, errAway) {
		t.Error(err)
	}
}

// The feed is read whenever it grows, after errors with backoff, and at least as often as the sweep.
func TestTheFeedIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch, grown, log := start(), make(chan struct{}), &notes{}
		var away atomic.Bool
		away.Store(true)
		e := New(Config{Sweep: 4 * time.Second, Log: log.logger(), Store: &told{
			watch: func() <-chan struct{} { return grown },
			moves: func(after int64) ([]port.Move, int64, error) {
				if watch.lap(); after != 5 {
					t.Errorf("behind %d", after)
				}
				if away.Load() {
					return nil, 0, errAway
				}
				return nil, after, nil
			},
		}})
		over := make(chan struct{})
		go func() { e.follow(t.Context(), 5); close(over) }()
		time.Sleep(12 * time.Second)
		away.Store(false)
		time.Sleep(8 * time.Second) // read at 15 s, and then nothing grows
		away.Store(true)
		grown <- struct{}{}
		time.Sleep(2 * time.Second)
		close(grown)
		<-over
		watch.wants(t, 0, time.Second, 3*time.Second, 7*time.Second, 11*time.Second, 15*time.Second,
			20*time.Second, 21*time.Second)
		if n := log.count("read the feed"); n != 7 {
			t.Errorf("trouble was told %d times", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		e.Store.(*told).watch = func() <-chan struct{} { return make(chan struct{}) }
		e.Store.(*told).moves = func(int64) ([]port.Move, int64, error) { cancel(); return nil, 0, errAway }
		e.follow(ctx, 5)
		if n := log.count("read the feed"); n != 7 {
			t.Error("that it stops is no trouble")
		}
	})
}

// The start of the feed is queried until the store answers.
func TestWhereTheFeedBeginsIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch := start()
		e := New(Config{Store: &told{head: func() (int64, error) {
			if watch.lap() < 3 {
				return 0, errAway
			}
			return 7, nil
		}}})
		if head, ok := e.feedHead(t.Context()); head != 7 || !ok {
			t.Error(head, ok)
		}
		watch.wants(t, ticks(time.Second, time.Second)...)
	})
}

// A run is read again only if another process has advanced it.
func TestRefresh(t *testing.T) {
	reads := 0
	e := New(Config{Store: &told{run: func(string) (port.RunRow, error) { reads++; return port.RunRow{}, errAway }}})
	r := e.runs.acquire("run_1")
	s := begun(t, "run_1", asking)
	for _, c := range []struct {
		known *machine.State
		seq   int64
		reads int
	}{{s, s.Seq, 0}, {s, s.Seq - 1, 0}, {s, s.Seq + 1, 1}, {nil, s.Seq, 1}} {
		r.s, reads = c.known, 0
		if err := e.refresh(t.Context(), "run_1", c.seq); reads != c.reads || (err != nil) != (c.reads > 0) {
			t.Errorf("up to %d: read %d times, %v", c.seq, reads, err)
		}
	}
	r.s, reads = s, 0
	moved := map[string]int64{"run_1": s.Seq}
	if e.refreshAll(t.Context(), moved); len(moved) != 0 || reads != 0 {
		t.Errorf("what is known was read %d times", reads)
	}
}
