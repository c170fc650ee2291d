package commit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/commit"
)

type job struct {
	commit.Job
	name string
}

// disk is what a queue writes to.
type disk struct {
	mu     sync.Mutex
	groups [][]string
	closed chan struct{} // no attempt ends before; nil: at once
	fails  func(group []*job) (alone bool, err error)
}

func (d *disk) attempt(group []*job) (bool, error) {
	var names []string
	for _, j := range group {
		names = append(names, j.name)
	}
	d.mu.Lock()
	d.groups = append(d.groups, names)
	closed := d.closed
	d.mu.Unlock()
	if closed != nil {
		<-closed
	}
	if d.fails != nil {
		return d.fails(group)
	}
	return false, nil
}

func (d *disk) sizes() (out []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		out = append(out, len(g))
	}
	return out
}

// busy is a queue whose first job is being committed until open is called.
func busy(d *disk) (q *commit.Queue[*job], open func()) {
	d.closed = make(chan struct{})
	q = commit.NewQueue(d.attempt)
	go func() { _ = q.Do(context.Background(), &job{name: "first"}) }()
	synctest.Wait()
	return q, func() { close(d.closed) }
}

// What waits shares a commit, up to a number of jobs and of bytes.
func TestGroups(t *testing.T) {
	for name, c := range map[string]struct {
		jobs, bytes int
		want        []int
	}{
		"by number":               {600, 1, []int{1, 512, 88}},
		"exactly as many":         {512, 1, []int{1, 512}},
		"by bytes":                {5, 4 << 20, []int{1, 2, 2, 1}},
		"one byte less":           {3, 4<<20 - 1, []int{1, 3}},
		"larger than all allowed": {2, 9 << 20, []int{1, 1, 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &disk{}
			q, open := busy(d)
			var wg sync.WaitGroup
			for i := range c.jobs {
				wg.Go(func() {
					if err := q.Do(t.Context(), &job{Job: commit.Job{Bytes: c.bytes}, name: fmt.Sprint(i)}); err != nil {
						t.Error(err)
					}
				})
			}
			synctest.Wait()
			open()
			wg.Wait()
			q.Stop()
			if got := d.sizes(); !slices.Equal(got, c.want) {
				t.Errorf("%s: groups of %v, want %v", name, got, c.want)
			}
		})
	}
}

// A caller that leaves before its job was taken has written nothing; later it learns what happened.
func TestWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		q, open := busy(d)
		ctx, leave := context.WithCancel(t.Context())
		refused := 0
		var left, stayed error
		var wg sync.WaitGroup
		wg.Go(func() { left = q.Do(ctx, &job{Job: commit.Job{Refused: func() { refused++ }}, name: "left"}) })
		wg.Go(func() { stayed = q.Do(t.Context(), &job{name: "stayed"}) })
		synctest.Wait()
		leave()
		synctest.Wait()
		open()
		wg.Wait()
		if !errors.Is(left, context.Canceled) || stayed != nil || refused != 1 {
			t.Errorf("%v, %v, refused %d times", left, stayed, refused)
		}
		if err := q.Do(ctx, &job{Job: commit.Job{Refused: func() { refused++ }}, name: "late"}); !errors.Is(err,
			context.Canceled) || refused != 2 {
			t.Errorf("%v, refused %d times", err, refused)
		}
		q.Stop()
		if want := [][]string{{"first"}, {"stayed"}}; fmt.Sprint(d.groups) != fmt.Sprint(want) {
			t.Errorf("wrote %v", d.groups)
		}
	})
	synctest.Test(t, func(t *testing.T) { // it is being committed
		d := &disk{closed: make(chan struct{})}
		q := commit.NewQueue(d.attempt)
		ctx, leave := context.WithCancel(t.Context())
		answered, known := errors.New("not answered"), false
		go func() { answered, known = q.Do(ctx, &job{name: "only"}), true }()
		synctest.Wait()
		leave()
		synctest.Wait()
		if known {
			t.Error("answered before it was known")
		}
		close(d.closed)
		synctest.Wait()
		if !known || answered != nil {
			t.Errorf("%v, %v", known, answered)
		}
		q.Stop()
	})
}

