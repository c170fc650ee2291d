package audit

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

func TestCheckFindsWhatWasChangedInTheStore(t *testing.T) {
	for _, c := range []struct {
		name, change string
		bad          int64
	}{
		{"nothing", ``, 0},
		{"a body", `UPDATE audit SET body = CAST(replace(CAST(body AS TEXT), '"approve"', '"rejects"') AS BLOB) WHERE n = 40`, 40},
		{"a column", `UPDATE audit SET actor = 'bob' WHERE n = 41`, 41},
		{"a hash", `UPDATE audit SET hash = '` + port.AuditStart + `' WHERE n = 42`, 42},
		{"a value", `UPDATE audit SET open = CAST(replace(CAST(open AS TEXT), 'fine', 'nope') AS BLOB) WHERE n = 43`, 43},
		{"a removal", `DELETE FROM audit WHERE n = 44`, 44},
		{"a cut", `DELETE FROM audit WHERE n > 45`, 46},
		{"all heads", `DELETE FROM audit_heads`, 0},
		{"a head", `UPDATE audit_heads SET head = replace(head, '"from":1', '"from":2')`, 60},
		{"a signature", `UPDATE audit_heads SET head = replace(head, '"sig":"', '"sig":"A')`, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := sqlitetest.Dir(t)
			store, err := sqlite.Open(t.Context(), dir)
			must(t, err)
			s := New(Config{Store: store, Key: KeyIn(dir), Now: func() time.Time { return began }})
			exported(t, s, store, 60)
			must(t, store.Close())
			if c.change != "" {
				db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "assent.db"))
				must(t, err)
				_, err = db.Exec(c.change)
				must(t, err)
				must(t, db.Close())
			}
			store, err = sqlite.Open(t.Context(), dir)
			must(t, err)
			defer store.Close() //nolint:errcheck // the test is over
			s = New(Config{Store: store, Key: KeyIn(dir)})
			got, err := s.Check(t.Context(), 0, 0)
			must(t, err)
			if got.OK != (c.bad == 0) || !got.OK && *got.FirstBad != c.bad {
				t.Fatalf("%+v, want %d", got, c.bad)
			}
			if c.name == "nothing" && (got.Entries != 60 || got.Signed != 60 || got.Next != 60 || got.Total != 60) {
				t.Fatalf("%+v", got)
			}
		})
	}
}

func TestCheckInParts(t *testing.T) {
	s, store := open(t)
	exported(t, s, store, 500)
	var entries int64
	for after := int64(0); ; {
		got, err := s.Check(t.Context(), after, 150)
		must(t, err)
		if !got.OK {
			t.Fatalf("%+v", got)
		}
		entries += got.Entries
		if after = got.Next; after == got.Total {
			break
		}
	}
	if entries != 500 {
		t.Fatalf("%d entries", entries)
	}
}

// An entry may be at the end of one part, and its event only be bound in the next.
func TestCheckInPartsComparesEvents(t *testing.T) {
	for _, c := range []struct {
		event run.Actor
		ok    bool
	}{{ann, true}, {run.Actor{Kind: run.Person, Name: "eve"}, false}} {
		s, store := open(t)
		aDecision(t, store, c.event, ann) // two entries
		must(t, s.Bind(t.Context(), 10))  // and one that binds its events
		first, err := s.Check(t.Context(), 0, 2)
		if err != nil || !first.OK || first.Next != 2 || first.Total < 3 {
			t.Fatalf("%+v, %v", first, err)
		}
		if second, err := s.Check(t.Context(), 2, 0); err != nil || second.OK != c.ok {
			t.Errorf("decided by %s: %+v, %v", c.event.Name, second, err)
		}
	}
}

