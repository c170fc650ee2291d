package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	queried  = regexp.MustCompile(`\b(?:tx|read|conn|db)\.(?:QueryContext|PrepareContext)\([^,]+, ([^,\n]+)`)
	constant = regexp.MustCompile("(?s)\\b(sql[A-Z]\\w*)\\s*= `([^`]*)`")
)

// TestLimitsAreSteady: a query that reaches SQLite with a bare limit is prepared each time it is executed.
func TestLimitsAreSteady(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	limited := map[string]bool{}
	var calls [][2]string
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, c := range constant.FindAllStringSubmatch(string(source), -1) {
			limited[c[1]] = strings.Contains(c[2], "LIMIT ?")
		}
		for _, c := range queried.FindAllStringSubmatch(string(source), -1) {
			calls = append(calls, [2]string{strings.TrimRight(c[1], ")"), name})
		}
	}
	if len(calls) < 10 {
		t.Fatalf("only %d queries were found: %v", len(calls), calls)
	}
	for _, call := range calls {
		query, name := call[0], call[1]
		first, _, _ := strings.Cut(query, "+")
		bare, fixed := limited[first]
		switch {
		case strings.HasPrefix(query, "steady("), strings.HasPrefix(query, "`") && !strings.Contains(query, "LIMIT ?"):
		case fixed && !bare:
		case query == "c.sql": // checks of the whole database, without arguments
		default:
			t.Errorf("%s executes %s, which may end in LIMIT ?: use steady", name, query)
		}
	}
}

// TestSteadyLimits: the rows are the same.
func TestSteadyLimits(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
		SELECT count(*) FROM (SELECT i FROM n LIMIT ?)`
	for _, limit := range []int{-1, 0, 1, 5, 100} {
		var bare, steadied int
		if err := db.QueryRowContext(t.Context(), numbers, limit).Scan(&bare); err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRowContext(t.Context(), steady(numbers), limit).Scan(&steadied); err != nil {
			t.Fatal(err)
		}
		if bare != steadied {
			t.Errorf("LIMIT %d returns %d rows, and %d if it is calculated", limit, bare, steadied)
		}
	}
}

// BenchmarkLimit executes one statement again and again, with a bare limit and with a steady one.
func BenchmarkLimit(b *testing.B) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a benchmark
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(b.Context(), `CREATE TABLE t (name TEXT PRIMARY KEY, other TEXT, until INTEGER);
		CREATE INDEX t_by_other ON t (other, until)`); err != nil {
		b.Fatal(err)
	}
	const query = `SELECT name FROM t WHERE other = ? AND until > ? ORDER BY name LIMIT ?`
	for _, q := range []string{query, steady(query)} {
		b.Run(q[strings.Index(q, "LIMIT"):], func(b *testing.B) {
			s, err := db.PrepareContext(b.Context(), q)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // a benchmark
			for b.Loop() {
				var name string
				if err := s.QueryRowContext(b.Context(), "ann", 1, 5).Scan(&name); err != sql.ErrNoRows {
					b.Fatal(err)
				}
			}
		})
	}
}
