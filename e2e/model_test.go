package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// model is a service that speaks the streaming protocols of OpenAI (chat completions) and Anthropic
// (messages), and answers from a script. The requested turn follows from the conversation, so repeating a
// request is harmless; it records requests and how often each turn was answered completely, which is when a
// provider charges. Like providers, it rejects conversations in which calls and results do not match.
type model struct {
	url    string
	script *conversation
	echo   string // is repeated in every failure
	// when is called as things happen; true means that the answer is lost.
	when func(moment string, turn int) bool

	mu       sync.Mutex
	asked    []question
	paid     map[int][]time.Time // turn → when the requests came that were answered in full
	times    map[int]int         // turn → number of requests
	problems []string
}

// question is one request.
type question struct {
	turn   int
	key    string
	at     time.Time
	body   string
	words  string // all texts of the request
	header http.Header
}

// newModel starts a model; its address is url.
func newModel(t testing.TB, script *conversation) *model {
	m := &model{script: script, paid: map[int][]time.Time{}, times: map[int]int{},
		when: func(string, int) bool { return false }}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

// scriptedModel starts one with a script.
func scriptedModel(t testing.TB, text string) *model {
	t.Helper()
	script, err := parseConversation(text)
	if err != nil {
		t.Fatal(err)
	}
	return newModel(t, script)
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	dialect, ok := map[string]dialect{"/v1/chat/completions": chatDialect{}, "/v1/messages": messageDialect{}}[r.URL.Path]
	if !ok || r.Method != http.MethodPost {
		http.Error(w, "there is nothing here for "+m.echo, http.StatusNotFound)
		return
	}
	asked, err := dialect.read(body)
	if err != nil {
		m.problem("%v: %.2000s", err, body)
		dialect.refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	q := question{turn: asked.own + 1, key: r.Header.Get("Idempotency-Key"), at: time.Now(), body: string(body),
		words: asked.words, header: r.Header}
	got := m.take(q)
	if q.turn > len(m.script.turns) {
		m.problem("turn %d is asked for, and there are %d", q.turn, len(m.script.turns))
		dialect.refuse(w, http.StatusBadRequest, "invalid_request_error", "there is nothing more to say")
		return
	}
	turn := &m.script.turns[q.turn-1]
	for _, words := range turn.hears {
		if !strings.Contains(q.words, words) {
			m.problem("turn %d is asked for without %q: %.4000s", q.turn, words, q.body)
		}
	}
	if got == 0 && m.when("first", q.turn) || m.when("asked", q.turn) {
		<-r.Context().Done()
		return
	}
	m.answer(w, r, dialect, q, turn, got)
}

// take records a request, and returns how often the turn was requested before.
func (m *model) take(q question) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, q)
	if !strings.HasSuffix(q.key, fmt.Sprintf(".%d", q.turn)) && !strings.Contains(q.key, "/consult/") {
		m.problems = append(m.problems, fmt.Sprintf("turn %d comes as %s", q.turn, q.key))
	}
	m.times[q.turn]++
	return m.times[q.turn] - 1
}

func (m *model) answer(w http.ResponseWriter, r *http.Request, d dialect, q question, turn *turn, got int) {
	cut := -1
	pieces := d.write(turn)
	if got < len(turn.troubles) {
		switch trouble := turn.troubles[got]; trouble.kind {
		case "status":
			if trouble.after != "" {
				w.Header().Set("Retry-After", trouble.after)
			} else {
				w.Header().Set("Retry-After-Ms", "10")
			}
			kind := map[int]string{429: "rate_limit_error", 529: "overloaded_error"}[trouble.number]
			w.Header().Set("X-Request-Id", "of-"+m.echo)
			d.refuse(w, trouble.number, kind, strings.TrimSpace("not now "+m.echo))
			return
		case "cut":
			cut = trouble.number
		case "overloaded":
			pieces = append(pieces[:2:2], d.breaks(m.echo))
		case "refusal":
			pieces = d.refusal("I will not do that.")
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	sent := 0
	for i, p := range pieces {
		if cut >= 0 && sent+len(p) > cut {
			_, _ = io.WriteString(w, p[:cut-sent])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		if _, err := io.WriteString(w, p); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		sent += len(p)
		if i == len(pieces)/2 && m.when("half", q.turn) {
			<-r.Context().Done()
			return
		}
		if turn.slow > 0 {
			time.Sleep(time.Duration(turn.slow) * time.Millisecond)
		}
	}
	if got < len(turn.troubles) {
		return
	}
	m.mu.Lock()
	m.paid[q.turn] = append(m.paid[q.turn], q.at)
	m.mu.Unlock()
	m.when("answered", q.turn)
}

func (m *model) problem(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.problems = append(m.problems, fmt.Sprintf(format, args...))
}

// questions are the requests so far.
func (m *model) questions() []question {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]question(nil), m.asked...)
}

// last is the newest request for a turn.
func (m *model) last(t testing.TB, turn int) question {
	t.Helper()
	var out question
	for _, q := range m.questions() {
		if q.turn == turn {
			out = q
		}
	}
	if out.turn == 0 {
		t.Fatalf("turn %d was not asked for", turn)
	}
	return out
}

// check reports the model's complaints.
func (m *model) check(t testing.TB) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.problems {
		t.Error(p)
	}
}

// dialect is a wire protocol.
type dialect interface {
	read(body []byte) (heard, error)
	write(t *turn) []string // pieces of a stream
	refusal(why string) []string
	breaks(why string) string // an error in the middle of a stream
	refuse(w http.ResponseWriter, status int, kind, message string)
}

// heard is what a request says.
type heard struct {
	own   int // messages of the model itself
	words string
}

// texts joins all texts of a document.
func texts(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return b.String()
}

// quoted is a text in JSON.
func quoted(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

// parts splits a text into a few parts, also in the middle of a word.
func parts(s string) []string {
	var out []string
	for len(s) > 0 {
		n := min(len(s), max(7, len(s)/3))
		for n < len(s) && s[n]&0xc0 == 0x80 { // JSON texts are whole characters
			n++
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}
