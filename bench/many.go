package main

import (
	"context"

	"github.com/assent-run/assent/bench/peers/work"
)

// atOnce is the default concurrency.
const atOnce = 64

func awaitMany(ctx context.Context, what string, from <-chan struct{}, n int) error {
	for range n {
		if _, err := work.Await(ctx, what, from); err != nil {
			return err
		}
	}
	return nil
}
