package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/mcp"
)

// asking is a server of the older protocol that asks the questions in its arguments, one after the other, and
// returns the answers.
func asking(in *bufio.Scanner) {
	type talk struct {
		id   string
		ask  []string
		said []string
	}
	talks, elicited := map[string]*talk{}, map[string]*talk{}
	say := func(format string, args ...any) { fmt.Printf(`{"jsonrpc":"2.0",`+format+"}\n", args...) }
	finish := func(id, text string) {
		raw, _ := json.Marshal(text)
		say(`"id":%s,"result":{"content":[{"type":"text","text":%s}]}`, id, raw)
	}
	next := func(c *talk) {
		if len(c.said) == len(c.ask) {
			finish(c.id, strings.Join(c.said, " "))
			return
		}
		id := fmt.Sprintf("e-%s-%d", c.id, len(c.said))
		elicited[id] = c
		say(`"id":%q,"method":"elicitation/create","params":{"message":%q,"requestedSchema":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}}}}`, id, c.ask[len(c.said)])
	}
	cancelled := 0
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				RequestID json.RawMessage `json:"requestId"`
				Arguments struct {
					Ask    []string
					Hold   bool
					Report bool
				}
			}
			Result struct {
				Action  string
				Content json.RawMessage
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			say(`"id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`, m.ID)
		case "tools/list":
			say(`"id":%s,"result":{"tools":[{"name":"ask","inputSchema":{}}]}`, m.ID)
		case "tools/call":
			a := m.Params.Arguments
			switch {
			case a.Report:
				finish(string(m.ID), fmt.Sprintf("%d cancelled", cancelled))
			case a.Hold: // until a moment after others have asked
				id := string(m.ID)
				time.AfterFunc(500*time.Millisecond, func() { finish(id, "held") })
			default:
				c := &talk{id: string(m.ID), ask: a.Ask}
				talks[c.id] = c
				next(c)
			}
		case "notifications/cancelled":
			if talks[string(m.Params.RequestID)] != nil {
				cancelled++
				delete(talks, string(m.Params.RequestID))
			}
		case "":
			var id string
			_ = json.Unmarshal(m.ID, &id)
			if c := elicited[id]; c != nil {
				c.said = append(c.said, m.Result.Action+string(m.Result.Content))
				next(c)
			}
		default:
			if len(m.ID) > 0 {
				say(`"id":%s,"error":{"code":-32601,"message":"no such method"}`, m.ID)
			}
		}
	}
}

// answering is the next attempt of a call, with an answer.
func answering(args string, in *run.CallInput, data string) port.ToolWork {
	w := work(args)
	w.Try, w.Answer, w.State = 2, json.RawMessage(data), in.State
	return w
}

func callWith(t *testing.T, s *mcp.Server, tool string, w port.ToolWork) run.CallResult {
	t.Helper()
	r, err := s.Call(soon(t), tool, w, func(port.Progress) {})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r
}

// asked is the question in a result.
func asked(t *testing.T, r run.CallResult) *run.CallInput {
	t.Helper()
	if r.Input == nil || r.Error != "" || r.Output != nil {
		t.Fatalf("no question but %s %q", r.Output, r.Error)
	}
	return r.Input
}

