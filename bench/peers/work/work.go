// Package work is the work that Assent and its peers do to be compared: durable
// runs of three steps, decisions that a run waits for, and a list of waiting runs.
//
// A peer is a program. It reads a Spec from the environment and writes its Report
// to standard output, a line of JSON for each piece of work, so that what it
// measured before it failed or ran out of time is not lost:
//
//	func main() { work.Main(open) }
package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Variable is where a peer finds its Spec, as JSON.
const Variable = "PEER_SPEC"

// Page is how many waiting runs a list returns.
const Page = 50

// Spec is what a peer is asked to do.
type Spec struct {
	Store     string `json:"store"`
	Dir       string `json:"dir"`      // empty, removed afterwards
	Postgres  string `json:"postgres"` // address of an empty database
	Runs      int    `json:"runs"`     // of three steps
	AtOnce    int    `json:"at_once"`
	Decisions int    `json:"decisions"` // one after the other
	Pending   int    `json:"pending"`   // runs that wait when the list is read
	Pages     int    `json:"pages"`     // how often it is read
}

// Report is what a peer measured. Zero is not measured.
type Report struct {
	Version     string  `json:"version,omitempty"`
	Sync        string  `json:"sync,omitempty"` // what has to reach the disk before a step counts as done
	Runs        float64 `json:"runs_per_s,omitempty"`
	Decisions   int     `json:"decisions,omitempty"` // measured: fewer than asked for, if they took too long
	DecisionP50 float64 `json:"decision_p50_ms,omitempty"`
	DecisionP99 float64 `json:"decision_p99_ms,omitempty"`
	Pending     int     `json:"pending,omitempty"`
	ListP50     float64 `json:"list_p50_ms,omitempty"`
	ListP99     float64 `json:"list_p99_ms,omitempty"`
}

// Peer is a system at work.
type Peer interface {
	// About returns version and sync mode.
	About() Report
	// Three runs a workflow of three steps, and returns when it has ended.
	Three(ctx context.Context) error
	// Wait starts a run whose first step calls First and which then waits for a decision.
	Wait(ctx context.Context) (id string, err error)
	// Decide lets a waiting run continue; its next step calls Next.
	Decide(ctx context.Context, id string) error
	// List returns how many runs are on the first page of those that wait.
	List(ctx context.Context) (int, error)
	Close() error
}

var (
	first = make(chan struct{}, 1<<16)
	next  = make(chan time.Time, 1<<10)
)

// First is called by the step before the decision.
func First() { first <- struct{}{} }

// Next is called by the step after the decision.
func Next() { next <- time.Now() }

// Main is the main function of a peer.
func Main(open func(ctx context.Context, s Spec) (Peer, error)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var s Spec
	err := json.Unmarshal([]byte(os.Getenv(Variable)), &s)
	if err == nil {
		err = Measure(ctx, s, open, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Measure does all the work and writes the report.
func Measure(ctx context.Context, s Spec, open func(context.Context, Spec) (Peer, error), out io.Writer) (err error) {
	p, err := open(ctx, s)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	lines := json.NewEncoder(out)
	if err := lines.Encode(p.About()); err != nil {
		return err
	}
	for _, measure := range []func(context.Context, Spec, Peer) (Report, error){runs, decisions, list} {
		r, err := measure(ctx, s, p)
		if err != nil {
			return err
		}
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func runs(ctx context.Context, s Spec, p Peer) (Report, error) {
	began := time.Now()
	err := Many(s.Runs, s.AtOnce, func(int) error { return p.Three(ctx) })
	return Report{Runs: float64(s.Runs) / time.Since(began).Seconds()}, err
}

// thinking is the pause before a decision: long enough for the run to be waiting for it.
const thinking = 20 * time.Millisecond

// A system that takes a second for each decision is measured by fewer of them.
const (
	decisionsFor = 45 * time.Second
	decisionsMin = 20
)

func decisions(ctx context.Context, s Spec, p Peer) (Report, error) {
	var took []time.Duration
	began := time.Now()
	for range s.Decisions {
		if len(took) >= decisionsMin && time.Since(began) > decisionsFor {
			break
		}
		id, err := wait(ctx, p)
		if err != nil {
			return Report{}, err
		}
		time.Sleep(thinking)
		decided := time.Now()
		if err := p.Decide(ctx, id); err != nil {
			return Report{}, fmt.Errorf("decide: %w", err)
		}
		called, err := Await(ctx, "the step after a decision", next)
		if err != nil {
			return Report{}, err
		}
		took = append(took, called.Sub(decided))
	}
	p50, p99 := percentiles(took)
	return Report{Decisions: len(took), DecisionP50: p50, DecisionP99: p99}, nil
}

func list(ctx context.Context, s Spec, p Peer) (Report, error) {
	err := Many(s.Pending, s.AtOnce, func(int) error {
		_, err := wait(ctx, p)
		return err
	})
	if err != nil {
		return Report{}, err
	}
	time.Sleep(time.Second) // until all of them wait, and lists that lag have caught up
	var took []time.Duration
	for range s.Pages {
		at := time.Now()
		n, err := p.List(ctx)
		if err != nil {
			return Report{}, fmt.Errorf("list: %w", err)
		}
		if want := min(Page, s.Pending); n != want {
			return Report{}, fmt.Errorf("%d runs are listed, want %d", n, want)
		}
		took = append(took, time.Since(at))
	}
	p50, p99 := percentiles(took)
	return Report{Pending: s.Pending, ListP50: p50, ListP99: p99}, nil
}

// wait starts a run and returns once its first step was called.
func wait(ctx context.Context, p Peer) (id string, err error) {
	if id, err = p.Wait(ctx); err != nil {
		return "", fmt.Errorf("start: %w", err)
	}
	_, err = Await(ctx, "the step before a decision", first)
	return id, err
}

// Many calls f for 0 to n-1, with that many concurrent calls, until one fails.
func Many(n, workers int, f func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[w] = f(i); errs[w] != nil {
					failed.Store(true)
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Patience is how long any one operation may take before a measurement is aborted.
const Patience = time.Minute

// Await receives a value that is expected soon.
func Await[T any](ctx context.Context, what string, from <-chan T) (v T, err error) {
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	select {
	case v = <-from:
		return v, nil
	case <-ctx.Done():
		return v, ctx.Err()
	case <-timer.C:
		return v, fmt.Errorf("timed out after %s waiting for %s", Patience, what)
	}
}

func percentiles(took []time.Duration) (p50, p99 float64) {
	if len(took) == 0 {
		return 0, 0
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return ms(took[len(took)/2]), ms(took[len(took)*99/100])
}
