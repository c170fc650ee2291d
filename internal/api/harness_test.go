package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/steady"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	"github.com/assent-run/assent/internal/view"
)

func TestMain(m *testing.M) {
	code := m.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	os.Exit(steady.Checked(code))
}

// desk is a whole server on a store of its own.
type desk struct {
	testing.TB
	data  string
	parts *assembly.Server
	api   *Server
	http  *httptest.Server
	log   *notes
	o     Options
	how   assembly.SignIn
}

// notes collects what is logged.
type notes struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (n *notes) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.Write(b)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.String()
}

// open starts a server with the documents of testdata.
func open(t testing.TB, o Options) *desk {
	t.Helper()
	return openWith(t, o, assembly.SignIn{})
}

// openWith is open where people sign in.
func openWith(t testing.TB, o Options, how assembly.SignIn) *desk {
	t.Helper()
	d := &desk{TB: t, data: sqlitetest.Dir(t), o: o, how: how, log: &notes{}}
	d.start()
	t.Cleanup(d.stop)
	return d
}

func (d *desk) start() {
	d.Helper()
	ctx := context.Background()
	parts, err := assembly.Open(ctx, assembly.Config{Data: d.data, Local: true, SignIn: d.how})
	if err != nil {
		d.Fatal(err)
	}
	loaded, err := parts.App.Documents.Load(ctx, "test", "testdata/documents.yaml")
	if err != nil || len(loaded.Problems) > 0 {
		d.Fatal(loaded.Problems, err)
	}
	parts.Start()
	o := d.o
	if o.Auth == nil {
		o.Auth, o.Access, o.Push = parts.Auth, parts.Auth, parts.Push
		o.Outbox, o.Chat = parts.Outbox, parts.Chat
	}
	o.Version = "1.2.3"
	o.Log = slog.New(slog.NewJSONHandler(d.log, nil))
	d.parts, d.api = parts, New(parts.App, o)
	d.http = httptest.NewServer(d.api)
}

func (d *desk) stop() {
	d.Helper()
	d.api.Drain()
	d.http.CloseClientConnections()
	d.http.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := d.parts.Close(ctx); err != nil {
		d.Error(err)
	}
}

// restart closes everything and opens it again on the same store.
func (d *desk) restart() {
	d.Helper()
	d.stop()
	d.start()
}

// answer is what the server said.
type answer struct {
	testing.TB
	status int
	header http.Header
	body   []byte
}

// as are headers that make somebody act.
func as(name string, roles ...string) []string {
	return []string{headerUser, name, headerRoles, strings.Join(roles, ",")}
}

// send makes a request; headers are names and values in turn. A body is JSON
// unless a header says otherwise.
func (d *desk) send(method, address, body string, headers ...string) answer {
	d.Helper()
	r, err := http.NewRequest(method, d.http.URL+address, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := d.http.Client().Do(r)
	if err != nil {
		d.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		d.Fatal(err)
	}
	a := answer{d, res.StatusCode, res.Header, b}
	if op := d.operation(r); op != nil && method != "HEAD" {
		a.conforms(op)
	}
	return a
}

// operation finds the one that a request is meant for, unless it is refused
// before.
func (d *desk) operation(r *http.Request) *operation {
	_, pattern := d.api.mux.Handler(r)
	for i := range table {
		if op := &table[i]; op.Method+" "+op.Path == pattern && path.Clean(r.URL.Path) == r.URL.Path {
			return op
		}
	}
	return nil
}

var table = operations()

func (d *desk) get(path string, headers ...string) answer {
	d.Helper()
	return d.send("GET", base+path, "", headers...)
}

func (d *desk) post(path, body string, headers ...string) answer {
	d.Helper()
	return d.send("POST", base+path, body, headers...)
}

// want checks the status, and that errors have the form that is promised.
func (a answer) want(status int) answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("status %d, not %d: %s", a.status, status, a.body)
	}
	if status >= 400 {
		a.problem()
	}
	return a
}

// refused checks an error and its code.
func (a answer) refused(status int, code string) problem.Problem {
	a.Helper()
	a.want(status)
	p := a.problem()
	if string(p.Code) != code {
		a.Fatalf("code %s, not %s: %s", p.Code, code, a.body)
	}
	return p
}

func (a answer) problem() problem.Problem {
	a.Helper()
	var p problem.Problem
	dec := json.NewDecoder(bytes.NewReader(a.body))
	if err := dec.Decode(&p); err != nil {
		a.Fatalf("%v: %s", err, a.body)
	}
	if ct := a.header.Get("Content-Type"); ct != "application/problem+json" || p.Status != a.status ||
		p.Type != "/problems/"+string(p.Code) || p.Title == "" || p.Detail == "" || p.Errors == nil {
		a.Fatalf("this is no problem: %s %s", ct, a.body)
	}
	if a.status == 503 && a.header.Get("Retry-After") == "" {
		a.Fatal("no Retry-After")
	}
	return p
}

// into decodes the body.
func into[T any](a answer) T {
	a.Helper()
	var v T
	if err := json.Unmarshal(a.body, &v); err != nil {
		a.Fatalf("%v: %s", err, a.body)
	}
	return v
}

// begin starts a run as ann, who may do everything that needs no administrator.
func (d *desk) begin(workflow string, headers ...string) view.Run {
	d.Helper()
	if headers == nil {
		headers = as("ann", "approver")
	}
	return into[view.Run](d.post("/runs", `{"workflow":"`+workflow+`"}`, headers...).want(201))
}

// until waits for a run to stand so.
func (d *desk) until(id, status string, headers ...string) view.Run {
	d.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if v := into[view.Run](d.get("/runs/"+id, headers...).want(200)); string(v.Status) == status {
			return v
		}
	}
	d.Fatalf("run %s does not become %s: %s", id, status, d.get("/runs/"+id).body)
	return view.Run{}
}

// asked starts a run and returns the approval it waits for.
func (d *desk) asked(workflow string, headers ...string) view.Approval {
	d.Helper()
	v := d.until(d.begin(workflow, headers...).ID, "waiting")
	return d.approval(v.PendingApprovals[0])
}

func (d *desk) approval(id string, headers ...string) view.Approval {
	d.Helper()
	return into[view.Approval](d.get("/approvals/"+id, headers...).want(200))
}
