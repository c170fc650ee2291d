package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/port"
	"github.com/coder/websocket"
)

// TestRefusedCommandsAreOnRecord: unknown, malformed and forbidden ones, over
// HTTP and the WebSocket, with who, what and why, without what was sent, and
// without filling the log.
func TestRefusedCommandsAreOnRecord(t *testing.T) {
	d := open(t, Options{})
	ap := d.asked("ask")
	commands := "/runs/" + ap.Run + "/commands"
	conn, _, err := d.dial("", as("sue", "approver")...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	bad := []string{`{"type":"destroy","password":"hunter2"}`, `{"type":"message","text":"hi","api_key":"hunter2"}`,
		`{"type":"cancel"`, `{"type":"skip_step","step":7}`, `[]`}
	for _, body := range bad {
		if got := d.post(commands, body, as("eve", "approver")...); got.status != 400 && got.status != 422 {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
		order := `{"id":1,"run":"` + ap.Run + `","command":` + body + `}`
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(order)); err != nil {
			t.Fatal(err)
		}
		if _, a, err := message(t, conn); err != nil || a.OK {
			t.Errorf("%s: %+v %v", body, a, err)
		}
	}
	d.post("/runs/run_none/commands", `{"type":"pause"}`, as("nan", "approver")...).refused(404, "not_found")
	for name, n := range map[string]int{"eve": len(bad), "sue": len(bad), "nan": 1} {
		entries := d.refusals(name)
		if len(entries) != n {
			t.Errorf("%s was refused %d times, and %d are on record", name, n, len(entries))
		}
		for _, e := range entries {
			if e.Action != "run.command" || e.Detail["why"] == "" || e.Detail["code"] == nil {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
	for range 200 {
		d.post(commands, `{"type":"destroy"}`, as("flo", "approver")...)
	}
	if n := len(d.refusals("flo")); n == 0 || n > 10 {
		t.Errorf("200 refusals made %d entries", n)
	}
	if raw := d.get("/audit.jsonl").want(200).body; bytes.Contains(raw, []byte("hunter2")) {
		t.Errorf("what was sent is on record: %s", raw)
	}
}

// refusal is an entry of the audit log.
type refusal struct {
	Action, Target string
	Detail         map[string]any
}

// refusals are the requests that were refused to a caller.
func (d *desk) refusals(name string) (out []refusal) {
	d.Helper()
	page, err := d.parts.App.Audit.Entries(d.Context(), app.LocalAdmin,
		port.AuditQuery{Outcome: string(port.AuditRefused), Limit: 500})
	if err != nil {
		d.Fatal(err)
	}
	for _, e := range page.Items {
		raw, err := json.Marshal(e)
		if err != nil {
			d.Fatal(err)
		}
		if !strings.Contains(string(raw), `"name":"`+name+`"`) {
			continue
		}
		var r refusal
		if err := json.Unmarshal(raw, &r); err != nil {
			d.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}
