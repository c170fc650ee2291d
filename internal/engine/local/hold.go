package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// A full disk or an unavailable database does not undo what an agent or a tool has done: the result is held
// until it can be stored, and nothing is repeated in the meantime. With a Spool it is also held on disk: then it
// outlives the process. Without one it is lost with the process, and requested again under the same key.
const (
	holdFirst = 50 * time.Millisecond // before the first retry, doubled each time
	holdMost  = 5 * time.Second
	holdBytes = 256 << 20 // of results held at the same time
	// A database that does not respond has not refused a result either: after this time it is put on disk.
	spoolAfter = time.Second
)

// Spool keeps results on disk while the store does not accept them.
type Spool interface {
	// Keep stores a result in place of an earlier one under the same key. It is durable when Keep returns.
	Keep(report run.Operation) error
	// Drop removes the result of a key, if it is kept.
	Drop(key run.Key)
	// Kept reads the results of earlier processes.
	Kept() iter.Seq2[run.Key, run.Operation]
	// Count returns how many results are kept.
	Count() int
}

// Held counts the results that the store does not accept yet, and those of them that outlive the process.
func (e *Engine) Held() (results, onDisk int) {
	if e.Spool != nil {
		onDisk = e.Spool.Count()
	}
	return max(int(e.holding.Load()), onDisk), onDisk
}

// finished is a result that is to be stored, or a part of one.
type finished struct {
	what string
	size func() int64 // how much memory it takes
	// whole is the report that is put on disk; nil: none is.
	whole func() run.Operation
}

// persist retries a write until it is stored, refused, or the engine stops.
func (e *Engine) persist(f finished, store func() error) error {
	keep := sync.OnceFunc(func() {
		if e.Spool == nil || f.whole == nil || mutant.Is(mutant.NotHeld) {
			return
		}
		if err := e.Spool.Keep(withoutCredentials(f.whole())); err != nil {
			e.Log.Warn("a result could not be put on disk; it is lost if this process ends before the store accepts it",
				"what", f.what, "error", err)
		}
	})
	late := e.spoolLate(keep)
	defer late()
	var size int64
	defer func() {
		if size > 0 {
			e.held.Add(-size)
			e.holding.Add(-1)
		}
	}()
	for wait := holdFirst; ; wait = min(2*wait, holdMost) {
		err := store()
		if !errors.Is(err, port.ErrUnavailable) || errors.Is(err, ErrDraining) || mutant.Is(mutant.NotHeld) {
			return err
		}
		if size == 0 {
			size = max(f.size(), 1)
			e.holding.Add(1)
			if e.held.Add(size) > holdBytes {
				return err // too much is already held
			}
			keep()
			e.Log.Warn("the store does not accept results; they are kept until it does", "what", f.what, "error", err)
		}
		if e.ctx.Err() != nil {
			return err
		}
		e.pause(wait)
	}
}

// spoolLate has a result put on disk if the store takes long to answer. The returned function ends that, and waits for
// it if it has begun.
func (e *Engine) spoolLate(keep func()) (end func()) {
	if e.Spool == nil {
		return func() {}
	}
	late := time.AfterFunc(spoolAfter, keep)
	return func() {
		if !late.Stop() {
			keep() // waits for the one in progress
		}
	}
}

// PutBlob stores a part of a result, as soon as the store accepts it. The work is done: neither its deadline nor
// the end of a leadership interrupts that.
func (e *Engine) PutBlob(ctx context.Context, content []byte, most int64) (id string, size int64, err error) {
	return e.putBlob(ctx, content, most, nil)
}

// putBlob is PutBlob for a part of a result that is known: it is what outlives the process.
func (e *Engine) putBlob(ctx context.Context, content []byte, most int64,
	whole func() run.Operation) (id string, size int64, err error) {
	if !mutant.Is(mutant.BlobInterrupted) {
		ctx = context.WithoutCancel(ctx)
	}
	f := finished{what: "a part of a result", size: func() int64 { return int64(len(content)) }, whole: whole}
	err = e.persist(f, func() error {
		id, size, err = e.Store.PutBlob(ctx, bytes.NewReader(content), most)
		return err
	})
	return id, size, err
}

// record stores the result of an effect. It does not require leadership: what an agent did is a fact,
// whichever process requested it, and is fenced by its key if it was requested again.
func (e *Engine) record(id string, key run.Key, report run.Operation) error {
	report = withoutCredentials(report)
	command := run.Command{By: run.Actor{Kind: run.System}, Do: report}
	f := finished{what: key.String(), size: func() int64 { return sizeOf(report) },
		whole: func() run.Operation { return report }}
	err := e.persist(f, func() error {
		_, err := e.do(context.WithoutCancel(e.ctx), id, command, nil, anyProcess)
		return err
	})
	if e.Spool != nil && !owedStill(err) {
		e.Spool.Drop(key)
	}
	if fault.Is(err, fault.Stale) || fault.Is(err, fault.Closed) {
		return nil // fenced off: the work is no longer owed
	}
	if err != nil {
		e.Log.Error("record a result", "run", id, "key", key.String(), "error", err)
	}
	return err
}

// owedStill reports whether a result that was not recorded may be recorded by a later process: the store was not
// available, or has lost the run (until a backup is restored), or a release that cannot read the run refused.
func owedStill(err error) bool {
	return errors.Is(err, port.ErrUnavailable) || fault.Is(err, fault.NotFound) || errors.Is(err, ErrUnsound)
}

// offer records the results that earlier processes could not. Until that is done they count as work in progress, so
// nothing is requested again.
func (e *Engine) offer() {
	if e.Spool == nil {
		return
	}
	for key, report := range e.Spool.Kept() {
		if !e.enter() {
			return
		}
		e.Log.Info("recording a result that an earlier process held", "key", key.String())
		r := e.runs.acquire(key.Run)
		r.mu.Lock()
		r.underway[key] = func() {} // it is done: nothing to stop
		r.mu.Unlock()
		e.loops.Go(func() {
			defer e.work.Done()
			defer e.runs.release(r)
			if e.done(key.Run, key, e.withContents(key, report)); e.Leads() {
				e.lookAgain(key.Run)
			}
		})
	}
}

// withContents stores the deliverables of a result that was put on disk before they were.
func (e *Engine) withContents(key run.Key, report run.Operation) run.Operation {
	var ds []run.Deliverable
	switch do := report.(type) {
	case run.Complete:
		ds = do.Result.Deliverables
	case run.CompleteCall:
		ds = do.Result.Deliverables
	}
	err := e.keepContents(e.ctx, ds, func() run.Operation { return report })
	switch {
	case errors.Is(err, port.ErrUnavailable):
		return nil // the engine stops
	case err != nil:
		return run.Fail{Key: key, Failure: port.FailureOf(err)}
	}
	return report
}

// sizeOf estimates the memory of a report.
func sizeOf(report run.Operation) int64 {
	b, err := json.Marshal(report)
	if err != nil {
		return 0
	}
	return int64(len(b))
}
