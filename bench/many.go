package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// atOnce is the default concurrency.
const atOnce = 64

// many calls f for 0 to n-1, with that many concurrent calls, until one fails.
func many(n, workers int, f func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[w] = f(i); errs[w] != nil {
					failed.Store(true)
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// patience is how long any one operation may take before a measurement is aborted.
const patience = time.Minute

// await receives a value that is expected soon.
func await[T any](ctx context.Context, what string, from <-chan T) (v T, err error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case v = <-from:
		return v, nil
	case <-ctx.Done():
		return v, ctx.Err()
	case <-timer.C:
		return v, fmt.Errorf("%s did not come", what)
	}
}

func awaitMany(ctx context.Context, what string, from <-chan struct{}, n int) error {
	for range n {
		if _, err := await(ctx, what, from); err != nil {
			return err
		}
	}
	return nil
}
