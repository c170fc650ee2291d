package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAdversary plays the escapes in testdata/adversary against the real binary: an agent, a program with a
// token, a requester or an attacker who controls an agent's output tries to do something that the rules
// reserve to people. What counts is what the services behind the tools and agents really received.
//
// Each file starts with who attacks, what they try and what must hold. Its sections are documents (NAME in
// them is the file's name, so that all share one server), rules of the policy, what the model says (as in
// conversations), and the play, line by line:
//
//	start WORKFLOW INPUT [as WHO]          starts a run
//	test WORKFLOW INPUT                    starts it in test mode
//	asks [N]                               the run waits for people, about N things (1)
//	ends STATUS                            the run ends like that, or comes to rest (waiting)
//	got PATH N [TEXT]                      a service received N calls, the last one with TEXT
//	lacks PATH TEXT                        no call that a service received had TEXT
//	says ACT [MEMBERS] as WHO              an answer to the first thing asked
//	sends METHOD PATH BODY as WHO          a request that is accepted
//	refused STATUS METHOD PATH BODY as WHO one that is not
//	forks BODY as WHO                      forks the run; what follows is about the fork
//	retries as WHO                         retries it; what follows is about the new run
//	publish SECTION                        documents and rules change
//	reached PATH N                         a service has received N calls by now, or soon
//	release PATH                           a service (?holds=TEXT) answers the first call only now
//	unsaid TEXT                            no event of the run has TEXT
//	relists DESCRIPTION                    the MCP server at SINK/mcp has another tool "pay"
//
// $run, $approval and $before are the run, what is asked now and what was asked last; $at is the event that the last
// refusal of a fork named. WHO is NAME or
// NAME/ROLES, or service, agent: tokens with every role.
func TestAdversary(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/adversary/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d escapes, %v", len(files), err)
	}
	sink := newSink(t)
	var escapes []*escape
	for _, file := range files {
		e, err := readEscape(t, file, sink.url)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		escapes = append(escapes, e)
	}
	if foreign != "" { // another release may not know every key: one file does not stop the others
		for _, e := range escapes {
			t.Run(e.name, func(t *testing.T) { e.play(t, stage(t, sink, e)) })
		}
		return
	}
	a := stage(t, sink, escapes...)
	for _, e := range escapes {
		t.Run(e.name, func(t *testing.T) {
			a.t = t
			e.play(t, a)
		})
	}
	a.t = t
}

// stage starts a server with the documents and rules of some escapes.
func stage(t *testing.T, sink *sink, escapes ...*escape) *adversary {
	t.Helper()
	a := &adversary{dir: t.TempDir(), sink: sink, tokens: map[string]string{}}
	for _, e := range escapes {
		a.write(t, e.name+".yaml", e.documents())
		a.rules = append(a.rules, e.fill(e.sections["rules"]))
	}
	a.writeRules(t)
	a.server = serve(t, "--load", a.dir)
	if p := a.call("GET", "/policy", nil).want(200); p.count("file_problems") > 0 ||
		p.text("definition.policy") != "house" {
		t.Fatalf("%s\n%s", p.body, a.log)
	}
	for _, kind := range []string{"service", "agent"} {
		made := a.call("POST", "/tokens", fmt.Sprintf(`{"name":"robot-%s","kind":%q,"roles":["approver","finance","admin"]}`,
			kind, kind)).want(201)
		a.tokens[kind] = made.text("secret")
	}
	return a
}

// adversary is a server that escapes share.
type adversary struct {
	*server
	dir    string // of its documents
	sink   *sink
	rules  []string
	tokens map[string]string // by kind of principal
	marks  int
}

// escape is one file.
type escape struct {
	name     string
	sections map[string]string
	model    *model
	run      string
	approval answer
	before   string
	forkAt   int64
	replace  *strings.Replacer
}

func readEscape(t *testing.T, file, sinkURL string) (*escape, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	e := &escape{name: strings.TrimSuffix(filepath.Base(file), ".txt"), sections: map[string]string{}}
	parts := strings.Split("\n"+string(raw), "\n== ")
	for _, word := range []string{"# Who:", "# Tries:", "# Holds:"} {
		if !strings.Contains(parts[0], word) {
			return nil, fmt.Errorf("the file does not say %q", word)
		}
	}
	for _, part := range parts[1:] {
		name, text, _ := strings.Cut(part, "\n")
		e.sections[strings.TrimSpace(name)] = text
	}
	e.model = scriptedModel(t, strings.ReplaceAll(e.sections["model"], "NAME", e.name))
	e.replace = strings.NewReplacer("NAME", e.name, "SINK", sinkURL+"/"+e.name, "MODEL", e.model.url)
	return e, nil
}

func (e *escape) fill(text string) string { return e.replace.Replace(text) }

// llm is the document of an agent that follows the model section.
const llm = `kind: llm
provider: openai
base_url: MODEL/v1
model: m
api_key: sk-0123456789`

