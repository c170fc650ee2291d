package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// guest is a program that speaks MCP with the server.
type guest struct {
	t testing.TB
	*sdk.ClientSession
}

// adding adds headers to the requests of a client of the library.
type adding []option

func (a adding) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for _, o := range a {
		o(r)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func connectGuest(t testing.TB, by sdk.Transport) *guest {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "e2e", Version: "1"}, nil).Connect(t.Context(), by, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &guest{t, session}
}

// guest connects over HTTP.
func (s *server) guest(options ...option) *guest {
	s.t.Helper()
	return connectGuest(s.t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp",
		HTTPClient: &http.Client{Transport: adding(options)}, MaxRetries: -1})
}

// guestByLine connects to assent mcp, which finds the server by its data directory.
func (s *server) guestByLine(token string) *guest {
	s.t.Helper()
	cmd := exec.Command(binary, "mcp", "--data", s.args[slices.Index(s.args, "--data")+1])
	cmd.Env = append(os.Environ(), "ASSENT_TOKEN="+token)
	cmd.Stderr = s.log
	return connectGuest(s.t, &sdk.CommandTransport{Command: cmd})
}

// ask calls a tool. The status is that of the problem, or 200.
func (g *guest) ask(tool string, args any) answer {
	g.t.Helper()
	res, err := g.CallTool(g.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		g.t.Fatalf("%s %v: %v", tool, args, err)
	}
	body, err := json.Marshal(res.StructuredContent)
	if err != nil || len(res.Content) != 1 || res.Content[0].(*sdk.TextContent).Text == "" {
		g.t.Fatalf("%s: %v %+v", tool, err, res)
	}
	a := answer{t: g.t, status: 200, body: body}
	if res.IsError {
		a.status = int(a.number("status"))
	}
	return a
}

func (g *guest) tools() []string {
	g.t.Helper()
	var out []string
	for tool, err := range g.Tools(g.t.Context(), nil) {
		if err != nil {
			g.t.Fatal(err)
		}
		out = append(out, tool.Name)
	}
	return out
}

// TestPeopleDecideForGuests: an agent starts a run over MCP and learns that a person is needed; the person
// decides, and the agent gets the output.
func TestPeopleDecideForGuests(t *testing.T) {
	t.Parallel()
	s := office(t, "--load", "../examples")
	ann := cookie(s.signIn("ann", annPassword))
	token := s.call("POST", "/tokens", `{"name":"helper","kind":"agent","roles":["support_lead"]}`,
		ann).want(201).text("secret")
	for way, g := range map[string]*guest{"http": s.guest(bearer(token)), "line": s.guestByLine(token)} {
		t.Run(way, func(t *testing.T) {
			g := &guest{t, g.ClientSession}
			listed := g.tools()
			for name, want := range map[string]bool{
				"start_run": true, "get_run": true, "cancel_run": true, "list_workflows": true,
				"list_approvals": true, "get_approval": true,
				"workflow_refund-email": true, "decide_approval": false, "comment_approval": false,
			} {
				if slices.Contains(listed, name) != want {
					t.Errorf("%s is listed: %t; all: %v", name, !want, listed)
				}
			}
			start := map[string]any{
				"workflow": "refund-email", "input": map[string]any{"order_id": "A-5501", "reason": "The cable is broken."},
				"idempotency_key": way, "wait_s": 30,
			}
			got := g.ask("start_run", start).want(200)
			run, id := got.text("run"), got.text("approvals.0.approval")
			if got.text("status") != "needs_human" || got.text("approvals.0.asked.0") != "role:support_lead" ||
				got.text("approvals.0.url") != s.url+"/approvals/"+id {
				t.Fatalf("%s", got.body)
			}
			if again := g.ask("start_run", start).want(200); again.text("run") != run {
				t.Errorf("the same key started %s and %s", run, again.text("run"))
			}
			decision := map[string]any{"approval": id, "act": "approve", "version": 1}
			if no := g.ask("decide_approval", decision); no.status != 403 || no.text("code") != "forbidden" ||
				no.text("detail") == "" {
				t.Errorf("an agent decides: %d %s", no.status, no.body)
			}
			heard := make(chan answer, 1)
			go func() { heard <- g.ask("get_run", map[string]any{"run": run, "wait_s": 40}) }()
			s.call("POST", "/approvals/"+id+"/decisions", `{"act":"approve","version":1}`, ann).want(200)
			if end := <-heard; end.text("status") != "completed" || !strings.Contains(string(end.body), "output") {
				t.Errorf("%s", end.body)
			}
		})
	}
}

