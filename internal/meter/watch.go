package meter

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/metrics"
	"github.com/assent-run/assent/internal/port"
)

// Sources are what gauges are read from.
type Sources struct {
	Store interface {
		Backlog(context.Context) (port.Backlog, error)
	}
	Running func() map[string]int // work in progress, by kind
	Held    func() (results, onDisk int)
	Now     func() time.Time
	Log     *slog.Logger
}

// Counting a large backlog takes long, so it is counted rarely, and not for longer than a scraper waits.
const (
	countAgain  = 10 * time.Second
	countWithin = 5 * time.Second
)

// Watch adds gauges to a set.
func Watch(set *metrics.Set, o Sources) {
	b := &backlog{o: o}
	set.ReadEach("assent_runs_open", "Runs that have not ended.", b.runs, "workflow", "status")
	set.ReadEach("assent_approvals_pending", "Pending approvals. One that asks several roles counts for each; the role "+
		"is empty if people are asked by name, or anyone.", b.approvals, "workflow", "role", "risk")
	set.ReadEach("assent_oldest_approval_seconds", "How long the oldest pending approval has waited; 0 if there is none.",
		b.oldest)
	set.ReadEach("assent_effects_running", "Agents, models and tools at work in this process.", func(emit metrics.Emit) {
		running := o.Running()
		for _, kind := range slices.Sorted(maps.Keys(running)) {
			emit(float64(running[kind]), kind)
		}
	}, "kind")
	set.Read("assent_held_results", "Results of agents and tools that the store does not accept yet.", func() float64 {
		results, _ := o.Held()
		return float64(results)
	})
}

// backlog is what the store counted last.
type backlog struct {
	o                Sources
	workflows, roles names

	mu   sync.Mutex
	at   time.Time
	last port.Backlog
}

// read returns the counts. If the store cannot be read, they are those of the last time.
func (b *backlog) read() port.Backlog {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.o.Now(); b.at.IsZero() || now.Sub(b.at) >= countAgain || now.Before(b.at) {
		ctx, cancel := context.WithTimeout(context.Background(), countWithin)
		defer cancel()
		counted, err := b.o.Store.Backlog(ctx)
		if b.at = now; err != nil {
			b.o.Log.Warn("could not count what is open for the metrics", "error", err)
		} else {
			b.last = counted
		}
	}
	return b.last
}

func (b *backlog) runs(emit metrics.Emit) {
	sums := map[[2]string]int64{}
	for _, r := range b.read().Runs {
		sums[[2]string{b.workflows.label(r.Workflow), r.Status}] += r.Count
	}
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		emit(float64(sums[k]), k[:]...)
	}
}

func (b *backlog) approvals(emit metrics.Emit) {
	sums := map[[3]string]int64{}
	for _, a := range b.read().Approvals {
		sums[[3]string{b.workflows.label(a.Workflow), b.roles.label(a.Role), a.Risk}] += a.Count
	}
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) }) {
		emit(float64(sums[k]), k[:]...)
	}
}

func (b *backlog) oldest(emit metrics.Emit) {
	since := b.read().Oldest
	if since.IsZero() {
		emit(0)
		return
	}
	emit(max(b.o.Now().Sub(since).Seconds(), 0))
}
