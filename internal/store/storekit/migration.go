package storekit

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/port"
)

// Migration is one step of a schema. Steps are numbered from 1 without gaps
// and never change once released.
type Migration struct {
	Number int
	Name   string
	SQL    string
}

// Migrations reads the steps in a directory of files named 00001_what.sql.
func Migrations(files fs.FS, folder string) ([]Migration, error) {
	entries, err := fs.ReadDir(files, folder) // sorted by name
	if err != nil {
		return nil, err
	}
	var steps []Migration
	for _, e := range entries {
		number, _, ok := strings.Cut(e.Name(), "_")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || len(number) != 5 || n != len(steps)+1 {
			return nil, fmt.Errorf("migration %s: want number %05d and a name", e.Name(), len(steps)+1)
		}
		b, err := fs.ReadFile(files, path.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		steps = append(steps, Migration{n, e.Name(), string(b)})
	}
	return steps, nil
}

// Pending returns the steps after a version, and rejects an unknown version: guessing at a newer schema could
// lose data.
func Pending(steps []Migration, version int) ([]Migration, error) {
	if version < 0 || version > len(steps) {
		return nil, fmt.Errorf("%w: it was written by a newer release (schema %d, this one knows %d); "+
			"use that release or restore a backup", port.ErrUnavailable, version, len(steps))
	}
	return steps[version:], nil
}
