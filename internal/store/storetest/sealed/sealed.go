// Package sealed tests the encryption of a store, from outside: nothing planted in it can be read from its raw bytes,
// keys can be rotated at any time, and values that were moved or damaged are noticed.
//
//	sealed.Run(t, sealed.Hooks{Open: open, Raw: raw, Exec: exec, Child: child})
package sealed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/hook"
	"github.com/assent-run/assent/internal/store/storetest/list"
	"github.com/assent-run/assent/internal/store/storetest/notice"
)

// TestKey is the key with which the suite runs a second time, encrypted.
const TestKey = "c2VhbCB0aGUgdGVzdHMgYWxsIHRoZSB3YXkgZG93bi4="

// Hooks are what it takes to examine a store from outside.
type Hooks struct {
	// Open opens a store, with keys; where is empty for a new one.
	Open func(t *testing.T, where string, keys ...seal.Key) (s store.Store, at string, err error)
	// Raw is everything that is stored, as raw bytes. The store is closed.
	Raw func(t *testing.T, where string) []byte
	// Exec changes the tables behind the store's back.
	Exec func(t *testing.T, where, sql string)
	// Child restarts the test binary so that it calls the function Child.
	Child func(t *testing.T, where string, key string) *exec.Cmd
}

// Run tests the encryption of a store.
func Run(t *testing.T, hooks Hooks) {
	h := tests{hooks}
	for name, f := range map[string]func(*testing.T){
		"NothingReadable": h.nothingReadable, "SwitchedOn": h.switchedOn, "Rotation": h.rotation,
		"Missing": h.missing, "Moved": h.moved,
		"Damaged": h.damaged, "RewriteAll": h.rewriteAll, "RewriteKilled": h.rewriteKilled, "WhileWriting": h.whileWriting,
	} {
		t.Run(name, f)
	}
}

type tests struct{ Hooks }

