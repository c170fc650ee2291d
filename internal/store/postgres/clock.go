package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// skewMin is the difference of clocks that is left alone: clocks that are synchronised differ by less, and the time
	// of a round trip is not counted as one.
	skewMin   = time.Second
	skewEvery = time.Minute // how often it is measured
)

// Clock is the clock of the database, on a machine with a local one. All processes on a database share it, so that a
// deadline that one of them set is kept by another at the same moment, whatever their own clocks show. If they differ
// by less than a second, it is the local one. Skewed is called with each new difference.
func (s *Store) Clock(
	ctx context.Context, local func() time.Time, skewed func(time.Duration),
) (func() time.Time, error) {
	var skew atomic.Int64
	measure := func(ctx context.Context) error {
		d, err := s.skew(ctx, local)
		if err != nil {
			return fmt.Errorf("read the database's clock: %w", explain(err))
		}
		// A difference that is in use is replaced only by one that differs as much: a clock that trembles would order
		// events by chance.
		if was := time.Duration(skew.Load()); (d - was).Abs() >= skewMin {
			skew.Store(int64(d))
			skewed(d)
		}
		return nil
	}
	if err := measure(ctx); err != nil {
		return nil, err
	}
	s.tasks.Go(func() {
		for pause(s.life, skewEvery); s.life.Err() == nil; pause(s.life, skewEvery) {
			_ = measure(s.life) // the last one remains in use
		}
	})
	return func() time.Time { return local().Add(time.Duration(skew.Load())) }, nil
}

// skew is how far the clock of the database is ahead, as far as it is certain; 0 if it is near.
func (s *Store) skew(ctx context.Context, local func() time.Time) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, connectWait)
	defer cancel()
	var there time.Time
	before := local()
	if err := s.pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&there); err != nil {
		return 0, err
	}
	trip := local().Sub(before)
	d := there.Sub(before.Add(trip / 2))
	if d.Abs() < skewMin+trip/2 {
		return 0, nil
	}
	return d, nil
}
