package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/feed"
)

// TestNothingLeftOutMistypedOrAddedEscapes: whatever an agent leaves out,
// mistypes, renames or adds never turns "ask" or "refuse" into "go".
//
// Policies, workflows and data are made up from a seed. Each case is played
// honestly first, through the whole engine. If people are asked, or it is
// refused, it is played again for every way of writing the same thing wrong; what
// counts is whether the service behind the last step or tool was called. A
// truthful change of a value is another action and no escape, so no value that a
// rule reads is replaced by another value of its type.
//
// ESCAPES is the number of cases, each in every way; without it there are few, in
// some ways. ESCAPES_SEED is where they begin.
func TestNothingLeftOutMistypedOrAddedEscapes(t *testing.T) {
	cases, seed, each := 40, 1, 20
	if os.Getenv("ESCAPES") != "" {
		each = math.MaxInt
	}
	for name, n := range map[string]*int{"ESCAPES": &cases, "ESCAPES_SEED": &seed} {
		if s := os.Getenv(name); s != "" {
			var err error
			if *n, err = strconv.Atoi(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	w := newForgers(t)
	w.each = each
	var list []*forgeryCase
	documents, rules := "", ""
	for n := range cases {
		c := w.make(n, uint64(seed+n))
		list = append(list, c)
		documents += c.documents
		for _, r := range c.rules {
			rules += fmt.Sprintf("  - { priority: %d, %s }\n", strings.Count(rules, "\n")+1, r)
		}
	}
	w.home = open(t, documents+"---\npolicy: house\nrules:\n"+rules)
	var wg sync.WaitGroup
	todo := make(chan *forgeryCase)
	for range 4 {
		wg.Go(func() {
			for c := range todo {
				w.play(t, c)
			}
		})
	}
	for _, c := range list {
		todo <- c
	}
	close(todo)
	wg.Wait()
	held, tried := 0, 0
	for _, c := range list {
		if c.held {
			held++
		}
		tried += c.tried
	}
	t.Logf("%d of %d cases ask or refuse, and %d ways of writing them wrong", held, cases, tried)
	if held < cases/3 {
		t.Errorf("only %d of %d cases ask: there is nothing to escape from", held, cases)
	}
}

// forgeryCase is a policy, a workflow and the honest data of a run.
type forgeryCase struct {
	no, seed  int
	shape     string
	rules     []string
	documents string
	honest    said
	upwards   bool // rules about the amount ask for more than something only
	held      bool // played honestly, it asks or is refused
	tried     int
}

// said is what an agent says: its output or arguments as they are written, how
// sure it is, and which tool it wants.
type said struct {
	how                      string
	output, confidence, tool string
}

// forgers is the world outside: an agent or a model that proposes, and the
// service that is called in the end.
type forgers struct {
	*home
	url    string
	each   int // ways to write a case wrong that are tried
	mu     sync.Mutex
	says   map[string]said // by the ref of a run
	called map[string]bool // runs for which the service was called
}

func newForgers(t *testing.T) *forgers {
	w := &forgers{says: map[string]said{}, called: map[string]bool{}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

var refs = regexp.MustCompile(`ref-[0-9]+-[0-9]+`)

func (w *forgers) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.mu.Lock()
	s := w.says[refs.FindString(string(body))]
	w.mu.Unlock()
	switch r.URL.Path {
	case "/propose":
		answer := `{"output":` + s.output
		if s.confidence != "" {
			answer += `,` + s.confidence
		}
		fmt.Fprint(rw, answer+"}")
	case "/v1/chat/completions":
		rw.Header().Set("Content-Type", "text/event-stream")
		delta := map[string]any{"content": "done"}
		if !strings.Contains(string(body), `"role":"tool"`) {
			delta = map[string]any{"tool_calls": []any{map[string]any{
				"index": 0, "id": "c1", "type": "function", "function": map[string]any{"name": s.tool, "arguments": s.output},
			}}}
		}
		chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta,
			"finish_reason": nil}}})
		fmt.Fprintf(rw, "data: %s\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", chunk)
	default: // the service that does it
		var work struct {
			Run string `json:"run"`
		}
		_ = json.Unmarshal(body, &work)
		w.mu.Lock()
		w.called[work.Run] = true
		w.mu.Unlock()
		fmt.Fprint(rw, `{"output":{"done":true}}`)
	}
}

// play runs a case honestly and, if it is held, written wrong in every way.
func (w *forgers) play(t *testing.T, c *forgeryCase) {
	if w.goes(t, c, 0, c.mapped([]said{c.honest})[0]) {
		return
	}
	c.held = true
	wrong := c.wrong()
	rand.New(rand.NewPCG(uint64(c.seed), 16)).Shuffle(len(wrong), func(i, j int) {
		wrong[i], wrong[j] = wrong[j],
			wrong[i]
	})
	for n, s := range wrong[:min(w.each, len(wrong))] {
		if c.tried++; w.goes(t, c, n+1, s) {
			t.Errorf("ESCAPES=1 ESCAPES_SEED=%d: %s goes unasked with %s:\nrules:  %s\nhonest: %s %s\nwrong:  %s %s %s",
				c.seed, c.shape, s.how, strings.Join(c.rules, "\n        "), c.honest.output, c.honest.confidence,
				s.output, s.confidence, s.tool)
		}
	}
}

// goes reports whether the service is called for a run before anyone is asked.
func (w *forgers) goes(t *testing.T, c *forgeryCase, n int, s said) bool {
	ref := fmt.Sprintf("ref-%d-%d", c.no, n)
	w.mu.Lock()
	w.says[ref] = s
	w.mu.Unlock()
	began, err := w.Begin(t.Context(), ann,
		app.NewRun{Workflow: fmt.Sprintf("case-%d", c.no), Input: json.RawMessage(`{"ref":"` + ref + `"}`)}, nil)
	if err != nil {
		t.Errorf("case %d: %v", c.no, err)
		return false
	}
	w.rests(t, began.ID)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.called[began.ID]
}

