package audit

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// rehead replaces the newest head with another, signed one.
func (h *house) rehead(key *Key, change func(*port.AuditHead)) {
	h.t.Helper()
	head, err := h.store.LastAuditHead(h.t.Context())
	must(h.t, err)
	change(&head)
	must(h.t, key.sign(&head))
	text, err := json.Marshal(head)
	must(h.t, err)
	h.close()
	h.withDB(func(db *sql.DB) {
		_, err := db.Exec(`UPDATE audit_heads SET head = ? WHERE n = ?`, string(text), head.N)
		must(h.t, err)
	})
}

// The holder of a key can sign anything, so every field of a head is compared with the entries: during a
// check, and before a later head is signed.
func TestWhatHeadsSayIsCompared(t *testing.T) {
	const apart = "its head does not match the entries before it"
	another := strings.Repeat("ab", 32)
	stranger := testKey(t, 9)
	for _, c := range []struct {
		name   string
		key    *Key
		change func(*port.AuditHead)
		check  string
		sign   string
	}{
		{"as it was", nil, func(*port.AuditHead) {}, "", ""},
		{"another hash", nil, func(h *port.AuditHead) { h.Hash = another }, "it is not the one that was signed", apart},
		{"another root", nil, func(h *port.AuditHead) { h.Root = another }, "the head does not match these entries",
			apart},
		{"a later start", nil, func(h *port.AuditHead) { h.From++ }, "the heads do not continue one another", apart},
		{"an earlier start", nil, func(h *port.AuditHead) { h.From-- }, "the heads do not continue one another", apart},
		{"a stranger's key", stranger, func(*port.AuditHead) {}, "it was signed with an unknown key",
			"which this server has never used"},
		{"a stranger's signature", &Key{private: stranger.private}, func(*port.AuditHead) {}, "is not valid", "is not valid"},
	} {
		h := newHouse(t)
		s := h.start()
		h.grow(s, 3)
		anchor := AnchorFor(h.dir, "")
		before, err := anchor.Load()
		must(t, err)
		h.grow(s, 3)
		must(t, anchor.Keep(before)) // the newest head was signed by another process
		own, err := s.Key()
		must(t, err)
		key := c.key
		if key == nil {
			key = own
		}
		if key.ID == "" {
			key.ID = own.ID
		}
		h.rehead(key, c.change)
		s = h.start()
		_, err = s.Cut(t.Context())
		if (err == nil) != (c.sign == "") || err != nil && !strings.Contains(err.Error(), c.sign) {
			t.Errorf("%s: %v, want %q", c.name, err, c.sign)
		}
		s.Anchor = nil
		finds(t, c.name, s, c.check)
	}
}

// The entry at which signing stopped is checked again, including its text.
func TestSignedEntryIsReadAgain(t *testing.T) {
	h := newHouse(t)
	s := h.start()
	h.grow(s, 3)
	h.grow(s, 3)
	h.edit(`UPDATE audit SET body = CAST(replace(CAST(body AS TEXT), '"approve"', '"rejects"') AS BLOB)
		WHERE n = (SELECT max(n) FROM audit)`)
	refused(t, h.start(), "it is not the entry that this server signed")
}

