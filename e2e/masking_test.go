package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// Restricted values, by where the rule for them is defined.
var sensitive = map[string]string{
	"setting": "masked.person@example.com", "workflow": "masked-ssn-4711", "input schema": "+47 5550 masked",
	"output schema": "NO93 8601 masked", "number": "8675309.25",
}

const maskedDocuments = `
workflow: payout
sensitive: [input.ssn, steps.lookup.output.pay]
input: { type: object, properties: { phone: { type: string, x-sensitive: true } } }
steps:
  - { id: lookup, agent: bank, retry: { max: 2, backoff: 1ms } }
  - { id: write, agent: writer, with: { to: input.customer.email, account: lookup.iban, pay: lookup.pay } }
  - { id: send, agent: mailer, operation: send_email }
gates:
  - { id: review, at: before send, title: Send it?, role: approver, show: [lookup.iban, input.ssn] }
---
agent: bank
kind: http
url: SERVICE/bank
output: { type: object, properties: { iban: { type: string, x-sensitive: true } } }
---
agent: writer
kind: http
url: SERVICE/writer
---
agent: mailer
kind: http
url: SERVICE/mailer
---
role: watcher
permissions: [view, comment, start, command, audit]
---
role: cleared
permissions: [view, audit, sensitive]
`

// indiscreetAgents repeat everything they know wherever they can.
func indiscreetAgents(t *testing.T) string {
	t.Helper()
	all := strings.Join([]string{sensitive["setting"], sensitive["workflow"], sensitive["input schema"],
		sensitive["output schema"], sensitive["number"]}, " and ")
	tries := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		out := map[string]any{"reasoning": "because of " + all, "logs": "log " + all, "confidence": 0.95}
		switch r.URL.Path {
		case "/bank":
			if tries++; tries == 1 {
				http.Error(w, "busy with "+all, http.StatusServiceUnavailable)
				return
			}
			out["output"] = map[string]any{"iban": sensitive["output schema"],
				"pay": json.Number(sensitive["number"]), "name": "Ann"}
		case "/writer":
			out["output"] = map[string]any{"text": "Dear " + all}
			out["deliverables"] = []any{
				map[string]any{"name": "letter.md", "type": "document", "content": "Dear " + all, "description": "for " + all},
				map[string]any{"name": sensitive["workflow"] + ".txt", "type": "document",
					"content": strings.Repeat("long ", 20_000) + all},
			}
		default:
			http.Error(w, "refused: "+all, http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// maskedServer masks a field in every workflow, and logs as much as possible.
func maskedServer(t *testing.T) *server {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"),
		[]byte(strings.ReplaceAll(maskedDocuments, "SERVICE", indiscreetAgents(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	return serve(t, "--load", dir, "--mask-fields", "customer.email", "--log-level", "debug")
}

var (
	maskedOwner = who{"ann", "approver"}
	maskedBob   = who{"bob", "approver"}
	watching    = who{"wim", "watcher"}
	clearedTo   = who{"cleo", "cleared"}
)

// payout is a run that failed after a decision, with values in every place.
func payout(t *testing.T, s *server) (id, approval string) {
	t.Helper()
	all := sensitive["setting"] + " " + sensitive["output schema"]
	input := map[string]any{
		"customer": map[string]any{"email": sensitive["setting"]}, "ssn": sensitive["workflow"],
		"phone": sensitive["input schema"], "note": "call " + sensitive["input schema"],
	}
	id = s.call("POST", "/runs", map[string]any{"workflow": "payout", "input": input,
		"labels": map[string]string{"for": sensitive["setting"]}}, as(maskedOwner)).want(201).text("id")
	s.settles(id, "waiting")
	approval = s.call("GET", "/approvals?run="+id, nil, as(maskedBob)).want(200).text("items.0.id")
	s.call("POST", "/approvals/"+approval+"/comments", map[string]string{"text": "I know " + all}, as(watching)).want(200)
	s.call("POST", "/runs/"+id+"/commands", map[string]string{"type": "message", "text": "it is " + all},
		as(watching)).want(202)
	s.call("POST", "/approvals/"+approval+"/decisions",
		map[string]any{"act": "modify", "changes": map[string]string{"text": "To " + all}, "comment": "for " + all,
			"version": 1}, as(maskedBob)).want(200)
	s.settles(id, "failed")
	return id, approval
}

// leak is the first sensitive value in a text.
func leak(text string) string {
	for _, v := range sensitive {
		for _, form := range []string{v, strings.ReplaceAll(v, "+", `\u002b`)} {
			if i := strings.Index(text, form); i >= 0 {
				return text[max(i-120, 0):min(i+60, len(text))]
			}
		}
	}
	return ""
}

// A viewer without the permission sees no sensitive value in any response, stream or command, and the log
// contains none at all.
func TestMaskedEverywhere(t *testing.T) {
	t.Parallel()
	s := maskedServer(t)
	id, approval := payout(t, s)
	crawlMasked(t, s, id)
	for _, path := range []string{"/runs/" + id, "/runs/" + id + "/events", "/approvals/" + approval,
		"/runs/" + id + "/steps/write"} {
		a := s.call("GET", path+"?full=true", nil, as(clearedTo)).want(200)
		if leak(string(a.body)) == "" || strings.Contains(string(a.body), "•••") {
			t.Errorf("%s hides something from who may see it", path)
		}
	}
	plain := s.call("GET", "/runs/"+id, nil, as(maskedOwner)).want(200)
	if plain.text("input.ssn") != sensitive["workflow"] || plain.get("masked") != nil {
		t.Errorf("the owner sees %s", plain.body)
	}
	seen := s.call("GET", "/runs/"+id, nil, as(watching)).want(200)
	if seen.get("masked") != true || seen.text("input.ssn") != "•••" || seen.text("steps.0.output.name") != "Ann" ||
		seen.count("masked_paths") < 5 {
		t.Errorf("%s", seen.body)
	}
	if decided := s.call("GET", "/approvals/"+approval, nil, as(maskedBob)).want(200); leak(string(decided.body)) == "" {
		t.Error("who decided does not see what about")
	}
	streamMasked(t, s)
	// A marker never becomes a value.
	other := s.call("POST", "/runs", map[string]any{"workflow": "payout", "input": map[string]any{"ssn": "other-ssn-1"}},
		as(maskedOwner)).want(201).text("id")
	s.settles(other, "waiting")
	open := s.call("GET", "/approvals?run="+other, nil, as(maskedBob)).want(200).text("items.0.id")
	s.call("POST", "/approvals/"+open+"/decisions",
		map[string]any{"act": "modify", "changes": map[string]string{"text": "•••"}, "version": 1},
		as(maskedBob)).problem(422, "invalid")
	if found := leak(s.log.String()); found != "" {
		t.Errorf("the log holds %s", found)
	}
}

// crawlMasked reads everything.
func crawlMasked(t *testing.T, s *server, id string) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(s.call("GET", "/openapi.json", nil).want(200).body, &document); err != nil {
		t.Fatal(err)
	}
	ids := map[string][]string{"{n}": {"1"}, "{step}": {"lookup", "write", "send"}}
	for _, kind := range []string{"runs", "approvals", "deliverables", "workflows"} {
		list := s.call("GET", "/"+kind, nil).want(200)
		for i := range list.count("items") {
			at := fmt.Sprintf("items.%d.", i)
			name := list.text(at + "id")
			if name == "" {
				name = list.text(at + "name")
			}
			ids["/"+kind] = append(ids["/"+kind], name)
		}
	}
	if len(ids["/deliverables"]) != 2 || len(ids["/approvals"]) != 1 {
		t.Fatalf("there is too little to look at: %v", ids)
	}
	marked, refused := 0, 0
	for path, methods := range document.Paths {
		if _, ok := methods["get"]; !ok || strings.HasSuffix(path, "/events") && !strings.Contains(path, "{") ||
			strings.HasSuffix(path, "/ws") {
			continue
		}
		for _, p := range fill(path, ids) {
			for _, query := range []string{"", "?full=true", "?since=30d"} {
				req, err := http.NewRequest("GET", s.url+p+query, nil)
				if err != nil {
					t.Fatal(err)
				}
				as(watching)(req)
				res, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil {
					t.Fatal(err)
				}
				if found := leak(string(body) + fmt.Sprint(res.Header)); found != "" {
					t.Errorf("GET %s%s shows %s", p, query, found)
				}
				if strings.Contains(string(body), "•••") {
					marked++
				}
				if res.StatusCode == http.StatusForbidden && strings.Contains(string(body), "masked for you") {
					refused++
				}
			}
		}
	}
	if marked < 15 || refused < 4 {
		t.Errorf("only %d answers hide something, and %d are refused", marked, refused)
	}
}

// streamMasked reads both streams from their beginning.
func streamMasked(t *testing.T, s *server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	head := http.Header{"X-Assent-User": {watching.name}, "X-Assent-Roles": {watching.roles}}
	for _, query := range []string{"after=0", "after=0&full=true"} {
		req, err := http.NewRequestWithContext(ctx, "GET", s.url+"/api/v1/events?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = head.Clone()
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text := readUntil(t, res.Body, "run.failed")
		res.Body.Close()
		if found := leak(text); found != "" || !strings.Contains(text, "•••") {
			t.Errorf("the stream shows %s", found)
		}
	}
	conn, _, err := websocket.Dial(ctx, strings.Replace(s.url, "http", "ws", 1)+"/api/v1/ws?after=0",
		&websocket.DialOptions{HTTPHeader: head})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(16 << 20)
	text := ""
	for !strings.Contains(text, `"run.failed"`) {
		_, message, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		text += string(message)
	}
	if found := leak(text); found != "" || !strings.Contains(text, "•••") {
		t.Errorf("the socket shows %s", found)
	}
}

// readUntil reads a stream up to a word.
func readUntil(t *testing.T, in io.Reader, word string) string {
	t.Helper()
	var text strings.Builder
	piece := make([]byte, 64<<10)
	for !strings.Contains(text.String(), word) {
		n, err := in.Read(piece)
		text.Write(piece[:n])
		if err != nil {
			t.Fatalf("%v after %.500s", err, text.String())
		}
	}
	return text.String()
}

// The command line shows the same as the API.
func TestMaskedCommandLine(t *testing.T) {
	t.Parallel()
	s := maskedServer(t)
	id, approval := payout(t, s)
	for _, args := range [][]string{{"show", id}, {"show", approval}, {"events", id}, {"replay", id}, {"runs"}, {"audit"},
		{"lessons"}, {"show", id, "--json"}} {
		for who, hidden := range map[string]bool{"wim:watcher": true, "ann:approver": false} {
			if args[0] == "audit" && !hidden {
				continue // she may not
			}
			name, roles, _ := strings.Cut(who, ":")
			cmd := exec.Command(binary, append(args, "--addr", s.url, "--user", name, "--role", roles)...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
			if found := leak(string(out)); hidden && found != "" {
				t.Errorf("%v shows %s", args, found)
			}
		}
	}
}