// ParseKey parses a valid key.
func ParseKey(t testing.TB, text string) seal.Key {
	t.Helper()
	k, err := seal.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func newKey(t *testing.T) seal.Key { return ParseKey(t, seal.NewKey()) }

func (h tests) open(t *testing.T, where string, keys ...seal.Key) (store.Store, string) {
	t.Helper()
	s, at, err := h.Open(t, where, keys...)
	fixture.Must(t, err)
	return s, at
}

// planted are words that must not be found in stored data, and how many there are: one in everything that can
// contain text from people and agents.
func planted(prefix string) []string {
	var out []string
	for _, where := range []string{
		"input", "output", "message", "large_output", "snapshot", "large_snapshot", "error", "subject", "title", "body",
		"description", "url", "mime", "answer", "saved_answer",
		"audit_value", "audit_detail", "version", "bundle", "blob", "large_blob", "reason",
		"request", "endpoint", "hook", "source",
	} {
		out = append(out, "planted-"+prefix+"-"+where+"-7c1f")
	}
	// Full-text indexes drop hyphens, and prefixes shared with the previous word.
	for _, where := range []string{"xsub", "xtit", "xerr", "xabo"} {
		out = append(out, where+prefix+"7c1f")
	}
	return out
}

// valuesPlanted is the number of values that contain them: three events are one.
var valuesPlanted = int64(len(planted("")) - 6)

// plant stores all of them and returns the ids of the blobs.
func plant(t *testing.T, s store.Store, prefix string) (small, large string) {
	t.Helper()
	word := func(where string) string { return "planted-" + prefix + "-" + where + "-7c1f" }
	quoted := func(where string) json.RawMessage { return json.RawMessage(`{"text":"` + word(where) + `"}`) }
	long := func(where string) string { return `"` + strings.Repeat(word(where)+" ", 1<<16) + `"` }
	a := fixture.New("run_" + prefix)
	w := a.Write(fixture.Started(string(quoted("input"))), fixture.Returned(string(quoted("output"))),
		fixture.Said(word("message")))
	w.Row.Error, w.Row.Subject = word("error")+" xerr"+prefix+"7c1f", word("subject")+" xsub"+prefix+"7c1f"
	w.Snapshot = quoted("snapshot")
	row := list.Approval("apr_"+prefix, a.ID)
	row.Title, row.Body = word("title")+" xtit"+prefix+"7c1f",
		json.RawMessage(`{"text":"`+word("body")+`","about":"xabo`+prefix+`7c1f"}`)
	w.Approvals = []port.ApprovalRow{row}
	d := fixture.Deliverable("dlv_"+prefix, a.ID, 1)
	d.Description, d.URL, d.MIME = word("description"), "https://example.com/"+word("url"), "text/"+word("mime")
	w.Deliverables = []port.DeliverableRow{d}
	w.Answer = &port.Answer{Key: "key " + prefix, Status: 200, Answer: quoted("answer"), At: fixture.Began}
	entry := fixture.AuditDraft("approval.decided", "apr_"+prefix, a.ID)
	entry.Detail, entry.Sealed[0].Value = map[string]any{"why": word("audit_detail")}, quoted("audit_value")
	w.Audit = []port.AuditDraft{entry}
	w.Taught = fixture.Lesson(word("request"))
	w.Row.EndedAt = fixture.Began
	a.Store(t, s, w)
	a.Row.Error, a.Row.Subject = w.Row.Error, w.Row.Subject
	w = a.Write(fixture.Returned(long("large_output")))
	w.Snapshot = json.RawMessage(long("large_snapshot"))
	a.Store(t, s, w)
	_, err := s.SaveAnswer(t.Context(), port.Answer{Key: "saved " + prefix, Status: 200,
		Answer: quoted("saved_answer"), At: fixture.Began})
	fixture.Must(t, err)
	v := fixture.Version("workflow", prefix, 1)
	v.Body, v.Source = quoted("version"), []byte("# "+word("source"))
	_, _, err = s.SaveVersion(t.Context(), v)
	fixture.Must(t, err)
	fixture.Must(t, s.PutBundle(t.Context(), "sha256:"+prefix, quoted("bundle")))
	sent := hook.Of("hook_"+prefix, 1, a.ID)
	sent.Body = quoted("hook")
	fixture.Must(t, s.PutHookDelivery(t.Context(), sent))
	gone := fixture.New("run_gone_" + prefix)
	gone.Row.EndedAt = fixture.Began
	gone.Did(t, s, fixture.Started(`{}`))
	_, err = s.OrderRemoval(t.Context(), port.Removal{Run: gone.ID, By: run.Actor{Kind: run.Person, Name: "ann"},
		Reason: word("reason"), At: fixture.Began})
	fixture.Must(t, err)
	push := notice.Subscription(prefix, "ann", 1)
	push.Endpoint = "https://push.example/" + word("endpoint")
	_, err = s.PutPush(t.Context(), push)
	fixture.Must(t, err)
	small, _, err = s.PutBlob(t.Context(), strings.NewReader(word("blob")), 1<<20)
	fixture.Must(t, err)
	large, _, err = s.PutBlob(t.Context(), strings.NewReader(long("large_blob")), 10<<20)
	fixture.Must(t, err)
	return small, large
}

// wantPlanted reads everything back.
func wantPlanted(t *testing.T, s store.Store, prefix, small, large string) {
	t.Helper()
	var all bytes.Buffer
	say := func(v any, err error) {
		t.Helper()
		fixture.Must(t, err)
		b, err := json.Marshal(v)
		fixture.Must(t, err)
		all.Write(b)
	}
	id, ctx := "run_"+prefix, t.Context()
	records, err := fixture.ReadRun(ctx, s, id, 10)
	say(records, err)
	for _, at := range []int64{3, 4} {
		_, state, err := s.Snapshot(ctx, id, at)
		say(state, err)
	}
	r, err := s.Run(ctx, id)
	say(r, err)
	a, err := s.Approval(ctx, "apr_"+prefix)
	say(a, err)
	d, err := s.Deliverable(ctx, "dlv_"+prefix)
	say(d, err)
	for _, key := range []string{"key ", "saved "} {
		a, _, err := s.Answer(ctx, key+prefix)
		say(string(a.Answer), err)
	}
	for _, e := range fixture.ReadAudit(t, s) {
		all.Write(e.Body)
		all.Write(e.Open)
	}
	v, err := s.Version(ctx, "workflow", prefix, -1)
	say(v, err)
	all.Write(v.Source)
	b, err := s.Bundle(ctx, "sha256:"+prefix)
	say(b, err)
	taught, err := s.Experiences(ctx)
	say(taught, err)
	sent, err := s.HookDelivery(ctx, "hook_"+prefix)
	say(string(sent.Body), err)
	orders, err := s.OpenRemovals(ctx, 100)
	say(orders, err)
	browsers, err := s.PushesOf(ctx, "ann")
	say(browsers, err)
	for _, blob := range []string{small, large} {
		f, size, err := s.OpenBlob(ctx, blob)
		fixture.Must(t, err)
		b, err := io.ReadAll(f)
		if fixture.Must(t, errors.Join(err, f.Close())); int64(len(b)) != size {
			t.Errorf("blob %s has %d bytes, not %d", blob, len(b), size)
		}
		all.Write(b)
	}
	for _, word := range planted(prefix) {
		if !bytes.Contains(all.Bytes(), []byte(word)) {
			t.Errorf("%s is gone", word)
		}
	}
}

// found lists the planted words that are readable.
func (h tests) found(t *testing.T, where, prefix string) (words []string) {
	t.Helper()
	raw := h.Raw(t, where)
	for _, word := range planted(prefix) {
		if bytes.Contains(raw, []byte(word[2:])) {
			words = append(words, word)
		}
	}
	return words
}

func (h tests) nothingReadable(t *testing.T) {
	s, at := h.open(t, "")
	plant(t, s, "open")
	fixture.Must(t, s.Close())
	if got := h.found(t, at, "open"); len(got) != len(planted("open")) {
		t.Errorf("of %d words that are not sealed only %v were found: the search is no good", len(planted("open")), got)
	}
	key := newKey(t)
	s, at = h.open(t, "", key)
	small, large := plant(t, s, "shut")
	fixture.Must(t, s.Close())
	if got := h.found(t, at, "shut"); len(got) > 0 {
		t.Errorf("the database contains %v", got)
	}
	s, _ = h.open(t, at, key)
	wantPlanted(t, s, "shut", small, large)
}

// rewrite calls Rewrite until it is done.
func rewrite(t *testing.T, s store.Store, all bool) (last seal.Rewriting) {
	t.Helper()
	for range 1000 {
		var err error
		last, err = s.(seal.Keeper).Rewrite(t.Context(), all)
		fixture.Must(t, err)
		if last.Done {
			return last
		}
	}
	t.Fatal("it never ends")
	return last
}

// switchedOn: plain and encrypted values coexist until the plain ones are encrypted as well.
func (h tests) switchedOn(t *testing.T) {
	s, at := h.open(t, "")
	small, large := plant(t, s, "before")
	fixture.Must(t, s.Close())
	key := newKey(t)
	s, _ = h.open(t, at, key)
	small2, large2 := plant(t, s, "after")
	wantPlanted(t, s, "before", small, large)
	wantPlanted(t, s, "after", small2, large2)
	if r := rewrite(t, s, false); r.Rewritten < valuesPlanted || len(r.Damaged) > 0 {
		t.Errorf("%+v", r)
	}
	if r := rewrite(t, s, false); r.Rewritten != 0 {
		t.Errorf("again: %+v", r)
	}
	fixture.Must(t, s.Close())
	if got := append(h.found(t, at, "before"), h.found(t, at, "after")...); len(got) > 0 {
		t.Errorf("the database contains %v", got)
	}
	s, _ = h.open(t, at, key)
	wantPlanted(t, s, "before", small, large)
	wantPlanted(t, s, "after", small2, large2)
}

func keyStates(t *testing.T, s store.Store) map[string]seal.KeyState {
	t.Helper()
	list, err := s.(seal.Keeper).EncryptionKeys(t.Context())
	fixture.Must(t, err)
	out := map[string]seal.KeyState{}
	for _, k := range list {
		out[k.ID] = k
	}
	return out
}

// rotation: a new first key takes effect immediately, and the old one is no longer needed.
func (h tests) rotation(t *testing.T) {
	old, fresh := newKey(t), newKey(t)
	s, at := h.open(t, "", old)
	small, large := plant(t, s, "old")
	if k := keyStates(t, s)[old.ID()]; !k.First || !k.Here || k.DataKeys != 1 {
		t.Errorf("%+v", k)
	}
	n, err := s.(seal.Keeper).RotateKeys(t.Context(), []seal.Key{fresh, old})
	fixture.Must(t, err)
	if n != 1 {
		t.Errorf("%d data keys were wrapped again", n)
	}
	states := keyStates(t, s)
	if states[old.ID()].DataKeys != 0 || states[fresh.ID()].DataKeys == 0 || !states[fresh.ID()].First {
		t.Errorf("%+v", states)
	}
	small2, large2 := plant(t, s, "fresh")
	wantPlanted(t, s, "old", small, large)
	fixture.Must(t, s.Close())
	s, _ = h.open(t, at, fresh)
	wantPlanted(t, s, "old", small, large)
	wantPlanted(t, s, "fresh", small2, large2)
	if _, err := s.(seal.Keeper).RotateKeys(t.Context(), []seal.Key{old}); !isMissing(err, fresh) {
		t.Errorf("the key in force was taken away: %v", err)
	}
	wantPlanted(t, s, "fresh", small2, large2)
}

func isMissing(err error, key seal.Key) bool {
	var m *seal.MissingError
	return errors.As(err, &m) && m.Key == key.ID() && strings.Contains(err.Error(), key.ID())
}

// missing: without its key a store does not open, and names the missing one.
func (h tests) missing(t *testing.T) {
	key := newKey(t)
	s, at := h.open(t, "", key)
	fixture.New("run_1").Did(t, s, fixture.Started(`{}`))
	fixture.Must(t, s.Close())
	for _, keys := range [][]seal.Key{nil, {newKey(t)}} {
		if _, _, err := h.Open(t, at, keys...); !isMissing(err, key) {
			t.Errorf("with %v: %v", keys, err)
		}
	}
	if _, _, err := h.Open(t, at, key, key); !fault.Is(err, fault.Invalid) {
		t.Errorf("twice the same key: %v", err)
	}
	s, _ = h.open(t, at, newKey(t), key)
	fixture.WantDense(t, s, "run_1", 1)
}

func wantDamaged(t *testing.T, what, names string, err error) {
	t.Helper()
	var d *seal.DamagedError
	if !errors.As(err, &d) || !strings.Contains(err.Error(), names) {
		t.Errorf("%s: %v", what, err)
	}
}

// moved: a value that was moved to another position is detected.
func (h tests) moved(t *testing.T) {
	key := newKey(t)
	s, at := h.open(t, "", key)
	plant(t, s, "a")
	plant(t, s, "b")
	plant(t, s, "c")
	for _, name := range []string{"d", "e"} {
		v := fixture.Version("workflow", name, 1)
		v.Source = []byte("# " + name)
		_, _, err := s.SaveVersion(t.Context(), v)
		fixture.Must(t, err)
	}
	fixture.Must(t, s.Close())
	for _, sql := range []string{
		`UPDATE batches SET body = (SELECT body FROM batches WHERE run = 'run_b' AND last_seq = 3)` +
			` WHERE run = 'run_a' AND last_seq = 3`,
		`UPDATE snapshots SET state = (SELECT state FROM snapshots WHERE run = 'run_b' AND seq = 3)` +
			` WHERE run = 'run_a' AND seq = 3`,
		`UPDATE approvals SET title = (SELECT title FROM approvals WHERE id = 'apr_b') WHERE id = 'apr_a'`,
		`UPDATE approvals SET body = (SELECT body FROM approvals WHERE id = 'apr_a') WHERE id = 'apr_b'`,
		`UPDATE runs SET error = (SELECT title FROM approvals WHERE id = 'apr_b') WHERE id = 'run_a'`,
		`UPDATE deliverables SET url = description WHERE id = 'dlv_a'`,
		`UPDATE answers SET answer = (SELECT answer FROM answers WHERE key = 'key b') WHERE key = 'key a'`,
		`UPDATE bundles SET bundle = (SELECT bundle FROM bundles WHERE digest = 'sha256:b') WHERE digest = 'sha256:a'`,
		`UPDATE versions SET body = (SELECT body FROM versions WHERE name = 'b') WHERE name = 'a'`,
		`UPDATE versions SET source = (SELECT source FROM versions WHERE name = 'e') WHERE name = 'd'`,
		`UPDATE audit SET open = (SELECT open FROM audit WHERE n = 2) WHERE n = 1`,
	} {
		h.Exec(t, at, sql)
	}
	s, _ = h.open(t, at, key)
	ctx := t.Context()
	_, err := s.Events(ctx, "run_a", 0, 10)
	wantDamaged(t, "events", "run_a 3", err)
	_, _, err = s.Snapshot(ctx, "run_a", 3)
	wantDamaged(t, "a snapshot", "run_a 3", err)
	for _, id := range []string{"apr_a", "apr_b"} {
		_, err = s.Approval(ctx, id)
		wantDamaged(t, "an approval", id, err)
	}
	_, err = s.Run(ctx, "run_a")
	wantDamaged(t, "a run", "run_a", err)
	_, err = s.Deliverable(ctx, "dlv_a")
	wantDamaged(t, "a deliverable", "dlv_a", err)
	_, _, err = s.Answer(ctx, "key a")
	wantDamaged(t, "an answer", "key a", err)
	_, err = s.Bundle(ctx, "sha256:a")
	wantDamaged(t, "a bundle", "sha256:a", err)
	_, err = s.Version(ctx, "workflow", "a", -1)
	wantDamaged(t, "a version", "versions", err)
	_, err = s.Version(ctx, "workflow", "d", -1)
	wantDamaged(t, "a source", "versions.source", err)
	_, err = s.AuditRows(ctx, 0, 1)
	wantDamaged(t, "an entry", "audit.open 1", err)
	_, err = fixture.ReadRun(ctx, s, "run_c", 10)
	fixture.Must(t, err)
	_, err = s.Approval(ctx, "apr_c")
	fixture.Must(t, err)
}

// damaged: corrupted or truncated values are reported by name, and re-encrypting the rest continues.
func (h tests) damaged(t *testing.T) {
	key := newKey(t)
	s, at := h.open(t, "", key)
	plant(t, s, "a")
	small, large := plant(t, s, "b")
	fixture.Must(t, s.Close())
	h.Exec(t, at, `UPDATE approvals SET body = substr(body, 1, 40) WHERE id = 'apr_a'`)
	h.Exec(t, at, `UPDATE runs SET error = substr(error, 1, 30) WHERE id = 'run_a'`)
	s, _ = h.open(t, at, key)
	_, err := s.Approval(t.Context(), "apr_a")
	wantDamaged(t, "cut", "apr_a", err)
	_, err = s.Run(t.Context(), "run_a")
	wantDamaged(t, "cut", "run_a", err)
	var names []string
	for done := false; !done; {
		r, err := s.(seal.Keeper).Rewrite(t.Context(), true)
		fixture.Must(t, err)
		names, done = append(names, r.Damaged...), r.Done
	}
	if all := strings.Join(names, ", "); !strings.Contains(all, "approvals.body apr_a") ||
		!strings.Contains(all, "runs.error run_a") {
		t.Errorf("damaged: %s", all)
	}
	wantPlanted(t, s, "b", small, large)
}

// rewriteAll: everything uses a new data key, and the old ones are not needed.
func (h tests) rewriteAll(t *testing.T) {
	key := newKey(t)
	s, at := h.open(t, "", key)
	small, large := plant(t, s, "a")
	r := rewrite(t, s, true)
	if r.Rewritten < valuesPlanted || r.Total == 0 || len(r.Damaged) > 0 {
		t.Errorf("%+v", r)
	}
	if n := keyStates(t, s)[key.ID()].DataKeys; n != 2 {
		t.Errorf("there are %d data keys", n)
	}
	wantPlanted(t, s, "a", small, large)
	fixture.Must(t, s.Close())
	// Nothing needs the first data key: everything opens without it.
	h.Exec(t, at, `DELETE FROM data_keys WHERE created_at = (SELECT min(created_at) FROM data_keys)`)
	s, _ = h.open(t, at, key)
	wantPlanted(t, s, "a", small, large)
}

// Child is the process that rewriteKilled starts: it re-encrypts everything repeatedly, and reports
// each pass.
func Child(s store.Store, out io.Writer) error {
	for {
		r, err := s.(seal.Keeper).Rewrite(context.Background(), true)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%d %v\n", r.Rewritten,
			r.Done) //nolint:errcheck // the reader is gone when we are about to be killed
	}
}