// TestPeopleDecideByMCP: a person's own token may do over MCP what it may do elsewhere, and no more.
func TestPeopleDecideByMCP(t *testing.T) {
	t.Parallel()
	s := office(t, "--load", "../examples")
	ann := cookie(s.signIn("ann", annPassword))
	token := s.call("POST", "/tokens", `{"name":"ann","kind":"person","roles":["admin"]}`, ann).want(201).text("secret")
	g := s.guest(bearer(token))
	got := g.ask("workflow_refund-email", map[string]any{"order_id": "A-5501", "reason": "Broken."}).want(200)
	id := got.text("approvals.0.approval")
	listed := g.ask("list_approvals", map[string]any{"run": got.text("run")}).want(200)
	if id == "" || listed.text("items.0.approval") != id {
		t.Fatalf("%s", got.body)
	}
	g.ask("comment_approval", map[string]any{"approval": id, "text": "looks right"}).want(200)
	version := g.ask("get_approval", map[string]any{"approval": id}).want(200).number("version")
	if no := g.ask("decide_approval", map[string]any{"approval": id, "act": "approve",
		"version": version + 7}); no.status != 409 || no.text("code") != "version_mismatch" {
		t.Errorf("%d %s", no.status, no.body)
	}
	yes := map[string]any{"approval": id, "act": "modify", "version": version, "changes": map[string]any{"amount": 12.5}}
	for range 2 { // the second one is a repeat of the first
		if done := g.ask("decide_approval", yes).want(200); done.text("status") != "modified" {
			t.Errorf("%s", done.body)
		}
	}
	yes["comment"] = "another one"
	if late := g.ask("decide_approval", yes); late.status != 409 || late.text("code") != "already_decided" ||
		late.text("decided_by") != "ann" {
		t.Errorf("%d %s", late.status, late.body)
	}
	if end := g.ask("get_run", map[string]any{"run": got.text("run"), "wait_s": 30}); end.text("status") != "completed" {
		t.Errorf("%s", end.body)
	}
	held := g.ask("start_run", map[string]any{"workflow": "refund-email",
		"input": map[string]any{"order_id": "A-5501", "reason": "x"}}).want(200)
	if gone := g.ask("cancel_run", map[string]any{"run": held.text("run"),
		"reason": "no need"}).want(200); gone.text("status") != "cancelled" {
		t.Errorf("%s", gone.body)
	}
}

func atMCP(r *http.Request) { r.URL.Path = "/mcp" }

const pingMCP = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// TestStrangersAtMCP: access is that of the API.
func TestStrangersAtMCP(t *testing.T) {
	t.Parallel()
	send := func(s *server, body string, options ...option) answer {
		t.Helper()
		return s.call("POST", "/", body, append([]option{atMCP, header("Accept", "application/json, text/event-stream")},
			options...)...)
	}
	home := serve(t)
	send(home, pingMCP).want(200)
	send(home, pingMCP, header("Origin", "https://evil.example")).problem(403, "forbidden")
	send(home, pingMCP, header("Sec-Fetch-Site", "cross-site")).problem(403, "forbidden")
	send(home, pingMCP, func(r *http.Request) { r.Host = "evil.example" }).problem(403, "forbidden")
	send(home, "["+pingMCP+"]").problem(422, "invalid")
	send(home, `{"jsonrpc":`).problem(400, "invalid")
	send(home, `{"x":"`+strings.Repeat("x", 17<<20)+`"}`).problem(413, "too_large")
	for _, method := range words("GET DELETE PUT") {
		home.call(method, "/", nil, atMCP).problem(405, "unsupported")
	}

	s := office(t, "--rate-limit", "20")
	send(s, pingMCP).problem(401, "unauthenticated")
	send(s, pingMCP, bearer("ast_nobody")).problem(401, "unauthenticated")
	session := cookie(s.signIn("ann", annPassword))
	send(s, pingMCP, session).want(200)
	send(s, pingMCP, session, header("Sec-Fetch-Site", "cross-site")).problem(403, "forbidden")
	token := s.call("POST", "/tokens", `{"name":"busy","kind":"agent","roles":[]}`, session).want(201).text("secret")
	limited := false
	for end := time.Now().Add(patience); !limited && time.Now().Before(end); {
		limited = send(s, pingMCP, bearer(token)).status == 429
	}
	if !limited {
		t.Error("nothing bounds how often one may ask")
	}
	found := s.call("GET", "/audit?outcome=refused&action=access.mcp", nil, session).want(200)
	if found.count("items") < 2 {
		t.Errorf("%s", found.body)
	}
}
