package audit

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// house is a data directory whose database can be edited behind the server's back.
type house struct {
	t     *testing.T
	dir   string
	store *sqlite.Store
	log   bytes.Buffer
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, dir: sqlitetest.Dir(t)}
	t.Cleanup(h.close)
	return h
}

func (h *house) close() {
	if h.store != nil {
		must(h.t, h.store.Close())
		h.store = nil
	}
}

// start opens the data directory as a server does.
func (h *house) start() *Service {
	h.t.Helper()
	h.close()
	var err error
	h.store, err = sqlite.Open(h.t.Context(), h.dir)
	must(h.t, err)
	return New(Config{
		Store: h.store, Key: KeyIn(h.dir), Anchor: AnchorFor(h.dir, ""), Log: slog.New(slog.NewTextHandler(&h.log, nil)),
	})
}

// edit changes the database while no server runs.
func (h *house) edit(statements ...string) {
	h.t.Helper()
	h.close()
	h.withDB(func(db *sql.DB) {
		for _, text := range statements {
			_, err := db.Exec(text)
			must(h.t, err)
		}
	})
}

func (h *house) withDB(do func(*sql.DB)) {
	h.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.dir, "assent.db"))
	must(h.t, err)
	do(db)
	must(h.t, db.Close())
}

// forge rebuilds the chain from an entry on, after its text was changed.
func (h *house) forge(n int64, from, to string) {
	h.t.Helper()
	h.close()
	h.withDB(func(db *sql.DB) {
		prev := port.AuditStart
		rows, err := db.Query(`SELECT n, body, hash FROM audit ORDER BY n`)
		must(h.t, err)
		type row struct {
			n    int64
			body []byte
			hash string
		}
		var all []row
		for rows.Next() {
			var r row
			must(h.t, rows.Scan(&r.n, &r.body, &r.hash))
			all = append(all, r)
		}
		must(h.t, rows.Err())
		must(h.t, rows.Close())
		for _, r := range all {
			if r.n >= n {
				var e port.AuditEntry
				must(h.t, json.Unmarshal(r.body, &e))
				r.body = bytes.Replace(r.body, []byte(`"prev":"`+e.Prev+`"`), []byte(`"prev":"`+prev+`"`), 1)
				if r.n == n {
					r.body = bytes.Replace(r.body, []byte(from), []byte(to), 1)
				}
				r.hash = port.AuditHash(prev, r.body)
				_, err := db.Exec(`UPDATE audit SET body = ?, hash = ? WHERE n = ?`, r.body, r.hash, r.n)
				must(h.t, err)
			}
			prev = r.hash
		}
	})
}

// grow adds entries and signs them.
func (h *house) grow(s *Service, n int) {
	h.t.Helper()
	for i := range n {
		_, err := h.store.AppendAudit(h.t.Context(), draft(i))
		must(h.t, err)
	}
	_, err := s.Cut(h.t.Context())
	must(h.t, err)
}

// An attacker with write access to the database, but neither the key nor the anchor, gets nothing signed, and
// is detected.
func TestForgeriesAreNotSigned(t *testing.T) {
	for _, forged := range []struct {
		what string
		do   func(*house)
	}{
		{"the chain made anew, its heads deleted", func(h *house) {
			h.forge(3, `"act":"approve"`, `"act":"reject"`)
			h.edit(`DELETE FROM audit_heads`)
		}},
		{"the chain made anew, its heads kept", func(h *house) { h.forge(3, `"act":"approve"`, `"act":"reject"`) }},
		{"the heads deleted", func(h *house) { h.edit(`DELETE FROM audit_heads`) }},
		{"the newest head deleted",
			func(h *house) { h.edit(`DELETE FROM audit_heads WHERE n = (SELECT max(n) FROM audit_heads)`) }},
		{"the end deleted, with its head", func(h *house) {
			h.edit(`DELETE FROM audit WHERE n > 12`, `DELETE FROM audit_heads WHERE n > 12`)
		}},
		{"everything deleted", func(h *house) { h.edit(`DELETE FROM audit`, `DELETE FROM audit_heads`) }},
		{"the last entry replaced by one of another text",
			func(h *house) { h.forge(21, `"act":"approve"`, `"act":"reject"`) }},
	} {
		t.Run(forged.what, func(t *testing.T) {
			h := newHouse(t)
			s := h.start()
			h.grow(s, 10)
			h.grow(s, 10)
			s = h.start()
			h.grow(s, 1) // a legitimate restart continues
			forged.do(h)
			s = h.start()
			head, err := s.Cut(t.Context())
			if _, ok := asBad(err); !ok {
				t.Errorf("it was signed: %+v, %v", head, err)
			}
			if err != nil && !strings.Contains(err.Error(), "has stopped") {
				t.Errorf("it does not say what that means: %v", err)
			}
			if got, err := s.Check(t.Context(), 0, 0); err == nil && got.OK {
				t.Errorf("verify says that all is well: %+v", got)
			}
			// A request by another process is not signed either.
			if err := s.Export(t.Context(), &bytes.Buffer{}); err == nil {
				t.Error("it was exported with a signature")
			}
		})
	}
}

