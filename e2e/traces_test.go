package e2e

import (
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metricspb "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector is a collector of traces that reads them with OpenTelemetry's own types.
type collector struct {
	t   testing.TB
	url string

	mu     sync.Mutex
	down   bool
	header http.Header // of the last request
	spans  map[string]*tracepb.Span
	counts map[string]*metricspb.Metric // the newest
	about  map[string]string            // attributes of the resource
	raw    []byte                       // everything received
}

func newCollector(t testing.TB) *collector {
	c := &collector{t: t, spans: map[string]*tracepb.Span{}, counts: map[string]*metricspb.Metric{},
		about: map[string]string{}}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.header = r.Header; c.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	// TracesData and MetricsData have the same fields as the requests.
	var in tracepb.TracesData
	var numbers metricspb.MetricsData
	var into proto.Message = &in
	if r.URL.Path == "/v1/metrics" {
		into = &numbers
	}
	if err == nil {
		err = proto.UnmarshalOptions{}.Unmarshal(body, into)
	}
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" && r.URL.Path != "/v1/metrics" ||
		r.Header.Get("Content-Type") != "application/x-protobuf" || len(into.ProtoReflect().GetUnknown()) > 0 {
		c.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.raw = append(c.raw, body...)
	for _, rm := range numbers.ResourceMetrics {
		for _, sm := range rm.ScopeMetrics {
			for _, m := range sm.Metrics {
				c.counts[m.Name] = m
			}
		}
	}
	for _, rs := range in.ResourceSpans {
		for _, a := range rs.Resource.Attributes {
			c.about[a.Key] = a.Value.GetStringValue()
		}
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				c.take(s)
			}
		}
	}
}

// take stores a span. One that is sent again is the same.
func (c *collector) take(s *tracepb.Span) {
	id := hex.EncodeToString(s.SpanId)
	if was := c.spans[id]; was != nil && !proto.Equal(was, s) {
		c.t.Errorf("span %s was sent as\n%v\nand as\n%v", id, was, s)
	}
	if len(s.ProtoReflect().GetUnknown()) > 0 || len(s.TraceId) != 16 || len(s.SpanId) != 8 ||
		s.EndTimeUnixNano < s.StartTimeUnixNano || s.StartTimeUnixNano == 0 || s.Name == "" {
		c.t.Errorf("not a span: %v", s)
	}
	c.spans[id] = s
}

func (c *collector) set(down bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = down
}

func attribute(s *tracepb.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			if text := a.Value.GetStringValue(); text != "" {
				return text
			}
			return fmt.Sprint(a.Value.GetIntValue())
		}
	}
	return ""
}

// named waits for a span with a name and an attribute.
func (c *collector) named(name, key, value string) *tracepb.Span {
	c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); pause() {
		c.mu.Lock()
		for _, s := range c.spans {
			if s.Name == name && attribute(s, key) == value {
				c.mu.Unlock()
				return s
			}
		}
		c.mu.Unlock()
	}
	c.t.Fatalf("no span %s with %s=%s arrived; got:\n%s", name, key, value, c.tree(""))
	return nil
}

// tree draws the spans below a parent, by the order of their beginning.
func (c *collector) tree(parent string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out strings.Builder
	var draw func(parent, indent string)
	draw = func(parent, indent string) {
		var below []*tracepb.Span
		for _, id := range slices.Sorted(maps.Keys(c.spans)) {
			s := c.spans[id]
			if up := hex.EncodeToString(s.ParentSpanId); up == parent ||
				parent == "" && (up == "" || c.spans[up] == nil) {
				below = append(below, s)
			}
		}
		slices.SortStableFunc(below, func(a, b *tracepb.Span) int {
			if a.StartTimeUnixNano != b.StartTimeUnixNano {
				return int(int64(a.StartTimeUnixNano) - int64(b.StartTimeUnixNano))
			}
			return strings.Compare(a.Name, b.Name)
		})
		for _, s := range below {
			out.WriteString(indent + s.Name)
			for _, l := range s.Links {
				to := "?"
				if linked := c.spans[hex.EncodeToString(l.SpanId)]; linked != nil {
					to = linked.Name
				}
				out.WriteString(" ~> " + to)
			}
			if s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR {
				out.WriteString(" ! " + s.Status.Message)
			}
			out.WriteString("\n")
			draw(hex.EncodeToString(s.SpanId), indent+"  ")
		}
	}
	draw(parent, "")
	return out.String()
}

