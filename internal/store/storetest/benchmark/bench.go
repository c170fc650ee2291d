// Package benchmark measures a store.
//
//	benchmark.Run(b, open, benchmark.Hooks{Again: again})
package benchmark

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

// Run measures a store. Next to its appends it reports the disk's own speed in the same minute: fsync_µs is
// the median of writing and flushing 4 KiB.
func Run(b *testing.B, open func(b *testing.B) store.Store, hooks Hooks) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("Append3Events/writers=%d", writers), func(b *testing.B) { benchAppend(b, open(b), writers) })
	}
	b.Run("FeedRead", func(b *testing.B) { benchFeed(b, open(b)) })
	b.Run("Search", func(b *testing.B) { benchSearch(b, open(b)) })
	b.Run("Inbox100k", func(b *testing.B) { benchInbox(b, open(b)) })
	b.Run("Open100kRuns", func(b *testing.B) { benchOpen(b, open(b), hooks) })
}

// Hooks are what a benchmark can do in addition to opening an empty store.
type Hooks struct {
	Again func(b *testing.B, s store.Store) store.Store // after Close
}

// fsyncFloor is the median time to write and flush 4 KiB.
func fsyncFloor(b *testing.B) time.Duration {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only measured
	page, times := make([]byte, 4096), make([]time.Duration, 0, 200)
	for i := range 200 {
		at := time.Now()
		if _, err := f.WriteAt(page, int64(i)*4096); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(at))
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// benchAppend: every writer goes through runs of four appends, like a run of three steps: one that starts it
// and three that advance it.
func benchAppend(b *testing.B, s store.Store, writers int) {
	floor := fsyncFloor(b)
	took := make([][]time.Duration, writers)
	b.ReportAllocs()
	b.ResetTimer()
	began, cpu := time.Now(), cpuTime()
	var wg sync.WaitGroup
	for i := range writers {
		n := b.N / writers
		if i < b.N%writers {
			n++
		}
		wg.Go(func() { took[i] = appendRuns(b, s, i, n) })
	}
	wg.Wait()
	elapsed := time.Since(began)
	cpu = cpuTime() - cpu
	b.StopTimer()
	all := slices.Concat(took...)
	slices.Sort(all)
	b.ReportMetric(float64(b.N)/elapsed.Seconds(), "appends/s")
	b.ReportMetric(float64(floor.Microseconds()), "fsync_µs")
	// of this process; on a busy machine it is more meaningful than the rest
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu_µs/op")
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50_µs")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99_µs")
}

func appendRuns(b *testing.B, s store.Store, writer, n int) (took []time.Duration) {
	took = make([]time.Duration, 0, n)
	var a *fixture.Author
	for i := range n {
		if i%4 == 0 {
			a = fixture.New(fmt.Sprintf("run_01K%07d_%02d", i/4, writer))
			a.Row.StartedAt = fixture.Began.Add(time.Duration(i) * time.Millisecond)
		}
		w := a.Write(benchFacts(i%4, i)...)
		a.Row.StepsDone = i % 4
		w.Row.StepsDone, w.Row.Busy = i%4, i%4 < 3
		if i%4 == 3 {
			w.Row.Status, w.Row.EndedAt = run.Completed, fixture.Began
		}
		at := time.Now()
		if _, err := s.Append(context.Background(), w); err != nil {
			b.Error(err)
			return took
		}
		took = append(took, time.Since(at))
		a.Seq = w.Row.Seq
	}
	return took
}

func benchFacts(step, n int) []run.Fact {
	if step == 0 {
		return []run.Fact{fixture.Started(`{"amount":120}`), &run.LayerStarted{Steps: []string{"draft"}},
			&run.StepStarted{Step: "draft", Try: 1}}
	}
	return []run.Fact{
		fixture.Returned(fmt.Sprintf(`{"text":"Dear customer, your refund no. %d is on its way.","confidence":0.87}`, n)),
		&run.LayerStarted{Layer: step, Steps: []string{"send"}}, &run.StepStarted{Step: "send", Try: 1},
	}
}

