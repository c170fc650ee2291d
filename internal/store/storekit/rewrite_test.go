package storekit

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/seal"
)

// titles is a store with approvals, of which only titles matter, and values apart from the tables.
type titles struct {
	ids, stored []string // in the order of ids
	progress    []any    // the row of rewriting
	apart       func(n int64, old Old) (bool, error)
	pieces      int64
	renewed     int
	broken      string // a query with this text fails
	again       bool   // every transaction is undone and run again
	away        error  // of Renewed
}

func (s *titles) Rewriting(_ context.Context, f func(RewriteTx) error) error {
	if s.again {
		stored, progress := slices.Clone(s.stored), s.progress
		if err := f(s); err != nil {
			return err
		}
		s.stored, s.progress = stored, progress
	}
	return f(s)
}

func (s *titles) Renewed(context.Context) error { s.renewed++; return s.away }

func (s *titles) Apart() []Apart {
	return []Apart{{
		List: func(_ context.Context, after int64, limit int) (list []int64, err error) {
			for n := after + 1; n <= min(s.pieces, after+int64(limit)); n++ {
				list = append(list, n)
			}
			return list, nil
		},
		Redo: func(_ context.Context, n int64, old Old) (bool, error) { return s.apart(n, old) },
	}}
}

// scanned is a row of these values.
type scanned []any

func (r scanned) Scan(to ...any) error {
	if len(to) != len(r) {
		return fmt.Errorf("%d columns for %d variables", len(r), len(to))
	}
	for i := range to {
		reflect.ValueOf(to[i]).Elem().Set(reflect.ValueOf(r[i]).Convert(reflect.TypeOf(to[i]).Elem()))
	}
	return nil
}