// One job that is rejected, or breaks a commit, does not affect the others.
func TestFailures(t *testing.T) {
	broken, rejected := errors.New("the disk broke"), fault.New(fault.Conflict, "no", "")
	for name, c := range map[string]struct {
		fails    func(group []*job) (bool, error)
		bad      error // of the job "bad"
		good     error // of the others
		refused  int
		attempts []int
	}{
		"rejected": {func(group []*job) (bool, error) {
			for _, j := range group {
				if j.name == "bad" {
					j.Err = rejected
				}
			}
			return false, nil
		}, rejected, nil, 1, []int{1, 3}},
		"alone": {func(group []*job) (bool, error) {
			for _, j := range group {
				if len(group) > 1 {
					j.Err = rejected // by a commit that was undone
				}
			}
			if slices.ContainsFunc(group, func(j *job) bool { return j.name == "bad" }) {
				return true, broken
			}
			return true, nil
		}, broken, nil, 0, []int{1, 3, 1, 1, 1}},
		"all": {func(group []*job) (bool, error) {
			if group[0].name == "first" {
				return false, nil
			}
			return false, broken
		}, broken, broken, 0, []int{1, 3}},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &disk{fails: c.fails}
			q, open := busy(d)
			var mu sync.Mutex
			refused, errs := 0, map[string]error{}
			var wg sync.WaitGroup
			for _, name := range []string{"a", "bad", "c"} {
				wg.Go(func() {
					err := q.Do(t.Context(), &job{Job: commit.Job{Refused: func() { refused++ }}, name: name})
					mu.Lock()
					defer mu.Unlock()
					errs[name] = err
				})
				synctest.Wait()
			}
			open()
			wg.Wait()
			q.Stop()
			if errs["bad"] != c.bad || errs["a"] != c.good || errs["c"] != c.good || refused != c.refused {
				t.Errorf("%s: %v, refused %d", name, errs, refused)
			}
			if got := d.sizes(); !slices.Equal(got, c.attempts) {
				t.Errorf("%s: groups of %v", name, got)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // one job is not tried twice
		tries := 0
		q := commit.NewQueue(func([]*job) (bool, error) { tries++; return true, broken })
		if err := q.Do(t.Context(), &job{}); err != broken || tries != 1 {
			t.Errorf("%v after %d tries", err, tries)
		}
		q.Stop()
	})
}

// What waits when the queue stops is written; nothing is afterwards.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		q, open := busy(d)
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				if err := q.Do(t.Context(), &job{Job: commit.Job{Bytes: 9 << 20}, name: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		stopped := false
		wg.Go(func() { q.Stop(); stopped = true })
		synctest.Wait()
		if stopped {
			t.Error("stopped before everything was written")
		}
		refused := 0
		err := q.Do(t.Context(), &job{Job: commit.Job{Refused: func() { refused++ }}})
		if !errors.Is(err, port.ErrUnavailable) || refused != 1 {
			t.Errorf("%v, refused %d times", err, refused)
		}
		open()
		wg.Wait()
		q.Stop() // again
		if got := d.sizes(); !slices.Equal(got, []int{1, 1, 1, 1}) {
			t.Errorf("groups of %v", got)
		}
	})
}

// Trouble is reported while it is recent, and until something can be stored again.
func TestTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var next error
		q := commit.NewQueue(func([]*job) (bool, error) { return false, next })
		try := func(err error) {
			next = err
			if got := q.Do(t.Context(), &job{}); !errors.Is(got, err) {
				t.Errorf("%v, not %v", got, err)
			}
		}
		away := port.Unavailable("away", errors.New("simulated"))
		try(nil)
		if err := q.Trouble(); err != nil {
			t.Error(err)
		}
		try(away)
		if err := q.Trouble(); !errors.Is(err, port.ErrUnavailable) {
			t.Error(err)
		}
		try(fault.New(fault.Conflict, "this says nothing about the store", ""))
		if err := q.Trouble(); !errors.Is(err, port.ErrUnavailable) {
			t.Error(err)
		}
		time.Sleep(10*time.Second - time.Nanosecond)
		if err := q.Trouble(); err == nil {
			t.Error("forgotten too early")
		}
		time.Sleep(time.Nanosecond)
		if err := q.Trouble(); err != nil {
			t.Error(err)
		}
		try(away)
		try(nil)
		if err := q.Trouble(); err != nil {
			t.Error(err)
		}
		q.Stop()
	})
}

// A caller does not wait for room in a full queue for longer than it wants to.
func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		q, open := busy(d)
		var wg sync.WaitGroup
		for range 4096 {
			wg.Go(func() { _ = q.Do(t.Context(), &job{}) })
		}
		synctest.Wait()
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if err := q.Do(ctx, &job{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		open()
		wg.Wait()
		q.Stop()
	})
}

// Watchers are woken once for many changes, and end with their context or the store.
func TestWatchers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w commit.Watchers
		w.Wake() // without watchers
		ctx, leave := context.WithCancel(t.Context())
		a, b := w.Add(ctx), w.Add(t.Context())
		w.Wake()
		w.Wake()
		for _, ch := range []<-chan struct{}{a, b} {
			if _, open := <-ch; !open {
				t.Error("ended instead of woken")
			}
			select {
			case <-ch:
				t.Error("woken twice")
			default:
			}
		}
		leave()
		synctest.Wait()
		if _, open := <-a; open {
			t.Error("its context has ended")
		}
		w.Wake()
		if _, open := <-b; !open {
			t.Error("the other one ended as well")
		}
		if _, open := <-w.Add(ctx); open {
			t.Error("a context that had ended")
		}
		w.Close()
		w.Close() // again
		select {
		case _, open := <-b:
			if open {
				t.Error("woken instead of ended")
			}
		default:
			t.Error("still open")
		}
		if _, open := <-w.Add(t.Context()); open {
			t.Error("added after the end")
		}
	})
	var unused commit.Watchers
	unused.Close()
	unused.Close()
}
