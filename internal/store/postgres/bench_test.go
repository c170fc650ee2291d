//go:build unix

package postgres_test

import (
	"testing"

	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/storetest/benchmark"
)

func BenchmarkStore(b *testing.B) {
	u := &urls{}
	benchmark.Run(b, func(b *testing.B) store.Store { return u.open(b, pgtest.Database(b)) }, benchmark.Hooks{
		Again: func(b *testing.B, s store.Store) store.Store { return u.open(b, u.url(s)) },
	})
}
