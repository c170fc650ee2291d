package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// longRun is a run with that many more events, before the one at a position.
func longRun(id string, more, at int) port.Write {
	w := runWrite(id)
	filling := make([]run.Event, more)
	for i := range filling {
		filling[i] = run.Event{Run: id, At: began, Actor: ann, Fact: &run.SnapshotSaved{}}
	}
	w.Events = slices.Insert(w.Events, at, filling...)
	for i := range w.Events {
		w.Events[i].Seq = int64(i) + 1
	}
	w.Row.Seq = int64(len(w.Events))
	w.Audit[1].Detail = map[string]any{"seq": w.Row.Seq, "act": "modify"}
	return w
}

// Runs are bound, checked and proved completely, however many events they have.
func TestLongRuns(t *testing.T) {
	const more = eventsMax + 50
	for original, want := range map[string]string{
		`{"amount":5000}`: "", `{"amount":4000}`: fmt.Sprintf(`the value "original" of event %d`, more+4),
	} {
		s, store := open(t)
		w := longRun("run_1", more, 3)
		w.Audit[1].Sealed[3].Value = json.RawMessage(original)
		_, err := store.Append(t.Context(), w)
		must(t, err)
		must(t, s.Bind(t.Context(), sealTick))
		finds(t, original, s, want)
		page, err := store.AuditEntries(t.Context(), port.AuditQuery{Action: ActionEvents, Limit: 10})
		must(t, err)
		if len(page.Items) != 2 {
			t.Errorf("%d entries bind %d events", len(page.Items), len(w.Events))
		}
		moving := &movingStore{Store: store, t: t, run: "run_1", seq: w.Row.Seq, on: true}
		s.Store = moving
		var out bytes.Buffer
		must(t, s.Prove(t.Context(), "run_1", ann, &out))
		if r := verifiedProof(t, out.Bytes(), Expected{}); r.OK != (want == "") || !strings.Contains(r.Why, want) {
			t.Errorf("%+v", r)
		}
		p, err := readProof(out.Bytes())
		must(t, err)
		if len(p.Events) != len(w.Events) {
			t.Errorf("%d events are proved of %d", len(p.Events), len(w.Events))
		}
	}
}

// The history of a fork may be long.
func TestLongForks(t *testing.T) {
	s, store := open(t)
	w := longRun("run_1", pageRows, 4)
	w.Row.Seq++
	w.Audit = []port.AuditDraft{{At: began, Actor: ann, Action: "run.forked", Target: "run_1", Run: "run_1",
		Detail: map[string]any{"seq": w.Row.Seq, "at_seq": w.Row.Seq - 1}}}
	w.Events = append(w.Events, run.Event{Run: "run_1", Seq: w.Row.Seq, At: began, Actor: ann,
		Fact: &run.RunForked{From: "run_0", AtSeq: w.Row.Seq - 1}})
	_, err := store.Append(t.Context(), w)
	must(t, err)
	finds(t, "forked", s, "")
}

// A run may have more entries than one page, and a log more keys.
func TestManyEntriesAndKeys(t *testing.T) {
	s, store := open(t)
	aRun(t, store, "run_x")
	_, err := s.Cut(t.Context())
	must(t, err)
	drafts := make([]port.AuditDraft, 2*pageRows)
	for i := range pageRows {
		drafts[i] = draft(i)
		id := fmt.Sprintf("%016x", i)
		drafts[pageRows+i] = port.AuditDraft{At: began, Actor: ann, Action: ActionKey, Target: "key/" + id,
			Detail: keyDetail{Key: id, Public: testKey(t, byte(i)).Public}}
	}
	_, err = store.AppendAudit(t.Context(), drafts...)
	must(t, err)
	var out bytes.Buffer
	must(t, s.Prove(t.Context(), "run_x", ann, &out))
	if r := verifiedProof(t, out.Bytes(), Expected{}); !r.OK || r.Entries != 2+pageRows+1 {
		t.Errorf("%+v", r)
	}
	keys, err := s.Keys(t.Context())
	must(t, err)
	if len(keys) != pageRows+1 || !keys[0].InUse {
		t.Fatalf("%d keys", len(keys))
	}
	for i, k := range keys[1:] {
		if k.ID != fmt.Sprintf("%016x", i) || k.InUse {
			t.Fatalf("key %d is %+v", i, k)
		}
	}
	// Each head and each key is in a proof once, even if an entry ends a head.
	p, err := readProof(out.Bytes())
	must(t, err)
	last, err := port.ReadAuditBody(p.Entries[len(p.Entries)-1].Entry)
	must(t, err)
	if len(p.Heads) != 2 || len(p.Keys) != 1 || p.Heads[1].N != last.N {
		t.Errorf("%d heads and %d keys, the last head at %d and the last entry at %d", len(p.Heads), len(p.Keys),
			p.Heads[len(p.Heads)-1].N, last.N)
	}
}