func (s *titles) Query(sql string, args []any, each func(Row) error) error {
	switch {
	case s.broken != "" && strings.Contains(sql, s.broken):
		return errBroken
	case strings.Contains(sql, "FROM rewriting"):
		if s.progress != nil {
			return each(scanned(s.progress))
		}
	case strings.HasPrefix(sql, "SELECT count(*)"):
		n := 0
		if strings.HasSuffix(sql, " approvals") {
			n = len(s.ids)
		}
		return each(scanned{n})
	case strings.HasPrefix(sql, "SELECT title FROM approvals"):
		return each(scanned{s.stored[slices.Index(s.ids, args[0].(string))]})
	case strings.Contains(sql, "FROM approvals WHERE id >"):
		read := 0
		for i, id := range s.ids {
			if id <= args[0].(string) || read == rewriteRows {
				continue
			}
			read++
			head := s.stored[i][:min(seal.HeadText, len(s.stored[i]))]
			if err := each(scanned{id, 0, len(s.stored[i]), head, 0, ""}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *titles) Exec(sql string, args ...any) error {
	switch {
	case s.broken != "" && strings.Contains(sql, s.broken):
		return errBroken
	case strings.HasPrefix(sql, "DELETE FROM rewriting"):
		s.progress = nil
	case strings.HasPrefix(sql, "INSERT INTO rewriting"):
		s.progress = args
	case strings.HasPrefix(sql, "UPDATE approvals SET title"):
		s.stored[slices.Index(s.ids, args[1].(string))] = args[0].(string)
	}
	return nil
}

// rewriteAll calls Rewrite until it is done.
func rewriteAll(t *testing.T, v *Vault, s *titles, all bool) (last seal.Rewriting, damaged []string) {
	t.Helper()
	for range 1000 {
		w, err := v.Rewrite(t.Context(), s, all)
		if err != nil {
			t.Fatal(err)
		}
		if damaged = append(damaged, w.Damaged...); w.Done {
			return w, damaged
		}
	}
	t.Fatal("it does not end")
	return last, nil
}

func newTitles(n int, text func(i int) string) *titles {
	s := &titles{}
	for i := range n {
		s.ids, s.stored = append(s.ids, fmt.Sprintf("apr_%04d", i)), append(s.stored, text(i))
	}
	return s
}

// TestRewriteEncrypts: everything that is in the clear is encrypted, in tables and apart, once; what is encrypted stays
// as it is, unless all is to get a new data key.
func TestRewriteEncrypts(t *testing.T) {
	table, key := &keysInMemory{}, masterKey(t)
	v := startVault(t, table, key)
	s := newTitles(2*rewriteRows+3, func(i int) string { return fmt.Sprintf("title %d", i) })
	s.stored[1], s.stored[2], s.again = "", seal.EscapeText("\x01plain:"), true
	s.pieces = rewriteRows + 2
	seen, redone := map[int64]int{}, map[int64]bool{}
	s.apart = func(n int64, old Old) (bool, error) {
		seen[n]++
		if redone[n] || n%2 == 0 {
			return false, nil
		}
		redone[n] = true
		return true, nil
	}
	if _, err := (startVault(t, &keysInMemory{})).Rewrite(t.Context(), s, false); !fault.Is(err, fault.Unsupported) {
		t.Errorf("without a key: %v", err)
	}
	w, damaged := rewriteAll(t, v, s, false)
	rows, pieces := int64(len(s.ids)), s.pieces
	if want := rows - 1 + pieces/2; w.Rewritten != want || w.Total != rows || w.Looked != rows || len(damaged) > 0 ||
		s.progress != nil || s.renewed != 0 {
		t.Errorf("%d of %d were rewritten, not %d: %+v, %q", w.Rewritten, w.Total, want, w, damaged)
	}
	if int64(len(seen)) != pieces || seen[1] != 2 || seen[pieces] != 2 {
		t.Errorf("%d pieces were looked at, the first %d times", len(seen), seen[1])
	}
	first := slices.Clone(s.stored)
	for i, id := range s.ids {
		got, err := v.OpenText(s.stored[i], atTitle(id))
		want := fmt.Sprintf("title %d", i)
		if i == 1 {
			want = ""
		} else if i == 2 {
			want = "\x01plain:"
		}
		if err != nil || got != want || want != "" && s.stored[i] == want {
			t.Fatalf("%s is stored as %q, %v", id, s.stored[i], err)
		}
	}
	if w, _ := rewriteAll(t, v, s, false); w.Rewritten != 0 || w.Looked != rows || !slices.Equal(s.stored, first) {
		t.Errorf("once more: %+v", w)
	}
	redone = map[int64]bool{}
	w, _ = rewriteAll(t, v, s, true)
	if w.Rewritten != rows-1+pieces/2 || w.Total != rows || s.renewed != 1 || len(table.keys) != 2 {
		t.Errorf("with a new key: %+v, %d data keys, %d announcements", w, len(table.keys), s.renewed)
	}
	for i := range s.ids {
		if i != 1 && s.stored[i] == first[i] {
			t.Fatalf("%s has the old key", s.ids[i])
		}
	}
}

// TestRewriteContinues: after an interruption it continues where it was, in the same pass and with the same key.
func TestRewriteContinues(t *testing.T) {
	table, key := &keysInMemory{}, masterKey(t)
	s := newTitles(3*rewriteRows, func(int) string { return "title" })
	v := startVault(t, table, key)
	w := &rewriting{v: v, r: s}
	if err := w.begin(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if s.progress == nil {
		t.Error("where it begins is not stored")
	}
	for w.Looked < rewriteRows {
		if err := w.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	keys := len(table.keys)
	for what, all := range map[string]bool{"the same": true, "less": false} {
		next := &rewriting{v: startVault(t, table, key), r: s}
		if err := next.begin(t.Context(), all); err != nil || next.at != w.at || next.since != w.since ||
			next.Looked != w.Looked || next.Rewritten != w.Rewritten || next.Total != w.Total {
			t.Errorf("%s: continues at %+v, not %+v, %v", what, next.at, w.at, err)
		}
	}
	if len(table.keys) != keys || s.renewed != 1 {
		t.Errorf("%d data keys instead of %d", len(table.keys), keys)
	}
	if got, _ := rewriteAll(t, v, s, true); got.Rewritten != int64(len(s.ids)) {
		t.Errorf("%+v", got)
	}
	// One that only encrypts what is in the clear gives way to one of everything.
	s = newTitles(3*rewriteRows, func(int) string { return "title" })
	w = &rewriting{v: v, r: s}
	if err := errors.Join(w.begin(t.Context(), false), w.step(t.Context())); err != nil {
		t.Fatal(err)
	}
	next := &rewriting{v: v, r: s}
	if err := next.begin(t.Context(), true); err != nil || next.at != (spot{}) || next.since == 0 || s.renewed != 1 {
		t.Errorf("everything: it begins at %+v, %v", next.at, err)
	}
}

// TestRewriteInPieces: one transaction writes no more than a few large values.
func TestRewriteInPieces(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	long := strings.Repeat("x", TextMax)
	s := newTitles(2*rewriteBytes/TextMax, func(int) string { return long })
	w := &rewriting{v: v, r: s}
	if err := w.begin(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	for w.Looked == 0 {
		if err := w.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := int64(rewriteBytes/TextMax + 1); w.Looked != want {
		t.Errorf("%d values of %d bytes were written at once, not %d", w.Looked, TextMax, want)
	}
	if got, _ := rewriteAll(t, v, s, false); got.Rewritten != int64(len(s.ids)) {
		t.Errorf("%+v", got)
	}
}

// TestRewriteEnds: where others keep adding values in the clear it ends all the same, and what is damaged is named, up
// to a number, and left alone.
func TestRewriteEnds(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	seen := 0
	s := &titles{pieces: 1, apart: func(int64, Old) (bool, error) { seen++; return true, nil }}
	if w, _ := rewriteAll(t, v, s, false); seen != passesMax || w.Rewritten != passesMax {
		t.Errorf("%d passes, %+v", seen, w)
	}
	s = &titles{pieces: damagedMax + 5, apart: func(n int64, _ Old) (bool, error) {
		return false, &seal.DamagedError{Place: AtBlob("b", n)}
	}}
	if _, damaged := rewriteAll(t, v, s, false); len(damaged) != damagedMax || damaged[0] == damaged[1] {
		t.Errorf("%d are named: %q", len(damaged), damaged)
	}
	s.apart = func(int64, Old) (bool, error) { return false, errBroken }
	if _, err := v.Rewrite(t.Context(), s, false); !errors.Is(err, errBroken) {
		t.Errorf("trouble apart: %v", err)
	}
	s.away = errBroken
	if _, err := v.Rewrite(t.Context(), s, true); !errors.Is(err, errBroken) {
		t.Errorf("others could not be told of the key: %v", err)
	}
	for _, sql := range []string{"FROM rewriting", "count(*)", "FROM approvals WHERE id >", "SELECT title", "SET title",
		"INSERT INTO rewriting", "DELETE FROM rewriting", "words"} {
		s := newTitles(1, func(int) string { return "title" })
		s.broken = sql
		if _, err := v.Rewrite(t.Context(), s, false); !errors.Is(err, errBroken) {
			t.Errorf("trouble with %s: %v", sql, err)
		}
	}
	odd := newTitles(3, func(int) string { return "title" })
	odd.stored[1] = v.Text("title", atTitle("another"))
	was := odd.stored[1]
	if w, damaged := rewriteAll(t, v, odd, true); len(damaged) == 0 || odd.stored[1] != was || w.Rewritten != 2 {
		t.Errorf("a damaged title: %+v, %q", w, damaged)
	}
}

// TestOldKeys: a value is old if its data key was made before the rewriting began.
func TestOldKeys(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	key := v.current.Load().key
	for since, old := range map[int64]bool{0: false, key.Created: false, key.Created + 1: true} {
		if w := (&rewriting{v: v, since: since}); w.oldKind(seal.Sealed, key.ID) != old {
			t.Errorf("made at %d, begun at %d: old is %t", key.Created, since, !old)
		}
	}
	w := &rewriting{v: v}
	if w.oldKind(seal.Sealed, key.ID+1) || w.oldKind(seal.Damaged, 0) || !w.oldKind(seal.Plain, 0) ||
		!w.oldKind(seal.Escaped, 0) {
		t.Error("damaged values are not rewritten, and plain ones are")
	}
}

// TestRowsAreIdentified: by a text, a number, or both.
func TestRowsAreIdentified(t *testing.T) {
	for want, table := range map[string]sealedTable{
		"id > ? [a]":                     {text: "id"},
		"n > ? [7]":                      {number: "n"},
		"(run, last_seq) > (?, ?) [a 7]": {text: "run", number: "last_seq"},
	} {
		sql, args := table.where(">", "a", 7)
		if got := fmt.Sprint(sql, " ", args); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