// traced are servers whose requests are recorded with their traceparent.
type traced struct {
	mu      sync.Mutex
	parents map[string]string // by path
}

func (s *traced) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.parents[r.URL.Path] = r.Header.Get("Traceparent")
	s.mu.Unlock()
	fmt.Fprint(w, `{"output":{"ok":true}}`)
}

func (s *traced) parent(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parents[path]
}

const tracedFlow = `
agent: clerk
kind: llm
provider: openai
base_url: %[1]s/v1
model: m
api_key: ${env:E2E_KEY}
system: You are a clerk.
tools: [crm_lookup, email_send]
autonomy: approve_high_risk
output: { type: object, required: [done], properties: { done: { type: boolean } } }
---
agent: printer
kind: http
url: %[2]s/print
---
tool: crm_lookup
kind: http
url: %[2]s/crm
description: Look up a customer
args: { type: object, required: [id], properties: { id: { type: integer } } }
risk: safe
---
tool: email_send
kind: http
url: %[2]s/mail
description: Send an e-mail
args: { type: object, required: [to, text], properties: { to: { type: string }, text: { type: string } } }
risk: approval_required
operation: send_email
---
channel: ledger
kind: webhook
url: %[2]s/hook
secret: ${env:E2E_HOOK}
---
notifications: default
events: { run.completed: [ledger] }
---
workflow: below
steps: [{ id: paper, agent: printer }]
---
workflow: clerk-flow
steps:
  - { id: work, agent: clerk }
  - { id: file, workflow: below }
  - { id: last, tool: crm_lookup, with: { id: 7 } }
gates: [{ id: review, at: before file, role: approver }]
`

// A run with approvals is one trace with the right parents, although its server is killed while people decide, another
// continues, and the collector is away for a while. Nothing that people or models said is in it, nor any secret.
func TestTraces(t *testing.T) {
	c := newCollector(t)
	model := scriptedModel(t, `
turn 1:
  call crm_lookup {"id":1042}
turn 2: I write to them.
  call email_send {"to":"a@example.com","text":"confidential"}
turn 3: {"done":true,"confidence":0.9}
`)
	tools := &traced{parents: map[string]string{}}
	elsewhere := httptest.NewServer(tools)
	defer elsewhere.Close()
	dir := t.TempDir()
	if err := writeFile(dir+"/clerk.yaml", fmt.Sprintf(tracedFlow, model.url, elsewhere.URL)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("E2E_KEY", "sk-very-secret")
	t.Setenv("E2E_HOOK", hookSecret)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.url)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=collector%20secret")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "100")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test,service.name=other")
	s := serve(t, "--load", dir, "--log-level", "info")
	const caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	id := s.run("clerk-flow", map[string]int{"customer": 1042}, header("traceparent", caller))
	a := s.pending(id)
	c.named("execute_tool crm_lookup", "assent.step.id", "work")
	c.set(true) // from here on it is away
	s.kill()
	s.start()
	s.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`, as(bob)).want(200)
	a = s.pending(id)
	s.kill()
	s.start()
	c.set(false)
	s.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`, as(bob)).want(200)
	s.settles(id, "completed")
	c.named("run clerk-flow", "assent.run.id", id)

	want := `run clerk-flow
  step work
    invoke_agent clerk
      turn
        chat m
        execute_tool crm_lookup
      turn
        chat m
        request_approval
        execute_tool email_send ~> settle_approval
      turn
        chat m
  settle_approval ~> request_approval
  request_approval
  settle_approval ~> request_approval
  step file
    run below ~> settle_approval
      run below
        step paper
          invoke_agent printer
  step last
    try
      execute_tool crm_lookup
`
	if got := c.tree("00f067aa0ba902b7"); got != want {
		t.Errorf("the spans are\n%s\nnot\n%s", got, want)
	}
	s.call("GET", "/runs/"+id, nil, header("traceparent", caller)).want(200)
	for end := time.Now().Add(patience); tools.parent("/hook") == "" && time.Now().Before(end); pause() {
	}
	s.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, span := range c.spans {
		if got := hex.EncodeToString(span.TraceId); got != caller[3:35] {
			t.Errorf("%s is in the trace %s", span.Name, got)
		}
		if attribute(span, "assent.run.id") == "" {
			t.Errorf("%s names no run", span.Name)
		}
		if strings.Contains(span.Name, "approval") && span.EndTimeUnixNano > span.StartTimeUnixNano {
			t.Errorf("%s took %d ns", span.Name, span.EndTimeUnixNano-span.StartTimeUnixNano)
		}
	}
	for path, name := range map[string]string{"/crm": "execute_tool crm_lookup", "/mail": "execute_tool email_send",
		"/print": "invoke_agent printer"} {
		parts := strings.Split(tools.parent(path), "-")
		if len(parts) != 4 || parts[1] != caller[3:35] || c.spans[parts[2]].GetName() != name || parts[3] != "01" {
			t.Errorf("%s got the traceparent %q", path, tools.parents[path])
		}
	}
	// Messages are about a run: the webhook is called for that of the workflow or of its part.
	if parts := strings.Split(tools.parent("/hook"), "-"); len(parts) != 4 || parts[1] != caller[3:35] ||
		!strings.HasPrefix(c.spans[parts[2]].GetName(), "run ") {
		t.Errorf("the webhook got the traceparent %q", tools.parent("/hook"))
	}
	for _, word := range []string{"sk-very-secret", "confidential", "collector secret", "I write", "clerk.\"", "bob"} {
		if strings.Contains(string(c.raw), word) {
			t.Errorf("%q was sent to the collector", word)
		}
	}
	// A server that stops sends its metrics once more.
	if runs := c.counts["assent_runs_total"].GetSum(); !runs.GetIsMonotonic() || !strings.Contains(fmt.Sprint(runs),
		"clerk-flow") || !strings.Contains(fmt.Sprint(runs), "completed") {
		t.Errorf("the runs that were counted are %v", runs)
	}
	steps := c.counts["assent_step_seconds"].GetHistogram().GetDataPoints()
	if len(steps) == 0 || steps[0].Count == 0 || len(steps[0].BucketCounts) != len(steps[0].ExplicitBounds)+1 ||
		len(steps[0].Exemplars) == 0 || hex.EncodeToString(steps[0].Exemplars[0].TraceId) != caller[3:35] {
		t.Errorf("the steps that were timed are %v", steps)
	}
	if c.about["service.name"] != "other" || c.about["deployment.environment.name"] != "test" {
		t.Errorf("the resource is %v", c.about)
	}
	if got := c.header.Get("X-Key"); got != "collector secret" {
		t.Errorf("the header is %q", got)
	}
	if s.says("trace_id=" + caller[3:35]); strings.Contains(s.log.String(), "collector secret") {
		t.Errorf("%s", s.log)
	}
}