// A run without audit entries can be proved.
func TestProofWithoutEntries(t *testing.T) {
	s, store := open(t)
	w := payment("run_1")
	w.Audit = nil
	_, err := store.Append(t.Context(), w)
	must(t, err)
	var out bytes.Buffer
	must(t, s.Prove(t.Context(), "run_1", ann, &out))
	if r := verifiedProof(t, out.Bytes(), Expected{}); !r.OK || r.Entries != 1 {
		t.Errorf("%+v", r)
	}
}

// The entries of a proof are those up to where the log was read.
func TestHowFarAProofLooked(t *testing.T) {
	file, _ := proved(t)
	p, err := readProof(file)
	must(t, err)
	v := proofReader{proof: p}
	must(t, v.readHeads())
	for i := range p.Entries {
		must(t, v.readEntry(&p.Entries[i]))
	}
	last := &v.entries[len(v.entries)-1]
	var said provedDetail
	must(t, json.Unmarshal(last.Detail, &said))
	newest := v.entries[len(v.entries)-2].N
	for through, ok := range map[int64]bool{newest - 1: false, newest: true, last.N - 1: true, last.N: false, 0: true} {
		said.Through = through
		last.Detail, err = value.Marshal(said)
		must(t, err)
		err := v.compareEvents()
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "it was created when the log ended at") {
			t.Errorf("through %d of %d and %d: %v", through, newest, last.N, err)
		}
	}
	// It contains all events up to there.
	entry := v.entries[0]
	entry.Detail = json.RawMessage(`{"seq":5}`)
	if err := v.compareEntry(entry, nil); err == nil || !strings.Contains(err.Error(), "event 5 is missing") {
		t.Error(err)
	}
}

// More values than can be proved individually are rejected, exactly at the limit.
func TestMostValues(t *testing.T) {
	fact := &run.StepCompleted{Step: "x", Result: &run.Result{Output: json.RawMessage(`[]`)}}
	data, err := run.EncodeFact(fact)
	must(t, err)
	others := map[string]string{}
	must(t, salt("", data, others, 0))
	fact.Result.Output = json.RawMessage("[" + strings.Repeat("1,", leavesMax-len(others)-1) + "1]")
	more := &run.MessageAdded{Message: run.Message{Text: "x"}}
	p := &proof{Run: "run_1"}
	err = p.readEvents(t.Context(), storedFacts{facts: []run.Fact{fact, more}}, 2)
	if !fault.Is(err, fault.TooLarge) || len(p.Events) != 1 {
		t.Errorf("%v behind %d events", err, len(p.Events))
	}
}

// storedFacts is a store with some events of one run.
type storedFacts struct {
	Store
	facts []run.Fact
}

func (s storedFacts) Events(context.Context, string, int64, int) (out []port.Record, err error) {
	for i, f := range s.facts {
		out = append(out, port.Record{Event: run.Event{Run: "run_1", Seq: int64(i) + 1, At: began, Actor: ann, Fact: f}})
	}
	return out, nil
}

