package audit

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// because compares the reason for a rejection with the expected one: a rejection by some check does not show
// that each of them works.
func because(t *testing.T, name string, r Result, want string) {
	t.Helper()
	if r.OK || !strings.Contains(r.Why, want) {
		t.Errorf("%s: ok %t, %q, want %q", name, r.OK, r.Why, want)
	}
}

// A changed proof is rejected for the change that was made.
func TestWhyProofsAreRefused(t *testing.T) {
	file, public := proved(t)
	for _, c := range []struct {
		name string
		f    func(*proof)
		why  string
	}{
		{"an event less", func(p *proof) { p.Events = p.Events[:3] }, "the run had 4 events, and the proof contains 3"},
		{"events swapped", func(p *proof) { p.Events[0], p.Events[1] = p.Events[1], p.Events[0] },
			"event 2 is in the place of event 1"},
		{"an entry less", func(p *proof) { p.Entries = p.Entries[1:] }, "the run had 2 entries, and the proof contains 1"},
		{"the last entry less", func(p *proof) { p.Entries = p.Entries[:2] },
			"it does not describe the content of the proof"},
		{"entries swapped", func(p *proof) { p.Entries[0], p.Entries[1] = p.Entries[1], p.Entries[0] },
			"it is out of order"},
		{"an entry twice", func(p *proof) { p.Entries = append(p.Entries[:1:1], p.Entries...) }, "it is out of order"},
		{"a later head", func(p *proof) { p.Entries[0].Head = p.Heads[1].N }, "it has no head"},
		{"an earlier head", func(p *proof) { p.Entries[2].Head = p.Heads[0].N }, "it has no head"},
		{"no such head", func(p *proof) { p.Entries[0].Head = 999 }, "it has no head"},
		{"no way up", func(p *proof) { p.Entries[0].Path = nil }, "it is not among the signed entries"},
		{"no heads", func(p *proof) { p.Heads = nil }, "it has no head"},
		{"no keys", func(p *proof) { p.Keys = nil }, "of a head is missing"},
		{"a key under another name", func(p *proof) { p.Keys[0].ID = "0000000000000000" }, "does not match the key"},
		{"a head changed", func(p *proof) { p.Heads[0].At = p.Heads[0].At.Add(1) }, "the signature of the head"},
		{"no entries", func(p *proof) { p.Entries = nil }, "it contains no entries"},
		{"another run", func(p *proof) { p.Run = "run_2" }, "it belongs to another run"},
		{"another actor", func(p *proof) { p.Events[3].Actor.Name = "bob" },
			"the events are not those that it was created for"},
		{"a salt less", func(p *proof) { delete(p.Events[0].Salts, "/owner") }, "event 1: the value at /owner has no salt"},
		{"another version", func(p *proof) { p.Version++ }, "the proof has version"},
	} {
		because(t, c.name, verifiedProof(t, change(t, file, c.f), Expected{}), c.why)
	}
	because(t, "written otherwise", verifiedProof(t, append(bytes.Clone(file), '\n'), Expected{}),
		"it is not in canonical form")
	because(t, "no proof", verifiedProof(t, []byte("{"), Expected{}), "not a valid proof")
	p, err := readProof(file)
	must(t, err)
	r := verifiedProof(t, file, Expected{})
	last := p.Heads[len(p.Heads)-1]
	if !r.OK || r.Pinned || r.Head != FormatHead(last.N, last.Hash) || r.Key != last.Key || r.Public != public ||
		!r.SignedAt.Equal(last.At) || r.Entries != 3 {
		t.Errorf("%+v", r)
	}
	// A kept head is compared with the heads and with the entries.
	const other = "abababababababababababababababababababababababababababababababab"
	entry, err := port.ReadAuditBody(p.Entries[0].Entry)
	must(t, err)
	for _, n := range []int64{p.Heads[0].N, entry.N} {
		because(t, "another was kept", verifiedProof(t, file, Expected{Head: FormatHead(n, other)}),
			"it is not the entry whose hash you kept")
	}
	if r := verifiedProof(t, file, Expected{Head: FormatHead(p.Heads[0].N, p.Heads[0].Hash)}); !r.OK {
		t.Errorf("%+v", r)
	}
	for _, x := range []Expected{{Head: "x"}, {Public: "x"}} {
		if _, err := VerifyProof(file, x); err == nil {
			t.Errorf("%+v was taken", x)
		}
		if _, err := VerifyExport(bytes.NewReader(nil), x); err == nil {
			t.Errorf("%+v was taken for an export", x)
		}
		if _, err := VerifyConsistency(nil, x); err == nil {
			t.Errorf("%+v was taken for a consistency proof", x)
		}
	}
}

