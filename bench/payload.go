package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/jackc/pgx/v5"
)

// payload passes a large result from one step to the next, and compares that with writing as many bytes to a
// file.
type payload struct{}

func (payload) name() string { return "payload" }

func (payload) measure(ctx context.Context, b *bench, h home) error {
	large := run.Result{Output: json.RawMessage(`{"text":"` + string(bytes.Repeat([]byte("x"), b.bytes)) + `"}`)}
	var answered time.Time
	var before runtime.MemStats
	var took []time.Duration
	var copies []float64
	ended := make(chan struct{}, 1)
	r, err := start(ctx, h, func(_ context.Context, w port.Work) (run.Result, error) {
		if w.Step == "a" {
			runtime.ReadMemStats(&before)
			answered = time.Now()
			return large, nil
		}
		took = append(took, time.Since(answered))
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		copies = append(copies, float64(after.TotalAlloc-before.TotalAlloc)/float64(b.bytes))
		return result, nil
	}, func(r port.Receipt) {
		if _, ok := r.Events[len(r.Events)-1].Fact.(*run.RunCompleted); ok {
			ended <- struct{}{}
		}
	})
	if err != nil {
		return err
	}
	def := define(`{"workflow":"payload","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}]}`)
	var raw, inserted []time.Duration
	insert, closed, err := inserts(ctx, h, b.bytes)
	if err != nil {
		return errors.Join(err, r.close())
	}
	for range b.payloads {
		w, e := fsyncs(filepath.Join(b.dir, "raw"), 1, b.bytes)
		raw = append(raw, w...)
		if err = e; err != nil {
			break
		}
		var d time.Duration
		if d, err = insert(); err != nil {
			break
		}
		inserted = append(inserted, d)
		if _, err = r.begin(ctx, def); err != nil {
			break
		}
		if _, err = work.Await(ctx, "the end of a run", ended); err != nil {
			break
		}
	}
	if err := errors.Join(err, closed(), r.close()); err != nil {
		return err
	}
	whole, alone := latencies("large result answered → durable → next agent asked", took),
		latencies("as many bytes written to a file and flushed", raw)
	b.report(whole)
	b.report(alone)
	b.report(single("large result, over the write itself (p50)", "ms",
		whole.Figures[p50]-alone.Figures[p50]).below(amount, 50))
	if h.shared() {
		there := latencies("as many bytes inserted into a table of PostgreSQL", inserted)
		b.report(there)
		b.report(single("large result, over the insert itself (p50)", "ms", whole.Figures[p50]-there.Figures[p50]))
	}
	slices.Sort(copies)
	b.report(single("large result, bytes allocated per byte (p50)", "×", copies[len(copies)/2]).below(amount, 2.5))
	return nil
}

// inserts returns a function that inserts so many bytes into a table of the database, which stores them as the store
// does; nothing in a database can be faster. It does nothing if there is no database.
func inserts(ctx context.Context, h home, size int) (insert func() (time.Duration, error), closed func() error,
	err error) {
	if !h.shared() {
		return func() (time.Duration, error) { return 0, nil }, func() error { return nil }, nil
	}
	c, err := pgx.Connect(ctx, string(h))
	if err != nil {
		return nil, nil, err
	}
	closed = func() error { return c.Close(ctx) }
	if _, err := c.Exec(ctx, `CREATE TABLE raw (body bytea); ALTER TABLE raw ALTER COLUMN body SET STORAGE EXTERNAL`,
		pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, nil, errors.Join(err, closed())
	}
	body := make([]byte, size)
	return func() (time.Duration, error) {
		at := time.Now()
		_, err := c.Exec(ctx, `INSERT INTO raw VALUES ($1)`, body)
		return time.Since(at), err
	}, closed, nil
}
