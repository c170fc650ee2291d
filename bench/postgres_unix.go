//go:build unix

package main

import "github.com/assent-run/assent/internal/store/postgres/pgtest"

// privatePostgres starts a private server, with fsync on.
func (b *bench) privatePostgres() (address string, err error) {
	b.cleanup = append(b.cleanup, pgtest.Stop)
	return pgtest.New()
}