// rewriteKilled: killing a process while it re-encrypts everything loses nothing, and the next one continues.
func (h tests) rewriteKilled(t *testing.T) {
	const key, killedRuns = TestKey, 300
	s, at := h.open(t, "", ParseKey(t, key))
	small, large := plant(t, s, "a")
	for i := range killedRuns {
		fixture.New(fixture.RunID(i)).Did(t, s, fixture.Started(`{"amount":120}`),
			fixture.Said(strings.Repeat("and so on ", 200)))
	}
	fixture.Must(t, s.Close())
	for round := range 3 {
		cmd := h.Child(t, at, key)
		out, err := cmd.StdoutPipe()
		fixture.Must(t, err)
		fixture.Must(t, cmd.Start())
		one := make([]byte, 1)
		for range 1 + 11*round { // somewhere in the middle of its output
			if _, err := io.ReadFull(out, one); err != nil {
				break
			}
		}
		fixture.Must(t, cmd.Process.Kill())
		rest, _ := io.ReadAll(out)
		_ = cmd.Wait() // it was killed
		if bytes.Contains(rest, []byte("error")) {
			t.Fatalf("the child says %s", rest)
		}
		s, _ = h.open(t, at, ParseKey(t, key))
		wantPlanted(t, s, "a", small, large)
		for i := range killedRuns {
			fixture.WantDense(t, s, fixture.RunID(i), 2)
		}
		fixture.Must(t, s.Close())
	}
	s, _ = h.open(t, at, ParseKey(t, key))
	rewrite(t, s, true)
	wantPlanted(t, s, "a", small, large)
}

