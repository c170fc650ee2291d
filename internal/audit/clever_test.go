//go:build unix

package audit

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// forger edits the tables of a log, with the knowledge of someone who has read this package but has no key.
type forger struct {
	t       *testing.T
	p       *prey
	entries [][]any
	heads   [][]any
	batches [][]any
	salts   [][]any
}

func (p *prey) forger() *forger {
	copied := func(table string) [][]any {
		out := make([][]any, len(p.tables[table]))
		for i, row := range p.tables[table] {
			out[i] = slices.Clone(row)
			for c, v := range row {
				if b, ok := v.([]byte); ok {
					out[i][c] = bytes.Clone(b)
				}
			}
		}
		return out
	}
	return &forger{p.t, p, copied("audit"), copied("audit_heads"), copied("batches"), copied("event_salts")}
}

// done writes the tables back.
func (f *forger) done() {
	f.t.Helper()
	for table, rows := range map[string][][]any{"audit": f.entries, "audit_heads": f.heads, "batches": f.batches,
		"event_salts": f.salts} {
		must(f.t, f.p.write(table, rows))
	}
}

// Columns of the tables.
const (
	colN, colAt, colActor, colAction, colTarget, colRun, colOutcome, colBody, colHash, colOpen = 0, 1, 2, 3, 4, 5, 6, 7,
		8, 9
	colHead                   = 1
	colBatchRun, colBatchBody = 1, 4
	colSalt                   = 1
)

// find is the index of the first entry of an action.
func (f *forger) find(action string) int {
	f.t.Helper()
	i := slices.IndexFunc(f.entries, func(r []any) bool { return r[colAction] == action })
	if i < 0 {
		f.t.Fatalf("no entry is %s", action)
	}
	return i
}

// last is the index of the last entry.
func (f *forger) last() int { return len(f.entries) - 1 }

// head reads a signed head; put writes it.
func (f *forger) head(i int) (h port.AuditHead) {
	must(f.t, json.Unmarshal([]byte(f.heads[i][colHead].(string)), &h))
	return h
}

func (f *forger) put(i int, h port.AuditHead) {
	b, err := json.Marshal(h)
	must(f.t, err)
	f.heads[i][0], f.heads[i][colHead] = h.N, string(b)
}

// reword changes the text of an entry and its derived columns.
func (f *forger) reword(i int, change func(*port.AuditEntry)) {
	f.t.Helper()
	e, err := port.ReadAuditBody(f.entries[i][colBody].([]byte))
	must(f.t, err)
	change(&e)
	f.entries[i] = f.row(e, f.entries[i][colOpen])
}

// row is an entry as the store keeps it.
func (f *forger) row(e port.AuditEntry, open any) []any {
	form := map[string]any{
		"n": e.N, "at": e.At, "actor": e.Actor, "action": e.Action, "target": e.Target, "outcome": e.Outcome,
		"detail": e.Detail, "prev": e.Prev,
	}
	if e.Run != "" {
		form["run"] = e.Run
	}
	if len(e.Sealed) > 0 {
		form["sealed"] = e.Sealed
	}
	raw, err := value.Marshal(form)
	must(f.t, err)
	body := value.Canonical(raw)
	return []any{e.N, e.At.UnixNano(), e.Actor.Name, e.Action, e.Target, e.Run, string(e.Outcome), body,
		port.AuditHash(e.Prev, body), open}
}

// remake renumbers and rehashes all entries from one on.
func (f *forger) remake(from int) {
	f.t.Helper()
	prev := port.AuditStart
	if from > 0 {
		prev = f.entries[from-1][colHash].(string)
	}
	for i := from; i < len(f.entries); i++ {
		f.reword(i, func(e *port.AuditEntry) { e.N, e.Prev = int64(i)+1, prev })
		prev = f.entries[i][colHash].(string)
	}
}

