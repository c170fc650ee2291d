package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
)

// pages counts the pages that commits write to SQLite's write-ahead log, for each table and index. Unlike elapsed time,
// that hardly depends on what else the machine does.
type pages struct{}

func (pages) name() string { return "pages" }

// The log must not begin again in between, so there are few of them.
const (
	runsForPages      = 200
	decisionsForPages = 25
)

func (pages) measure(ctx context.Context, b *bench, h home) error {
	if h.shared() {
		return nil
	}
	if err := errors.Join(b.pagesOfRuns(ctx, h), os.RemoveAll(string(h))); err != nil {
		return err
	}
	return b.pagesOfDecisions(ctx, h)
}

func (b *bench) pagesOfRuns(ctx context.Context, h home) error {
	ended := make(chan struct{}, runsForPages)
	r, err := start(ctx, h, echo, func(r port.Receipt) {
		if completed(r) {
			ended <- struct{}{}
		}
	})
	if err != nil {
		return err
	}
	def := define(threeStepWorkflow)
	written, err := pagesBy(ctx, h, func() error {
		return work.Many(runsForPages, atOnce, func(int) error {
			if _, err := r.begin(ctx, def); err != nil {
				return err
			}
			_, err := work.Await(ctx, "the end of a run", ended)
			return err
		})
	})
	if err := errors.Join(err, r.close()); err != nil {
		return err
	}
	b.report(each(written, fmt.Sprintf("of a run of three steps, %d at once", atOnce), runsForPages)...)
	return nil
}

// pagesOfDecisions counts those of the commit of each decision.
func (b *bench) pagesOfDecisions(ctx context.Context, h home) error {
	g, err := startGated(ctx, h)
	if err != nil {
		return err
	}
	var decided []commit
	for range decisionsForPages {
		var a asked
		if a, _, err = g.waiting(ctx); err != nil {
			break
		}
		var written []commit
		written, err = pagesBy(ctx, h, func() error {
			_, err := g.decide(ctx, g.rig, a)
			return err
		})
		if err != nil {
			break
		}
		decided = append(decided, written[0])
	}
	if err := errors.Join(err, g.close()); err != nil {
		return err
	}
	b.report(each(decided, "of the commit of a decision", decisionsForPages)...)
	return nil
}

// commit is how many pages a commit wrote, by table or index.
type commit map[string]int

// each are the figures of one of n things: the sum, and each table and index.
func each(commits []commit, what string, n int) []measure {
	total, of := 0, commit{}
	for _, c := range commits {
		for name, pages := range c {
			total += pages
			of[name] += pages
		}
	}
	per := func(count int) float64 { return float64(count) / float64(n) }
	all := []measure{single("pages "+what, "", per(total)), single("commits "+what, "", per(len(commits)))}
	names := slices.SortedFunc(maps.Keys(of), func(x, y string) int {
		return cmp.Or(cmp.Compare(of[y], of[x]), cmp.Compare(x, y))
	})
	for _, name := range names {
		all = append(all, single(fmt.Sprintf("pages %s: %s", what, name), "", per(of[name])))
	}
	return all
}

// pagesBy counts what f writes.
func pagesBy(ctx context.Context, h home, f func() error) ([]commit, error) {
	file := filepath.Join(string(h), sqlite.FileName)
	before, err := os.ReadFile(file + "-wal")
	if err != nil {
		return nil, err
	}
	if err := f(); err != nil {
		return nil, err
	}
	after, err := os.ReadFile(file + "-wal")
	if err != nil {
		return nil, err
	}
	if len(before) < logHead || !bytes.HasPrefix(after, before) {
		return nil, errors.New("the write-ahead log began again")
	}
	names, err := pageNames(ctx, file)
	if err != nil {
		return nil, err
	}
	commits := commitsIn(after, len(before), names)
	if len(commits) == 0 {
		return nil, errors.New("nothing was committed")
	}
	return commits, nil
}

// Sizes in bytes of the head of a write-ahead log, and of that of a page in it: https://sqlite.org/fileformat2.html
const (
	logHead  = 32
	pageHead = 24
)

// commitsIn lists the commits in a write-ahead log from an offset on.
func commitsIn(log []byte, from int, names map[uint32]string) (commits []commit) {
	size := pageHead + int(binary.BigEndian.Uint32(log[8:]))
	salts, now := log[16:24], commit{}
	for at := from; at+size <= len(log) && bytes.Equal(log[at+8:at+16], salts); at += size {
		now[names[binary.BigEndian.Uint32(log[at:])]]++
		if binary.BigEndian.Uint32(log[at+4:]) != 0 { // the size of the database, in the last page of a commit
			commits, now = append(commits, now), commit{}
		}
	}
	return commits
}

// pageNames are the tables and indexes that pages of a database belong to.
func pageNames(ctx context.Context, file string) (names map[uint32]string, err error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?mode=ro")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `SELECT pageno, name FROM dbstat`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err reports it
	names = map[uint32]string{}
	for rows.Next() {
		var page uint32
		var name string
		if err := rows.Scan(&page, &name); err != nil {
			return nil, err
		}
		names[page] = name
	}
	return names, rows.Err()
}
