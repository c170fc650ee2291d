package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// desk is a server with an LLM agent, its model and its tools.
type desk struct {
	*server
	model *model
	tools *toolServer
}

// setup is how a test differs.
type setup struct {
	script   string // as in testdata/conversation; its agent lines go into the agent's document
	workflow string // more of the workflow's document
	autonomy string
	args     []string // of the command line
}

const deskDocuments = `
agent: clerk
kind: llm
provider: PROVIDER
base_url: MODEL/v1
model: m
api_key: ${file:KEY}
system: You are a clerk at a refund desk.
tools: [list_orders, crm_lookup, refund, email_send, create_deliverable, ask_human, hand_off, milestone]
autonomy: AUTONOMY
hand_off: [colleague, free]
---
agent: colleague
kind: llm
provider: PROVIDER
base_url: MODEL/v1
model: m
api_key: ${file:KEY}
system: You take over.
tools: [list_orders, crm_lookup, refund, email_send, create_deliverable, ask_human, hand_off]
autonomy: approve_high_risk
---
agent: free
kind: llm
provider: PROVIDER
base_url: MODEL/v1
model: m
api_key: ${file:KEY}
system: You may do everything.
tools: [list_orders, crm_lookup, refund, email_send, hand_off]
autonomy: full
---
tool: list_orders
kind: http
url: TOOLS/list_orders
args: { type: object, required: [day], properties: { day: { type: string } } }
risk: safe
---
tool: crm_lookup
kind: http
url: TOOLS/crm_lookup
args: { type: object, required: [id], properties: { id: { type: integer } }, additionalProperties: false }
risk: safe
---
tool: refund
kind: http
url: TOOLS/refund
args: { type: object, required: [id, amount], properties: { id: { type: integer }, amount: { type: number } } }
risk: high
operation: refund
---
tool: email_send
kind: http
url: TOOLS/email_send
args: { type: object, required: [to, text], properties: { to: { type: string }, text: { type: string } } }
risk: approval_required
operation: send_email
---
prices: { m: { in_usd_per_mtok: 1, out_usd_per_mtok: 10 } }
---
workflow: desk
steps: [{ id: work, agent: clerk, retry: { max: 40, backoff: 5ms, max_backoff: 20ms } }]
`

// A turn of the model costs this much, by the prices above.
const turnCosts = 0.002

// newDesk starts everything for one provider. The test need not wait for others.
func newDesk(t testing.TB, provider string, u setup) *desk {
	t.Helper()
	m := scriptedModel(t, u.script)
	d := &desk{model: m, tools: newToolServer(t, m.script)}
	if u.autonomy == "" {
		u.autonomy = "approve_high_risk"
	}
	d.server = serve(t, append(d.load(t, provider, u), u.args...)...)
	t.Cleanup(func() { m.check(t) })
	return d
}

// load writes the documents to files and returns the flags that load them.
func (d *desk) load(t testing.TB, provider string, u setup) []string {
	t.Helper()
	dir := t.TempDir()
	lines := strings.Join(append([]string{"autonomy: " + u.autonomy}, d.model.script.agent...), "\n")
	documents := strings.NewReplacer(
		"PROVIDER", provider, "MODEL", d.model.url, "KEY", dir+"/key", "TOOLS", d.tools.url, "autonomy: AUTONOMY", lines,
	).Replace(deskDocuments) + u.workflow
	err := os.Mkdir(dir+"/documents", 0o700)
	for name, text := range map[string]string{"/key": "sk-of-" + provider + "-0123456789",
		"/documents/desk.yaml": documents} {
		if err == nil {
			err = writeFile(dir+name, text)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--load", dir + "/documents"}
}

// providers runs a test with both protocols.
func providers(t *testing.T, f func(t *testing.T, provider string)) {
	t.Parallel()
	for _, p := range []string{"openai", "anthropic"} {
		t.Run(p, func(t *testing.T) {
			t.Parallel()
			f(t, p)
		})
	}
}

// begin starts a run for ann.
func (d *desk) begin() string {
	d.t.Helper()
	return d.run("desk", map[string]string{"day": "2026-03-02"}, as(ann))
}

// asks waits until a run waits for people, and returns the approvals by call. They must be about these calls
// and no others.
func (d *desk) asks(id string, calls ...string) map[string]answer {
	d.t.Helper()
	r := d.settles(id, "waiting")
	out := map[string]answer{}
	for i := range r.count("pending_approvals") {
		a := d.call("GET", "/approvals/"+r.text(fmt.Sprintf("pending_approvals.%d", i))+"?full=true", nil, as(bob)).want(200)
		out[a.text("call")] = a
	}
	if got := slices.Sorted(maps.Keys(out)); !slices.Equal(got, slices.Sorted(slices.Values(calls))) {
		d.t.Fatalf("people are asked about %q, not %q: %s", got, calls, r.body)
	}
	return out
}

// says is bob's decision on an approval; the rest are members of the body.
func (d *desk) says(a answer, act, rest string) answer {
	d.t.Helper()
	return d.call("POST", "/approvals/"+a.text("id")+"/decisions",
		fmt.Sprintf(`{"act":%q,"version":%d%s}`, act, a.number("version"), rest), as(bob)).want(200)
}

// history reads the log of a run.
func (d *desk) history(id string) *history {
	d.t.Helper()
	page := d.call("GET", "/runs/"+id+"/events?after=0&limit=1000&full=true", nil).want(200)
	var events struct{ Items []json.RawMessage }
	if err := json.Unmarshal(page.body, &events); err != nil {
		d.t.Fatal(err)
	}
	var lines [][]byte
	for _, e := range events.Items {
		lines = append(lines, e)
	}
	return readLog(d.t, lines)
}

// once checks that every turn up to n was answered exactly once, and none after.
func (d *desk) once(n int) {
	d.t.Helper()
	d.model.mu.Lock()
	defer d.model.mu.Unlock()
	for turn := range d.model.script.turns {
		want := 0
		if turn < n {
			want = 1
		}
		if got := len(d.model.paid[turn+1]); got != want {
			d.t.Errorf("turn %d was answered %d times, not %d", turn+1, got, want)
		}
	}
}

// did is what a tool really did for a call.
func (d *desk) did(call string) []string {
	d.tools.mu.Lock()
	defer d.tools.mu.Unlock()
	return slices.Clone(d.tools.done[call])
}

// waitFor polls until a condition holds.
func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); pause() {
		if time.Now().After(end) {
			t.Fatalf("timed out after %s waiting for: %s", patience, what)
		}
	}
}

// results are the results that a request contains, by call id.
func (q question) results(t testing.TB) map[string]string {
	t.Helper()
	var in struct {
		Messages []struct {
			Content    json.RawMessage `json:"content"`
			ToolCallID string          `json:"tool_call_id"`
		} `json:"messages"`
	}
	if err := json.Unmarshal([]byte(q.body), &in); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range in.Messages {
		if m.ToolCallID != "" {
			out[m.ToolCallID] = texts(m.Content)
			continue
		}
		var blocks []struct {
			ToolUseID string          `json:"tool_use_id"`
			Content   json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(m.Content, &blocks) // words have none
		for _, b := range blocks {
			if b.ToolUseID != "" {
				out[b.ToolUseID] = texts(b.Content)
			}
		}
	}
	return out
}