// resign recreates all heads with another key, under the id of the genuine one.
func (f *forger) resign(key *Key) {
	f.t.Helper()
	for i := range f.heads {
		h := f.head(i)
		var hashes []string
		for _, r := range f.entries[h.From-1 : h.N] {
			hashes = append(hashes, r[colHash].(string))
		}
		var err error
		h.Hash = hashes[len(hashes)-1]
		h.Root, err = rootOf(hashes)
		must(f.t, err)
		id := h.Key
		must(f.t, key.sign(&h))
		h.Key = id
		f.put(i, h)
	}
}

func (f *forger) stranger() *Key {
	k, err := KeyIn(f.t.TempDir())()
	must(f.t, err)
	return k
}

// inBatch changes the events of a write.
func (f *forger) inBatch(words, others string) {
	f.t.Helper()
	for _, row := range f.batches {
		if body := row[colBatchBody].([]byte); bytes.Contains(body, []byte(words)) {
			row[colBatchBody] = bytes.Replace(body, []byte(words), []byte(others), 1)
			return
		}
	}
	f.t.Fatalf("no event says %s", words)
}

// strip removes the payloads from the events of a run.
func (f *forger) strip(id string) {
	f.t.Helper()
	for _, row := range f.batches {
		if row[colBatchRun] != id {
			continue
		}
		lines := bytes.SplitAfter(row[colBatchBody].([]byte), []byte{'\n'})
		for i := 0; i+1 < len(lines); i += 2 {
			var head struct{ Type string }
			must(f.t, json.Unmarshal(lines[i], &head))
			fact, err := run.DecodeFact(head.Type, bytes.TrimSpace(lines[i+1]))
			must(f.t, err)
			data, err := run.EncodeFact(run.Strip(fact))
			must(f.t, err)
			lines[i+1] = append(data, '\n')
		}
		row[colBatchBody] = bytes.Join(lines, nil)
	}
}

// cutAt truncates the log at an entry.
func (f *forger) cutAt(n int64) {
	f.entries = slices.DeleteFunc(f.entries, func(r []any) bool { return r[colN].(int64) > n })
	f.heads = slices.DeleteFunc(f.heads, func(r []any) bool { return r[0].(int64) > n })
}

// older is the copy of the database from when a head was signed.
func (f *forger) older(head int) {
	n := f.head(head).N
	f.cutAt(n)
	var through int64
	for _, r := range f.entries {
		if r[colAction] == ActionEvents {
			e, err := port.ReadAuditBody(r[colBody].([]byte))
			must(f.t, err)
			b, err := readBound(e)
			must(f.t, err)
			through = b.Through
		}
	}
	f.batches = slices.DeleteFunc(f.batches, func(r []any) bool { return r[0].(int64) > through })
}

// signedTail is the index of the last signed entry.
func (f *forger) signedTail() int { return int(f.head(len(f.heads)-1).N) - 1 }

func lie(e *port.AuditEntry) {
	e.Detail = json.RawMessage(strings.Replace(string(e.Detail), `"approve"`, `"reject"`, 1))
}

