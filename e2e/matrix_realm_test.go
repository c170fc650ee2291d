package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	docs "github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// A workflow of the matrix asks at its start according to its input, in every kind, and then waits for a
// keeper who never comes: so nothing else moves.
var (
	matrixWorkflows = words("claims-a claims-b loans")
	matrixKinds     = words("approval choice input escalation")
	matrixAsks      = words("everybody approver watcher open")
)

// askedRoles are the assignees of the approvals.
func askedRoles(ask string) []string {
	switch ask {
	case "everybody":
		out := []string{"outsider"}
		for role := range roleRules {
			out = append(out, role)
		}
		slices.Sort(out)
		return out
	case "open":
		return nil
	}
	return []string{ask}
}

// matrixGate returns a gate that asks if the run's input requires it.
func matrixGate(id, kind, ask, more string) string {
	who := "" // open: anyone who may
	switch ask {
	case "everybody":
		who = ", assignees: [" + `"role:` + strings.Join(askedRoles(ask), `", "role:`) + `"]`
	case "approver":
		who = ", role: approver"
	case "watcher": // may only view, so that role alone is rejected when saved
		who = `, assignees: ["role:watcher", keeper]`
	}
	extra := map[string]string{
		"choice": ", options: [{ value: x }, { value: y }]",
		"input":  ", input_schema: { type: object, required: [n], properties: { n: { type: integer } } }",
	}[kind]
	return fmt.Sprintf("  - { id: %s, at: start, when: want == \"%s\", kind: %s, title: Asks, acts: [%s]%s%s%s }\n",
		id, id, kind, strings.Join(actsOfKind[kind], ", "), who, extra, more)
}

func matrixWorkflow(name string) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "workflow: %s\nowner_only: %t\nsteps: [{ id: hold, human: { title: Hold, assignees: "+
		"[keeper] } }]\ngates:\n", name, strings.HasSuffix(name, "-own"))
	for _, kind := range matrixKinds {
		for _, ask := range matrixAsks {
			b.WriteString(matrixGate(kind+"_"+ask, kind, ask, ""))
		}
		b.WriteString(matrixGate(kind+"_named", kind, "", ", assignees: [nell, nora, ned, nina]"))
		b.WriteString(matrixGate(kind+"_excluded", kind, "everybody", ", requester: excluded"))
		if kind != "input" && !strings.HasSuffix(name, "-own") {
			b.WriteString(matrixGate(kind+"_two", kind, "everybody", ", quorum: 2, requester: allowed"))
		}
	}
	text := b.String()
	if strings.HasSuffix(name, "-own") { // these two do not go together
		text = strings.ReplaceAll(text, ", requester: excluded", "")
	}
	return text
}

// matrixDocuments are all workflows and roles of the matrix.
func matrixDocuments() string {
	out := []string{"policy: default\nrules: []\n"}
	for _, name := range append(slices.Clone(matrixWorkflows), "claims-own") {
		out = append(out, matrixWorkflow(name))
	}
	for name, r := range roleRules {
		if r.builtIn {
			continue
		}
		doc := "role: " + name + "\npermissions: [\"" + strings.Join(r.permissions, `", "`) + "\"]\n"
		for key, list := range map[string][]string{"kinds": r.kinds, "workflows": r.workflows, "can_act_as": r.actAs} {
			if list != nil {
				doc += key + ": [\"" + strings.Join(list, `", "`) + "\"]\n"
			}
		}
		out = append(out, doc)
	}
	return strings.Join(out, "\n---\n")
}

// realm is a whole server in this process, with sign-in.
type realm struct {
	testing.TB
	parts *assembly.Server
	api   *api.Server
	dir   string
	*issuer

	mu     sync.Mutex
	tokens map[string]string // by kind, name and roles
	sent   map[refusal]int   // rejections that have to be recorded
	cells  int
}

// refusal is an expected audit entry.
type refusal struct{ kind, name, action string }

var root = app.Who{Name: "root", Kind: run.Person, Roles: []string{gate.RoleAdmin}, SignedIn: true}

