package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// feedOrder: readers that follow the feed during many writes see every event once, in order, and never one
// that belongs before those they have seen.
func feedOrder(t *testing.T, s store.Store) { followFeed(t, s, s) }

func followFeed(t *testing.T, writing, reading store.Store) {
	const writers, writes, readers = 16, 40, 4
	base, err := reading.Head(t.Context())
	fixture.Must(t, err)
	total := base
	for i := range writers {
		total += int64(writes + i%3*writes)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			if err := follow(ctx, reading, base, total, 1+i*17); err != nil {
				t.Errorf("reader %d: %v", i, err)
			}
		})
	}
	var writing2 sync.WaitGroup
	for i := range writers {
		writing2.Go(func() {
			s := writing
			if i%2 == 1 {
				s = reading
			}
			a := fixture.New(fmt.Sprintf("run_f%d_%d", base, i))
			for n := range writes {
				facts := []func() int64{
					func() int64 { return a.Did(t, s, fixture.Started(`{}`)) },
					func() int64 { return a.Did(t, s, fixture.Started(`{}`), fixture.Said("x")) },
					func() int64 {
						return a.Did(t, s, fixture.Started(`{}`), fixture.Said("x"), fixture.Said(fmt.Sprint(n)))
					},
				}
				if feed := facts[i%3](); feed <= base {
					t.Errorf("the feed went back to %d", feed)
				}
			}
		})
	}
	writing2.Wait()
	wg.Wait()
}

// follow reads from after to the end as events come.
func follow(ctx context.Context, s store.Store, after, end int64, limit int) error {
	changed := s.Watch(ctx)
	seqs := map[string]int64{}
	for after < end {
		records, next, err := s.Feed(ctx, after, limit, port.FeedFilter{})
		if err != nil {
			return err
		}
		for _, r := range records {
			after++
			if r.Feed != after {
				return fmt.Errorf("number %d came where %d belongs", r.Feed, after)
			}
			if seqs[r.Run]++; r.Seq != seqs[r.Run] {
				return fmt.Errorf("event %d of %s came where %d belongs", r.Seq, r.Run, seqs[r.Run])
			}
		}
		if next != after {
			return fmt.Errorf("the last event was %d, but next is %d", after, next)
		}
		if len(records) == 0 {
			<-changed
		}
	}
	return nil
}

func feedFilter(t *testing.T, s store.Store) {
	a, b := fixture.New("run_a"), fixture.New("run_b")
	a.Did(t, s, fixture.Started(`{}`), fixture.Said("1"), fixture.Said("2"))
	b.Did(t, s, fixture.Started(`{}`), fixture.Said("3"))
	a.Did(t, s, fixture.Said("4"), fixture.Returned(`1`))
	feeds := func(f port.FeedFilter, after int64, limit int) string {
		t.Helper()
		all, _ := fixture.ReadFeed(t, s, after, limit, f)
		out := ""
		for _, r := range all {
			out += fmt.Sprint(r.Feed, r.Fact.Type()[:1], " ")
		}
		return out
	}
	for _, c := range []struct {
		f     port.FeedFilter
		after int64
		want  string
	}{
		{port.FeedFilter{}, 0, "1r 2m 3m 4r 5m 6m 7s "},
		{port.FeedFilter{}, 2, "3m 4r 5m 6m 7s "},
		{port.FeedFilter{Run: "run_a"}, 0, "1r 2m 3m 6m 7s "},
		{port.FeedFilter{Run: "run_a"}, 2, "3m 6m 7s "},
		{port.FeedFilter{Run: "run_b"}, 4, "5m "},
		{port.FeedFilter{Run: "run_none"}, 0, ""},
		{port.FeedFilter{Types: []string{"message.added"}}, 0, "2m 3m 5m 6m "},
		{port.FeedFilter{Types: []string{"run.started", "step.completed"}}, 1, "4r 7s "},
		{port.FeedFilter{Run: "run_a", Types: []string{"message.added"}}, 2, "3m 6m "},
		{port.FeedFilter{Types: []string{"no.such"}}, 0, ""},
		{port.FeedFilter{}, 100, ""},
		{port.FeedFilter{}, -5, "1r 2m 3m 4r 5m 6m 7s "},
	} {
		for _, limit := range []int{1, 2, 3, 100} {
			if got := feeds(c.f, c.after, limit); got != c.want {
				t.Errorf("%+v behind %d by %d: got %q, want %q", c.f, c.after, limit, got, c.want)
			}
		}
	}
	// A reader whose filter matches nothing still advances.
	_, next, err := s.Feed(t.Context(), 0, 10, port.FeedFilter{Types: []string{"no.such"}})
	fixture.Must(t, err)
	if next != 7 {
		t.Errorf("next is %d, want 7", next)
	}
}

func watch(t *testing.T, s store.Store) {
	ctx, stop := context.WithCancel(t.Context())
	first, second := s.Watch(ctx), s.Watch(t.Context())
	a := fixture.New("run_1")
	a.Did(t, s, fixture.Started(`{}`))
	<-first
	<-second
	for i := range 10 { // merged signals are fine, lost ones are not
		a.Did(t, s, fixture.Said(fmt.Sprint(i)))
	}
	<-first
	stop()
	for range first { // closed once ctx has ended
	}
	a.Did(t, s, fixture.Said("on"))
	<-second
	fixture.Must(t, s.Close())
	for range second { // and once the store is closed
	}
	if _, open := <-s.Watch(context.Background()); open {
		t.Error("a closed store can be watched")
	}
}

// moves: the progress of runs is reported without their events.
func moves(t *testing.T, s store.Store) {
	ctx := t.Context()
	a, b := fixture.New("run_1"), fixture.New("run_2")
	a.Did(t, s, fixture.Started(`1`), fixture.Said("x"))
	b.Did(t, s, fixture.Started(`1`))
	last := a.Did(t, s, fixture.Said("y"))
	got, next, err := s.Moves(ctx, 0, 2)
	fixture.Must(t, err)
	fixture.WantEqual(t, "the first two", got, []port.Move{{Run: "run_1", Seq: 2}, {Run: "run_2", Seq: 1}})
	got, end, err := s.Moves(ctx, next, 10)
	fixture.Must(t, err)
	fixture.WantEqual(t, "the rest", got, []port.Move{{Run: "run_1", Seq: 3}})
	if end != last {
		t.Errorf("it ends at %d, not %d", end, last)
	}
	if got, again, err := s.Moves(ctx, end, 10); err != nil || len(got) != 0 || again != end {
		t.Errorf("%v, %d, %v", got, again, err)
	}
}