func (e *escape) documents() string {
	return e.fill(strings.ReplaceAll(e.sections["documents"], "kind: model", llm))
}

func (a *adversary) write(t testing.TB, name, text string) {
	t.Helper()
	if err := writeFile(filepath.Join(a.dir, name), text); err != nil {
		t.Fatal(err)
	}
}

func (a *adversary) writeRules(t testing.TB) {
	t.Helper()
	text := "policy: house\nrules:\n"
	n := 0
	for _, list := range a.rules {
		for line := range strings.SplitSeq(list, "\n") {
			if rule, ok := strings.CutPrefix(strings.TrimSpace(line), "- {"); ok {
				n++
				text += fmt.Sprintf("  - { priority: %d,%s\n", n, rule)
			}
		}
	}
	if n == 0 {
		text = "policy: house\nrules: []\n"
	}
	a.write(t, "policy.yaml", text)
}

// publish publishes a section: documents, and rules before all others.
func (a *adversary) publish(t *testing.T, e *escape, section string) {
	t.Helper()
	text, ok := e.sections[section]
	if !ok {
		t.Fatalf("there is no section %s", section)
	}
	if strings.HasPrefix(strings.TrimSpace(text), "- {") {
		a.rules = append([]string{e.fill(text)}, a.rules...)
		a.writeRules(t)
	} else {
		a.write(t, e.name+".yaml", e.fill(strings.ReplaceAll(text, "kind: model", llm)))
	}
	a.marks++
	mark := fmt.Sprintf("mark_%d", a.marks)
	a.write(t, "mark.yaml", "agent: "+mark+"\nkind: scripted\nanswers: [{ output: {} }]\n")
	waitFor(t, "in force: "+section+"\n"+a.log.String(),
		func() bool { return a.call("GET", "/agents/"+mark, nil).status == 200 })
}

func (e *escape) play(t *testing.T, a *adversary) {
	for line := range strings.SplitSeq(e.sections["play"], "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		line = e.fill(line)
		line = strings.NewReplacer("$run", e.run, "$approval", e.id(), "$before", e.before, "$at",
			strconv.FormatInt(e.forkAt, 10)).Replace(line)
		words, who, _ := cutLast(line, " as ")
		word, rest, _ := strings.Cut(words, " ")
		if !e.do(t, a, word, rest, a.speaks(who)) {
			t.Fatalf("%q means nothing", line)
		}
		if t.Failed() {
			t.Fatalf("at %q", line)
		}
	}
}

