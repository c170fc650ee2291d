package main

import (
	"context"
	"errors"
)

// fill creates a data directory with pending approvals, as if that many runs had been started, for a server
// to browse.
func fill(ctx context.Context, data string, approvals int) error {
	store, err := home(data).open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(seedApprovals(ctx, &bench{}, store, 0, approvals), store.Close())
}
