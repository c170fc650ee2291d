// Package commit is the concurrent part of a store: a Queue groups the writes of many goroutines into commits, and
// Watchers learn that the feed has grown.
//
//	q := commit.NewQueue(func(group []*job) (alone bool, err error) { … })
//	err := q.Do(ctx, &job{Job: commit.Job{Bytes: len(data)}, …})
//
// It knows nothing of what is written, or where.
package commit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

const (
	groupMax   = 512     // jobs that share a commit
	groupBytes = 8 << 20 // after which a group takes no more
	queueMax   = 4096
)

// Job is embedded in everything in a queue.
type Job struct {
	Bytes int   // estimated bytes written
	Err   error // why it was rejected or failed; set by Attempt
	// Refused cleans up outside of the database if the job is certainly not stored. After an I/O error a
	// commit may still turn out to have succeeded.
	Refused func()

	state atomic.Int32
	done  chan struct{}
}

// Base returns the embedded job.
func (j *Job) Base() *Job { return j }

const (
	waiting int32 = iota
	taken
	withdrawn
)

// Queue lets many goroutines share commits: one goroutine takes all waiting jobs, one or hundreds, and stores
// them as a group. The busier the store, the larger the groups, and the smaller each job's share of the
// flush.
type Queue[T interface{ Base() *Job }] struct {
	attempt func(group []T) (alone bool, err error)
	jobs    chan T
	quit    chan struct{}
	ended   chan struct{}
	gate    sync.RWMutex // held for reading while a job is queued, so that Stop sees all of them
	over    bool
	trouble Trouble
}

// Trouble is why the last attempt to store something failed.
type Trouble struct{ last atomic.Pointer[failure] }

type failure struct {
	err error
	at  time.Time
}

// troubleFor is how long a failure is reported. It has to expire by itself: a server that gets no work would never
// notice that it has recovered.
const troubleFor = 10 * time.Second

// Note records the outcome of an attempt, and returns it. Errors other than port.ErrUnavailable say nothing about the
// store.
func (t *Trouble) Note(err error) error {
	if errors.Is(err, port.ErrUnavailable) {
		t.last.Store(&failure{err, time.Now()})
	} else if err == nil && t.last.Load() != nil {
		t.last.Store(nil)
	}
	return err
}

// Err returns the failure, if it was recent.
func (t *Trouble) Err() error {
	if f := t.last.Load(); f != nil && time.Since(f.at) < troubleFor {
		return f.err
	}
	return nil
}

// Trouble returns why the last commit failed, if that was recent.
func (q *Queue[T]) Trouble() error { return q.trouble.Err() }

// NewQueue starts a queue. Attempt stores a group in one commit and sets Job.Err for jobs it rejects, which
// must not have changed anything. If it returns an error, nothing is stored; with alone each job is then
// retried in its own commit, so that one that breaks a commit does not affect the others.
func NewQueue[T interface{ Base() *Job }](attempt func(group []T) (alone bool, err error)) *Queue[T] {
	q := &Queue[T]{attempt: attempt, jobs: make(chan T, queueMax), quit: make(chan struct{}),
		ended: make(chan struct{})}
	go q.run()
	return q
}

// Do queues a job and waits until it is durable or rejected. If ctx ends before the job was taken, nothing
// happens.
func (q *Queue[T]) Do(ctx context.Context, t T) error {
	j := t.Base()
	j.done = make(chan struct{})
	if err := q.enqueue(ctx, t); err != nil {
		j.refuse()
		return err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.state.CompareAndSwap(waiting, withdrawn) {
			j.refuse()
			return ctx.Err()
		}
		<-j.done // it is being committed: the answer is near, and knowing is better
	}
	return j.Err
}

func (q *Queue[T]) enqueue(ctx context.Context, t T) error {
	q.gate.RLock()
	defer q.gate.RUnlock()
	if q.over {
		return fmt.Errorf("%w: it is closed", port.ErrUnavailable)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case q.jobs <- t:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *Job) refuse() {
	if j.Refused != nil {
		j.Refused()
	}
}

// Stop stops the queue; queued jobs are still executed. It is idempotent.
func (q *Queue[T]) Stop() {
	q.gate.Lock()
	first := !q.over
	q.over = true
	q.gate.Unlock()
	if first {
		close(q.quit)
	}
	<-q.ended
}

func (q *Queue[T]) run() {
	defer close(q.ended)
	group := make([]T, 0, groupMax)
	for {
		select {
		case t := <-q.jobs:
			q.commit(q.gather(append(group[:0], t)))
		case <-q.quit:
			select {
			case t := <-q.jobs:
				q.commit(q.gather(append(group[:0], t)))
			default:
				return
			}
		}
	}
}

// gather adds waiting jobs, except for those whose caller is gone.
func (q *Queue[T]) gather(group []T) []T {
	size := group[0].Base().Bytes
	for more := true; more && len(group) < groupMax && size < groupBytes; {
		select {
		case t := <-q.jobs:
			group = append(group, t)
			size += t.Base().Bytes
		default:
			more = false
		}
	}
	kept := group[:0]
	for _, t := range group {
		if t.Base().state.CompareAndSwap(waiting, taken) {
			kept = append(kept, t)
		}
	}
	return kept
}

func (q *Queue[T]) commit(group []T) {
	if len(group) == 0 {
		return
	}
	alone, err := q.attempt(group)
	_ = q.trouble.Note(err) // each job is told
	for i, t := range group {
		switch {
		case err != nil && alone && len(group) > 1:
			t.Base().Err = nil
			if _, err := q.attempt(group[i : i+1]); err != nil {
				t.Base().Err = err
			}
		case err != nil:
			t.Base().Err = err
		}
	}
	for _, t := range group {
		j := t.Base()
		if fault.CodeOf(j.Err) != "" {
			j.refuse()
		}
		close(j.done)
	}
}