// TestElicitation: the real server asks during a call. It is stopped before the answer arrives: the stored
// state of the question is sufficient.
func TestElicitation(t *testing.T) {
	t.Parallel()
	const tool = "trigger-elicitation-request"
	for way, reach := range everything(mcp.Options{}) {
		t.Run(way, func(t *testing.T) {
			in := asked(t, call(t, reach(t), tool, `{}`))
			if in.From != "The tool trigger-elicitation-request of the server everything" ||
				in.Message != "Please provide inputs for the following fields:" {
				t.Errorf("%q %q", in.From, in.Message)
			}
			form, err := schema.Compile(in.Schema)
			if err != nil {
				t.Fatal(err)
			}
			const data = `{"name":"Ann Example","check":true,"integer":7,"untitledMultipleSelectEnum":["Piano"]}`
			if ps := form.Validate(json.RawMessage(data)); len(ps) > 0 {
				t.Fatal(ps)
			}
			if ps := form.Validate(json.RawMessage(`{"name":"Ann","integer":700}`)); len(ps) == 0 {
				t.Error("the form takes everything")
			}
			another := reach(t)
			r := callWith(t, another, tool, answering(`{}`, in, data))
			if !contains(string(r.Output), "User provided the requested information", "Ann Example", "Piano", `\"integer\": 7`) {
				t.Errorf("%s %q %+v", r.Output, r.Error, r.Input)
			}
			// The answer was for that call. The next one asks again.
			if asked(t, call(t, another, tool, `{}`)).Message != in.Message {
				t.Error("it asks something else")
			}
		})
	}
}

func asker(t *testing.T) *mcp.Server {
	t.Helper()
	return open(t, mcp.Options{}).Use(hostileDoc(t, "asks"))
}

