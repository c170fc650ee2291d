//go:build unix

package postgres_test

import (
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/storetest"
)

func BenchmarkStore(b *testing.B) {
	u := &urls{}
	storetest.Bench(b, func(b *testing.B) port.Store { return u.open(b, pgtest.Database(b)) }, storetest.BenchHooks{
		Again: func(b *testing.B, s port.Store) port.Store { return u.open(b, u.url(s)) },
	})
}
