package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// faulty is a store as one process reaches it: over a network that loses answers, until the process dies.
type faulty struct {
	p *process
}

// away is the error of an unreachable store.
func away(why string) error { return port.Unavailable(why, fmt.Errorf("simulated")) }

// access is the round trip to the store: sometimes slow, or blocked.
func (p *process) access(ctx context.Context, kind, name string) error {
	l := p.l
	l.mu.Lock()
	dice := l.dice(kind, name+" "+p.String())
	slow := l.hits(dice, StaleRead, 0.1)
	takes, fails := l.takes(dice)/10, l.hits(dice, ReadError, 0.01)
	l.mu.Unlock()
	if slow {
		p.nap(ctx, takes)
	}
	if p.isDead() || fails {
		return away("no connection")
	}
	return ctx.Err()
}

// back is the return path of an answer.
func (p *process) back(ctx context.Context, kind, name string) error {
	return p.access(ctx, kind+" back", name)
}

// nap lets time pass, unless the process dies.
func (p *process) nap(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.gone:
	case <-ctx.Done():
	}
}

func (p *process) isDead() bool {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return p.dead
}

// read is one query to the store. The answer may be stale when it arrives.
func read[T any](ctx context.Context, f *faulty, kind, name string, ask func(*memory) (T, error)) (T, error) {
	var none T
	if err := f.p.access(ctx, kind, name); err != nil {
		return none, err
	}
	f.p.l.mu.Lock()
	answer, err := ask(f.p.l.store)
	f.p.l.mu.Unlock()
	if away := f.p.back(ctx, kind, name); away != nil {
		return none, away
	}
	return answer, err
}

