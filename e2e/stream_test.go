package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// event is one event of a stream.
type event struct {
	Feed int64  `json:"feed"`
	Run  string `json:"run"`
	Seq  int64  `json:"seq"`
	Type string `json:"type"`
}

// listen reads the event stream from a position and reports every event until the connection ends.
func (s *server) listen(ctx context.Context, query, last string, report func(id string, e event)) error {
	drive("GET", "/api/v1/events")
	req, err := http.NewRequestWithContext(ctx, "GET", s.url+"/api/v1/events"+query, nil)
	if err != nil {
		return err
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return fmt.Errorf("status %d, %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	var id, kind, data string
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "id:"):
			id = strings.TrimSpace(line[3:])
		case strings.HasPrefix(line, "event:"):
			kind = strings.TrimSpace(line[6:])
		case strings.HasPrefix(line, "data:"):
			data = strings.TrimSpace(line[5:])
		case line == "" && data != "":
			var e event
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				return err
			}
			if fmt.Sprint(e.Feed) != id || e.Type != kind {
				return fmt.Errorf("id %s, event %s, data %s", id, kind, data)
			}
			report(id, e)
			data = ""
		}
	}
	return lines.Err()
}

// Clients and servers come and go: each client sees every event once and in order.
func TestStreamsSurviveRestarts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const clients, rounds, perRound = 3, 6, 5
	var mu sync.RWMutex // held while the server is replaced
	seen := make([]int64, clients)
	var seenMu sync.Mutex
	var listening sync.WaitGroup
	for c := range clients {
		listening.Go(func() {
			last := "0"
			for ctx.Err() == nil {
				mu.RLock()
				now := *s
				mu.RUnlock()
				one, drop := context.WithCancel(ctx)
				got := 0
				now.listen(one, "", last, func(id string, e event) {
					seenMu.Lock()
					defer seenMu.Unlock()
					if e.Feed != seen[c]+1 {
						t.Errorf("client %d: %d comes after %d", c, e.Feed, seen[c])
					}
					seen[c] = e.Feed
					last = id
					if got++; got%(7+c) == 0 {
						drop() // and come again
					}
				})
				drop()
				pause()
			}
		})
	}
	for round := range rounds {
		for range perRound {
			s.run("refund", map[string]int{"amount": round})
		}
		mu.Lock()
		if round%2 == 0 {
			s.kill()
		} else {
			s.stop()
		}
		s.start()
		mu.Unlock()
	}
	s.settles(s.run("refund", map[string]int{"amount": 1}), "waiting")
	waitFor(t, "no run to move", func() bool {
		return s.call("GET", "/runs?status=running&limit=1", nil).count("items") == 0
	})
	head := int64(0)
	all := s.call("GET", "/runs?limit=1000", nil).want(200)
	for i := range all.count("items") {
		id := all.text(fmt.Sprintf("items.%d.id", i))
		head += int64(s.call("GET", "/runs/"+id+"/events?limit=1000", nil).want(200).count("items"))
	}
	waitFor(t, "each client to see every event", func() bool {
		seenMu.Lock()
		defer seenMu.Unlock()
		return slices.Min(seen) == head
	})
	cancel()
	listening.Wait()
	if head < rounds*perRound*3 {
		t.Errorf("only %d events", head)
	}
}

func TestStreamFilters(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	a, b := s.run("refund", map[string]int{"amount": 1}), s.run("refund", map[string]int{"amount": 1})
	s.settles(a, "waiting")
	s.settles(b, "waiting")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []event
	s.listen(ctx, "?after=0&run="+b+"&types=run.started,approval.needed", "", func(_ string, e event) {
		if got = append(got, e); len(got) == 2 {
			cancel()
		}
	})
	if len(got) != 2 || got[0].Type != "run.started" || got[1].Type != "approval.needed" || got[0].Run != b ||
		got[1].Run != b {
		t.Errorf("%+v", got)
	}
	s.call("GET", "/events?after=99999999", nil).problem(422, "invalid")
	s.call("GET", "/events?after=0&run=run_none", nil).problem(404, "not_found")
}

// Progress reported by an agent is sent to those who ask for it. It is not an event: it has no number, and no
// one else receives it.
func TestProgressIsHeard(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define("agent: talker\nkind: scripted\nanswers: [{ delay: 300ms, progress: [half way], output: 1 " +
		"}]\n---\nworkflow: talk\nsteps: [{ id: a, agent: talker }]")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", s.url+"/api/v1/events?progress=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	s.settles(s.run("talk", nil), "completed")
	var said, id string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "id:") {
			id = line
		}
		if line == "" {
			id = ""
		}
		if strings.HasPrefix(line, "data:") && strings.Contains(line, "step.progress") {
			said = line
			break
		}
	}
	if !strings.Contains(said, "half way") || !strings.Contains(said, `"percent":50`) || id != "" {
		t.Errorf("%q with %q", said, id)
	}
	if log := s.call("GET", "/runs?limit=1",
		nil); s.call("GET", "/runs/"+log.text("items.0.id")+"/events", nil).count("items") == 0 {
		t.Error("the run left no events")
	}
}

func TestWebSocket(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	drive("GET", "/api/v1/ws")
	url := strings.Replace(s.url, "http://", "ws://", 1) + "/api/v1/ws?after=0"
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, _, err := websocket.Dial(ctx, url,
		&websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://evil.example"}}}); err == nil {
		t.Error("a foreign page may connect")
	}
	c, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	id := s.run("refund", map[string]int{"amount": 1})
	s.settles(id, "waiting")
	send := func(v any) {
		if err := wsjson.Write(ctx, c, v); err != nil {
			t.Fatal(err)
		}
	}
	send(map[string]any{"id": "1", "run": id, "command": map[string]any{"type": "message", "text": "hi"}})
	send(map[string]any{"id": "2", "run": id, "command": map[string]any{"type": "dance"}})
	send(map[string]any{"id": "3", "run": "run_none", "command": map[string]any{"type": "pause"}})
	answers, messages, last := map[string]map[string]any{}, 0, int64(0)
	for len(answers) < 3 || messages == 0 {
		var m map[string]any
		if err := wsjson.Read(ctx, c, &m); err != nil {
			t.Fatal(err)
		}
		if name, ok := m["id"].(string); ok {
			answers[name] = m
			continue
		}
		feed := int64(m["feed"].(float64))
		if feed != last+1 {
			t.Errorf("%d comes after %d", feed, last)
		}
		last = feed
		if m["type"] == "message.added" {
			messages++
		}
	}
	if answers["1"]["ok"] != true || answers["1"]["seq"] == nil || answers["2"]["ok"] != false ||
		answers["3"]["ok"] != false {
		t.Errorf("%v", answers)
	}
}
