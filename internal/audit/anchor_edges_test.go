package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// refused expects signing to be refused, with words in the reason.
func refused(t *testing.T, s *Service, words string) {
	t.Helper()
	if head, err := s.Cut(t.Context()); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("signed up to %d, %v; want %s", head.N, err, words)
	}
	if got, err := s.Check(t.Context(), 0, 0); err != nil || got.OK {
		t.Errorf("the check finds nothing: %+v, %v", got, err)
	}
}

// The newest head is the one signed here, byte for byte.
func TestNewestHeadIsCompared(t *testing.T) {
	h := newHouse(t)
	h.grow(h.start(), 5)
	h.edit(`UPDATE audit_heads SET head = replace(head, '"at":"20', '"at":"19') WHERE n = (SELECT max(n) FROM audit_heads)`)
	refused(t, h.start(), "its head is not the one that this server signed")
}

// Entries that were seen but not signed yet must not disappear either.
func TestSeenEntriesAreMissed(t *testing.T) {
	h := newHouse(t)
	s := h.start()
	h.grow(s, 5)
	_, err := h.store.AppendAudit(t.Context(), draft(1), draft(2), draft(3))
	must(t, err)
	must(t, s.noteTip(t.Context()))
	h.edit(`DELETE FROM audit WHERE n > 7`)
	refused(t, h.start(), "this server saw it, and the log ends earlier")
	// Once an operator accepts the log as it is, it is signed again.
	if _, err := h.start().Accept(t.Context(), ann, "restored"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.start().Cut(t.Context()); err != nil {
		t.Error(err)
	}
}

// A lost anchor is recreated before anything new is signed.
func TestLostAnchorIsKeptAgain(t *testing.T) {
	h := newHouse(t)
	h.grow(h.start(), 5)
	anchor := AnchorFor(h.dir, "")
	was, err := anchor.Load()
	must(t, err)
	must(t, os.Remove(string(anchor)))
	if _, err := h.start().Cut(t.Context()); err != nil {
		t.Fatal(err)
	}
	if is, err := anchor.Load(); err != nil || is.Head != was.Head || is.Head.N == 0 {
		t.Errorf("%+v, %v, and it was %+v", is, err, was)
	}
}

// Values that were deleted by order are not reported as missing; all others are.
func TestRemovedValuesAreNotMissed(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(ctx context.Context, h *house) error
		ok   bool
	}{
		{"by order", func(ctx context.Context, h *house) error {
			h.start()
			return forgotten(ctx, h.store, "run_1")
		}, true},
		{"by somebody", func(_ context.Context, h *house) error {
			h.edit(`UPDATE audit SET open = CAST('{}' AS BLOB)`)
			return nil
		}, false},
		{"leaving the salt in place", func(_ context.Context, h *house) error {
			h.edit(`UPDATE audit SET open = CAST(replace(CAST(open AS TEXT), ',"value":"good"', '') AS BLOB)`)
			return nil
		}, false},
	} {
		h := newHouse(t)
		s := h.start()
		must(t, paid(t.Context(), h.store, "run_1"))
		remark := port.AuditDraft{At: began, Actor: ann, Action: "approval.commented", Target: "apr_1_1", Run: "run_1",
			Sealed: []port.Sealed{{Name: "original", Value: json.RawMessage(`"good"`)}}}
		_, err := h.store.AppendAudit(t.Context(), remark, remark)
		must(t, err)
		aRun(t, h.store, "run_2")
		if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK || got.Missing != 0 {
			t.Fatalf("%+v, %v", got, err)
		}
		must(t, c.do(t.Context(), h))
		if got, err := h.start().Check(t.Context(), 0, 0); err != nil || got.OK != c.ok || c.ok && got.Missing != 2 {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// headStore simulates another process that signs just before a head is stored.
type headStore struct {
	Store
	before func()
}

func (s *headStore) PutAuditHead(ctx context.Context, h port.AuditHead) error {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.PutAuditHead(ctx, h)
}

// A process that signs concurrently with another continues after the other's head.
func TestTwoSignAtOnce(t *testing.T) {
	h := newHouse(t)
	h.grow(h.start(), 5)
	other := New(Config{Store: h.store, Key: KeyIn(h.dir), Anchor: AnchorFor(t.TempDir(), "")})
	h.grow(other, 1)
	store := &headStore{Store: h.store, before: func() { h.grow(other, 1) }}
	s := New(Config{Store: store, Key: KeyIn(h.dir), Anchor: AnchorFor(h.dir, "")})
	_, err := h.store.AppendAudit(t.Context(), draft(1))
	must(t, err)
	head, err := s.Cut(t.Context())
	if end, _, failed := h.store.AuditEnd(t.Context()); err != nil || failed != nil || head.N != end {
		t.Errorf("signed up to %d of %d, %v", head.N, end, err)
	}
	if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK || got.Signed != got.Total {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPublicKeysAreReadStrictly(t *testing.T) {
	s, _ := open(t)
	key, err := s.Key()
	must(t, err)
	if public, id, err := ParsePublic(" " + key.Public + "\n"); err != nil || id != key.ID || len(public) == 0 {
		t.Errorf("%s, %v", id, err)
	}
	bare := strings.TrimPrefix(key.Public, keyPrefix)
	for _, text := range []string{"", bare, keyPrefix, keyPrefix + "!" + bare, keyPrefix + bare[:8], key.Public + "AAAA",
		strings.Repeat("x", 100)} {
		if _, _, err := ParsePublic(text); err == nil {
			t.Errorf("%q is taken for a key", text)
		}
	}
}

// Verifying a long export reports progress.
func TestProgressOfVerifying(t *testing.T) {
	s, store := open(t)
	file := exported(t, s, store, 2001)
	var read []int64
	if r := verified(t, file, Expected{Read: func(n int64) { read = append(read, n) }}); !r.OK {
		t.Fatalf("%+v", r)
	}
	want, lines := []int64(nil), 0
	for i, b := range file {
		if b == '\n' {
			if lines++; lines == 1000 || lines == 2000 {
				want = append(want, int64(i+1))
			}
		}
	}
	if !slices.Equal(read, want) {
		t.Errorf("%v, want %v", read, want)
	}
}

// The last line of an export has one valid form, with a readable key.
func TestLastLineOfAnExport(t *testing.T) {
	s, store := open(t)
	file := exported(t, s, store, 5)
	key, err := s.Key()
	must(t, err)
	for _, c := range []struct{ from, to, why string }{
		{`{"end":{`, `{"end": {`, "the last line is not in canonical form"},
		{key.Public, keyPrefix + "AAAA", "the key in the last line cannot be read"},
		{`{"end":{`, `{"end":[`, "the last line cannot be read"},
	} {
		at := bytes.LastIndex(file, []byte(`{"end":`))
		changed := append(slices.Clone(file[:at]), bytes.Replace(file[at:], []byte(c.from), []byte(c.to), 1)...)
		if r := verified(t, changed, Expected{}); r.OK || !strings.Contains(r.Why, c.why) {
			t.Errorf("%s => %s: %+v", c.from, c.to, r)
		}
	}
}

// A path may be restricted to one event, including the first.
func TestRedactionOfTheFirstEvent(t *testing.T) {
	s, store := open(t)
	aRun(t, store, "run_x")
	var out bytes.Buffer
	must(t, s.Prove(t.Context(), "run_x", ann, &out))
	red, n, err := Redact(out.Bytes(), Redaction{Paths: []string{"1:/input"}})
	if err != nil || n == 0 || bytes.Contains(red, []byte("DE02120300000000202051\"}")) {
		t.Errorf("%d, %v", n, err)
	}
	for _, path := range []string{"0:/input", "-1:/input", "x:/input"} {
		if _, _, err := Redact(out.Bytes(), Redaction{Paths: []string{path}}); err == nil {
			t.Errorf("%s is taken for a path", path)
		}
	}
}

// An anchor may have the maximum length.
func TestLongestAnchor(t *testing.T) {
	h := newHouse(t)
	h.grow(h.start(), 5)
	anchor := AnchorFor(h.dir, "")
	text, err := os.ReadFile(string(anchor))
	must(t, err)
	for size, ok := range map[int]bool{anchorMax: true, anchorMax + 1: false} {
		must(t, os.WriteFile(string(anchor), append(slices.Clone(text), bytes.Repeat([]byte(" "), size-len(text))...), 0o600))
		if _, err := anchor.Load(); (err == nil) != ok || !ok && !strings.Contains(err.Error(), "more than expected") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// Events that are missing, unreadable or moved to another run are reported by their numbers.
func TestEventsThatAreNotAsTheyWere(t *testing.T) {
	for _, c := range []struct{ name, change, why string }{
		{"the end is gone", `DELETE FROM batches WHERE run = 'run_2'`,
			"it binds events up to 6 of the feed, which ends at 4"},
		{"they cannot be read", `UPDATE batches SET body = CAST('x' AS BLOB) WHERE run = 'run_x'`,
			"events 1 to 6 of the feed cannot be read"},
		{"they belong to another run", `UPDATE batches SET run = 'run_y' WHERE run = 'run_2'`, "run_y"},
	} {
		h := newHouse(t)
		s := h.start()
		aRun(t, h.store, "run_x") // four events
		must(t, paid(t.Context(), h.store, "run_2"))
		must(t, s.Bind(t.Context(), 10))
		if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK {
			t.Fatalf("%+v, %v", got, err)
		}
		h.edit(c.change)
		if got, err := h.start().Check(t.Context(), 0, 0); err != nil || got.OK || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// An entry of a proof belongs to a head in it, and is in its position.
func TestEntriesOfAProofBelongToHeads(t *testing.T) {
	s, store := open(t)
	aRun(t, store, "run_x")
	var out bytes.Buffer
	must(t, s.Prove(t.Context(), "run_x", ann, &out))
	for _, c := range []struct {
		name   string
		change func(p *proof)
		why    string
	}{
		{"no head", func(p *proof) { p.Entries[0].Head += 1000 }, "it has no head"},
		{"no key", func(p *proof) { p.Keys = nil }, "of a head is missing"},
		{"twice", func(p *proof) { p.Entries = append(p.Entries[:1:1], p.Entries...) }, "it is out of order"},
		{"swapped", func(p *proof) { p.Entries[0], p.Entries[1] = p.Entries[1], p.Entries[0] }, "it is out of order"},
	} {
		p, err := readProof(out.Bytes())
		must(t, err)
		c.change(p)
		file, err := value.Marshal(p)
		must(t, err)
		if r := verifiedProof(t, append(file, '\n'), Expected{}); r.OK || !strings.Contains(r.Why, c.why) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// A server signs soon after its start, and is done when it has stopped.
func TestAServerSignsByItself(t *testing.T) {
	s, store := open(t)
	_, err := store.AppendAudit(t.Context(), draft(1))
	must(t, err)
	s.Start()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if h, err := store.LastAuditHead(t.Context()); err == nil && h.N > 0 {
			break
		}
		if time.Now().After(end) {
			t.Error("nothing was signed")
			break
		}
	}
	s.Stop()
	before, _, err := store.AuditEnd(t.Context())
	must(t, err)
	must(t, paid(t.Context(), store, "run_1"))
	if after, _, err := store.AuditEnd(t.Context()); err != nil || after != before+1 { // that of the run
		t.Errorf("after its end it wrote entries %d to %d, %v", before+2, after, err)
	}
}