// Documents may be nested up to the limit, and not deeper; duplicate keys are rejected.
func TestDeepestDocuments(t *testing.T) {
	nested := func(open, end string, n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(open, n) + "1" + strings.Repeat(end, n))
	}
	for _, c := range []struct {
		name string
		data json.RawMessage
		want string
	}{
		{"lists", nested("[", "]", depthMax), ""},
		{"lists in lists", nested("[", "]", depthMax+1), "nested more than 200 deep"},
		{"objects", nested(`{"a":`, "}", depthMax), ""},
		{"objects in objects", nested(`{"a":`, "}", depthMax+1), "nested more than 200 deep"},
		{"twice", json.RawMessage(`{"a":1,"b":2,"a":3}`), `duplicate key "a"`},
	} {
		tells := func(err error) bool { return err != nil && strings.Contains(err.Error(), c.want) }
		salts := map[string]string{}
		if err := salt("", c.data, salts, 0); (err == nil) != (c.want == "") || err != nil && !tells(err) {
			t.Errorf("%s: salted, %v", c.name, err)
		}
		text := string(c.data)
		at := strings.Repeat("/0", strings.Count(text, "[")) + strings.Repeat("/a", strings.Count(text, "a"))
		e := event{Seq: 1, Type: "x", Data: c.data, Salts: map[string]string{at: "00"}}
		if _, err := e.commitment(); (err == nil) != (c.want == "") || err != nil && !tells(err) {
			t.Errorf("%s: digested, %v", c.name, err)
		}
	}
}