// A gap is found at any boundary between two parts of a check: missing entries there, and events that no
// entry binds.
func TestGapsBetweenParts(t *testing.T) {
	const border = 20
	inParts := func(s *Service, size int) (got port.AuditCheck) {
		for after := int64(0); ; after = got.Next {
			var err error
			got, err = s.Check(t.Context(), after, size)
			must(t, err)
			if !got.OK || got.Next == got.Total {
				return got
			}
		}
	}
	for _, missing := range []int64{border - 1, border, border + 1} {
		h := newHouse(t)
		exported(t, h.start(), h.store, 2*border+5)
		h.edit(fmt.Sprintf(`DELETE FROM audit WHERE n = %d`, missing))
		if got := inParts(h.start(), border); got.OK || *got.FirstBad != missing {
			t.Errorf("without entry %d: %+v", missing, got)
		}
	}
	for _, c := range []struct {
		name  string
		after int64 // the second entry begins after this, while the first ends at 2
		ok    bool
	}{{"no gap", 2, true}, {"bound twice", 1, true}, {"a gap", 3, false}} {
		s, store := open(t)
		aRun(t, store, "run_x") // four events
		must(t, s.Bind(t.Context(), 2))
		b, err := s.bind(t.Context(), c.after, 4)
		must(t, err)
		between := slices.Repeat([]port.AuditDraft{{At: began, Actor: ann, Action: "noted", Target: "x",
			Detail: boundEvents{After: 0, Through: 4}}}, 2*pageRows) // binds nothing, whatever it claims
		_, err = store.AppendAudit(t.Context(),
			append(between, port.AuditDraft{At: began, Actor: ann, Action: ActionEvents, Target: "events", Detail: b})...)
		must(t, err)
		for _, size := range []int{0, border, pageRows + 1, 2*pageRows + 3} {
			if got := inParts(s, size); got.OK != c.ok ||
				!c.ok && got.Why != "events 3 to 3 of the feed are not bound to an entry" {
				t.Errorf("%s, in parts of %d: %+v", c.name, size, got)
			}
		}
	}
}

func TestKeyIsPrivateAndRotates(t *testing.T) {
	dir := sqlitetest.Dir(t)
	store, err := sqlite.Open(t.Context(), dir)
	must(t, err)
	defer store.Close() //nolint:errcheck // the test is over
	first := New(Config{Store: store, Key: KeyIn(dir)})
	file := exported(t, first, store, 10)
	info, err := os.Stat(filepath.Join(dir, KeyFile))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the key may be read by others: %v", info.Mode())
	}
	again, err := KeyIn(dir)()
	must(t, err)
	if r := verified(t, file, Expected{Public: again.Public}); !r.OK {
		t.Fatalf("the key changed: %+v", r)
	}
	must(t, os.Remove(filepath.Join(dir, KeyFile)))
	second := New(Config{Store: store, Key: KeyIn(dir)})
	r := verified(t, exported(t, second, store, 10), Expected{})
	keys, err := second.Keys(t.Context())
	must(t, err)
	if !r.OK || len(keys) != 2 || keys[0].InUse || !keys[1].InUse || keys[1].ID != r.Key || keys[0].ID != again.ID {
		t.Fatalf("%+v %+v", r, keys)
	}
	if got, err := second.Check(t.Context(), 0, 0); err != nil || !got.OK || got.Signed != got.Total {
		t.Fatalf("the old signatures count no more: %+v %v", got, err)
	}
}

func TestKeyThatIsNone(t *testing.T) {
	dir := sqlitetest.Dir(t)
	must(t, os.WriteFile(filepath.Join(dir, KeyFile), []byte("secret stuff"), 0o600))
	_, err := KeyIn(dir)()
	if err == nil || bytes.Contains([]byte(err.Error()), []byte("secret stuff")) {
		t.Fatalf("%v", err)
	}
}