var cleverEdits = []struct {
	name string
	do   func(f *forger)
}{
	// Rows.
	{"a decision turned round, its hash made to fit", func(f *forger) { f.reword(f.find("approval.decided"), lie) }},
	{"a decision turned round, the chain rebuilt", func(f *forger) {
		i := f.find("approval.decided")
		f.reword(i, lie)
		f.remake(i)
	}},
	{"the chain rebuilt, all heads deleted", func(f *forger) {
		i := f.find("approval.decided")
		f.reword(i, lie)
		f.remake(i)
		f.heads = nil
	}},
	{"the chain rebuilt, later heads deleted", func(f *forger) {
		i := f.signedTail() - 1
		f.reword(i, func(e *port.AuditEntry) { e.Actor.Name = "eve" })
		f.remake(i)
		f.heads = f.heads[:len(f.heads)-1]
	}},
	{"the chain rebuilt, heads signed with a stranger's key", func(f *forger) {
		f.reword(0, lie)
		f.remake(0)
		f.resign(f.stranger())
	}},
	{"a stranger's key put in the place of the genuine one, all signed with it", func(f *forger) {
		key := f.stranger()
		for i, r := range f.entries {
			if r[colAction] == ActionKey {
				f.reword(i, func(e *port.AuditEntry) {
					var d keyDetail
					must(f.t, json.Unmarshal(e.Detail, &d))
					d.Public, d.Link = key.Public, nil
					raw, err := value.Marshal(d)
					must(f.t, err)
					e.Detail = value.Canonical(raw)
				})
			}
		}
		f.remake(0)
		f.resign(key)
	}},
	{"a stranger's log in its place, whole and signed", func(f *forger) {
		key := f.stranger()
		for i, r := range f.entries {
			if r[colAction] == ActionKey {
				f.reword(i, func(e *port.AuditEntry) {
					raw, err := value.Marshal(keyDetail{Key: key.ID, Public: key.Public})
					must(f.t, err)
					e.Detail, e.Target = value.Canonical(raw), "key/"+key.ID
				})
			}
		}
		f.remake(0)
		for i := range f.heads {
			h := f.head(i)
			h.Key = key.ID
			f.put(i, h)
		}
		f.resign(key)
	}},
	{"another actor in an entry, chain rebuilt from there", func(f *forger) {
		i := f.signedTail() - 2
		f.reword(i, func(e *port.AuditEntry) { e.Actor.Name = "eve" })
		f.remake(i)
	}},
	{"another kind of actor", func(f *forger) {
		f.reword(2, func(e *port.AuditEntry) { e.Actor.Kind = run.System })
		f.remake(2)
	}},
	{"an actor's name that looks the same", func(f *forger) {
		f.reword(f.last(), func(e *port.AuditEntry) { e.Actor.Name = "аnn" }) // a Cyrillic letter
	}},
	{"a refusal made of a success", func(f *forger) {
		f.reword(1, func(e *port.AuditEntry) { e.Outcome = port.AuditRefused })
	}},
	{"an entry filed under another actor", func(f *forger) { f.entries[1][colActor] = "eve" }},
	{"an entry filed under another run, so that proofs leave it out", func(f *forger) {
		f.entries[f.find("approval.decided")][colRun] = "run_9"
	}},
	{"an entry filed under another target", func(f *forger) { f.entries[3][colTarget] = "account/eve" }},
	{"an entry filed as refused", func(f *forger) { f.entries[3][colOutcome] = "refused" }},
	{"a key's entry filed as something else",
		func(f *forger) { f.entries[f.find(ActionKey)][colAction] = "message.added" }},
	{"the same entry written in another order", func(f *forger) {
		body := f.entries[1][colBody].([]byte)
		action := []byte(`"action":"` + f.entries[1][colAction].(string) + `",`)
		body = append(bytes.TrimSuffix(bytes.Replace(body, action, nil, 1), []byte("}")),
			[]byte(`,`+strings.TrimSuffix(string(action), ",")+`}`)...)
		f.entries[1][colBody], f.entries[1][colHash] = body, port.AuditHash(port.AuditStart, body)
	}},
	{"a member more in an entry", func(f *forger) {
		body := f.entries[f.last()][colBody].([]byte)
		body = append(bytes.TrimSuffix(body, []byte("}")), `,"x":1}`...)
		f.entries[f.last()][colBody] = body
		f.entries[f.last()][colHash] = port.AuditHash(f.entries[f.last()-1][colHash].(string), body)
	}},
	// Sequence.
	{"an entry deleted, the rest renumbered and rechained", func(f *forger) {
		f.entries = slices.Delete(f.entries, 3, 4)
		f.remake(3)
	}},
	{"the first entry deleted, the rest renumbered and rechained", func(f *forger) {
		f.entries = f.entries[1:]
		f.remake(0)
	}},
	{"an entry put in between, the rest renumbered and rechained", func(f *forger) {
		f.entries = slices.Insert(f.entries, 3, slices.Clone(f.entries[1]))
		f.remake(3)
	}},
	{"two entries exchanged, the rest rechained", func(f *forger) {
		f.entries[2], f.entries[4] = f.entries[4], f.entries[2]
		f.remake(2)
	}},
	{"two entries exchanged as they are", func(f *forger) {
		f.entries[2], f.entries[4] = f.entries[4], f.entries[2]
		f.entries[2][colN], f.entries[4][colN] = f.entries[4][colN], f.entries[2][colN]
	}},
	{"what is not signed yet deleted", func(f *forger) { f.cutAt(int64(f.signedTail()) + 1) }},
	{"the last entry deleted", func(f *forger) { f.entries = f.entries[:f.last()] }},
	{"the end deleted, with its head", func(f *forger) { f.cutAt(f.head(len(f.heads) - 2).N) }},
	{"everything behind the first head deleted", func(f *forger) { f.cutAt(f.head(0).N) }},
	{"the whole log deleted", func(f *forger) { f.entries, f.heads = nil, nil }},
	{"the whole log and all events deleted",
		func(f *forger) { f.entries, f.heads, f.batches, f.salts = nil, nil, nil, nil }},
	{"what is not signed yet rebuilt", func(f *forger) {
		i := f.signedTail() + 2
		f.reword(i, func(e *port.AuditEntry) { e.Target = "account/eve" })
		f.remake(i)
	}},
	{"the last entry rebuilt", func(f *forger) {
		f.reword(f.last(), func(e *port.AuditEntry) { e.At = e.At.Add(time.Second) })
	}},
	{"an entry far behind the end", func(f *forger) {
		r := slices.Clone(f.entries[1])
		r[colN] = f.entries[f.last()][colN].(int64) + 10
		f.entries = append(f.entries, r)
	}},
	{"an entry before the first", func(f *forger) {
		r := slices.Clone(f.entries[1])
		r[colN] = int64(-5)
		f.entries = append(f.entries, r)
	}},
	{"the signed entries once more behind the end", func(f *forger) {
		f.entries = append(f.entries, f.entries[:5]...)
		for i := range 5 {
			at := f.last() - 4 + i
			f.entries[at] = slices.Clone(f.entries[at])
			f.entries[at][colN] = int64(at) + 1
		}
	}},
	{"an older copy of the database", func(f *forger) { f.older(1) }},
	{"the oldest copy of the database", func(f *forger) { f.older(0) }},
	{"an older copy that went on in another way", func(f *forger) {
		n := len(f.entries)
		f.older(1)
		for len(f.entries) < n {
			f.entries = append(f.entries, slices.Clone(f.entries[1]))
		}
		f.remake(int(f.head(1).N))
	}},
	// Heads.
	{"all heads deleted", func(f *forger) { f.heads = nil }},
	{"the newest head deleted", func(f *forger) { f.heads = f.heads[:len(f.heads)-1] }},
	{"the oldest head deleted", func(f *forger) { f.heads = f.heads[1:] }},
	{"a head in the middle deleted", func(f *forger) { f.heads = slices.Delete(f.heads, 1, 2) }},
	{"two heads exchanged", func(f *forger) {
		f.heads[0][colHead], f.heads[1][colHead] = f.heads[1][colHead], f.heads[0][colHead]
	}},
	{"a head before the first entry",
		func(f *forger) { f.heads = append(f.heads, []any{int64(-1), f.heads[0][colHead]}) }},
	{"a head behind the last entry", func(f *forger) {
		h := f.head(0)
		h.N, h.From = 1000, 900
		b, err := json.Marshal(h)
		must(f.t, err)
		f.heads = append(f.heads, []any{h.N, string(b)})
	}},
	{"the signature of another head", func(f *forger) {
		h := f.head(1)
		h.Sig = f.head(0).Sig
		f.put(1, h)
	}},
	{"a head that begins earlier", func(f *forger) {
		h := f.head(1)
		h.From--
		f.put(1, h)
	}},
	{"a head written in another way", func(f *forger) {
		f.heads[0][colHead] = strings.Replace(f.heads[0][colHead].(string), `"n":`, `"N":`, 1)
	}},
	{"a signature with other spare bits", func(f *forger) {
		h := f.head(0)
		sig, err := base64.StdEncoding.DecodeString(h.Sig)
		must(f.t, err)
		h.Sig = base64.RawStdEncoding.EncodeToString(sig)
		f.put(0, h)
	}},
	{"the newest head once more for what is not signed", func(f *forger) {
		h := f.head(len(f.heads) - 1)
		h.From, h.N = h.N+1, int64(f.last())+1
		h.Hash = f.entries[f.last()][colHash].(string)
		f.heads = append(f.heads, nil)
		f.heads[len(f.heads)-1] = []any{int64(0), ""}
		f.put(len(f.heads)-1, h)
	}},
	// Keys.
	{"a head under the id of the key before", func(f *forger) {
		h := f.head(len(f.heads) - 1)
		h.Key = f.head(0).Key
		f.put(len(f.heads)-1, h)
	}},
	{"a head with a key made of nothing", func(f *forger) {
		h := f.head(0)
		h.Sig = base64.StdEncoding.EncodeToString(make([]byte, ed25519.SignatureSize))
		f.put(0, h)
	}},
	{"the newest heads signed by a stranger who is made known in the log", func(f *forger) {
		key := f.stranger()
		i := f.signedTail() + 1
		f.reword(i, func(e *port.AuditEntry) {
			raw, err := value.Marshal(keyDetail{Key: key.ID, Public: key.Public})
			must(f.t, err)
			e.Action, e.Target, e.Run, e.Sealed, e.Detail = ActionKey, "key/"+key.ID, "", nil, value.Canonical(raw)
		})
		f.entries[i][colOpen] = nil
		f.remake(i)
		h := port.AuditHead{From: int64(i) + 1, N: int64(len(f.entries)), At: began}
		var hashes []string
		for _, r := range f.entries[i:] {
			hashes = append(hashes, r[colHash].(string))
		}
		h.Hash = hashes[len(hashes)-1]
		var err error
		h.Root, err = rootOf(hashes)
		must(f.t, err)
		must(f.t, key.sign(&h))
		f.heads = append(f.heads, []any{int64(0), ""})
		f.put(len(f.heads)-1, h)
	}},
	// Time.
	{"the time of an entry, filed",
		func(f *forger) { f.entries[2][colAt] = f.entries[2][colAt].(int64) - int64(time.Hour) }},
	{"the time of an entry, chain rebuilt", func(f *forger) {
		f.reword(2, func(e *port.AuditEntry) { e.At = e.At.Add(-time.Hour) })
		f.remake(2)
	}},
	{"all times an hour earlier, chain rebuilt, heads deleted", func(f *forger) {
		for i := range f.entries {
			f.reword(i, func(e *port.AuditEntry) { e.At = e.At.Add(-time.Hour) })
		}
		f.remake(0)
		f.heads = nil
	}},
	{"the time of a head", func(f *forger) {
		h := f.head(1)
		h.At = h.At.Add(-time.Hour)
		f.put(1, h)
	}},
	{"the time of an event", func(f *forger) { f.inBatch(`"at":"2026-03-01T09`, `"at":"2026-03-01T08`) }},
	// Values and salts of entries.
	{"the values of an entry deleted", func(f *forger) { f.entries[1][colOpen] = nil }},
	{"a comment deleted, its salt left", func(f *forger) {
		i := f.find("sample.reviewed")
		f.entries[i][colOpen] = bytes.Replace(f.entries[i][colOpen].([]byte), []byte(`,"value":"looks right"`), nil, 1)
	}},
	{"another comment", func(f *forger) {
		i := f.find("sample.reviewed")
		f.entries[i][colOpen] = bytes.Replace(f.entries[i][colOpen].([]byte), []byte("right"), []byte("wrong"), 1)
	}},
	{"another salt of a comment", func(f *forger) {
		i := f.find("sample.reviewed")
		open := bytes.Clone(f.entries[i][colOpen].([]byte))
		at := bytes.Index(open, []byte(`"salt":"`)) + len(`"salt":"`)
		open[at] = "01"[(open[at]&1)^1]
		f.entries[i][colOpen] = open
	}},
	// Events.
	{"another actor of an event", func(f *forger) { f.inBatch(`"name":"ann"`, `"name":"eve"`) }},
	{"another amount in an event", func(f *forger) { f.inBatch(`"amount":5000`, `"amount":9000`) }},
	{"another decision in an event", func(f *forger) { f.inBatch(`"act":"modify"`, `"act":"reject"`) }},
	{"the newest events deleted", func(f *forger) { f.batches = f.batches[:len(f.batches)-1] }},
	{"all events deleted", func(f *forger) { f.batches = nil }},
	{"events of two runs exchanged", func(f *forger) {
		a, b := f.batchOf("run_1"), f.batchOf("run_4")
		f.batches[a][colBatchRun], f.batches[b][colBatchRun] = f.batches[b][colBatchRun], f.batches[a][colBatchRun]
	}},
	{"events given to another run", func(f *forger) { f.batches[f.batchOf("run_4")][colBatchRun] = "run_9" }},
	{"payloads taken out of events, as if they had been removed", func(f *forger) { f.strip("run_1") }},
	{"payloads taken out of events, with the salt", func(f *forger) {
		f.strip("run_1")
		f.salts = slices.DeleteFunc(f.salts, func(r []any) bool { return r[0] == "run_1" })
	}},
	{"a decision put into the log of a run", func(f *forger) { f.insertDecision("2026") }},
	{"a backdated decision put into the log of a run", func(f *forger) { f.insertDecision("2000") }},
	{"a decision put into the log of a run, and a fork to explain it", func(f *forger) {
		f.insertDecision("2026")
		f.insert(6, `{"seq":6,"at":"2026-03-01T09:00:00Z","type":"run.forked","actor":{"kind":"person","name":"ann"}}`+
			"\n"+`{"from":"run_0","at_seq":5}`+"\n")
	}},
	{"missing payloads explained by a removal that was refused", func(f *forger) {
		f.strip("run_1")
		f.salts = slices.DeleteFunc(f.salts, func(r []any) bool { return r[0] == "run_1" })
		entry := port.AuditEntry{N: int64(len(f.entries)) + 1, At: began, Actor: ann, Action: "payloads.removed",
			Target: "run_1", Run: "run_1", Outcome: port.AuditRefused, Detail: json.RawMessage(`{}`),
			Prev: f.entries[f.last()][colHash].(string)}
		f.entries = append(f.entries, f.row(entry, nil)) // a server appends it for a request without permission
	}},
	{"events put before the first of the feed", func(f *forger) {
		r := slices.Clone(f.batches[f.batchOf("run_5")])
		r[0], r[2] = int64(-1), r[2].(int64)+r[3].(int64)
		f.batches = append(f.batches, r)
	}},
	{"the salt of a run deleted", func(f *forger) { f.salts = f.salts[1:] }},
	{"the salt of a run replaced", func(f *forger) { f.salts[0][colSalt] = strings.Repeat("0", 32) }},
	{"the salts of two runs exchanged", func(f *forger) {
		f.salts[0][colSalt], f.salts[1][colSalt] = f.salts[1][colSalt], f.salts[0][colSalt]
	}},
	{"an entry that binds fewer events", func(f *forger) {
		i := f.find(ActionEvents)
		f.reword(i, func(e *port.AuditEntry) {
			var b boundEvents
			must(f.t, json.Unmarshal(e.Detail, &b))
			b.Through--
			raw, err := value.Marshal(b)
			must(f.t, err)
			e.Detail = value.Canonical(raw)
		})
		f.remake(i)
	}},
	{"a removal invented to explain missing payloads", func(f *forger) {
		f.strip("run_1")
		f.salts = slices.DeleteFunc(f.salts, func(r []any) bool { return r[0] == "run_1" })
		f.reword(f.last(), func(e *port.AuditEntry) {
			e.Action, e.Target, e.Run, e.Sealed, e.Detail = "payloads.removed", "run_1", "run_1", nil, json.RawMessage(`{}`)
		})
		f.entries[f.last()][colOpen] = nil
	}},
}