func TestOneQuestionAfterTheOther(t *testing.T) {
	const args = `{"ask":["Where?","When?","Where?"]}`
	first := asked(t, call(t, asker(t), "ask", args))
	second := asked(t, callWith(t, asker(t), "ask", answering(args, first, `{"a":"Rome"}`)))
	third := asked(t, callWith(t, asker(t), "ask", answering(args, second, `{"n":9007199254740993}`)))
	if first.Message != "Where?" || second.Message != "When?" || third.Message != "Where?" {
		t.Fatal(first.Message, second.Message, third.Message)
	}
	s := asker(t)
	r := callWith(t, s, "ask", answering(args, third, `{"a":"Oslo"}`))
	if got, want := text(t, r), `accept{"a":"Rome"} accept{"n":9007199254740993} accept{"a":"Oslo"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// An answer is valid for its question only.
	if in := asked(t, callWith(t, s, "ask",
		answering(`{"ask":["Which account?"]}`, first, `{"a":"Rome"}`))); in.Message != "Which account?" {
		t.Errorf("%+v", in)
	}
	// A cancelled request is cancelled on the server as well.
	eventually(t, "the server hears of it",
		func() bool { return text(t, call(t, s, "ask", `{"report":true}`)) == "1 cancelled" })
	// Invalid state is ignored.
	w := work(`{"ask":["Where?"]}`)
	w.State, w.Answer = json.RawMessage(`{"asked":7}`), json.RawMessage(`{"a":"Rome"}`)
	asked(t, callWith(t, s, "ask", w))
}

// TestQuestionsOfManyCalls: no call gets the answer to another call's question, even with the same text.
func TestQuestionsOfManyCalls(t *testing.T) {
	s := asker(t)
	const args = `{"ask":["Sure?"]}`
	ctx := soon(t)
	var all sync.WaitGroup
	inputs := make([]*run.CallInput, 5)
	for i := range inputs {
		all.Go(func() {
			r, err := s.Call(ctx, "ask", work(args), func(port.Progress) {})
			if err != nil || r.Input == nil {
				t.Errorf("%+v %v", r, err)
				return
			}
			inputs[i] = r.Input
		})
	}
	held := make(chan string, 1)
	all.Go(func() {
		r, err := s.Call(ctx, "ask", work(`{"hold":true}`), func(port.Progress) {})
		held <- fmt.Sprintf("%s %v", r.Output, err)
	})
	all.Wait()
	if got := <-held; got != `{"text":"held"} <nil>` {
		t.Errorf("a call that asked nothing: %s", got)
	}
	if t.Failed() {
		return
	}
	for i, in := range inputs {
		all.Go(func() {
			said := fmt.Sprintf(`{"n":%d}`, i)
			r, err := s.Call(ctx, "ask", answering(args, in, said), func(port.Progress) {})
			if want := fmt.Sprintf(`{"text":"accept{\"n\":%d}"}`, i); err != nil || string(r.Output) != want {
				t.Errorf("call %d: %s %q %v", i, r.Output, r.Error, err)
			}
		})
	}
	all.Wait()
}

func TestAskingIsCancelled(t *testing.T) {
	s := asker(t)
	names(t, s)
	ctx, cancel := context.WithCancel(soon(t))
	in := asked(t, call(t, s, "ask", `{"ask":["Sure?"]}`))
	done := make(chan error, 1)
	go func() {
		_, err := s.Call(ctx, "ask", work(`{"hold":true}`), func(port.Progress) {})
		done <- err
	}()
	cancel() // including one that waits for others
	_, err := s.Call(ctx, "ask", answering(`{"ask":["Sure?"]}`, in, `{"a":"yes"}`), func(port.Progress) {})
	if err == nil || <-done == nil {
		t.Error("nothing was cancelled")
	}
	if got := text(t, callWith(t, s, "ask",
		answering(`{"ask":["Sure?"]}`, in, `{"a":"yes"}`))); got != `accept{"a":"yes"}` {
		t.Error(got)
	}
}

// TestInputRequired covers the newest protocol, which asks in the result.
func TestInputRequired(t *testing.T) {
	server, url := goServer(t, true)
	var busy atomic.Int64
	add(server, "ask", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if busy.Add(1) == 1 {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{}, RequestState: "later"}, nil
		}
		said, _ := json.Marshal(req.Params.InputResponses)
		switch req.Params.RequestState {
		case "later":
			return &sdk.CallToolResult{RequestState: "first", InputRequests: sdk.InputRequestMap{"q": &sdk.ElicitParams{
				Mode: "form", Message: "Which account?",
				RequestedSchema: json.RawMessage(`{"type":"object","properties":{"account":{"type":"integer"}},"required":["account"]}`),
			}}}, nil
		case "first":
			return &sdk.CallToolResult{RequestState: "second " + string(said), InputRequests: sdk.InputRequestMap{
				"b": &sdk.ElicitParams{Mode: "url", Message: "Sign in.", URL: "https://example.com/in", ElicitationID: "1"},
				"a": &sdk.ElicitParams{Mode: "form", Message: "Why?",
					RequestedSchema: json.RawMessage(`{"type":"object","properties":{"why":{"type":"string"}}}`)},
			}}, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: req.Params.RequestState + " " +
			string(said)}}}, nil
	})
	fresh := func() *mcp.Server {
		return open(t, mcp.Options{}).Use(&definition.MCPServer{Name: "x", URL: url})
	}
	first := asked(t, call(t, fresh(), "ask", `{}`))
	if first.Message != "Which account?" || !contains(string(first.Schema), `"account"`) {
		t.Errorf("%+v", first)
	}
	second := asked(t, callWith(t, fresh(), "ask", answering(`{}`, first, `{"account":12345}`)))
	if !contains(second.Message, "Why?", "Sign in.", "Open this address yourself", "https://example.com/in") {
		t.Errorf("%q", second.Message)
	}
	form, err := schema.Compile(second.Schema)
	if err != nil {
		t.Fatal(err)
	}
	const data = `{"a":{"why":"because"},"b":{"done":true}}`
	if ps := form.Validate(json.RawMessage(data)); len(ps) > 0 {
		t.Error(ps)
	}
	for _, short := range []string{`{"a":{"why":"because"}}`, `{"a":{"why":"because"},"b":{"done":false}}`} {
		if len(form.Validate(json.RawMessage(short))) == 0 {
			t.Errorf("%s is taken for an answer", short)
		}
	}
	got := text(t, callWith(t, fresh(), "ask", answering(`{}`, second, data)))
	if want := `second {"q":{"action":"accept","content":{"account":12345}}} {"a":{"action":"accept","content":{"why":"because"}},"b":{"action":"accept"}}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestInputThatNobodyCanGive(t *testing.T) {
	t.Parallel()
	server, url := goServer(t, true)
	add(server, "roots", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"r": &sdk.ListRootsParams{}}}, nil
	})
	add(server, "long", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{RequestState: strings.Repeat("x", 64<<10+1),
			InputRequests: sdk.InputRequestMap{"q": &sdk.ElicitParams{Mode: "form", Message: "?"}}}, nil
	})
	add(server, "busy", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{}}, nil
	})
	s := open(t, mcp.Options{}).Use(&definition.MCPServer{Name: "x", URL: url})
	if r := call(t, s, "roots", `{}`); !contains(r.Error, "needs input", "cannot give") {
		t.Errorf("%+v", r)
	}
	if r := call(t, s, "long", `{}`); !contains(r.Error, "too much at once") {
		t.Errorf("%+v", r)
	}
	if f := fails(t, s, "busy", `{}`); f.Code != "busy" || !f.Transient {
		t.Errorf("%+v", f)
	}
}

