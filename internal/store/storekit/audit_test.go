package storekit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

func TestAuditEntriesAreChecked(t *testing.T) {
	draft := func(change func(*port.AuditDraft)) []port.AuditDraft {
		d := port.AuditDraft{Action: "run.started", Target: "run_1", At: noon}
		change(&d)
		return []port.AuditDraft{{Action: "first", At: noon}, d}
	}
	text := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }
	for what, c := range map[string]struct {
		drafts []port.AuditDraft
		path   string
		code   fault.Code
	}{
		"no action":  {draft(func(d *port.AuditDraft) { d.Action = "" }), "audit[1].action", fault.Invalid},
		"no time":    {draft(func(d *port.AuditDraft) { d.At = time.Time{} }), "audit[1].at", fault.Invalid},
		"a far time": {draft(func(d *port.AuditDraft) { d.At = latest.Add(1) }), "audit[1].at", fault.Invalid},
		"no JSON": {draft(func(d *port.AuditDraft) {
			d.Sealed = []port.Sealed{{Name: "input", Value: []byte(`{`)}}
		}), "audit[1].sealed.input", fault.Invalid},
		"too many": {make([]port.AuditDraft, AuditMax+1), "", fault.TooLarge},
		"too large": {draft(func(d *port.AuditDraft) {
			for i := range 70 {
				d.Sealed = append(d.Sealed, port.Sealed{Name: strings.Repeat("n", i+1), Value: text(16 << 10)})
			}
		}), "", fault.TooLarge},
	} {
		_, err := Forms(c.drafts)
		if !fault.Is(err, c.code) {
			t.Errorf("%s: %v", what, err)
		} else if c.path != "" && (len(problemsOf(t, err)) != 1 || problemsOf(t, err)[0] != c.path) {
			t.Errorf("%s: %q is wrong", what, problemsOf(t, err))
		}
	}
	forms, err := Forms(draft(func(d *port.AuditDraft) {
		d.Sealed = []port.Sealed{{Name: "input", Value: []byte(`1`)}}
	}))
	if err != nil || len(forms) != 2 || forms[1].Action != "run.started" ||
		!bytes.Contains(forms[1].Open, []byte("input")) {
		t.Errorf("got %+v, %v", forms, err)
	}
	if forms, err := Forms(nil); forms != nil || err != nil {
		t.Errorf("of nothing: %v, %v", forms, err)
	}
}

// TestChainGrows: each entry has the next number and the hash of the one before.
func TestChainGrows(t *testing.T) {
	forms, err := Forms([]port.AuditDraft{{Action: "a", At: noon}, {Action: "b", At: noon}})
	if err != nil {
		t.Fatal(err)
	}
	var c Chain
	prev := port.AuditStart
	for i, f := range forms {
		row := c.Next(f)
		if row.N != int64(i)+1 || row.Hash != port.AuditHash(prev, row.Body) || !bytes.Contains(row.Body, []byte(prev)) ||
			c.N != row.N || c.Hash != row.Hash {
			t.Errorf("entry %d: %+v, chain %+v", i, row, c)
		}
		prev = row.Hash
	}
}

func TestHeadsFollow(t *testing.T) {
	last := port.AuditHead{N: 4}
	for what, c := range map[string]struct {
		from, n int64
		hash    string
		ok      bool
	}{
		"one entry": {5, 5, "h", true}, "some": {5, 9, "h", true}, "none": {5, 4, "h", false}, "a gap": {6, 9, "h", false},
		"twice": {4, 9, "h", false}, "another entry": {5, 9, "g", false}, "no entry": {5, 9, "", false},
	} {
		h := port.AuditHead{From: c.from, N: c.n, Hash: "h"}
		if c.hash == "" {
			h.Hash = ""
		}
		if err := CheckHead(h, last, c.hash); (err == nil) != c.ok || err != nil && !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	head := port.AuditHead{N: 9, From: 5, Hash: "h", Root: "r", At: noon, Key: "k", Sig: "s"}
	text, err := WriteHead(head)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ReadHead(9, text); err != nil || got != head {
		t.Errorf("%+v came back as %+v, %v", head, got, err)
	}
	for what, bad := range map[string]string{"no JSON": text[1:], "a space": text + " ",
		"one field more": `{"x":1,` + text[1:]} {
		if _, err := ReadHead(9, bad); err == nil {
			t.Errorf("%s: it was read", what)
		}
	}
	if _, err := ReadHead(8, text); err == nil {
		t.Error("the head of another entry was read")
	}
}