// Append is where most faults happen.
func (f *faulty) Append(ctx context.Context, w port.Write) (int64, error) {
	p, l := f.p, f.p.l
	by := goroutine()
	l.mu.Lock()
	law := p.judged[by]
	dice := l.dice("append", fmt.Sprint(w.Run, w.After, p.seat))
	before, after, lags := l.takes(dice)/10, l.takes(dice)/10, dice.IntN(4)
	l.mu.Unlock()
	if lags == 1 {
		p.nap(context.Background(), before)
	}
	feed, err := p.commit(law, w)
	if lags == 2 {
		p.nap(context.Background(), after)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.dead {
		return 0, away("the process is dead")
	}
	if err == nil {
		p.known[w.Run] = knows{w.After + int64(len(w.Events)), time.Now()}
		if w.Epoch != 0 && w.Epoch == p.epoch {
			p.sure = time.Now()
		}
	}
	return feed, err
}

// commit writes, or does not, or does without an answer.
func (p *process) commit(law law, w port.Write) (int64, error) {
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick()
	d := l.dice("commit", fmt.Sprint(w.Run, w.After, p.seat))
	switch {
	case p.dead:
		return 0, away("the process is dead")
	case l.hits(d, CrashBefore, 0.01):
		l.say("%s crashes before it appends to %s", p, w.Run)
		p.die()
		return 0, away("the process is dead")
	case l.hits(d, AppendError, 0.03):
		l.say("the store refuses an append of %s to %s", p, w.Run)
		return 0, away("the disk is full")
	}
	feed, err := l.store.append(p, law, w)
	if err != nil {
		l.say("%s may not append to %s: %v", p, w.Run, err)
		return 0, err
	}
	switch {
	case l.hits(d, CrashAfter, 0.02):
		l.say("%s crashes after it appended to %s", p, w.Run)
		p.die()
	case l.hits(d, LostAnswer, 0.03):
		l.say("the answer of the store about %s is lost", w.Run)
		return 0, away("the connection broke")
	}
	return feed, nil
}

func (f *faulty) Events(ctx context.Context, id string, after int64, limit int) ([]port.Record, error) {
	return read(ctx, f, "events", id, func(m *memory) ([]port.Record, error) { return m.events(id, after, limit), nil })
}

func (f *faulty) Run(ctx context.Context, id string) (port.RunRow, error) {
	return read(ctx, f, "run", id, func(m *memory) (port.RunRow, error) { return m.row(id) })
}

func (f *faulty) Snapshot(ctx context.Context, id string, atMost int64) (int64, json.RawMessage, error) {
	s, err := read(ctx, f, "snapshot", id, func(m *memory) (snapshot, error) { return m.snapshot(id, atMost), nil })
	return s.seq, s.data, err
}

func (f *faulty) Busy(ctx context.Context, after string, limit int) ([]string, error) {
	return read(ctx, f, "busy", after, func(m *memory) ([]string, error) { return m.busy(after, limit), nil })
}

func (f *faulty) Due(ctx context.Context, until time.Time, limit int) ([]port.DueRun, error) {
	return read(ctx, f, "due", "", func(m *memory) ([]port.DueRun, error) { return m.due(until, limit), nil })
}

func (f *faulty) Moves(ctx context.Context, after int64, limit int) ([]port.Move, int64, error) {
	moves, err := read(ctx, f, "moves", "", func(m *memory) ([]port.Move, error) { return m.moves(after, limit), nil })
	return moves, after + int64(len(moves)), err
}

func (f *faulty) Head(ctx context.Context) (int64, error) {
	return read(ctx, f, "head", "", func(m *memory) (int64, error) { return int64(len(m.feed)), nil })
}

func (f *faulty) Bundle(ctx context.Context, digest string) (json.RawMessage, error) {
	return read(ctx, f, "bundle", digest, func(m *memory) (json.RawMessage, error) { return m.bundle(digest) })
}

func (f *faulty) PutBundle(ctx context.Context, digest string, bundle json.RawMessage) error {
	_, err := read(ctx, f, "put bundle", digest,
		func(m *memory) (int, error) { m.bundles[digest] = bundle; return 0, nil })
	return err
}

func (f *faulty) Tally(ctx context.Context, q run.Elsewhere) (port.Tallied, error) {
	return read(ctx, f, "tally", "", func(*memory) (port.Tallied, error) { return port.Tallied{}, nil })
}

func (f *faulty) PutBlob(ctx context.Context, r io.Reader, most int64) (string, int64, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	id, err := read(ctx, f, "put blob", "",
		func(m *memory) (string, error) { return fmt.Sprintf("blob_%x", content), nil })
	return id, int64(len(content)), err
}

func (f *faulty) Watch(ctx context.Context) <-chan struct{} {
	p := f.p
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return p.l.store.watch(ctx)
}

// Lead waits until the process is elected.
func (f *faulty) Lead(ctx context.Context) (int64, <-chan struct{}, error) {
	p, l := f.p, f.p.l
	l.mu.Lock()
	if p.dead {
		l.mu.Unlock()
		return 0, nil, away("the process is dead")
	}
	if l.lead == p && p.lost != nil {
		defer l.mu.Unlock()
		return p.epoch, p.lost, nil
	}
	given := make(chan int64, 1)
	p.waiting = given
	l.now = time.Now()
	l.elections()
	l.mu.Unlock()
	select {
	case epoch := <-given:
		l.mu.Lock()
		defer l.mu.Unlock()
		if p.lost == nil || p.epoch != epoch {
			over := make(chan struct{})
			close(over)
			return epoch, over, nil
		}
		return epoch, p.lost, nil
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		p.waiting = nil
		if l.lead == p {
			l.lead = nil
			l.elections()
		}
		return 0, nil, ctx.Err()
	}
}

func (f *faulty) Epoch(ctx context.Context) (int64, error) {
	epoch, err := read(ctx, f, "epoch", "", func(*memory) (int64, error) { return f.p.l.world.store.epoch, nil })
	f.p.l.mu.Lock()
	defer f.p.l.mu.Unlock()
	if err == nil && epoch == f.p.epoch {
		f.p.sure = time.Now()
	}
	return epoch, err
}

func (f *faulty) Resign(ctx context.Context) error {
	p, l := f.p, f.p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.dead {
		return away("the process is dead")
	}
	l.now = time.Now()
	if l.lead == p {
		l.lead = nil
		l.say("%s resigns", p)
		l.elections()
	}
	p.lost = nil
	return nil
}
