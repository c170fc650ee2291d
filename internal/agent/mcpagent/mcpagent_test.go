package mcpagent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/agent/agenttest"
	"github.com/assent-run/assent/internal/agent/mcpagent"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool"
)

// server is an MCP server with one tool, do, and how to reach it.
func server(t *testing.T, args string, do sdk.ToolHandler, wrap func(http.Handler) http.Handler) *mcpagent.Agent {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "do", InputSchema: json.RawMessage(args)}, do)
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: true})
	if wrap != nil {
		h = wrap(h)
	}
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		for session := range s.Sessions() {
			_ = session.Close()
		}
		web.CloseClientConnections()
		web.Close()
	})
	servers := map[string]*definition.MCPServer{"x": {Name: "x", URL: web.URL}}
	tools := tool.New(tool.Options{
		AllowLoopback: true, Documents: func() (map[string]*definition.Tool, map[string]*definition.MCPServer,
			func(definition.Kind, string) (int, string)) {
			return nil, servers, nil
		},
	})
	t.Cleanup(tools.Close)
	return mcpagent.New("doer", definition.MCP{Server: "x", Tool: "do"}, tools)
}

func says(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

func TestAgent(t *testing.T) {
	agenttest.Run(t, func(t *testing.T, b agenttest.Behaviour) port.Agent {
		switch {
		case b.Garbled():
			t.Skip("what a tool answers is an output, whatever it is")
		case b.Echo:
			t.Skip("a tool sees its arguments, not the question")
		case b.Confidence != nil || b.Usage != nil || b.Reasoning != "" || b.Logs != "" || len(b.Deliverables) > 0:
			t.Skip("a tool answers with an output and nothing beside it")
		}
		release := make(chan struct{})
		defer t.Cleanup(func() { close(release) }) // before the server waits for its calls
		return modest{server(t, `{"type":"object"}`,
			func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				switch {
				case b.Hang:
					select {
					case <-ctx.Done():
					case <-release:
					}
					return nil, errors.New("not done")
				case b.Fail != "":
					r := says(b.Fail)
					r.IsError = true
					return r, nil
				}
				return says(string(b.Output)), nil
			}, func(h http.Handler) http.Handler {
				if !b.Transient {
					return h
				}
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					if bytes.Contains(body, []byte(`"tools/call"`)) {
						http.Error(w, b.Fail, http.StatusServiceUnavailable)
						return
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					h.ServeHTTP(w, r)
				})
			})}
	})
}

// modest avoids the number 1E300: the library's server parses all arguments as floats before a tool sees
// them.
type modest struct{ port.Agent }

func (m modest) Invoke(ctx context.Context, w port.Work, tell func(port.Progress)) (run.Result, error) {
	w.Input = bytes.ReplaceAll(w.Input, []byte("1E300"), []byte("1E40"))
	return m.Agent.Invoke(ctx, w, tell)
}

func invoke(t *testing.T, a port.Agent, input string) (run.Result, run.Failure) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := a.Invoke(ctx, port.Work{Run: "run_1", Step: "s", Try: 1, Key: "run_1/step/s#0",
		Input: json.RawMessage(input)}, nil)
	if err == nil {
		return r, run.Failure{}
	}
	return r, port.FailureOf(err)
}

func TestOutputs(t *testing.T) {
	for name, c := range map[string]struct {
		res  *sdk.CallToolResult
		want string
	}{
		"structured": {&sdk.CallToolResult{StructuredContent: map[string]any{"text": "5"},
			Content: []sdk.Content{&sdk.TextContent{Text: `{"text":"5"}`}}}, `{"text":"5"}`},
		"JSON":  {says(` {"n": 0.10} `), `{"n":0.10}`},
		"words": {says("all is well"), `{"text":"all is well"}`},
		"two texts": {&sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "1"}, &sdk.TextContent{Text: "2"}}},
			`{"content":[{"type":"text","text":"1"},{"type":"text","text":"2"}]}`},
		"nothing": {&sdk.CallToolResult{Content: []sdk.Content{}}, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			a := server(t, `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult,
				error) {
				return c.res, nil
			}, nil)
			if r, f := invoke(t, a, `{}`); string(r.Output) != c.want || f.Message != "" {
				t.Errorf("%s %+v", r.Output, f)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	a := server(t, `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			key, _ := req.Params.GetMeta()["assent.run/idempotency-key"].(string)
			return says(key + " " + string(req.Params.Arguments)), nil
		}, nil)
	whole := `{"text":"run_1/step/s#0 {\"n\":9007199254740993}"}`
	if r, f := invoke(t, a, `{"n":9007199254740993}`); string(r.Output) != whole {
		t.Errorf("%s %+v", r.Output, f)
	}
	for input, want := range map[string]string{`{"n":"x"}`: "/n", `{}`: "n", `[1]`: "`with`",
		`null`: "`with`", ``: "`with`"} {
		if _, f := invoke(t, a, input); f.Code != "invalid_input" || f.Transient || !strings.Contains(f.Message, want) {
			t.Errorf("%s: %+v", input, f)
		}
	}
	for _, other := range []definition.MCP{{Server: "x", Tool: "dont"}, {Server: "y", Tool: "do"}} {
		b := mcpagent.New("doer", other, tool.New(tool.Options{}))
		if _, f := invoke(t, b, `{}`); f.Transient || !strings.Contains(f.Message, "unknown mcp_server") {
			t.Errorf("%+v", f)
		}
	}
}

func TestProgress(t *testing.T) {
	heard := make(chan port.Progress, 1)
	a := server(t, `{"type":"object"}`, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: req.Params.GetProgressToken(), Message: "half way", Progress: 1, Total: 2,
		})
		if err != nil {
			return nil, err
		}
		select { // notifications travel separately from the answer
		case p := <-heard:
			return says(fmt.Sprintf("%s %d", p.Text, p.Percent)), nil
		case <-time.After(2 * time.Minute):
			return says("nobody heard"), nil
		}
	}, nil)
	r, err := a.Invoke(t.Context(), port.Work{Input: json.RawMessage(`{}`)}, func(p port.Progress) { heard <- p })
	if err != nil || string(r.Output) != `{"text":"half way 50"}` {
		t.Errorf("%s %v", r.Output, err)
	}
}

// TestAsks: such a step cannot ask people, and the error says so.
func TestAsks(t *testing.T) {
	a := server(t, `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": &sdk.ElicitParams{Mode: "form",
			Message: "Which account?"}}}, nil
	}, nil)
	if _, f := invoke(t, a, `{}`); f.Code != "input_required" || f.Transient ||
		!strings.Contains(f.Message, "Which account?") || !strings.Contains(f.Message, "human step") {
		t.Errorf("%+v", f)
	}
}
