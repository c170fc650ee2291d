package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// toolServer has the tools. It does the same work once per key, as a good service does, and records it.
type toolServer struct {
	url   string
	known map[string]bool
	when  func(moment string, turn int) bool

	mu    sync.Mutex
	fails map[string][]int
	calls []used
	done  map[string][]string // call → arguments that took effect
	keys  map[string]reply    // key → answer
}

// reply is a tool's final answer.
type reply struct {
	status int
	body   string
}

type used struct {
	call, key, tool string
	args            json.RawMessage
	at              time.Time
}

func newToolServer(t testing.TB, script *conversation) *toolServer {
	s := &toolServer{
		known: map[string]bool{"list_orders": true, "crm_lookup": true, "refund": true, "email_send": true},
		when:  func(string, int) bool { return false }, fails: map[string][]int{}, done: map[string][]string{},
		keys: map[string]reply{},
	}
	for _, turn := range script.turns {
		for _, c := range turn.calls {
			s.fails[c.id] = append([]int(nil), c.fails...)
		}
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *toolServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var in struct {
		Call, Key string
		Args      json.RawMessage
	}
	if err != nil || json.Unmarshal(raw, &in) != nil || in.Key == "" || in.Key != r.Header.Get("Idempotency-Key") {
		http.Error(w, "this is no call", http.StatusBadRequest)
		return
	}
	turn, _ := strconv.Atoi(strings.TrimPrefix(strings.Split(in.Call, "c")[0], "t"))
	status, out := s.work(in.Call, in.Key, strings.TrimPrefix(r.URL.Path, "/"), in.Args)
	if status == http.StatusOK && turn > 0 && s.when("called", turn) {
		<-r.Context().Done()
		return
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, out)
}

// work does a piece of work, unless it was done before.
func (s *toolServer) work(call, key, tool string, args json.RawMessage) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, used{call, key, tool, args, time.Now()})
	if out, ok := s.keys[key]; ok {
		return out.status, out.body
	}
	if fails := s.fails[call]; len(fails) > 0 {
		s.fails[call] = fails[1:]
		out := reply{fails[0], `{"error":"the service of ` + tool + ` is out"}`}
		if out.status < http.StatusInternalServerError { // a rejection is final, even if it was not received
			s.keys[key] = out
		}
		return out.status, out.body
	}
	s.done[call] = append(s.done[call], string(args))
	out := reply{http.StatusOK, fmt.Sprintf(`{"output":{"ok":true,"receipt":"r-%s"}}`, call)}
	s.keys[key] = out
	return out.status, out.body
}