// whileWriting: other writes continue while everything is re-encrypted and keys change.
func (h tests) whileWriting(t *testing.T) {
	old, fresh := newKey(t), newKey(t)
	s, at := h.open(t, "", old)
	for i := range 300 {
		fixture.New(fixture.RunID(i)).Did(t, s, fixture.Started(`{}`))
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			a := fixture.New(fmt.Sprintf("run_writer_%d", i))
			facts := fixture.Started(`{}`)
			for {
				w := a.Write(facts)
				w.Approvals = []port.ApprovalRow{list.Approval("apr_"+a.ID, a.ID)}
				if _, err := s.Append(context.Background(), w); err != nil {
					t.Error(err)
					return
				}
				a.Seq, facts = w.Row.Seq, fixture.Said("and")
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	rewrite(t, s, true)
	_, err := s.(seal.Keeper).RotateKeys(t.Context(), []seal.Key{fresh, old})
	fixture.Must(t, err)
	rewrite(t, s, true)
	close(stop)
	wg.Wait()
	fixture.Must(t, s.Close())
	s, _ = h.open(t, at, fresh)
	for i := range 300 {
		fixture.WantDense(t, s, fixture.RunID(i), 1)
	}
	for i := range 4 {
		id := fmt.Sprintf("run_writer_%d", i)
		r, err := s.Run(t.Context(), id)
		fixture.Must(t, err)
		fixture.WantDense(t, s, id, r.Seq)
		if a, err := s.Approval(t.Context(), "apr_"+id); err != nil || a.Title != "Send it" {
			t.Errorf("%q, %v", a.Title, err)
		}
	}
}
