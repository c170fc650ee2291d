package sqlite_test

import (
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storetest"
)

func BenchmarkStore(b *testing.B) {
	dirs := map[port.Store]string{}
	storetest.Bench(b, func(b *testing.B) port.Store {
		dir := b.TempDir()
		s := open(b, dir)
		dirs[s] = dir
		return s
	}, storetest.BenchHooks{Again: func(b *testing.B, s port.Store) port.Store {
		again := open(b, dirs[s])
		dirs[again] = dirs[s]
		return again
	}})
}
