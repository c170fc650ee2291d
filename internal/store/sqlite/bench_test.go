package sqlite_test

import (
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/storetest"
)

func BenchmarkStore(b *testing.B) { bench(b) }

// BenchmarkStoreSealed is the same with values sealed.
func BenchmarkStoreSealed(b *testing.B) { bench(b, storetest.ParseKey(b, storetest.TestKey)) }

func bench(b *testing.B, keys ...seal.Key) {
	dirs := map[port.Store]string{}
	openIn := func(b *testing.B, dir string) port.Store {
		s, err := sqlite.Open(b.Context(), dir, keys...)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() }) // those that care close it themselves
		dirs[s] = dir
		return s
	}
	storetest.Bench(b, func(b *testing.B) port.Store { return openIn(b, b.TempDir()) },
		storetest.BenchHooks{Again: func(b *testing.B, s port.Store) port.Store { return openIn(b, dirs[s]) }})
}