// Every field of an entry about an event is compared with that event, whatever is signed.
func TestWhyEntriesDoNotFitEvents(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*port.AuditDraft)
		why    string // in a proof
		found  string // in the store
	}{
		{"as it was", func(*port.AuditDraft) {}, "", ""},
		{"no event at all", func(d *port.AuditDraft) { d.Detail = map[string]any{"seq": -1} }, "event -1 is missing",
			"event 2 of run run_1 (approval.resolved) is not recorded in the log"},
		{"another event", func(d *port.AuditDraft) { d.Detail = map[string]any{"seq": 1} },
			"event 1 is not what it recorded", "event 1 of run run_1 is not what it recorded"},
		{"another time", func(d *port.AuditDraft) { d.At = began.Add(1) }, "event 2 is not what it recorded",
			"event 2 of run run_1 is not what it recorded"},
		{"another action", func(d *port.AuditDraft) { d.Action = "approval.auto_approved" },
			"event 2 is not what it recorded", "event 2 of run run_1 is not what it recorded"},
		{"another value", func(d *port.AuditDraft) { d.Sealed[1].Value = json.RawMessage(`"bad"`) },
			`the value "comment" of event 2 is not the one that was recorded`,
			`the value "comment" of event 2 of run run_1 is not the one that was recorded`},
	} {
		s, store := open(t)
		d := port.AuditDraft{
			At: began, Actor: ann, Action: "approval.resolved", Target: "apr_x_1", Run: "run_1",
			Detail: map[string]any{"seq": 2},
			Sealed: []port.Sealed{
				{Name: "content", Value: json.RawMessage(`"sha256:c"`), Beside: true},
				{Name: "comment", Value: json.RawMessage(`"fine"`)},
			},
		}
		c.change(&d)
		w := aDecided()
		w.Audit = []port.AuditDraft{started("run_1", ann), d}
		_, err := store.Append(t.Context(), w)
		must(t, err)
		var out bytes.Buffer
		must(t, s.Prove(t.Context(), "run_1", ann, &out))
		if r := verifiedProof(t, out.Bytes(), Expected{}); r.OK != (c.why == "") || !strings.Contains(r.Why, c.why) {
			t.Errorf("%s: %t, %q", c.name, r.OK, r.Why)
		}
		got, err := s.Check(t.Context(), 0, 0)
		if err != nil || got.OK != (c.found == "") || !strings.HasPrefix(got.Why, c.found) {
			t.Errorf("%s in the store: %+v, %v", c.name, got, err)
		}
		if strings.HasSuffix(c.found, "recorded") && *got.FirstBad != 2 {
			t.Errorf("%s: entry %d is named", c.name, *got.FirstBad)
		}
	}
}