// insert appends an event to run_1.
func (f *forger) insert(seq int64, body string) {
	row := []any{f.batches[len(f.batches)-1][0].(int64) + 1, "run_1", seq, int64(1), []byte(body)}
	if !f.p.pg {
		row = append(row, nil)
	}
	f.batches = append(f.batches, row)
}

// insertDecision repeats the last decision of run_1, in another year.
func (f *forger) insertDecision(year string) {
	body := string(f.batches[f.batchOf("run_1")][colBatchBody].([]byte))
	lines := strings.SplitAfter(strings.TrimSuffix(body, "\n"), "\n")
	head := strings.Replace(lines[len(lines)-2], `"seq":4`, `"seq":5`, 1)
	f.insert(5, strings.Replace(head, `"at":"2026`, `"at":"`+year, 1)+lines[len(lines)-1]+"\n")
}

// batchOf is the index of the first write to a run.
func (f *forger) batchOf(id string) int {
	return slices.IndexFunc(f.batches, func(r []any) bool { return r[colBatchRun] == id })
}

// TestCleverEdits changes the database as an expert would.
func TestCleverEdits(t *testing.T) {
	for _, pg := range []bool{false, true} {
		t.Run(map[bool]string{false: "sqlite", true: "postgres"}[pg], func(t *testing.T) {
			p := newPrey(t, pg)
			if how := p.noticed(); how != "" {
				t.Fatalf("nothing was changed: %s", how)
			}
			p.restore()
			was := p.seen()
			few := pg && os.Getenv("EDITS") == "" // the checks are the same; make attack tries all on both
			for i, c := range cleverEdits {
				if few && i%6 != 0 {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					defer p.restore()
					f := p.forger()
					f.t = t
					c.do(f)
					f.done()
					changed := p.seen() != was
					how := p.noticed()
					if how == "" {
						t.Errorf("nobody noticed; it changes what is read: %v", changed)
					}
					t.Log(how)
				})
			}
			if pg {
				p.editHeadRow(t)
			}
		})
	}
}

// editHeadRow changes the row in which PostgreSQL keeps the end of the log.
func (p *prey) editHeadRow(t *testing.T) {
	var n, feed int64
	var hash string
	must(t, p.db.QueryRow(`SELECT audit_n, audit_hash, feed FROM head`).Scan(&n, &hash, &feed))
	for _, set := range []string{"audit_n = audit_n - 1", "audit_n = audit_n + 1", "audit_n = 0",
		"audit_hash = repeat('0', 64)", "feed = feed - 1", "feed = feed + 1", "feed = 0"} {
		t.Run("head: "+set, func(t *testing.T) {
			_, err := p.db.Exec(`UPDATE head SET ` + set)
			must(t, err)
			how := p.noticed()
			if how == "" {
				t.Error("nobody noticed")
			}
			t.Log(how)
			_, err = p.db.Exec(`UPDATE head SET audit_n = $1, audit_hash = $2, feed = $3`, n, hash, feed)
			must(t, err)
			p.restore()
		})
	}
}