// TestSignInElsewhere: a server that refuses until an address was visited.
func TestSignInElsewhere(t *testing.T) {
	s := open(t, mcp.Options{}).Use(hostileDoc(t, "url"))
	in := asked(t, call(t, s, "do", `{}`))
	if !contains(in.Message, "Sign in, please", "https://example.com/in") || !contains(string(in.Schema), `"done"`) {
		t.Errorf("%+v", in)
	}
	// It still refuses: people are asked again, and the core counts.
	asked(t, callWith(t, s, "do", answering(`{}`, in, `{"done":true}`)))
}

// TestIdle triggers the timer manually.
func TestIdle(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here")
	}
	var mu sync.Mutex
	var clocks []func()
	var stopped int
	after := func(d time.Duration, f func()) func() bool {
		if d != 10*time.Minute {
			t.Errorf("it rests after %s", d)
		}
		mu.Lock()
		defer mu.Unlock()
		clocks = append(clocks, f)
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			stopped++
			return true
		}
	}
	last := func() func() {
		mu.Lock()
		defer mu.Unlock()
		return clocks[len(clocks)-1]
	}
	pool := open(t, mcp.Options{After: after})
	s := pool.Use(hostileDoc(t, "asks"))
	const quick = `{"report":true}`
	call(t, s, "ask", quick)
	pid := pidOf(t, asHostile)
	early := last()
	call(t, s, "ask", quick) // in use again: the first timer is void
	early()
	if !s.Alive() || pid == 0 || pidOf(t, asHostile) != pid {
		t.Fatal("it was stopped although it was used")
	}
	busy := make(chan struct{})
	go func() {
		defer close(busy)
		call(t, s, "ask", `{"hold":true}`)
	}()
	<-busy
	last()()
	eventually(t, "the program ends", func() bool { return !s.Alive() && pidOf(t, asHostile) == 0 })
	if got := text(t, call(t, s, "ask", quick)); got != "0 cancelled" {
		t.Error(got)
	}
	if next := pidOf(t, asHostile); next == 0 || next == pid {
		t.Errorf("it was %d and is %d", pid, next)
	}
	rings := last()
	pool.Close()
	rings() // after the end there is nothing to stop
	if pidOf(t, asHostile) != 0 {
		t.Error("it runs after the end")
	}
	mu.Lock()
	defer mu.Unlock()
	if stopped < len(clocks)-1 {
		t.Errorf("%d clocks, %d stopped", len(clocks), stopped)
	}
}

// TestToolsThatComeLate: a server that was just started may not have all its tools yet, and a call that
// waited for people must find its own.
func TestToolsThatComeLate(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Options{}).Use(hostileDoc(t, "late"))
	if r := call(t, s, "do", `{}`); r.Error != "" {
		t.Errorf("%+v", r)
	}
	if r := call(t, s, "no-such-tool", `{}`); !strings.Contains(r.Error, "no tool") {
		t.Errorf("%+v", r)
	}
}