// newRealm opens a server with documents. local: without sign-in.
func newRealm(t testing.TB, documents string, local bool) *realm {
	t.Helper()
	w := &realm{TB: t, dir: sqlitetest.Dir(t), issuer: newIssuer(t), tokens: map[string]string{}, sent: map[refusal]int{}}
	w.open(local)
	t.Cleanup(w.close)
	set, problems := definition.Parse("matrix.yaml", []byte(documents))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, kind := range []definition.Kind{definition.KindRole, definition.KindAgent, definition.KindWorkflow,
		definition.KindPolicy} {
		for _, doc := range set.Documents() {
			if k, name := doc.Ident(); k == kind {
				if _, _, err := w.parts.App.Documents.Save(t.Context(), root, k, name, definition.YAML, doc.YAMLWithSecrets(),
					docs.Saving{Publish: true}); err != nil {
					t.Fatalf("%s %s: %v", k, name, err)
				}
			}
		}
	}
	return w
}

func (w *realm) open(local bool) {
	w.Helper()
	how := assembly.SignIn{Password: !local}
	if !local {
		how.OIDC = w.provider()
	}
	how.Cost.MemoryKiB, how.Cost.Rounds, how.Cost.Lanes = 64, 1, 1
	parts, err := assembly.Open(context.Background(), assembly.Config{Data: w.dir, Local: true, SignIn: how})
	if err != nil {
		w.Fatal(err)
	}
	parts.Start()
	w.parts, w.api = parts, api.New(parts.App, api.Options{Auth: parts.Auth, Access: parts.Auth, Version: "0"})
}

func (w *realm) close() {
	if w.parts == nil {
		return
	}
	w.api.Drain()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.parts.Close(ctx); err != nil {
		w.Error(err)
	}
	w.parts = nil
}

// token registers an actor and returns their credentials.
func (w *realm) token(a actor) string {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	key := a.kind + " " + a.name + " " + strings.Join(a.roles, ",")
	if w.tokens[key] == "" && a.kind == "client" {
		w.tokens[key] = w.client(a.name, a.roles)
	}
	if w.tokens[key] == "" {
		_, secret, err := w.parts.Auth.NewToken(context.Background(),
			port.NewToken{Name: a.name, Kind: run.ActorKind(a.kind), Roles: a.roles, By: "root"})
		if err != nil {
			w.Fatal(err)
		}
		w.tokens[key] = secret
	}
	return w.tokens[key]
}

// ask sends a request as an actor, without a network.
func (w *realm) ask(a actor, method, path string, body any, headers ...string) answer {
	w.Helper()
	var in bytes.Buffer
	if text, ok := body.(string); ok {
		in.WriteString(text)
	} else if body != nil {
		if err := json.NewEncoder(&in).Encode(body); err != nil {
			w.Fatal(err)
		}
	}
	if path != "/metrics" && !strings.HasPrefix(path, "/api/v1") {
		path = "/api/v1" + path
	}
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, &in)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if w.parts.Auth.SignInMethods().Local() {
		r.Header.Set("X-Assent-User", a.name)
		r.Header.Set("X-Assent-Roles", strings.Join(a.roles, ","))
	} else {
		r.Header.Set("Authorization", "Bearer "+w.token(a))
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	got := answer{t: w.TB, status: rec.Code, header: rec.Header(), body: rec.Body.Bytes()}
	got.conforms(method, path)
	return got
}

// owns makes an actor the owner of runs, by key.
func (w *realm) owns(who *app.Who, owner string) {
	kind, name, program := strings.Cut(owner, ":")
	switch {
	case !program:
		who.Name = owner
	case kind == "client":
		who.Name, who.Kind, who.Issuer, who.Subject = name, run.Service, w.URL, name
	default:
		who.Name, who.Kind = name, run.ActorKind(kind)
	}
}

