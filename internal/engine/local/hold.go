package local

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// What an agent or a tool has done cannot be undone by a full disk or a database
// that is away: the result is held until it can be stored, and nothing is done
// twice meanwhile. What is held is lost with the process, and then asked for
// again under the same key.
const (
	holdFirst = 50 * time.Millisecond // before the store is tried again, and twice as long each time
	holdMost  = 5 * time.Second
	holdBytes = 256 << 20 // of results that are held at once
)

// persist tries to store something until it is stored, refused, or the engine
// stops. held is how much memory that takes.
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
				return err // too much is held already
			}
			e.Log.Warn("the store does not take what was done; it is held until it does", "what", what, "error", err)
		}
		e.pause(wait)
	}
}

// record stores what came of an effort. That does not take a leader: what an agent
// did is a fact, whichever process asked for it, and is fenced off by its key if
// it was asked for again. So a leader writes it under its epoch, and one that
// learns by it that it was replaced hands it in as any process may.
func (e *Engine) record(id string, key run.Key, report run.Doing) {
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
	if err != nil && !fault.Is(err, fault.Stale) && !fault.Is(err, fault.Closed) {
		e.Log.Error("record a result", "run", id, "key", key.String(), "error", err)
	}
}

// sizeOf is roughly how much memory a report takes.
func sizeOf(report run.Doing) int64 {
	b, err := json.Marshal(report)
	if err != nil {
		return 0
	}
	return int64(len(b))
}
