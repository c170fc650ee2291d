package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"
	"github.com/coder/websocket"
)

// house is the real program with accounts, and with the roles and workflows of the matrix.
type house struct {
	*server
	*issuer
	admin  option
	tokens map[string]string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "matrix.yaml"), []byte(matrixDocuments()), 0o600); err != nil {
		t.Fatal(err)
	}
	p, port := newIssuer(t), steady.Port(t)
	s := office(t, append(p.flags("http://127.0.0.1:"+port), "--addr", "127.0.0.1:"+port, "--load", dir,
		"--rate-limit", "0")...)
	return &house{server: s, issuer: p, admin: cookie(s.signIn("ann", annPassword)), tokens: map[string]string{}}
}

// by sends requests as an actor: people with an account sign in, the others have a token.
func (h *house) by(a actor) option {
	h.t.Helper()
	key := a.kind + a.name
	if h.tokens[key] == "" && a.kind == "client" {
		h.tokens[key] = h.client(a.name, a.roles)
	}
	if h.tokens[key] == "" {
		roles, err := json.Marshal(append([]string{}, a.roles...))
		if err != nil {
			h.t.Fatal(err)
		}
		body := fmt.Sprintf(`{"name":"%s","kind":"%s","roles":%s}`, a.name, a.kind, roles)
		h.tokens[key] = h.call("POST", "/tokens", body, h.admin).want(201).text("secret")
	}
	return bearer(h.tokens[key])
}

// asks starts a run as ann and returns it with its approval.
func (h *house) asks(workflow, want string) place {
	h.t.Helper()
	v := h.call("POST", "/runs", map[string]any{"workflow": workflow, "input": map[string]any{"want": want, "n": 1}},
		h.admin).want(201)
	for end := time.Now().Add(patience); v.count("pending_approvals") == 0; pause() {
		if v = h.call("GET", "/runs/"+v.text("id"), nil, h.admin).want(200); time.Now().After(end) {
			h.t.Fatalf("%s", v.body)
		}
	}
	return place{v.text("id"), v.text("pending_approvals.0")}
}

// tries are the acts that an actor tries beyond the API in this process, where everyone tries all (TestMatrixOfActs).
// No program decides: each set of roles is tried with one act, and two with all, unless SCENARIOS is "all", as in make
// soak.
func (a actor) tries() []string {
	roles := strings.Join(a.roles, " ")
	if a.kind == "person" || roles == "admin" || roles == "approver" || os.Getenv("SCENARIOS") == "all" {
		return allActs
	}
	return words("approve")
}

// TestMatrixOfTheBinary runs a subset of the matrix through the real program: over HTTP, the WebSocket and
// the command line, as people, services, agents and OIDC clients.
func TestMatrixOfTheBinary(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	still := map[string]place{}
	for _, workflow := range words("claims-a loans") {
		for _, kind := range matrixKinds {
			still[workflow+kind] = h.asks(workflow, kind+"_everybody")
		}
	}
	before := map[string]string{}
	for key, at := range still {
		before[key] = h.trace(at)
	}
	for _, a := range matrixActors() {
		for _, workflow := range words("claims-a loans") {
			for _, kind := range matrixKinds {
				if workflow == "loans" && kind != "choice" {
					continue // one that is not covered is enough
				}
				h.acts(a, asking{workflow: workflow, kind: kind, owner: "ann", roles: askedRoles("everybody")},
					still[workflow+kind], a.tries())
			}
			h.socket(a, asking{workflow: workflow, kind: "approval", owner: "ann", roles: askedRoles("everybody")},
				still[workflow+"approval"])
		}
	}
	h.line(still)
	for key, at := range still {
		if after := h.trace(at); after != before[key] {
			t.Errorf("%s was %s and is %s", key, before[key], after)
		}
	}
}

func (h *house) trace(at place) string {
	h.t.Helper()
	a, r := h.call("GET", "/approvals/"+at.approval, nil, h.admin).want(200),
		h.call("GET", "/runs/"+at.run, nil, h.admin).want(200)
	return fmt.Sprint(a.number("version"), a.text("status"), r.number("seq"), r.text("status"))
}