// fill stores n runs of one append each, concurrently.
func fill(b *testing.B, s store.Store, n int, each func(*fixture.Author, *port.Write)) {
	b.Helper()
	var wg sync.WaitGroup
	for part := range 64 {
		wg.Go(func() {
			for i := part; i < n; i += 64 {
				a := fixture.New(fmt.Sprintf("run_01K%07d", i))
				a.Row.StartedAt = fixture.Began.Add(time.Duration(i) * time.Millisecond)
				a.Row.Status, a.Row.DueAt = run.Waiting, fixture.Began.Add(time.Duration(i)*time.Second)
				w := a.Write(benchFacts(0, i)...)
				each(a, &w)
				if _, err := s.Append(context.Background(), w); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func benchFeed(b *testing.B, s store.Store) {
	const runs = 20_000
	fill(b, s, runs, func(*fixture.Author, *port.Write) {})
	b.ResetTimer()
	began, events, after := time.Now(), 0, int64(0)
	for b.Loop() { // one page of 1,000 each
		records, next, err := s.Feed(b.Context(), after, 1000, port.FeedFilter{})
		if err != nil {
			b.Fatal(err)
		}
		events += len(records)
		if after = next; after >= 3*runs-1000 {
			after = 0
		}
	}
	b.ReportMetric(float64(events)/time.Since(began).Seconds(), "events/s")
}

func benchInbox(b *testing.B, s store.Store) {
	fill(b, s, 100_000, func(a *fixture.Author, w *port.Write) {
		row := list.Approval("apr"+a.ID[3:], a.ID)
		n := len(a.ID) + int(a.ID[len(a.ID)-1]) + 7*int(a.ID[len(a.ID)-2])
		row.Priority, row.RequestedAt = int64(n%5), a.Row.StartedAt
		row.Asked = []string{"role:approver"}
		if n%10 == 0 {
			row.Asked = []string{"role:manager", "bob"}
		}
		row.Body = json.RawMessage(`{"id":"` + row.ID + `","show":{"text":"` + string(make([]byte, 0)) + `"}}`)
		w.Approvals = []port.ApprovalRow{row}
	})
	for name, q := range map[string]port.ApprovalQuery{
		"all":      {Status: []string{"pending"}},
		"mine":     {Status: []string{"pending"}, Asked: []string{"bob", "role:manager", "role:approver", "role:x"}},
		"age":      {Status: []string{"pending"}, Asked: []string{"bob", "role:manager"}, Sort: port.ByAge},
		"filtered": {Status: []string{"pending"}, Asked: []string{"role:approver"}, Risk: "high", Workflow: "refund"},
		"nothing":  {Status: []string{"pending"}, Asked: []string{"role:approver"}, Tool: "no_such_tool"},

		"scope=workflow": {Status: []string{"pending"},
			Scope: &port.Scope{Workflows: []string{"ref*"}, Name: "zoe", Roles: []string{"manager"}}},
		"scope=mine": {Status: []string{"pending"}, Asked: []string{"zoe", "role:manager"},
			Scope: &port.Scope{Workflows: []string{"ref*"}, Name: "zoe", Roles: []string{"manager"}}},
		"scope=role":  {Status: []string{"pending"}, Scope: &port.Scope{Name: "zoe", Roles: []string{"approver"}}},
		"scope=owner": {Status: []string{"pending"}, Scope: &port.Scope{Name: "ann"}},
		"scope=nothing": {Status: []string{"pending"},
			Scope: &port.Scope{Workflows: []string{"other*", "claims"}, Name: "zoe", Roles: []string{"x"}}},
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			cursor := ""
			for b.Loop() {
				q.Cursor = cursor
				at := time.Now()
				page, err := s.Approvals(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(at))
				cursor = page.Next
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50_µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99_µs")
		})
	}
}

// benchOpen: open, read the first due and busy runs, and store an append.
func benchOpen(b *testing.B, s store.Store, hooks Hooks) {
	fill(b, s, 100_000, func(_ *fixture.Author, w *port.Write) { w.Row.Busy = len(w.Run)%2 == 0 })
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		s = hooks.Again(b, s)
		if _, err := s.Due(b.Context(), fixture.Began.Add(time.Hour), 1000); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Busy(b.Context(), "", 1000); err != nil {
			b.Fatal(err)
		}
		n++
		a := fixture.New(fmt.Sprintf("run_open_%d", n))
		if _, err := s.Append(b.Context(), a.Write(fixture.Started(`{}`))); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