// A broken log is not trusted as it is, and if its end is missing nothing is signed, with or without an
// anchor.
func TestBrokenLogsAreNotTaken(t *testing.T) {
	for name, c := range map[string]struct {
		edit string
		bad  int64
	}{
		"changed": {`UPDATE audit SET body = CAST(replace(CAST(body AS TEXT), '"approve"', '"rejects"') AS BLOB)
			WHERE n = 3`, 3},
		"cut off":  {`DELETE FROM audit WHERE n > 4`, 5},
		"cut away": {`DELETE FROM audit`, 1},
	} {
		h := newHouse(t)
		h.grow(h.start(), 5)
		anchor := AnchorFor(h.dir, "")
		must(t, os.Remove(string(anchor)))
		h.edit(c.edit)
		s := h.start()
		_, err := s.Cut(t.Context())
		if b, isBad := asBad(err); !isBad || b.N != c.bad {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := anchor.Load(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: an anchor was kept, %v", name, err)
		}
		if c.bad == 3 {
			continue // without an anchor, only new entries are read
		}
		s = New(Config{Store: h.store, Key: KeyIn(h.dir)})
		s.known = true // nothing is added before it is signed
		_, err = s.Cut(t.Context())
		if b, isBad := asBad(err); !isBad || b.N != c.bad {
			t.Errorf("%s, without an anchor: %v", name, err)
		}
	}
}

// A log without any signed head is signed again once an operator has accepted it.
func TestAcceptWithoutHeads(t *testing.T) {
	h := newHouse(t)
	h.grow(h.start(), 5)
	h.edit(`DELETE FROM audit_heads`)
	s := h.start()
	if _, err := s.Cut(t.Context()); err == nil {
		t.Fatal("it was signed before it was accepted")
	}
	head, err := s.Accept(t.Context(), ann, "the heads were lost")
	if err != nil || head.N != 0 {
		t.Fatalf("%+v, %v", head, err)
	}
	head, err = s.Cut(t.Context())
	if end, _, _ := h.store.AuditEnd(t.Context()); err != nil || head.N != end || head.From != 1 {
		t.Errorf("%+v of %d, %v", head, end, err)
	}
}

// Unchanged logs are not read again, and signed entries are no longer at the end.
func TestTipIsReadOnce(t *testing.T) {
	h := newHouse(t)
	s := h.start()
	h.grow(s, 3)
	_, err := h.store.AppendAudit(t.Context(), draft(1))
	must(t, err)
	store := &breaking{Store: h.store, calls: 1000}
	s.Store = store
	must(t, s.noteTip(t.Context()))
	before := store.calls
	must(t, s.noteTip(t.Context()))
	if n := before - store.calls; n != 1 {
		t.Errorf("%d questions about a log that is as it was", n)
	}
	store.calls = 0
	if err := s.noteTip(t.Context()); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if a, err := s.Anchor.Load(); err != nil || a.Tip == nil {
		t.Fatalf("%+v, %v", a, err)
	}
	head, err := s.Cut(t.Context())
	must(t, err)
	if a, err := s.Anchor.Load(); err != nil || a.Tip != nil || a.Head != head {
		t.Errorf("%+v, %v", a, err)
	}
}

// contested is a store in which another process is always faster.
type contested struct {
	Store
	tries int
}

func (c *contested) PutAuditHead(context.Context, port.AuditHead) error {
	c.tries++
	return fault.New(fault.Conflict, "another head was signed", "")
}

func TestSigningGivesUp(t *testing.T) {
	s, store := open(t)
	c := &contested{Store: store}
	s.Store = c
	if _, err := s.Cut(t.Context()); !fault.Is(err, fault.Conflict) || c.tries != triesMax+1 {
		t.Errorf("%d tries, %v", c.tries, err)
	}
}

// growing is a store whose log grows while it is signed.
type growing struct{ Store }

func (g growing) PutAuditHead(ctx context.Context, h port.AuditHead) error {
	err := g.Store.PutAuditHead(ctx, h)
	if err == nil {
		_, err = g.AppendAudit(ctx, draft(1), draft(2))
	}
	return err
}

// An export ends at its head.
func TestExportOfAGrowingLog(t *testing.T) {
	s, store := open(t)
	s.Store = growing{store}
	if r := verified(t, exported(t, s, store, pageRows+50), Expected{}); !r.OK || r.Entries != pageRows+50 {
		t.Errorf("%+v", r)
	}
}

func TestDefaults(t *testing.T) {
	if s := New(Config{}); s.Every != 1000 || s.After != 10*time.Minute || s.Now == nil || s.Log == nil {
		t.Errorf("%+v", s.Config)
	}
	if s := New(Config{Every: 7, After: time.Second}); s.Every != 7 || s.After != time.Second {
		t.Errorf("%+v", s.Config)
	}
}

// A log without heads has no limit, and in one with heads every entry is covered.
func TestHeadsCoverAllEntries(t *testing.T) {
	s, store := open(t)
	drafts := make([]port.AuditDraft, segmentMax+1)
	for i := range drafts {
		drafts[i] = port.AuditDraft{At: began, Actor: ann, Action: "noted", Target: "x"}
	}
	_, err := store.AppendAudit(t.Context(), drafts...)
	must(t, err)
	finds(t, "nothing is signed", s, "")
	_, err = s.Cut(t.Context())
	must(t, err)
	s.Store = headless{store}
	got, err := s.Check(t.Context(), 0, 0)
	if err != nil || got.OK || *got.FirstBad != segmentMax+1 ||
		!strings.Contains(got.Why, "no head was signed for more than") {
		t.Errorf("%+v, %v", got, err)
	}
	s.Store = store
	var out bytes.Buffer
	must(t, s.Export(t.Context(), &out))
	if r := verified(t, out.Bytes(), Expected{}); !r.OK {
		t.Errorf("%+v", r)
	}
}

// headless is a store without the first head.
type headless struct{ Store }

func (s headless) AuditHeads(ctx context.Context, from int64, limit int) ([]port.AuditHead, error) {
	heads, err := s.Store.AuditHeads(ctx, from, limit)
	if len(heads) > 0 && heads[0].From == 1 {
		heads = heads[1:]
	}
	return heads, err
}