func (e *escape) id() string {
	if e.approval.t == nil {
		return "none"
	}
	return e.approval.text("id")
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// speaks adds the sender's identity to a request.
func (a *adversary) speaks(name string) option {
	if token := a.tokens[name]; token != "" {
		return bearer(token)
	}
	known := map[string]who{"": {}, "ann": ann, "bob": bob, "eve": eve}
	w, ok := known[name]
	if n, roles, found := strings.Cut(name, "/"); !ok || found {
		w = who{n, roles}
	}
	if w.name == "" {
		return func(*http.Request) {}
	}
	return as(w)
}

func (e *escape) do(t *testing.T, a *adversary, word, rest string, by option) bool {
	t.Helper()
	first, more, _ := strings.Cut(rest, " ")
	switch word {
	case "start", "test":
		body := map[string]any{"workflow": first, "input": json.RawMessage(more), "test_mode": word == "test"}
		e.run = a.call("POST", "/runs", body, by).want(201).text("id")
		e.approval = answer{}
	case "forks", "retries":
		e.run = a.call("POST", "/runs/"+e.run+map[string]string{"forks": "/fork", "retries": "/retry"}[word],
			cmp.Or(rest, "{}"), by).want(201).text("id")
		e.approval = answer{}
	case "asks":
		e.asks(t, a, first)
	case "ends":
		e.reaches(t, a, strings.Fields(rest)...)
	case "got":
		n, text, _ := strings.Cut(more, " ")
		a.sink.want(t, "/"+e.name+"/"+first, n, text)
	case "lacks":
		a.sink.lacks(t, "/"+e.name+"/"+first, more)
	case "says":
		body := fmt.Sprintf(`{"act":%q,"version":%d%s}`, first, e.approval.number("version"), more)
		a.call("POST", "/approvals/"+e.id()+"/decisions", body, by).want(200)
	case "sends", "refused":
		return e.request(t, a, word, rest, by)
	case "publish":
		a.publish(t, e, first)
	case "reached":
		waitFor(t, rest, func() bool { return strconv.Itoa(len(a.sink.received("/"+e.name+"/"+first))) == more })
	case "release":
		a.sink.release("/" + e.name + "/" + first)
	case "unsaid":
		if events := a.call("GET", "/runs/"+e.run+"/events?limit=1000", nil).want(200); strings.Contains(string(events.body),
			rest) {
			t.Fatalf("%q is in the log: %.3000s", rest, events.body)
		}
	case "relists":
		a.sink.serveMCP("/"+e.name+"/mcp", rest)
	default:
		return false
	}
	return true
}

// reaches waits until the run has one of the statuses. A run that has ended, or only waits for people, will
// not move on by itself.
func (e *escape) reaches(t *testing.T, a *adversary, statuses ...string) answer {
	t.Helper()
	for end := time.Now().Add(patience); ; pause() {
		r := a.call("GET", "/runs/"+e.run+"?full=true", nil).want(200)
		now := r.text("status")
		switch {
		case slices.Contains(statuses, now):
			return r
		case now != "running" && now != "waiting" || time.Now().After(end):
			t.Fatalf("the run is %s, not %v: %.3000s", now, statuses, r.body)
		case now == "waiting" && time.Until(end) > time.Minute:
			end = time.Now().Add(time.Minute) // nothing more is expected, but the machine may be busy
		}
	}
}

// asks waits for approvals, and checks the first one.
func (e *escape) asks(t *testing.T, a *adversary, n string) {
	t.Helper()
	want := 1
	if n != "" {
		want, _ = strconv.Atoi(n)
	}
	e.before = e.id()
	r := e.reaches(t, a, "waiting")
	if r.count("pending_approvals") != want {
		t.Fatalf("people are asked about %d things, not %d: %.3000s", r.count("pending_approvals"), want, r.body)
	}
	id := r.text("pending_approvals.0")
	if id == "" {
		id = r.text("pending_approvals.0.id")
	}
	e.approval = a.call("GET", "/approvals/"+id+"?full=true", nil).want(200)
}

func (e *escape) request(t *testing.T, a *adversary, word, rest string, by option) bool {
	t.Helper()
	fields := strings.SplitN(rest, " ", map[string]int{"sends": 3, "refused": 4}[word])
	status := 0
	if word == "refused" {
		status, _ = strconv.Atoi(fields[0])
		fields = fields[1:]
	}
	if len(fields) < 2 {
		return false
	}
	var body any
	if len(fields) == 3 {
		body = fields[2]
	}
	got := a.call(fields[0], fields[1], body, by)
	if got.status == 422 {
		e.forkAt = got.number("fork_at")
	}
	switch {
	case status > 0 && got.status != status:
		t.Fatalf("status %d, not %d: %.2000s", got.status, status, got.body)
	case status == 0 && got.status >= 300:
		t.Fatalf("status %d: %.2000s", got.status, got.body)
	}
	return true
}

// sink is the service behind all tools and agents of the escapes. It records its requests, and answers as a
// path like /NAME/pay/{"n":1} demands.
type sink struct {
	url string
	mu  sync.Mutex
	got map[string][]string
	// held are the delayed calls, by path.
	held map[string]*heldCall
	mcp  map[string]http.Handler // by path
}

// heldCall waits until it is released, and reports when it was answered.
type heldCall struct{ let, answered chan struct{} }

// release answers a delayed call.
func (s *sink) release(path string) {
	s.mu.Lock()
	h := s.held[path]
	s.mu.Unlock()
	close(h.let)
	<-h.answered
}

func newSink(t testing.TB) *sink {
	s := &sink{got: map[string][]string{}, held: map[string]*heldCall{}, mcp: map[string]http.Handler{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/mcp") {
		s.speakMCP(r.URL.Path).ServeHTTP(w, r)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	var in struct{ Args, Input, Messages json.RawMessage }
	_ = json.Unmarshal(raw, &in)
	s.mu.Lock()
	s.got[r.URL.Path] = append(s.got[r.URL.Path], string(in.Args)+string(in.Input)+string(in.Messages))
	n := len(s.got[r.URL.Path])
	late := r.URL.Query().Get("holds")
	if late != "" && n == 1 {
		h := &heldCall{make(chan struct{}), make(chan struct{})}
		s.held[r.URL.Path] = h
		s.mu.Unlock()
		defer close(h.answered)
		<-h.let
		_, _ = fmt.Fprintf(w, `{"output":%q}`, late)
		return
	}
	s.mu.Unlock()
	if r.URL.Query().Get("fails") != "" && n == 1 {
		http.Error(w, "out of order", http.StatusServiceUnavailable)
		return
	}
	out := r.URL.Query().Get("answers")
	if out == "" {
		out = `{"output":{"ok":true}}`
	}
	_, _ = io.WriteString(w, out)
}

func (s *sink) received(path string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got[path])
}

func (s *sink) want(t testing.TB, path, n, text string) {
	t.Helper()
	got := s.received(path)
	if strconv.Itoa(len(got)) != n {
		t.Fatalf("%s got %d calls, not %s: %q", path, len(got), n, got)
	}
	if text != "" && !strings.Contains(got[len(got)-1], text) {
		t.Fatalf("%s got %q, not %s", path, got[len(got)-1], text)
	}
}

func (s *sink) lacks(t *testing.T, path, text string) {
	t.Helper()
	for _, got := range s.received(path) {
		if strings.Contains(got, text) {
			t.Fatalf("%s got %s in %q", path, text, got)
		}
	}
}