// An entry belongs to a head that covers it and no more entries than allowed, anywhere in the log.
func TestHeadsOfEntriesInProofs(t *testing.T) {
	file, _ := proved(t)
	p, err := readProof(file)
	must(t, err)
	e, err := port.ReadAuditBody(p.Entries[0].Entry)
	must(t, err)
	const n = 5 * segmentMax
	body := bytes.Replace(p.Entries[0].Entry, fmt.Appendf(nil, `"n":%d,`, e.N), fmt.Appendf(nil, `"n":%d,`, n), 1)
	leaf, err := leafHash(port.AuditHash(e.Prev, body))
	must(t, err)
	for _, c := range []struct {
		name       string
		from, upTo int64
		want       string
	}{
		{"alone", n, n, ""},
		{"one of as many as may be", n - segmentMax + 1, n, "it is not among the signed entries"},
		{"one of too many", n - segmentMax, n, "it has no head"},
		{"before it", n - 2, n - 1, "it has no head"},
		{"behind it", n + 1, n + 2, "it has no head"},
	} {
		v := proofReader{proof: p, heads: map[int64]port.AuditHead{c.upTo: {N: c.upTo, From: c.from,
			Root: hex.EncodeToString(leaf)}}}
		err := v.readEntry(&proofEntry{Entry: body, Open: p.Entries[0].Open, Head: c.upTo})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// The end of an export is rejected for what is wrong with it, even if the attacker has the key.
func TestWhyTheEndOfAnExportIsRefused(t *testing.T) {
	s, store := open(t)
	file := exported(t, s, store, 5)
	key, err := s.Key()
	must(t, err)
	lines := bytes.SplitAfter(file, []byte("\n"))
	entries, tail := bytes.Join(lines[:len(lines)-2], nil), lines[len(lines)-2]
	written := func(text string) []byte { return append(bytes.Clone(entries), text...) }
	var genuine end
	must(t, json.Unmarshal(tail, &genuine))
	for _, c := range []struct {
		name string
		text func() string
		why  string
	}{
		{"nothing", func() string { return "" }, "the log ends without a signed head"},
		{"half of it", func() string { return string(tail[:len(tail)-1]) }, "the file ends in the middle of a line"},
		{"twice", func() string { return string(tail) + string(tail) }, "there is data after the end"},
		{"more of it", func() string { return strings.Replace(string(tail), `{"end":{`, `{"end":{"x":1,`, 1) },
			"the last line cannot be read"},
		{"spaced", func() string { return strings.Replace(string(tail), `"entries":`, `"entries": `, 1) },
			"the last line is not in canonical form"},
	} {
		because(t, c.name, verified(t, written(c.text()), Expected{}), c.why)
	}
	other := testKey(t, 9)
	for _, c := range []struct {
		name   string
		change func(e *endBody)
		sign   *Key
		why    string
	}{
		{"no key", func(e *endBody) { e.Public = "x" }, nil, "the key in the last line cannot be read"},
		{"more entries", func(e *endBody) { e.Entries++ }, nil, "5 entries were signed, but there are 5"},
		{"a longer head", func(e *endBody) { e.Head.N++ }, key, "6 entries were signed, but there are 5"},
		{"another hash", func(e *endBody) { e.Head.Hash = strings.Repeat("ab", 32) }, key,
			"it is not the one that was signed"},
		{"not signed", func(e *endBody) { e.Head.At = e.Head.At.Add(1) }, nil,
			"the signature of the head at entry 5 is not valid"},
		{"another key", func(e *endBody) { e.Public = other.Public }, nil,
			"the signature of the head at entry 5 is not valid"},
		{"no signature", func(e *endBody) { e.Head.Sig = "!" }, nil, "the signature cannot be read"},
		{"it begins too late", func(e *endBody) { e.Head.From = 6 }, key, "the head begins at entry 6"},
		{"it begins too early", func(e *endBody) { e.Head.From = 0 }, key, "the head begins at entry 0"},
		{"it begins elsewhere", func(e *endBody) { e.Head.From = 2 }, key, "the head does not match these entries"},
		{"another root", func(e *endBody) { e.Head.Root = strings.Repeat("ab", 32) }, key,
			"the head does not match these entries"},
	} {
		e := genuine
		c.change(&e.End)
		if c.sign != nil {
			must(t, c.sign.sign(&e.End.Head))
		}
		text, err := value.Marshal(e)
		must(t, err)
		because(t, c.name, verified(t, written(string(text)+"\n"), Expected{}), c.why)
	}
	// Entries as well.
	first := string(lines[0])
	for _, c := range []struct{ name, text, why string }{
		{"no JSON", "x\n", "the line is not JSON"},
		{"nothing", "\n", "the line is not JSON"},
		{"spaced", strings.Replace(first, `,"hash":`, `, "hash":`, 1),
			"the line is not in canonical form"},
		{"another hash", strings.Replace(first, `"hash":"`, `"hash":"0`, 1), "its hash does not match its content"},
		{"the second first", string(lines[1]), "found entry 2 instead"},
	} {
		r := verified(t, append([]byte(c.text), bytes.Join(lines[1:], nil)...), Expected{})
		because(t, c.name, r, c.why)
		if firstBad(r) != 1 {
			t.Errorf("%s: entry %d", c.name, firstBad(r))
		}
	}
}

// aDecided is a write with a decision by ann.
func aDecided() port.Write {
	w := port.Write{Run: "run_1",
		Row: port.RunRow{ID: "run_1", Workflow: "refund", Status: run.Running, Seq: 2, StartedAt: began, UpdatedAt: began}}
	for i, f := range decisionFacts() {
		w.Events = append(w.Events, run.Event{Run: "run_1", Seq: int64(i) + 1, At: began, Actor: ann, Fact: f})
	}
	return w
}