// TestSegments signs more entries than one head covers.
func TestSegments(t *testing.T) {
	s, store := open(t)
	file := exported(t, s, store, 2*segmentMax+10)
	if r := verified(t, file, Expected{}); !r.OK || r.Entries != 2*segmentMax+10 {
		t.Fatalf("%+v", r)
	}
	got, err := s.Check(t.Context(), 0, 0)
	must(t, err)
	if !got.OK || got.Signed != got.Total {
		t.Fatalf("%+v", got)
	}
	heads, err := store.AuditHeads(t.Context(), 1, 10)
	must(t, err)
	if len(heads) != 3 || heads[1].From != segmentMax+1 {
		t.Fatalf("%+v", heads)
	}
}

// TestBrokenChainIsNotSigned: a server does not sign a tampered log.
func TestBrokenChainIsNotSigned(t *testing.T) {
	dir := sqlitetest.Dir(t)
	store, err := sqlite.Open(t.Context(), dir)
	must(t, err)
	s := New(Config{Store: store, Key: KeyIn(dir)})
	exported(t, s, store, 10)
	_, err = store.AppendAudit(t.Context(), draft(11), draft(12))
	must(t, err)
	must(t, store.Close())
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "assent.db"))
	must(t, err)
	_, err = db.Exec(`UPDATE audit SET body = CAST(replace(CAST(body AS TEXT), 'approve', 'rejects') AS BLOB) WHERE n = 11`)
	must(t, err)
	must(t, db.Close())
	store, err = sqlite.Open(t.Context(), dir)
	must(t, err)
	defer store.Close() //nolint:errcheck // the test is over
	s = New(Config{Store: store, Key: KeyIn(dir)})
	_, err = s.Cut(t.Context())
	if b, ok := asBad(err); !ok || b.N != 11 {
		t.Fatalf("it was signed: %v", err)
	}
}

func TestSignsByItself(t *testing.T) {
	real, store := open(t)
	{
		now := began
		leads := true
		s := New(Config{Store: store, Key: real.Key, Now: func() time.Time { return now },
			Leads: func() bool { return leads }, Every: 10, After: time.Hour})
		last := func() int64 {
			h, err := store.LastAuditHead(t.Context())
			must(t, err)
			return h.N
		}
		due := func(want int64, why string) {
			t.Helper()
			must(t, s.cutIfDue(t.Context()))
			if got := last(); got != want {
				t.Fatalf("%s: signed up to %d, want %d", why, got, want)
			}
		}
		due(0, "an empty log")
		_, err := store.AppendAudit(t.Context(), draft(1))
		must(t, err)
		due(2, "nothing was ever signed, and the key goes on record first")
		_, err = store.AppendAudit(t.Context(), draft(2))
		must(t, err)
		due(2, "neither many nor old")
		now = now.Add(time.Hour)
		leads = false
		due(2, "another process leads")
		leads = true
		due(3, "old")
		for i := range 10 {
			_, err = store.AppendAudit(t.Context(), draft(i))
			must(t, err)
		}
		due(13, "many")
	}
}

// A signer keeps its turn: if the next one waited for the signature, nothing would ever proceed.
func TestSigningKeepsItsTurn(t *testing.T) {
	s, store := open(t)
	aRun(t, store, "run_x")
	ctx := port.WithPause(t.Context(), func() error {
		if !s.mu.TryLock() {
			t.Error("the turn was given away while others wait for what is held")
			return nil
		}
		s.mu.Unlock()
		return nil
	})
	must(t, s.Export(ctx, &bytes.Buffer{}))
}

// A run's subject is derived from its input, so it is deleted with it.
func TestRedactTakesTheSubjectOut(t *testing.T) {
	s, store := open(t)
	aRun(t, store, "run_x")
	var proof bytes.Buffer
	must(t, s.Prove(t.Context(), "run_x", ann, &proof))
	if !bytes.Contains(proof.Bytes(), []byte("5000 · DE02")) {
		t.Fatalf("no subject: %s", proof.Bytes())
	}
	shared, _, err := Redact(proof.Bytes(), Redaction{Paths: []string{"/input/iban"}})
	must(t, err)
	if bytes.Contains(shared, []byte("DE02")) {
		t.Errorf("it is still there: %s", shared)
	}
}
