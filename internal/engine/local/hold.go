package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// A full disk or an unavailable database does not undo what an agent or a tool has done: the result is held
// until it can be stored, and nothing is repeated in the meantime. Held results are lost with the process,
// and then requested again under the same key.
const (
	holdFirst = 50 * time.Millisecond // before the first retry, doubled each time
	holdMost  = 5 * time.Second
	holdBytes = 256 << 20 // of results held at the same time
)

// persist retries a write until it is stored, refused, or the engine stops. held is how much memory that
// takes.
func (e *Engine) persist(what string, held func() int64, store func() error) error {
	var size int64
	defer func() { e.held.Add(-size) }()
	for wait := holdFirst; ; wait = min(2*wait, holdMost) {
		err := store()
		if !errors.Is(err, port.ErrUnavailable) || errors.Is(err, ErrDraining) || e.ctx.Err() != nil ||
			mutant.Is(mutant.NotHeld) {
			return err
		}
		if size == 0 {
			size = max(held(), 1)
			if e.held.Add(size) > holdBytes {
				return err // too much is already held
			}
			e.Log.Warn("the store does not accept results; they are kept in memory until it does", "what", what, "error", err)
		}
		e.pause(wait)
	}
}

// PutBlob stores a part of a result, as soon as the store accepts it. The work is done: neither its deadline nor
// the end of a leadership interrupts that.
func (e *Engine) PutBlob(ctx context.Context, content []byte, most int64) (id string, size int64, err error) {
	if !mutant.Is(mutant.BlobInterrupted) {
		ctx = context.WithoutCancel(ctx)
	}
	err = e.persist("a part of a result", func() int64 { return int64(len(content)) }, func() error {
		id, size, err = e.Store.PutBlob(ctx, bytes.NewReader(content), most)
		return err
	})
	return id, size, err
}

// record stores the result of an effect. It does not require leadership: what an agent did is a fact,
// whichever process requested it, and is fenced by its key if it was requested again. So a leader writes it
// under its epoch, and if the write reveals that it was replaced, it writes it as any process may.
func (e *Engine) record(id string, key run.Key, report run.Operation) error {
	command := run.Command{By: run.Actor{Kind: run.System}, Do: withoutCredentials(report)}
	err := e.persist(key.String(), func() int64 { return sizeOf(report) }, func() error {
		ctx := context.WithoutCancel(e.ctx)
		epoch := e.leading.epoch.Load()
		_, err := e.do(ctx, id, command, nil, epoch)
		if epoch != anyProcess && port.Fenced(err) {
			_, err = e.do(ctx, id, command, nil, anyProcess)
		}
		return err
	})
	if fault.Is(err, fault.Stale) || fault.Is(err, fault.Closed) {
		return nil // fenced off: the work is no longer owed
	}
	if err != nil {
		e.Log.Error("record a result", "run", id, "key", key.String(), "error", err)
	}
	return err
}

// sizeOf estimates the memory of a report.
func sizeOf(report run.Operation) int64 {
	b, err := json.Marshal(report)
	if err != nil {
		return 0
	}
	return int64(len(b))
}
