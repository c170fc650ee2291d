package e2e

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/coder/websocket"
)

// secretive are workflows whose runs each have a unique word, wherever a run can have one; so does the
// workflow's description.
func secretive(agent string) string {
	var out []string
	for _, name := range matrixWorkflows {
		out = append(out, strings.NewReplacer("NAME", name, "WORD", workflowWord(name)).Replace(`workflow: NAME
description: Says WORD
input: { type: object, required: [word] }
steps:
  - { id: draft, agent: echo, with: { word: input.word } }
  - { id: hold, human: { title: Hold, assignees: [keeper] } }
gates:
  - { id: approver, at: after draft, when: input.ask == "approver", role: approver, title: Good?, show: [said] }
  - { id: outsider, at: after draft, when: input.ask == "outsider", role: outsider, title: Good? }
  - { id: nell, at: after draft, when: input.ask == "nell", assignees: [nell], title: Good? }
  - { id: anybody, at: after draft, when: input.ask == "anybody", title: Good? }
`))
	}
	out = append(out, "agent: echo\nkind: http\nurl: "+agent+"\n")
	return strings.Join(out, "---\n") + "---\n" + rolesOnly()
}

// rolesOnly are the roles of the matrix without its workflows.
func rolesOnly() string {
	var out []string
	for doc := range strings.SplitSeq(matrixDocuments(), "\n---\n") {
		if strings.HasPrefix(doc, "role:") {
			out = append(out, doc)
		}
	}
	return strings.Join(out, "\n---\n")
}

func workflowWord(name string) string { return "zqflow" + strings.ReplaceAll(name, "-", "") }

// echo is an agent that repeats everything, everywhere an agent can.
func echo(w http.ResponseWriter, r *http.Request) {
	var work struct{ Input struct{ Word string } }
	if err := json.NewDecoder(r.Body).Decode(&work); err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	word := work.Input.Word
	_ = json.NewEncoder(w).Encode(map[string]any{
		"output": map[string]any{"said": word}, "confidence": 0.9, "reasoning": "Because " + word,
		"deliverables": []any{map[string]any{"name": word + ".txt", "type": "document", "content": "It is " + word,
			"mime_type": "text/plain"}},
	})
}

// secret is a run with restricted visibility.
type secret struct {
	asking
	place
	word    string
	pending bool
}

// secrets are runs in every workflow: decided, waiting, owned by owen, assigned to nell by name, delegated to
// zoe, or assigned to an undefined role; and one that is open to anyone and was delegated to zoe, who may not
// see its workflow.
func (m *matrix) secrets() []*secret {
	m.Helper()
	var out []*secret
	for _, workflow := range matrixWorkflows {
		sorts := words("decided waiting owned nell zoe outsider")
		if workflow == "loans" {
			sorts = append(sorts, "passed")
		}
		for _, sort := range sorts {
			s := &secret{word: fmt.Sprintf("zqrun%d", len(out)), pending: true}
			s.asking = asking{workflow: workflow, kind: "approval", owner: "root", roles: words("approver")}
			ask := "approver"
			switch sort {
			case "owned":
				s.owner = "owen"
			case "nell":
				ask, s.roles, s.names = "nell", nil, words("nell")
			case "outsider":
				ask, s.roles = "outsider", words("outsider")
			case "passed":
				ask, s.roles = "anybody", nil
			}
			s.place = m.secret(s.owner, workflow, ask, s.word)
			switch sort {
			case "decided":
				change := json.RawMessage(`{"said":"more ` + s.word + `"}`)
				m.decideAs(root, s.approval, app.Decision{Act: gate.Modify, Changes: change, Comment: "Is " + s.word})
				s.pending = false
			case "zoe", "passed":
				m.decideAs(root, s.approval, app.Decision{Act: gate.Delegate, To: "zoe", Comment: "For " + s.word})
				s.names = words("zoe")
			}
			out = append(out, s)
		}
	}
	return out
}

func (m *matrix) secret(owner, workflow, ask, word string) place {
	m.Helper()
	who := root
	who.Name = owner
	v, err := m.parts.App.Begin(m.Context(), who, app.NewRun{
		Workflow: workflow, Input: json.RawMessage(`{"word":"` + word + `","ask":"` + ask + `"}`),
		Labels: map[string]string{"label": word},
	}, nil)
	if err != nil {
		m.Fatal(err)
	}
	for end := time.Now().Add(patience); len(v.PendingApprovals) == 0; pause() {
		if v, err = m.parts.App.Run(m.Context(), root, v.ID, false); err != nil || time.Now().After(end) {
			m.Fatalf("%+v %v", v, err)
		}
	}
	return place{v.ID, v.PendingApprovals[0]}
}

