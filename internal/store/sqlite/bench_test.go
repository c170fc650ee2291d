package sqlite_test

import (
	"testing"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/storetest/benchmark"
	"github.com/assent-run/assent/internal/store/storetest/sealed"
)

func BenchmarkStore(b *testing.B) { bench(b) }

// BenchmarkStoreSealed is the same with encrypted values.
func BenchmarkStoreSealed(b *testing.B) { bench(b, sealed.ParseKey(b, sealed.TestKey)) }

func bench(b *testing.B, keys ...seal.Key) {
	dirs := map[store.Store]string{}
	openIn := func(b *testing.B, dir string) store.Store {
		s, err := sqlite.Open(b.Context(), dir, keys...)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() }) // those that care close it themselves
		dirs[s] = dir
		return s
	}
	benchmark.Run(b, func(b *testing.B) store.Store { return openIn(b, b.TempDir()) },
		benchmark.Hooks{Again: func(b *testing.B, s store.Store) store.Store { return openIn(b, dirs[s]) }})
}

// Read before every effect is started.
func BenchmarkEpoch(b *testing.B) {
	s, err := sqlite.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the benchmark is over
	if _, _, err := s.Lead(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Epoch(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
