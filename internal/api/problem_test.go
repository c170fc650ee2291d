package api

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/port"
)

func TestErrors(t *testing.T) {
	d := open(t, Options{})
	ap := d.asked("ask")
	one := "/api/v1/approvals/" + ap.ID
	bob := as("bob", "approver")
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code, says               string
	}{
		{"no such path", "GET", "/api/v1/nowhere", "", nil, 404, "not_found", "nothing found at this path"},
		{"outside the API", "GET", "/nowhere", "", nil, 404, "not_found", ""},
		{"unclean path", "GET", "/api//v1/runs", "", nil, 404, "not_found", ""},
		{"a later release", "GET", "/api/v1/asks", "", nil, 404, "not_found", ""},
		{"a slash too many", "GET", "/api/v1/runs/", "", nil, 404, "not_found", ""},
		{"wrong method", "DELETE", "/api/v1/runs", "", nil, 405, "unsupported", "DELETE"},
		{"wrong method of an id", "PUT", one, "{}", nil, 405, "unsupported", "PUT"},
		{"invented method", "BREW", "/api/v1/runs", "", nil, 405, "unsupported", "BREW"},
		{"unknown parameter", "GET", "/api/v1/runs?lable=a:b", "", nil, 422, "invalid", `did you mean \"label\"?`},
		{"parameter twice", "GET", "/api/v1/runs?workflow=a&workflow=b", "", nil, 422, "invalid", "must not be repeated"},
		{"limit", "GET", "/api/v1/runs?limit=0", "", nil, 422, "invalid", "from 1 to 1000"},
		{"limit", "GET", "/api/v1/runs?limit=1001", "", nil, 422, "invalid", "from 1 to 1000"},
		{"limit", "GET", "/api/v1/runs?limit=many", "", nil, 422, "invalid", "limit"},
		{"flag", "GET", "/api/v1/runs/" + ap.Run + "?full=yes", "", nil, 422, "invalid", "true or false"},
		{"word", "GET", "/api/v1/runs?status=runing", "", nil, 422, "invalid", `did you mean \"running\"?`},
		{"label", "GET", "/api/v1/runs?label=x", "", nil, 422, "invalid", "name:value"},
		{"broken query", "GET", "/api/v1/runs?a=%zz", "", nil, 422, "invalid", ""},
		{"cursor of runs", "GET", "/api/v1/runs?cursor=xyz", "", nil, 422, "invalid", "cursor"},
		{"cursor of approvals", "GET", "/api/v1/approvals?cursor=xyz", "", nil, 422, "invalid", "cursor"},
		{"cursor of events", "GET", "/api/v1/runs/" + ap.Run + "/events?cursor=xyz", "", nil, 422, "invalid", "cursor"},
		{"cursor of workflows", "GET", "/api/v1/workflows?cursor=xyz", "", nil, 422, "invalid", "cursor"},
		{"cursor of deliverables", "GET", "/api/v1/deliverables?cursor=xyz", "", nil, 422, "invalid", "cursor"},
		{"sort", "GET", "/api/v1/approvals?sort=size", "", nil, 422, "invalid", "sort"},
		{"mine and role", "GET", "/api/v1/approvals?mine=true&role=x", "", nil, 422, "invalid", "mine"},
		{"two labels", "GET", "/api/v1/runs?label=a:1&label=a:2", "", nil, 422, "invalid", "label"},

		{"unknown run", "GET", "/api/v1/runs/run_nope", "", nil, 404, "not_found", "run_nope"},
		{"unknown approval", "GET", "/api/v1/approvals/apr_nope", "", nil, 404, "not_found", ""},
		{"unknown approval to decide", "POST", "/api/v1/approvals/apr_nope/decisions", `{"act":"approve","version":1}`,
			bob, 404, "not_found", ""},
		{"unknown workflow", "GET", "/api/v1/workflows/nope", "", nil, 404, "not_found", "available: "},
		{"unknown version", "GET", "/api/v1/workflows/ask/versions/99", "", nil, 404, "not_found", ""},
		{"no version", "GET", "/api/v1/workflows/ask/versions/latest", "", nil, 404, "not_found", ""},
		{"unknown agent", "GET", "/api/v1/agents/nope", "", nil, 404, "not_found", ""},
		{"unknown deliverable", "GET", "/api/v1/deliverables/dlv_nope/content", "", nil, 404, "not_found", ""},
		{"zip of no run", "GET", "/api/v1/runs/run_nope/deliverables.zip", "", nil, 404, "not_found", ""},
		{"a run of no workflow", "POST", "/api/v1/runs", `{"workflow":"nope"}`, bob, 404, "not_found", "nope"},
		{"NUL in an id", "GET", "/api/v1/runs/a%00b", "", nil, 404, "not_found", ""},

		{"no body", "POST", "/api/v1/runs", "", bob, 400, "invalid", "the body is missing"},
		{"no JSON", "POST", "/api/v1/runs", `{"workflow":`, bob, 400, "invalid", "line"},
		{"trailing garbage", "POST", "/api/v1/runs", `{"workflow":"plain"} x`, bob, 400, "invalid", ""},
		{"two values", "POST", "/api/v1/runs", `{"workflow":"plain"}{}`, bob, 400, "invalid", ""},
		{"deep", "POST", "/api/v1/runs", `{"input":` + strings.Repeat("[", 2_000_000) + "}", bob, 400, "invalid", ""},
		{"no object", "POST", "/api/v1/runs", `["plain"]`, bob, 422, "invalid", "object"},
		{"null", "POST", "/api/v1/runs", `null`, bob, 422, "invalid", "object"},
		{"unknown member", "POST", "/api/v1/runs", `{"workflow":"plain","inptu":{}}`, bob, 422, "invalid", "inptu"},
		{"another case", "POST", "/api/v1/runs", `{"Workflow":"plain"}`, bob, 422, "invalid", "Workflow"},
		{"member twice", "POST", "/api/v1/runs", `{"workflow":"plain","workflow":"ask"}`, bob, 422, "invalid",
			"duplicate key"},
		{"member of the input twice", "POST", "/api/v1/runs", `{"workflow":"plain","input":{"to":{"n":1,"\u006e":2}}}`, bob,
			422, "invalid", "input.to.n"},
		{"no float", "POST", "/api/v1/runs", `{"workflow":"plain","input":{"n":[1,-1e400]}}`, bob, 422,
			"invalid", "input.n[1]"},
		{"half a character", "POST", "/api/v1/runs", `{"workflow":"plain","input":{"n":"\udc00"}}`, bob,
			422, "invalid", "input.n"},
		{"wrong type", "POST", "/api/v1/runs", `{"workflow":"plain","test_mode":"yes","labels":{"a":1}}`, bob, 422,
			"invalid", "labels.a"},
		{"missing", "POST", "/api/v1/runs", `{}`, bob, 422, "invalid", "workflow"},
		{"input against the schema", "POST", "/api/v1/runs", `{"workflow":"plain","input":{"n":"x"}}`,
			bob, 422, "invalid", "/n"},
		{"form", "POST", "/api/v1/runs", `workflow=plain`, append(bob, "Content-Type", "application/x-www-form-urlencoded"),
			415, "unsupported", "application/json"},
		{"no type", "POST", "/api/v1/runs", `{"workflow":"plain"}`, append(bob, "Content-Type", ""), 415, "unsupported", ""},
		{"YAML where JSON is taken", "POST", "/api/v1/runs", `workflow: plain`,
			append(bob, "Content-Type", "application/yaml"), 415, "unsupported", ""},
		{"another charset", "POST", "/api/v1/runs", `{"workflow":"plain"}`,
			append(bob, "Content-Type", "application/json; charset=latin1"), 415, "unsupported", "UTF-8"},
		{"not UTF-8", "POST", "/api/v1/runs", "{\"workflow\":\"pl\xffain\"}", bob, 400, "invalid", "UTF-8"},
		{"compressed", "POST", "/api/v1/runs", `{"workflow":"plain"}`, append(bob, "Content-Encoding", "gzip"),
			415, "unsupported", ""},
		{"a document as text", "PUT", "/api/v1/workflows/x", `workflow: x`, []string{"Content-Type", "text/plain"}, 415,
			"unsupported", "yaml"},

		{"wrong version", "POST", one + "/decisions", `{"act":"approve","version":7}`, bob, 409, "version_mismatch", ""},
		{"no version", "POST", one + "/decisions", `{"act":"approve"}`, bob, 422, "invalid", "version"},
		{"reject without a comment", "POST", one + "/decisions", `{"act":"reject","version":1}`, bob,
			422, "invalid", "comment"},
		{"revision without a comment", "POST", one + "/decisions", `{"act":"request_revision","version":1}`, bob,
			422, "invalid", "comment"},
		{"unknown act", "POST", one + "/decisions", `{"act":"aprove","version":1}`, bob, 422, "invalid", "act"},
		{"unknown member of a decision", "POST", one + "/decisions", `{"act":"approve","version":1,"commment":"x"}`, bob,
			422, "invalid", "commment"},
		{"changes against the schema", "POST", one + "/decisions",
			`{"act":"modify","changes":{"amount":"a lot","more":1},"version":1}`, bob, 422, "invalid", "/amount"},
		{"member of the changes twice", "POST", one + "/decisions",
			`{"act":"modify","changes":{"amount":1,"amount":2},"version":1}`, bob, 422, "invalid", "changes.amount"},
		{"wrong role", "POST", one + "/decisions", `{"act":"approve","version":1}`,
			as("eve", "stranger"), 403, "forbidden", ""},
		{"viewer", "POST", one + "/decisions", `{"act":"approve","version":1}`, as("eve", "viewer"), 403, "forbidden", ""},
		{"viewer starts", "POST", "/api/v1/runs", `{"workflow":"plain"}`, as("eve", "viewer"), 403, "forbidden", ""},
		{"who is no admin saves", "PUT", "/api/v1/workflows/plain", `{"workflow":"plain"}`, bob, 403, "forbidden", ""},
		{"who is no admin expires", "POST", "/api/v1/approvals/expire", `{"older_than":"1h"}`, bob, 403, "forbidden", ""},
		{"If-Match that is no tag", "POST", one + "/decisions", `{"act":"approve"}`, append(bob, "If-Match", "*"), 422,
			"invalid", "If-Match"},
		{"If-Match against version", "POST", one + "/decisions", `{"act":"approve","version":2}`,
			append(bob, "If-Match", `W/"1.x"`), 422, "invalid", "version"},
		{"no ids", "POST", "/api/v1/approvals/batch", `{"ids":[],"act":"approve"}`, bob, 422, "invalid", "ids"},
		{"no age", "POST", "/api/v1/approvals/expire", `{}`, nil, 422, "invalid", "older_than"},
		{"bad age", "POST", "/api/v1/approvals/expire", `{"older_than":"soon"}`, nil, 422, "invalid", "older_than"},

		{"unknown command", "POST", "/api/v1/runs/" + ap.Run + "/commands", `{"type":"explode"}`, bob, 422,
			"invalid", "expected one of"},
		{"unknown member of a command", "POST", "/api/v1/runs/" + ap.Run + "/commands", `{"type":"cancel","why":"x"}`, bob,
			422, "invalid", "why"},
		{"type twice", "POST", "/api/v1/runs/" + ap.Run + "/commands", `{"type":"pause","type":"cancel"}`, bob,
			422, "invalid", "twice"},
		{"member of a change twice", "POST", "/api/v1/runs/" + ap.Run + "/commands",
			`{"type":"modify_args","step":"draft","changes":{"a":{"b":1,"b":2}}}`, bob, 422, "invalid", "changes.a.b"},
		{"command to no run", "POST", "/api/v1/runs/run_nope/commands", `{"type":"cancel"}`, bob, 404, "not_found", ""},
		{"retry of what goes on", "POST", "/api/v1/runs/" + ap.Run + "/retry", ``, bob, 409, "conflict", ""},
		{"retry with a body", "POST", "/api/v1/runs/" + ap.Run + "/retry", `{"x":1}`, bob, 422, "invalid", "x"},
		{"fork of nothing", "POST", "/api/v1/runs/" + ap.Run + "/fork", `{}`, bob, 422, "invalid", "at_seq"},
		{"fork beyond the end", "POST", "/api/v1/runs/" + ap.Run + "/fork", `{"at_seq":9999}`, bob, 422, "invalid", ""},
		{"state beyond the end", "GET", "/api/v1/runs/" + ap.Run + "/state?at_seq=9999", "", bob, 422, "invalid", ""},

		{"key too long", "POST", "/api/v1/runs", `{"workflow":"plain"}`,
			append(bob, "Idempotency-Key", strings.Repeat("k", 201)), 422, "invalid", "Idempotency-Key"},
		{"empty key", "POST", "/api/v1/runs", `{"workflow":"plain"}`, append(bob, "Idempotency-Key", ""), 422,
			"invalid", "Idempotency-Key"},
		{"roles without a name", "GET", "/api/v1/me", "", []string{headerRoles, "admin"}, 422, "invalid", headerUser},

		{"stream beyond the head", "GET", "/api/v1/events?after=99999", "", nil, 422, "invalid", ""},
		{"stream of unknown types", "GET", "/api/v1/events?types=run.startd", "", nil, 422, "invalid",
			`did you mean \"run.started\"?`},
		{"stream of no run", "GET", "/api/v1/events?run=run_nope", "", nil, 404, "not_found", ""},
		{"bad Last-Event-ID", "GET", "/api/v1/events", "", []string{"Last-Event-ID", "x"}, 422, "invalid", "Last-Event-ID"},
		{"no WebSocket", "GET", "/api/v1/ws", "", nil, 426, "unsupported", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.TB = t
			a := d.send(c.method, c.path, c.body, c.headers...)
			a.refused(c.status, c.code)
			if !bytes.Contains(a.body, []byte(c.says)) {
				t.Errorf("%s does not say %q", a.body, c.says)
			}
			if c.status == 405 && a.header.Get("Allow") == "" {
				t.Error("no Allow")
			}
		})
	}
	d.TB = t
	// Nothing of all that decided anything.
	if now := d.approval(ap.ID); now.Status != "pending" || now.Version != 1 {
		t.Errorf("%+v", now)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	d := open(t, Options{})
	d.send("POST", "/api/v1/runs", `{"workflow":"plain","input":"`+strings.Repeat("x", bodyMax)+`"}`).refused(413,
		"too_large")

	// Without a length, the server notices while it reads.
	r, err := http.NewRequest("POST", d.http.URL+"/api/v1/runs",
		io.MultiReader(strings.NewReader(`{"input":"`), io.LimitReader(endless{}, 2*bodyMax)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := d.http.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	answer{d, res.StatusCode, res.Header, b}.refused(413, "too_large")

	// At the limit is fine.
	body := `{"workflow":"plain","labels":{},"input":{"s":"`
	body += strings.Repeat("x", bodyMax-len(body)-3) + `"}}`
	if a := d.post("/runs", body); a.status == 413 && strings.Contains(string(a.body), "16 MiB") {
		t.Errorf("%d bytes: %s", len(body), a.body)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestABodyThatBreaksOff(t *testing.T) {
	d := open(t, Options{})
	conn, err := net.Dial("tcp", d.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
		"application/json\r\nContent-Length: 100\r\n\r\n{")
	_ = conn.(*net.TCPConn).CloseWrite()
	_ = conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	answer{d, res.StatusCode, res.Header, b}.refused(400, "invalid")
}

// A store that is away says why, and nothing about where it is.
func TestWhyTheStoreIsAway(t *testing.T) {
	p := problem.Of(fmt.Errorf("append: %w",
		port.Unavailable("the disk is full", errors.New("write /srv/assent/assent.db: no space left"))))
	if p.Status != http.StatusServiceUnavailable || !strings.Contains(p.Detail, "the disk is full") ||
		strings.Contains(p.Detail, "/srv") {
		t.Errorf("%+v", p)
	}
}