// Heads signed with an unknown key prove nothing.
func TestForeignHeadsAreRefused(t *testing.T) {
	h := newHouse(t)
	h.grow(h.start(), 5)
	stranger := New(Config{Store: h.store, Key: KeyIn(t.TempDir())})
	h.grow(stranger, 5)
	_, err := h.start().Cut(t.Context())
	if err == nil || !strings.Contains(err.Error(), "has never used") {
		t.Fatal(err)
	}
	// A second process with its own key reports that before it signs.
	second := New(Config{Store: h.store, Key: KeyIn(t.TempDir()), Anchor: AnchorFor(t.TempDir(), "")})
	if _, err := second.Cut(t.Context()); err == nil || !strings.Contains(err.Error(), "audit_key") {
		t.Fatal(err)
	}
}

// Another process with the same key may sign in between, and a key may be replaced.
func TestAnchorFollows(t *testing.T) {
	h := newHouse(t)
	s := h.start()
	h.grow(s, 5)
	other := New(Config{Store: h.store, Key: KeyIn(h.dir), Anchor: AnchorFor(t.TempDir(), "")})
	h.grow(other, 5)
	h.grow(s, 5)
	h.grow(other, 5)
	must(t, os.Remove(filepath.Join(h.dir, KeyFile)))
	s = h.start()
	h.grow(s, 5)
	if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK || got.Signed != got.Total {
		t.Fatalf("%+v, %v", got, err)
	}
}

// A crash may happen between related writes.
func TestAnchorAfterCrashes(t *testing.T) {
	h := newHouse(t)
	anchor := AnchorFor(h.dir, "")
	h.grow(h.start(), 5)
	before, err := anchor.Load()
	must(t, err)
	h.grow(h.start(), 5)
	must(t, anchor.Keep(before)) // the head was stored, its anchor was not
	h.grow(h.start(), 5)

	// The key was recorded, and nothing was signed yet.
	h = newHouse(t)
	s := h.start()
	if _, err := s.Keys(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.grow(h.start(), 1)
}

// Without an anchor, the log is read and trusted as it is.
func TestFirstAnchor(t *testing.T) {
	h := newHouse(t)
	h.grow(h.start(), 5)
	must(t, os.Remove(string(AnchorFor(h.dir, ""))))
	h.grow(h.start(), 5)
	if !strings.Contains(h.log.String(), "no anchor") {
		t.Errorf("nothing was said: %s", h.log.String())
	}
	// Not if its heads are missing, or it is broken.
	must(t, os.Remove(string(AnchorFor(h.dir, ""))))
	h.edit(`DELETE FROM audit_heads`)
	if _, err := h.start().Cut(t.Context()); err == nil {
		t.Error("it was signed without its heads")
	}
	// A log that was never signed is checked as well, and reported unless it is new.
	h = newHouse(t)
	s := h.start()
	aRun(t, h.store, "run_1")
	if _, err := s.Cut(t.Context()); err != nil || !strings.Contains(h.log.String(), "no anchor") {
		t.Errorf("%v: %s", err, h.log.String())
	}
	h = newHouse(t)
	s = h.start()
	w := runWrite("run_1")
	w.Audit = w.Audit[:1]
	_, err := h.store.Append(t.Context(), w)
	must(t, err)
	if _, err := s.Cut(t.Context()); err == nil || !strings.Contains(err.Error(), "inserted from outside") {
		t.Errorf("a log with a decision without an entry was signed: %v", err)
	}
}

// A broken anchor is no reason to continue without one.
func TestAnchorThatIsNone(t *testing.T) {
	h := newHouse(t)
	h.grow(h.start(), 5)
	for _, text := range []string{"", "{", `{"head":`, strings.Repeat("x", anchorMax+1)} {
		must(t, os.WriteFile(string(AnchorFor(h.dir, "")), []byte(text), 0o600))
		if _, err := h.start().Cut(t.Context()); err == nil {
			t.Errorf("it was signed with the anchor %.20q", text)
		}
	}
}

// After an older backup was restored, an operator accepts it and signing continues.
func TestAccept(t *testing.T) {
	h := newHouse(t)
	h.grow(h.start(), 10)
	h.grow(h.start(), 10)
	h.edit(`DELETE FROM audit WHERE n > 11`, `DELETE FROM audit_heads WHERE n > 11`)
	s := h.start()
	if _, err := s.Cut(t.Context()); err == nil {
		t.Fatal("an older copy was signed as if nothing had happened")
	}
	head, err := s.Accept(t.Context(), ann, "restored the backup of Monday")
	must(t, err)
	if head.N != 11 {
		t.Errorf("it goes on behind %d", head.N)
	}
	h.grow(h.start(), 3)
	page, err := h.store.AuditEntries(t.Context(), port.AuditQuery{Action: ActionAccept, Limit: 10})
	must(t, err)
	if len(page.Items) != 1 || !bytes.Contains(page.Items[0].Body, []byte("backup of Monday")) ||
		!bytes.Contains(page.Items[0].Body, []byte(`"was":"21:`)) {
		t.Errorf("%+v", page.Items)
	}
}