func (h *house) acts(a actor, q asking, still place, acts []string) {
	h.t.Helper()
	for _, act := range acts {
		want, at := a.decide(act, q), still
		if want == 200 {
			at = h.asks(q.workflow, q.kind+"_everybody")
		}
		if got := h.call("POST", "/approvals/"+at.approval+"/decisions", actBody(act, "zoe", 1),
			h.by(a)); got.status != want {
			h.t.Errorf("%s, %s of %s: %s gives %d, not %d: %.300s", a, q.kind, q.workflow, act, got.status, want, got.body)
		}
	}
}

// socketCommands are the commands sent over the socket, in this order.
var socketCommands = words("message pause resume abort")

// socket sends commands over the event socket. If all are rejected, a run that others also use does not
// change.
func (h *house) socket(a actor, q asking, still place) {
	h.t.Helper()
	at := still
	if slices.ContainsFunc(socketCommands, func(c string) bool { return a.steer(c, q) == 200 }) {
		at = h.asks(q.workflow, "approval_everybody")
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	h.by(a)
	conn, resp, err := websocket.Dial(ctx, strings.Replace(h.url, "http", "ws", 1)+"/api/v1/ws?after=0&run="+at.run,
		&websocket.DialOptions{
			HTTPHeader: http.Header{"Authorization": {"Bearer " + h.tokens[a.kind+a.name]}},
		})
	if err != nil {
		if resp == nil || a.sees(q) || resp.StatusCode != 404 {
			h.t.Errorf("%s, the socket of %s: %v", a, q.workflow, err)
		}
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	seen := false
	for _, command := range socketCommands {
		order := fmt.Sprintf(`{"id":"%s","run":"%s","command":%s}`, command, at.run, steered[command])
		if err := conn.Write(ctx, websocket.MessageText, []byte(order)); err != nil {
			h.t.Fatal(err)
		}
		var m struct {
			ID, Run string
			OK      bool
			Error   struct{ Status int }
		}
		for m.ID != command {
			_, raw, err := conn.Read(ctx)
			if err != nil {
				h.t.Fatalf("%s: %v", a, err)
			}
			m.ID, m.Run = "", ""
			_ = json.Unmarshal(raw, &m) // events have other members
			seen = seen || m.Run == at.run
		}
		want := a.steer(command, q)
		got := m.Error.Status
		if m.OK {
			got = 200
		}
		if got != want {
			h.t.Errorf("%s, %s by the socket of %s: %d, not %d", a, command, q.workflow, got, want)
		}
	}
	if seen && !a.sees(q) {
		h.t.Errorf("%s hears of a run of %s", a, q.workflow)
	}
}

// line sends acts on the command line. Its exit code reports the result.
func (h *house) line(still map[string]place) {
	h.t.Helper()
	codes := map[int]int{200: 0, 404: 3, 409: 4, 403: 5}
	people, programs := []string{"", "outsider", "approver", "clerk", "watcher", "lead", "chooser"},
		words("approver admin")
	acts := []struct{ kind, act, args string }{
		{"approval", "approve", "approve ID"}, {"approval", "reject", "reject ID --comment no"},
		{"approval", "modify", "modify ID --set note=changed"},
		{"choice", "choose", "choose ID --option x"}, {"input", "submit", "submit ID --set n=7"},
		{"escalation", "delegate", "delegate ID --to zoe"},
	}
	for _, a := range matrixActors() {
		h.by(a)
		some := acts[:1] // every set of roles of every kind tries one
		if full := map[bool][]string{true: people, false: programs}[a.kind == "person"]; slices.Contains(full,
			strings.Join(a.roles, " ")) {
			some = acts
		}
		for _, c := range some {
			q := asking{workflow: "claims-a", kind: c.kind, owner: "ann", roles: askedRoles("everybody")}
			want, at := a.decide(c.act, q), still["claims-a"+c.kind]
			if want == 200 {
				at = h.asks("claims-a", c.kind+"_everybody")
			}
			args := append(strings.Fields(strings.Replace(c.args, "ID", at.approval, 1)), "--token", h.tokens[a.kind+a.name])
			_, errs, err := h.command("", args...)
			code := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if code != codes[want] {
				h.t.Errorf("%s: assent %s exits with %d, not %d (%d): %s", a, c.args, code, codes[want], want, errs)
			}
		}
	}
}