// Heads that a person kept have one valid format.
func TestKeptHeads(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	for text, want := range map[string]known{
		"": {}, "1:" + hash: {1, hash}, " 12:" + hash + "\n": {12, hash},
	} {
		if got, err := parseHead(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"9223372036854775808:" + hash, "1", "0:" + hash,
		"-1:" + hash, "x:" + hash, ":" + hash, "1:", "1:" + hash[1:], hash} {
		if got, err := parseHead(text); err == nil || got != (known{}) {
			t.Errorf("%q is taken for a head: %+v", text, got)
		}
	}
}

// Input that is not a log is not read to its end; read errors are reported.
func TestLongLines(t *testing.T) {
	r := verified(t, []byte(strings.Repeat("x", lineMax+10)+"\n"), Expected{})
	because(t, "a long line", r, "the line is not JSON")
	_, err := VerifyExport(strings.NewReader(strings.Repeat("x", lineMax+1<<16+10)+"\n"), Expected{})
	if err == nil || !strings.Contains(err.Error(), "not a valid audit log") {
		t.Error(err)
	}
	if _, err := VerifyExport(iotest.ErrReader(errBroken), Expected{}); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// An export must not contain a salt without its value: a changed one could not be detected.
func TestSaltsInExports(t *testing.T) {
	s, store := open(t)
	file := exported(t, s, store, 3)
	first, rest, _ := bytes.Cut(file, []byte("\n"))
	row, err := readLine(first)
	must(t, err)
	open, err := port.OpenWith(row.Open, func(port.OpenedValue) bool { return true })
	must(t, err)
	at, end := bytes.Index(open, []byte(`,"value":`)), len(open)-2
	if at < 0 {
		t.Fatalf("%s", open)
	}
	bare := slices.Concat(open[:at], open[end:])
	text := slices.Concat(row.Body[:len(row.Body)-1], []byte(behind(row.Hash, bare)), []byte("\n"), rest)
	because(t, "a salt", verified(t, text, Expected{}), `it has a salt but not the value "comment"`)
}

// Values can be redacted from lists, along with everything that helps to guess them.
func TestRedactionOfLists(t *testing.T) {
	s, store := open(t)
	w := runWrite("run_1")
	w.Events[2].Fact.(*run.ApprovalNeeded).Request.Action.Digest = "sha256:guess"
	_, err := store.Append(t.Context(), w)
	must(t, err)
	var out bytes.Buffer
	must(t, s.Prove(t.Context(), "run_1", ann, &out))
	red, n, err := Redact(out.Bytes(), Redaction{Paths: []string{"/result/output/list"}})
	if err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	if bytes.Contains(red, []byte(`"list":[1`)) || bytes.Contains(red, []byte("sha256:guess")) ||
		!bytes.Contains(red, []byte("carla@example.com")) {
		t.Errorf("%s", red)
	}
	if r := verifiedProof(t, red, Expected{}); !r.OK {
		t.Errorf("%+v", r)
	}
	where := []string{"decision", "a/b"}
	for places, want := range map[string]bool{
		"/decision/a~1b": true, "/decision/a~1b/c": true, "/decision": true, "/decision/a": false, "/decision/a~1bc": false,
		"/deci": false, "/x /decision": true, "": false,
	} {
		if got := touches(where, strings.Fields(places)); got != want {
			t.Errorf("%q: %t", places, got)
		}
	}
}

// headsOnly is a store with that many heads, one for each entry.
type headsOnly struct {
	Store
	n int64
}

func (s headsOnly) AuditHeads(_ context.Context, from int64, limit int) (heads []port.AuditHead, err error) {
	for n := max(from, 1); n <= min(s.n, from+int64(limit)-1); n++ {
		heads = append(heads, port.AuditHead{N: n, From: n})
	}
	return heads, nil
}

// A consistency proof has one version, each key once, and a limited number of heads.
func TestLimitsOfConsistency(t *testing.T) {
	for n, ok := range map[int64]bool{consistencyMax: true, consistencyMax + 1: false} {
		for _, to := range []int64{0, n} {
			s := New(Config{Store: headsOnly{n: n}})
			heads, err := s.headsBetween(t.Context(), 1, to)
			if (err == nil) != ok || ok && int64(len(heads)) != n || !ok && !fault.Is(err, fault.TooLarge) {
				t.Errorf("%d heads up to %d: %d, %v", n, to, len(heads), err)
			}
		}
	}
	s, heads := headed(t)
	var c consistency
	must(t, json.Unmarshal(followed(t, s, heads[0].N, 0), &c))
	if len(c.Keys) != 2 || len(c.Links) != 1 {
		t.Errorf("%d keys and %d links", len(c.Keys), len(c.Links))
	}
	c.Version++
	file, err := value.Marshal(c)
	must(t, err)
	because(t, "another version", verifiedConsistency(t, append(file, '\n'), Expected{}), "the proof has version")
	r := verifiedConsistency(t, followed(t, s, heads[0].N, heads[1].N), Expected{})
	if r.Key != heads[1].Key || !r.SignedAt.Equal(heads[1].At) || r.Pinned {
		t.Errorf("%+v", r)
	}
}

// feedStore is a store whose feed cannot be read, or ends elsewhere than it claims.
type feedStore struct {
	Store
	feed  error
	head  int64
	stray string
}

func (s feedStore) Feed(ctx context.Context, after int64, limit int, f port.FeedFilter) ([]port.Record, int64, error) {
	if s.feed != nil {
		return nil, after, s.feed
	}
	return s.Store.Feed(ctx, after, limit, f)
}

func (s feedStore) Head(ctx context.Context) (int64, error) {
	n, err := s.Store.Head(ctx)
	return n + s.head, err
}

func (s feedStore) Strays(context.Context) (string, error) { return s.stray, nil }

// Events after the entries that bind them are checked as well.
func TestEndOfTheFeed(t *testing.T) {
	s, store := open(t)
	if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK || len(got.Warnings) > 0 {
		t.Errorf("an empty log: %+v, %v", got, err)
	}
	aRun(t, store, "run_1")
	for _, c := range []struct {
		bind, unbound int64
		warned        bool
	}{{0, 4, true}, {1, 3, false}, {2, 1, false}, {9, 0, false}} {
		must(t, s.Bind(t.Context(), c.bind))
		got, err := s.Check(t.Context(), 0, 0)
		if err != nil || !got.OK || got.Unbound != c.unbound ||
			strings.Contains(strings.Join(got.Warnings, "; "), "no events of runs are bound") != c.warned {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
	for want, with := range map[string]feedStore{
		"events up to 4 of the feed were bound to the log, but the feed ends at 3": {head: -1},
		"the feed ends at event 4, but the store records 6":                        {head: 2},
		"a stray row": {stray: "a stray row"},
		"events 1 to 1 of the feed cannot be read: the store broke": {feed: errBroken},
		"it is not what it was": {feed: bad(2, "it is not what it was")},
	} {
		with.Store = store
		s.Store = with
		got, err := s.Check(t.Context(), 0, 0)
		if err != nil || got.OK || got.Why != want {
			t.Errorf("%q: %+v, %v", want, got, err)
		}
	}
	s.Store = feedStore{Store: store, feed: errAway}
	if _, err := s.Check(t.Context(), 0, 0); !errors.Is(err, port.ErrUnavailable) {
		t.Errorf("that the store is away is nothing wrong with the log: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	turns := 0
	ctx = port.WithPause(ctx, func() error {
		if turns++; turns == 3 { // after two entries, while the events bound by the third are read
			cancel()
		}
		return ctx.Err()
	})
	s.Store = store
	if _, err := s.Check(ctx, 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled check must report the cancellation, not a damaged log: %v", err)
	}
}