// begin starts a run that asks, on behalf of someone who may.
func (w *realm) begin(owner, workflow, want string) (runID, approval string) {
	w.Helper()
	who := root
	w.owns(&who, owner)
	v, err := w.parts.App.Begin(context.Background(), who,
		app.NewRun{Workflow: workflow, Input: json.RawMessage(`{"want":"` + want + `","n":1}`)}, nil)
	if err != nil {
		w.Fatalf("%s: %v", want, err)
	}
	for end := time.Now().Add(patience); len(v.PendingApprovals) != 1; pause() {
		if v, err = w.parts.App.Run(context.Background(), root, v.ID, false); err != nil || time.Now().After(end) {
			w.Fatalf("%s: %v, %v", want, v.PendingApprovals, err)
		}
	}
	return v.ID, v.PendingApprovals[0]
}

// decideAs prepares an approval with all permissions.
func (w *realm) decideAs(who app.Who, approval string, d app.Decision) {
	w.Helper()
	v, err := w.parts.App.Approval(context.Background(), root, approval, false)
	if err == nil {
		d.Version = v.Version
		_, err = w.parts.App.Decide(context.Background(), who, approval, d, "", nil)
	}
	if err != nil {
		w.Fatalf("%s %s: %v", who.Name, d.Act, err)
	}
}

// trace is what an act would change: the versions of an approval and its run.
func (w *realm) trace(approval string) string {
	w.Helper()
	row, err := w.parts.Store.Approval(context.Background(), approval)
	if err != nil {
		w.Fatal(err)
	}
	r, err := w.parts.Store.Run(context.Background(), row.Run)
	if err != nil {
		w.Fatal(err)
	}
	return fmt.Sprint(row.Version, row.Status, r.Seq, r.Status)
}

// refused counts a rejection that has to be recorded.
func (w *realm) refused(a actor, action string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kind := a.kind
	if kind == "client" {
		kind = "service" // which is what it acts as
	}
	w.sent[refusal{kind, a.name, action}]++
}

// onRecord closes the server, which writes its counts, and checks that the audit log contains every
// rejection.
func (w *realm) onRecord() {
	w.Helper()
	w.close()
	w.open(false)
	found := map[refusal]int{}
	for q := (port.AuditQuery{Outcome: string(port.AuditRefused), Limit: 500}); ; {
		page, err := w.parts.App.Audit.Entries(context.Background(), root, q)
		if err != nil {
			w.Fatal(err)
		}
		for _, e := range page.Items {
			raw, err := json.Marshal(e)
			if err != nil {
				w.Fatal(err)
			}
			var entry struct {
				Actor  struct{ Kind, Name string }
				Action string
				Detail struct{ Count int }
			}
			if err := json.Unmarshal(raw, &entry); err != nil {
				w.Fatal(err)
			}
			found[refusal{entry.Actor.Kind, entry.Actor.Name, entry.Action}] += max(entry.Detail.Count, 1)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	bad := 0
	for r, n := range w.sent {
		if found[r] != n {
			if bad++; bad <= 20 {
				w.Errorf("%s %s was refused %s %d times, and the audit log knows of %d", r.kind, r.name, r.action, n, found[r])
			}
		}
	}
	w.Logf("%d cells; %d sorts of refusals are on record", w.cells, len(w.sent))
}

// matrixActors are every set of roles as a person, a service, an agent and a client of an identity provider.
// A client without a role has no access.
func matrixActors() []actor {
	var out []actor
	for _, set := range roleSets {
		for _, kind := range words("person service agent client") {
			if kind == "client" && set == "" {
				continue
			}
			out = append(out, actor{name: kind + "-" + strings.ReplaceAll(set+"x", " ", "-"), kind: kind, roles: words(set)})
		}
	}
	return out
}

func (a actor) String() string { return a.kind + " with [" + strings.Join(a.roles, " ") + "]" }

// actBody is the body for an act.
func actBody(act, to string, version int) map[string]any {
	body := map[string]any{"act": act, "version": version}
	switch act {
	case "modify":
		body["changes"] = map[string]any{"note": "changed"}
	case "choose":
		body["option"] = "x"
	case "submit":
		body["data"] = map[string]any{"n": 7}
	case "reject", "request_revision":
		body["comment"] = "no"
	case "escalate", "delegate":
		body["to"] = to
	}
	return body
}
