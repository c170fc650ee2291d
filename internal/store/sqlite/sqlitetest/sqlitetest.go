// Package sqlitetest prepares stores for tests.
//
//	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
//
// To create the tables takes longer than many a test: 15 ms, and half a second with the race detector. So each process
// does it once, and the other stores start as copies.
package sqlitetest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/store/sqlite"
)

// Dir returns a new directory with an empty store.
func Dir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	Fill(t, dir)
	return dir
}

// Fill puts an empty store into a directory that has none.
func Fill(t testing.TB, dir string) {
	t.Helper()
	database, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, sqlite.FileName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(database)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// empty is the file of a store without data.
var empty = sync.OnceValues(func() (_ []byte, err error) {
	dir, err := os.MkdirTemp("", "sqlitetest-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := sqlite.Open(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, sqlite.FileName))
})