// TestMatrixOfSecrets calls every GET operation as everyone and looks for words that they may not know, and
// checks that lists contain exactly what they may see.
func TestMatrixOfSecrets(t *testing.T) {
	t.Parallel()
	agent := httptest.NewServer(http.HandlerFunc(echo))
	defer agent.Close()
	w := newRealm(t, secretive(agent.URL), false)
	m := &matrix{realm: w}
	server := httptest.NewServer(w.api)
	defer server.Close()
	all := m.secrets()
	paths := m.paths(all)
	people := []actor{{"owen", "person", nil}, {"nell", "person", nil}, {"zoe", "service", nil}, {"nell", "agent", nil},
		{"root", "person", words("admin")}}
	for i, a := range matrixActors() {
		if a.kind == "person" || i%3 == 1 && len(a.roles) > 1 ||
			a.kind == "agent" && slices.Contains(words("admin approver outsider"), strings.Join(a.roles, "")) {
			people = append(people, a)
		}
	}
	for _, a := range people {
		m.leaks(a, all, paths)
		m.lists(a, all)
		m.streams(a, all, server.URL)
	}
	m.done()
	t.Logf("%d people, %d addresses each, %d cells", len(people), len(paths), m.cells)
}

// paths are all readable addresses.
func (m *matrix) paths(all []*secret) []string {
	m.Helper()
	admin := actor{"root", "person", words("admin")}
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(m.ask(admin, "GET", "/openapi.json", nil).want(200).body, &document); err != nil {
		m.Fatal(err)
	}
	ids := map[string][]string{"{n}": {"1"}, "{step}": {"draft", "hold"}, "/workflows": matrixWorkflows,
		"/agents": {"echo"}, "/people": {"owen", "root"}}
	for _, s := range all {
		ids["/runs"], ids["/approvals"] = append(ids["/runs"], s.run), append(ids["/approvals"], s.approval)
	}
	files := m.ask(admin, "GET", "/deliverables?limit=200", nil).want(200)
	for i := range files.count("items") {
		ids["/deliverables"] = append(ids["/deliverables"], files.text(fmt.Sprintf("items.%d.id", i)))
	}
	var out []string
	for path, methods := range document.Paths {
		if _, ok := methods["get"]; !ok || path == "/api/v1/events" || path == "/api/v1/ws" ||
			strings.Contains(path, "/sign-in") || path == "/healthz" || path == "/readyz" {
			continue
		}
		for _, p := range fill(path, ids) {
			if strings.HasSuffix(p, "/state") {
				p += "?at_seq=3"
			}
			out = append(out, p)
		}
	}
	for _, list := range words("runs approvals deliverables lessons") {
		out = append(out, "/api/v1/"+list+"?limit=200")
	}
	out = append(out, "/api/v1/approvals?mine=true", "/api/v1/approvals?workflow=loans", "/api/v1/runs?workflow=loans",
		"/api/v1/insights?workflow=loans", "/api/v1/lessons?workflow=loans", "/api/v1/approvals?role=outsider",
		"/api/v1/agent_usage?workflow=loans")
	if len(out) < 150 || len(ids["/deliverables"]) < len(all) {
		m.Fatalf("there is too little to look at: %d addresses, %d deliverables", len(out), len(ids["/deliverables"]))
	}
	slices.Sort(out)
	return out
}

// leaks looks for words that an actor may not know.
func (m *matrix) leaks(a actor, all []*secret, paths []string) {
	m.Helper()
	hidden := map[string]string{}
	for _, s := range all {
		if !a.sees(s.asking) {
			hidden[s.word+`"`], hidden[s.word+" "], hidden[s.word+"."], hidden[s.run] = s.workflow,
				s.workflow, s.workflow, s.workflow
		}
	}
	for _, workflow := range matrixWorkflows {
		if !a.may("view", workflow) {
			hidden[workflowWord(workflow)] = workflow
		}
	}
	for _, path := range paths {
		if a.mayAnywhere("audit") && (strings.HasPrefix(path, "/api/v1/audit") || strings.HasSuffix(path, "/proof")) {
			continue
		}
		got := m.ask(a, "GET", path, nil)
		m.count()
		if got.status >= 500 {
			m.bad("%s %s: %s gives %d: %.300s", a, a.name, path, got.status, got.body)
		}
		body := got.body
		if strings.HasSuffix(path, ".zip") && got.status == 200 {
			body = unzipped(m.TB, body)
		}
		for word, workflow := range hidden {
			at := bytes.Index(body, []byte(word))
			if at >= 0 && !strings.Contains(path, word) {
				m.bad("%s (%s): GET %s tells %q of %s: …%.200s", a, a.name, path, word, workflow, body[max(0, at-80):])
			}
		}
	}
}