// rests follows a run until nothing moves without people.
func (w *forgers) rests(t *testing.T, id string) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	zero := int64(0)
	stream, err := w.Follow(ctx, admin, feed.Filter{Run: id, After: &zero})
	if err != nil {
		t.Error(err)
		return
	}
	defer stream.Close()
	for {
		v, err := w.App.Run(ctx, admin, id, true)
		if err == nil && v.Status != run.Running {
			return
		}
		if _, next := stream.Next(ctx); err != nil || next != nil {
			t.Errorf("run %s does not come to rest: %v, %v", id, err, next)
			return
		}
	}
}

// make writes one case.
func (w *forgers) make(no int, seed uint64) *forgeryCase {
	rnd := rand.New(rand.NewPCG(seed, 15))
	pick := func(words ...string) string { return words[rnd.IntN(len(words))] }
	c := &forgeryCase{no: no, seed: int(seed),
		shape: pick("a step", "a step with a mapping", "a step for each", "a call", "a call", "a result"), upwards: true}
	amount, country := pick("5", "50", "2000", "2000"), pick("NO", "SE")
	c.honest = said{how: "nothing", tool: "pay-" + strconv.Itoa(no),
		confidence: pick(`"confidence":0.3`, `"confidence":0.6`, `"confidence":0.95`)}
	c.honest.output = fmt.Sprintf(`{"amount":%s,"customer":{"country":"%s","name":"Zoe"},"tags":["%s"]}`, amount,
		country, pick("vip", "new"))
	for n := range 1 + rnd.IntN(3) {
		c.rules = append(c.rules, c.rule(n, rnd, pick))
	}
	name := fmt.Sprintf("case-%d", no)
	step := `agent: payer-NO, operation: refund, risk: ` + pick("low", "high")
	steps := map[string]string{
		"a step": "{ id: propose, agent: proposer-NO }, { id: pay, " + step + " }",
		"a step with a mapping": "{ id: propose, agent: proposer-NO }, { id: pay, " + step +
			", with: { amount: propose.amount, customer: propose.customer, tags: propose.tags } }",
		"a step for each": "{ id: propose, agent: proposer-NO }, { id: pay, " + step + ", each: propose.items }",
		"a call":          "{ id: work, agent: clerk-NO }",
		"a result":        "{ id: propose, agent: proposer-NO, operation: refund }, { id: pay, agent: payer-NO }",
	}[c.shape]
	c.documents = strings.NewReplacer("NO", strconv.Itoa(no), "URL", w.url).Replace(`
---
workflow: ` + name + `
steps: [ ` + steps + ` ]
---
agent: proposer-NO
kind: http
url: URL/propose
confidence_threshold: 0
---
agent: payer-NO
kind: http
url: URL/pay
---
agent: clerk-NO
kind: llm
provider: openai
base_url: URL/v1
model: m
api_key: sk-0123456789
autonomy: ` + pick("full", "full", "approve_high_risk") + `
tools: [pay-NO]
---
tool: pay-NO
kind: http
url: URL/tool
operation: refund
risk: ` + pick("low", "medium") + "\n")
	return c
}

// rule writes a rule about this case's workflow alone.
func (c *forgeryCase) rule(n int, rnd *rand.Rand, pick func(...string) string) string {
	action, unsure := "{ auto_approve: true }", pick(">", ">=")
	if rnd.IntN(4) > 0 { // who asks when an agent is sure?
		action, unsure = pick("{ require_approval_count: 1 }", "{ require_approval_count: 1 }", `{ deny: "not here" }`),
			pick("<", "<=")
	}
	var when []string
	for range 1 + rnd.IntN(2) {
		switch part := rnd.IntN(6); part {
		case 0, 1:
			op := pick(">", ">=", "<", "<=", "!=", "==")
			c.upwards = c.upwards && strings.HasPrefix(op, ">")
			when = append(when, fmt.Sprintf(`data_threshold: { field: amount, operator: "%s", value: %s }`, op,
				pick("10", "1000", "2000")))
		case 2:
			when = append(when, fmt.Sprintf(`custom_field: { field: customer.country, operator: "%s", value: %s }`,
				pick("!=", "=="), pick(`"NO"`, "SE")))
		case 3:
			when = append(when, fmt.Sprintf(`agent_confidence: { operator: "%s", value: %s }`, unsure,
				pick("0.5", "0.75", "0.9")))
		case 4:
			c.upwards = false
			when = append(when, "expr: '"+pick(`amount > 1000`, `not (amount <= 1000)`, `customer.country != "NO"`,
				`not (customer.country == "NO")`,
				`tags contains "vip"`, `not (tags contains "new")`, `amount > 1000 or customer.country == "SE"`,
				`amount <= 10 and customer.country == "NO"`)+"'")
		default:
			when = append(when, "operation_type: [refund]")
		}
	}
	seen := map[string]bool{}
	unique := when[:0]
	for _, part := range when {
		if key, _, _ := strings.Cut(part, ":"); !seen[key] {
			seen[key] = true
			unique = append(unique, part)
		}
	}
	switch {
	case c.shape == "a result":
		unique = append(unique, "at: result")
	case seen["agent_confidence"]: // a rule that says nothing looks at results, too, if their agent says how sure it is
		unique = append(unique, "at: act")
	}
	return fmt.Sprintf(`name: "case %d rule %d", trigger: { workflow: [case-%d], %s }, action: %s`, c.no, n, c.no,
		strings.Join(unique, ", "), action)
}
