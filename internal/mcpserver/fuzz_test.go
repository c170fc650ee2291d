package mcpserver_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzTools: whatever somebody without rights sends to whichever tool, the answer
// is an answer of MCP, and nothing falls over or is done.
func FuzzTools(f *testing.F) {
	names := strings.Fields("list_workflows start_run get_run cancel_run list_approvals get_approval decide_approval " +
		"comment_approval workflow_asks workflow_ nothing")
	d := open(f)
	held := d.call("ann", "workflow_asks", `{}`)
	for i := range names {
		for _, args := range []string{
			`{"workflow":"asks","input":{"n":1},"idempotency_key":"k","wait_s":0}`, `{"run":"` + held.Run + `","wait_s":1}`,
			`{"approval":"` + held.Approvals[0].ID + `","act":"approve","version":1}`,
			`{"mine":true,"limit":1,"cursor":"x"}`, `{}`, `[]`, `null`, `1e999`, `{"a":1,"a":2}`, `{"run":null}`,
			"{\"run\":\"\\ud800\"}", `{"wait_s":99999999999999999999}`,
		} {
			f.Add(i, args)
		}
	}
	f.Fuzz(func(t *testing.T, tool int, args string) {
		if !json.Valid([]byte(args)) || tool < 0 {
			return // that is no message
		}
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + names[tool%len(names)] +
			`","arguments":` + args + `}}`
		r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Who", "eve")
		w := httptest.NewRecorder()
		d.handler(w, r)
		var m struct {
			Result struct {
				StructuredContent struct{ Code string }
				IsError           bool
			}
			Error struct{ Code int }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || w.Code != 200 ||
			m.Result.StructuredContent.Code == "internal" {
			t.Fatalf("%s: %d %s %v", body, w.Code, w.Body, err)
		}
		if !m.Result.IsError && m.Error.Code == 0 && names[tool%len(names)] != "list_approvals" {
			t.Fatalf("%s was done: %s", body, w.Body)
		}
	})
}