func unzipped(t testing.TB, raw []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, f := range z.File {
		out.WriteString(f.Name + "\n")
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&out, r); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// lists compares the items and totals of lists.
func (m *matrix) lists(a actor, all []*secret) {
	m.Helper()
	runs, pending, workflows := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range all {
		if a.sees(s.asking) {
			runs[s.run] = true
			if s.pending {
				pending[s.approval] = true
			}
		}
		if a.may("view", s.workflow) {
			workflows[s.workflow] = true
		}
	}
	m.list(a, "/runs?limit=200", "id", runs)
	m.list(a, "/approvals?status=pending&limit=200", "id", m.withHold(a, all, pending))
	m.list(a, "/deliverables?limit=200", "run", runs)
	if a.mayAnywhere("view") {
		m.list(a, "/workflows?limit=200", "name", workflows)
	}
	figures := m.ask(a, "GET", "/insights?since=1h", nil)
	if figures.status != 200 {
		m.bad("%s (%s): insights give %d: %.200s", a, a.name, figures.status, figures.body)
		return
	}
	if n := figures.number("runs.total"); n != int64(len(runs)) {
		m.bad("%s (%s): insights count %d runs, not %d", a, a.name, n, len(runs))
	}
	if n, want := figures.number("pending.total"), len(m.withHold(a, all, pending)); n != int64(want) {
		m.bad("%s (%s): insights count %d pending approvals, not %d", a, a.name, n, want)
	}
}

// withHold adds the approvals that decided runs wait at: they ask the keeper.
func (m *matrix) withHold(a actor, all []*secret, pending map[string]bool) map[string]bool {
	out := maps.Clone(pending)
	for _, s := range all {
		if s.pending {
			continue
		}
		held := s.asking
		held.roles, held.names = nil, words("keeper")
		if v, err := m.parts.App.Run(m.Context(), root, s.run, false); err == nil && a.sees(held) {
			for _, id := range v.PendingApprovals {
				out[id] = true
			}
		}
	}
	return out
}

func (m *matrix) list(a actor, path, member string, want map[string]bool) {
	m.Helper()
	got := m.ask(a, "GET", path, nil)
	m.count()
	if got.status != 200 {
		m.bad("%s (%s): %s gives %d: %.200s", a, a.name, path, got.status, got.body)
		return
	}
	var v struct {
		Items []map[string]any
		Total int
	}
	if err := json.Unmarshal(got.body, &v); err != nil {
		m.Fatal(err)
	}
	shown := map[string]bool{}
	for _, item := range v.Items {
		shown[fmt.Sprint(item[member])] = true
	}
	if !maps.Equal(shown, want) || v.Total != len(v.Items) {
		m.bad("%s (%s): %s shows %d (total %d), not %d: %v", a, a.name, path, len(shown), v.Total, len(want),
			slices.Sorted(maps.Keys(shown)))
	}
}

// streams checks who receives which events.
func (m *matrix) streams(a actor, all []*secret, url string) {
	m.Helper()
	want := map[string]int64{} // run → its last event
	for _, s := range all {
		if a.sees(s.asking) {
			r, err := m.parts.Store.Run(m.Context(), s.run)
			if err != nil {
				m.Fatal(err)
			}
			want[s.run] = r.Seq
		}
	}
	for name, read := range map[string]func(context.Context, string, string, func([]byte)) error{"events": readEvents,
		"ws": readSocket} {
		got := map[string]int64{}
		// An actor who sees nothing receives nothing: there is no signal to wait for.
		ctx, cancel := context.WithTimeout(m.Context(), patience)
		if len(want) == 0 {
			cancel()
			ctx, cancel = context.WithTimeout(m.Context(), 100*time.Millisecond)
		}
		err := read(ctx, url+"/api/v1/"+name+"?after=0", m.token(a), func(raw []byte) {
			var e struct {
				Run string
				Seq int64
			}
			if json.Unmarshal(raw, &e) == nil && e.Run != "" {
				got[e.Run] = max(got[e.Run], e.Seq)
			}
			if maps.Equal(got, want) {
				cancel()
			}
		})
		cancel()
		m.count()
		if !maps.Equal(got, want) {
			m.bad("%s (%s): %s tells of %v, not %v (%v)", a, a.name, name, got, want, err)
		}
	}
}

func readEvents(ctx context.Context, url, token string, each func([]byte)) error {
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return fmt.Errorf("%s", resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
			each(data)
		}
	}
	return lines.Err()
}

func readSocket(ctx context.Context, url, token string, each func([]byte)) error {
	conn, resp, err := websocket.Dial(ctx, strings.Replace(url, "http", "ws", 1),
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		if resp != nil {
			return fmt.Errorf("%s", resp.Status)
		}
		return err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	for {
		_, raw, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		each(raw)
	}
}
