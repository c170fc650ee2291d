package storekit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/port"
)

// secret is in every text of people and agents of a write.
const secret = "mandarin"

func secretWrite() port.Write {
	w := oneEvent("run_1")
	w.Row.Error, w.Row.Subject, w.Row.Owner = secret+" 1", secret+" 2", "ann"
	w.Row.Labels = map[string]string{"region": "north"}
	w.Snapshot = json.RawMessage(`"` + secret + ` 3"`)
	a := approvalOf("run_1")
	a.Title, a.Agent, a.Asked = secret+" 4", "mailer", []string{"role:finance"}
	a.Body = json.RawMessage(`{"gate":"` + secret + `5","about":"` + secret +
		`6","decisions":[{"by":"bob","on_behalf_of":"cid"}]}`)
	w.Approvals = []port.ApprovalRow{a}
	w.Deliverables = []port.DeliverableRow{{ID: "dlv_1", Run: "run_1", Name: "n\x00", MIME: secret + " 7",
		Description: secret + " 8", URL: secret + " 9"}}
	w.Answer = &port.Answer{Key: "k", Answer: []byte(secret + " 10"), At: noon}
	return w
}

// TestNothingInTheClear: in a store with keys no text of people or agents is left in what is written with events, and
// none in the words by which rows are found; the rows that the caller still has are as they were.
func TestNothingInTheClear(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	w := secretWrite()
	rows, files, answer := w.Approvals, w.Deliverables, w.Answer
	found := v.HideWrite(&w)
	for _, written := range []any{w, *w.Answer, found} {
		if text := fmt.Sprintf("%+q", written); strings.Contains(text, secret) {
			t.Errorf("%s is in the clear: %s", secret, text)
		}
	}
	if rows[0].Title != secret+" 4" || files[0].URL != secret+" 9" || string(answer.Answer) != secret+" 10" {
		t.Error("the caller's rows have changed")
	}
	if !strings.Contains(found.Run, " ann") || !strings.Contains(found.Run, " north") ||
		!strings.Contains(found.Approvals[0], " mailer") || !strings.Contains(found.Approvals[0], " finance") {
		t.Errorf("what is not encrypted is not found: %+v", found)
	}
	for what, err := range map[string]error{"run": v.ShowRun(&w.Row), "approval": v.ShowApproval(&w.Approvals[0]),
		"deliverable": v.ShowDeliverable(&w.Deliverables[0]), "answer": v.ShowAnswer(w.Answer)} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	snapshot, err := v.ShowSnapshot("run_1", 1, w.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	is := secretWrite()
	is.Deliverables[0].Name = "n\uFFFD"
	w.Snapshot = snapshot
	if !sameJSON(w, is) {
		t.Errorf("got %+v", w)
	}
}

// TestRowsWithOneText: a row is encrypted whichever of its texts it has.
func TestRowsWithOneText(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	title, body := approvalOf("run_1"), approvalOf("run_1")
	title.Title, body.Body = secret, json.RawMessage(`"`+secret+`"`)
	for i, a := range []port.ApprovalRow{title, body} {
		w := oneEvent("run_1")
		w.Approvals = []port.ApprovalRow{a}
		v.HideWrite(&w)
		if strings.Contains(w.Approvals[0].Title+string(w.Approvals[0].Body), secret) {
			t.Errorf("%d: %+v", i, w.Approvals[0])
		}
	}
	for i, d := range []port.DeliverableRow{{MIME: secret}, {Description: secret}, {URL: secret}} {
		w := oneEvent("run_1")
		w.Deliverables = []port.DeliverableRow{d}
		v.HideWrite(&w)
		if strings.Contains(fmt.Sprint(w.Deliverables), secret) {
			t.Errorf("%d: %+v", i, w.Deliverables)
		}
	}
}

// TestFoundInTheClear: in a store without keys every text is found.
func TestFoundInTheClear(t *testing.T) {
	v := startVault(t, &keysInMemory{})
	w := secretWrite()
	rows := w.Approvals
	found := v.HideWrite(&w)
	if &rows[0] != &w.Approvals[0] {
		t.Error("rows were copied for nothing")
	}
	for i, text := range []string{found.Run, found.Approvals[0]} {
		for _, word := range [][]string{{"run", "1", "ann", "region", "north", secret, "2"},
			{"apr", "1", "mailer", "finance", secret, "4", secret + "5", secret + "6", "bob", "cid"}}[i] {
			if !strings.Contains(text+" ", " "+word+" ") {
				t.Errorf("%s is not found by %q", text, word)
			}
		}
	}
}

// TestValuesStayInPlace: an encrypted value opens only where it was stored: not in another row, and not in another
// column of its row.
func TestValuesStayInPlace(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	value := []byte(`"` + secret + `"`)
	open := func(name string, stored []byte, show ...func([]byte) ([]byte, error)) {
		t.Helper()
		if bytes.Contains(stored, []byte(secret)) {
			t.Errorf("%s: %s", name, stored)
		}
		for i, f := range show {
			got, err := f(stored)
			if i == 0 && (err != nil || !bytes.Equal(got, value)) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			if i > 0 && err == nil {
				t.Errorf("%s: it was opened elsewhere: %q", name, got)
			}
		}
	}
	batch := func(run string, last int64) func([]byte) ([]byte, error) {
		return func(b []byte) ([]byte, error) {
			row := Batch{Run: run, LastSeq: last, Body: b}
			err := v.ShowBatch(&row)
			return row.Body, err
		}
	}
	open("batch", v.HideBatch("run_1", 5, value), batch("run_1", 5), batch("run_1", 6), batch("run_2", 5))
	snapshot := func(run string, seq int64) func([]byte) ([]byte, error) {
		return func(b []byte) ([]byte, error) { return v.ShowSnapshot(run, seq, b) }
	}
	w := oneEvent("run_1")
	w.Snapshot = value
	v.HideWrite(&w)
	open("snapshot", w.Snapshot, snapshot("run_1", 1), snapshot("run_1", 2), snapshot("run_2", 1))
	version := func(id string, source bool) func([]byte) ([]byte, error) {
		return func(b []byte) ([]byte, error) {
			if source {
				d := port.Version{ID: id, Source: b}
				err := v.ShowVersion(&d)
				return d.Source, err
			}
			d := port.Version{ID: id, Body: b}
			err := v.ShowVersion(&d)
			return d.Body, err
		}
	}
	body, source := v.HideVersion(port.Version{ID: "a", Body: value, Source: value})
	open("document", body, version("a", false), version("a", true), version("b", false))
	open("its source", source, version("a", true), version("a", false), version("b", true))
	bundle := func(digest string) func([]byte) ([]byte, error) {
		return func(b []byte) ([]byte, error) { return v.ShowBundle(digest, b) }
	}
	open("bundle", v.HideBundle("a", value), bundle("a"), bundle("b"))
	audit := func(n int64, opened bool) func([]byte) ([]byte, error) {
		return func(b []byte) ([]byte, error) {
			r := port.AuditRow{N: n, Body: b}
			if opened {
				r = port.AuditRow{N: n, Open: b}
			}
			err := v.ShowAudit(&r)
			if opened {
				return r.Open, err
			}
			return r.Body, err
		}
	}
	entry := v.HideAudit(port.AuditRow{N: 3, Body: value, Open: value})
	open("entry", entry.Body, audit(3, false), audit(3, true), audit(4, false))
	open("its values", entry.Open, audit(3, true), audit(3, false), audit(4, true))
	open("key of push messages", v.HidePushKey(value), v.ShowPushKey)
	push := port.Push{ID: "a", Browser: secret, Endpoint: "e", P256DH: []byte{1}, Auth: []byte{2}}
	stored, err := v.HidePush(&push)
	if err != nil || bytes.Contains(stored, []byte(secret)) {
		t.Errorf("a subscription is stored as %q, %v", stored, err)
	}
	shown := port.Push{ID: "a"}
	if err := v.ShowPush(&shown, stored); err != nil || !sameJSON(shown, push) {
		t.Errorf("a subscription came back as %+v, %v", shown, err)
	}
	if err := v.ShowPush(&port.Push{ID: "b"}, stored); err == nil {
		t.Error("the subscription of another browser was read")
	}
	if err := v.ShowPush(&shown, []byte(`{`)); err == nil {
		t.Error("a subscription that is not JSON was read")
	}
	places := map[string]bool{}
	for _, t := range sealedTables {
		for _, c := range t.columns {
			places[fmt.Sprint(t.name, ".", c.name)] = true
		}
	}
	for _, p := range []string{AtHook("").Table, AtWorkingCopy("").Table, AtBlob("", 0).Table, atPush("").Table,
		atPushKey().Table, atAudit("body", 1).Table, atSalt("").Table, atRemoval("").Table} {
		if !places[p] {
			t.Errorf("%s is encrypted and never rewritten", p)
		}
	}
}

// TestDamagedRowsFail: a list with a damaged row is an error, not a shorter list.
func TestDamagedRowsFail(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	w := secretWrite()
	v.HideWrite(&w)
	for what, damage := range map[string]func(){
		"title": func() { w.Approvals[0].Title += "x" },
		"body":  func() { w.Approvals[0].Body[len(w.Approvals[0].Body)-1] ^= 1 },
	} {
		keep := w.Approvals[0]
		keep.Body = bytes.Clone(keep.Body)
		damage()
		if err := ShowAll(w.Approvals, v.ShowApproval); err == nil {
			t.Errorf("an approval with a damaged %s was listed", what)
		}
		w.Approvals[0] = keep
	}
	if err := ShowAll(w.Approvals, v.ShowApproval); err != nil {
		t.Error(err)
	}
	for what, d := range map[string]port.DeliverableRow{"mime": {ID: "d", MIME: w.Deliverables[0].MIME},
		"description": {ID: "d", Description: w.Deliverables[0].MIME}, "url": {ID: "d", URL: w.Deliverables[0].MIME}} {
		if err := v.ShowDeliverable(&d); err == nil {
			t.Errorf("the %s of another deliverable was shown", what)
		}
	}
	for what, r := range map[string]port.RunRow{"error": {ID: "r", Error: w.Row.Error},
		"subject": {ID: "r", Subject: w.Row.Subject}} {
		if err := v.ShowRun(&r); err == nil {
			t.Errorf("the %s of another run was shown", what)
		}
	}
}