// Without a caller a run has a trace of its own, and what models and tools said is sent if the settings say so.
func TestTracesWithContent(t *testing.T) {
	c := newCollector(t)
	model := scriptedModel(t, `
turn 1: I look.
  call crm_lookup {"id":1042}
turn 2: {"done":true,"confidence":0.9}
`)
	elsewhere := httptest.NewServer(&traced{parents: map[string]string{}})
	defer elsewhere.Close()
	dir := t.TempDir()
	if err := writeFile(dir+"/clerk.yaml", fmt.Sprintf(tracedFlow, model.url, elsewhere.URL)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("E2E_KEY", "sk-very-secret")
	t.Setenv("E2E_HOOK", hookSecret)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.url)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
	t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
	s := serve(t, "--load", dir)
	id := s.run("clerk-flow", map[string]int{"customer": 1042})
	ap := s.pending(id)
	s.call("POST", "/approvals/"+ap.text("id")+"/decisions", `{"act":"reject","comment":"no","version":1}`,
		as(bob)).want(200)
	s.settles(id, "failed")
	root := c.named("run clerk-flow", "assent.run.status", "failed")
	if len(root.ParentSpanId) != 0 || root.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("%v", root)
	}
	call := c.named("execute_tool crm_lookup", "assent.step.id", "work")
	if attribute(call, "gen_ai.tool.call.arguments") != `{"id":1042}` ||
		!strings.Contains(attribute(call, "gen_ai.tool.call.result"), "ok") {
		t.Errorf("%v", call)
	}
	if chat := c.named("chat m", "assent.step.id", "work"); attribute(chat, "gen_ai.request.model") != "m" ||
		attribute(chat, "gen_ai.operation.name") != "chat" {
		t.Errorf("%v", chat)
	}
}
