package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/sim/audit"
)

// world is what the killed server works with: agents, workflows that use everything that takes time, people
// who decide.
const world = `
agent: worker
kind: http
url: AGENTS
---
workflow: mixed
steps:
  - { id: a, agent: worker }
  - { id: b, agent: worker, needs: [a] }
  - { id: c, agent: worker, needs: [a], retry: { max: 50, backoff: 10ms, max_backoff: 50ms } }
  - { id: d, agent: worker, needs: [a] }
  - { id: e, agent: worker, needs: [b, c, d], operation: send }
  - { id: f, agent: worker, each: a.list, width: 2, with: { item: item } }
gates:
  - { id: before, at: before e, title: Send?, role: approver }
  - { id: final, at: end, title: Both?, role: boss, quorum: 2, on_reject: cancel }
---
workflow: timed
steps:
  - { id: a, agent: worker }
  - { id: b, human: { title: No one answers, role: absent, timeout: { after: 150ms, then: approve } } }
  - { id: c, agent: worker, timeout: 20s }
  - { id: d, human: { kind: choice, title: Which?, role: approver, options: [{ value: x }, { value: y }], timeout: { after: 2s, then: default, default: y } } }
---
workflow: child
steps: [{ id: k, agent: worker }]
gates: [{ id: look, at: after k, title: Fine?, role: approver, on_reject: fail }]
---
workflow: parent
stop_on_error: false
steps: [{ id: s, workflow: child }, { id: t, agent: worker }]
`

// kills is how often the server is killed; a soak uses more.
func kills(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		return n
	}
	if testing.Short() {
		return 20
	}
	return 60
}

// started is one call that an agent received.
type started struct {
	audit.Start
	at time.Time
}

// crowd is everyone outside the server. It outlives every crash.
type crowd struct {
	*testing.T
	s      *server
	swap   sync.RWMutex   // held while the server is replaced
	choose func() *server // of several servers, for the next request; nil: s
	ending atomic.Bool    // nothing new is begun

	mu      sync.Mutex
	calls   []started
	runs    map[string]bool // acknowledged
	acks    []audit.Ack     // of commands
	decided map[string]bool // approval, person and act that were acknowledged
	held    chan struct{}   // agents wait for it; nil: they do not
	// late is how long a commit may take: an event is dated before it is committed, and another server may repeat work
	// that is not recorded yet.
	late time.Duration
}

var approvers = []audit.Person{
	{Name: "p1", Kind: "person", Roles: []string{"approver"}},
	{Name: "p2", Kind: "person", Roles: []string{"approver", "boss"}},
	{Name: "p3", Kind: "person", Roles: []string{"boss"}}, {Name: "p4", Kind: "person", Roles: []string{"boss"}},
	{Name: "admin", Kind: "person", Roles: []string{"admin"}}, {Name: "starter", Kind: "person"},
}

// newCrowd starts agents, and writes where they are into documents.
func newCrowd(t *testing.T, documents string) (*crowd, string) {
	c := &crowd{T: t, runs: map[string]bool{}, decided: map[string]bool{}}
	agents := httptest.NewServer(http.HandlerFunc(c.agent))
	t.Cleanup(agents.Close)
	return c, strings.ReplaceAll(documents, "AGENTS", agents.URL)
}

// The binary is killed repeatedly under concurrent load. Afterwards every promise must hold, and every run
// must have ended validly.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	killedAgainAndAgain(t, kills(t))
}

func killedAgainAndAgain(t *testing.T, n int, args ...string) {
	c, documents := newCrowd(t, world)
	c.s = serve(t, args...)
	c.s.define(documents)

	stopped := make(chan struct{})
	all := c.load(func(string) {}, stopped)
	began := time.Now()
	for range n {
		time.Sleep(time.Duration(20+rand.IntN(180)) * time.Millisecond)
		c.swap.Lock()
		c.s.kill()
		c.s.start()
		c.swap.Unlock()
	}
	// On a busy machine it lasts until enough has happened to prove something.
	waitFor(t, "enough runs and decisions", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.runs) >= n/2 && len(c.decided) >= n/4
	})
	c.ending.Store(true)
	c.quiet(patience)
	close(stopped)
	all.Wait()
	decisions := len(c.decided)
	evidence := c.evidence()
	t.Logf("%d kills in %.0f s: %d runs, %d calls of agents, %d decisions and %d commands acknowledged",
		n, time.Since(began).Seconds(), len(evidence.Runs), len(c.calls), decisions, len(c.acks))
	c.countsWork(evidence.Runs)
	c.audited(evidence)
}

// audited has the auditor look at the evidence.
func (c *crowd) audited(evidence audit.Case) {
	c.Helper()
	v := audit.Check(evidence)
	if v == nil {
		return
	}
	c.Errorf("%s", v)
	for _, r := range evidence.Runs {
		if r.ID == v.Run {
			c.Logf("%s", bytes.Join(r.Lines, []byte("\n")))
		}
	}
}

// agent returns the same answer for the same key, as a good service does.
func (c *crowd) agent(w http.ResponseWriter, r *http.Request) {
	var work struct {
		Run, Step, Key string
		Index          *int
		Try            int
		Input          json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&work); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s := started{audit.Start{Run: work.Run, Kind: "step", Work: work.Key, Step: work.Step, Index: -1, Try: work.Try,
		Content: work.Input}, time.Now()}
	if work.Index != nil {
		s.Index = *work.Index
	}
	_, rev, _ := strings.Cut(work.Key, "#")
	s.Rev, _ = strconv.Atoi(rev)
	c.mu.Lock()
	c.calls = append(c.calls, s)
	held := c.held
	c.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
			return
		}
	}
	if work.Step == "c" && work.Try == 1 && strings.HasSuffix(work.Run, "0") {
		w.WriteHeader(http.StatusServiceUnavailable) // and again, please
		return
	}
	select {
	case <-time.After(time.Duration(rand.IntN(15)) * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	fmt.Fprintf(w, `{"output":{"key":%q,"list":[1,2,3]},"confidence":0.95,"usage":{"llm_calls":1,"tokens_in":7,`+
		`"tokens_out":3,"cost_usd":0.001}}`, work.Key)
}

// send repeats a request under one key until the server answers, as clients do after a broken connection.
func (c *crowd) send(method, path string, body any, stopped <-chan struct{}, options ...option) (answer, bool) {
	for {
		c.swap.RLock()
		s := c.s
		if c.choose != nil {
			s = c.choose()
		}
		a, err := s.try(method, path, body, options...)
		c.swap.RUnlock()
		if err == nil && a.status < 500 {
			return a, true
		}
		select {
		case <-stopped:
			return answer{}, false
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// mixed are the workflows of the world that are started.
var mixed = []string{"mixed", "timed", "parent"}

// load starts three clients that start runs, and four approvers. It calls then between two runs of a client.
func (c *crowd) load(then func(id string), stopped <-chan struct{}) *sync.WaitGroup {
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() { c.begin(i, mixed, then, stopped) })
	}
	for _, p := range approvers[:4] {
		all.Go(func() { c.decide(p, stopped) })
	}
	return &all
}

// begin starts runs of workflows in turn, and disturbs some of them. It calls then between two of them.
func (c *crowd) begin(i int, workflows []string, then func(id string), stopped <-chan struct{}) {
	me := as(who{"starter", ""})
	for n := 0; !c.ending.Load(); n++ {
		name := workflows[n%len(workflows)]
		a, ok := c.send("POST", "/runs", map[string]any{"workflow": name, "input": map[string]int{"n": n}}, stopped, me,
			key(fmt.Sprintf("s%d-%d", i, n)))
		if !ok {
			return
		}
		id := a.want(201).text("id")
		c.mu.Lock()
		c.runs[id] = true
		c.mu.Unlock()
		for k, kind := range [][]string{{`"message","text":"hello"`}, {`"pause"`, `"resume"`}, {`"snapshot"`}}[n%3] {
			command := fmt.Sprintf("c%d-%d-%d", i, n, k)
			if a, ok := c.send("POST", "/runs/"+id+"/commands", fmt.Sprintf(`{"id":%q,"type":%s}`, command, kind), stopped,
				me); ok && a.status == 202 {
				c.mu.Lock()
				c.acks = append(c.acks, audit.Ack{Run: id, ID: "starter " + command, Last: a.number("seq"), Again: true})
				c.mu.Unlock()
			}
		}
		then(id)
		select {
		case <-time.After(time.Duration(50+rand.IntN(100)) * time.Millisecond):
		case <-stopped:
			return
		}
	}
}

// decide decides everything in an inbox.
func (c *crowd) decide(p audit.Person, stopped <-chan struct{}) {
	me := as(who{p.Name, strings.Join(p.Roles, ",")})
	for n := 0; ; {
		list, ok := c.send("GET", "/approvals?status=pending&mine=true&sort=age&limit=20", nil, stopped, me)
		if !ok {
			return
		}
		for i := range list.count("items") {
			at := fmt.Sprintf("items.%d.", i)
			if list.count(at+"acts") == 0 {
				continue
			}
			n++
			id, act := list.text(at+"id"), c.act(list.text(at+"kind"))
			body := map[string]any{"act": act, "version": list.number(at + "version"), "comment": "because"}
			if act == "choose" {
				body["option"] = "x"
			}
			a, ok := c.send("POST", "/approvals/"+id+"/decisions", body, stopped, me, key(fmt.Sprintf("%s-%d", p.Name, n)))
			if ok && a.status == 200 {
				c.mu.Lock()
				c.decided[id+" "+p.Name+" "+act] = true
				c.mu.Unlock()
			}
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-stopped:
			return
		}
	}
}

func (c *crowd) act(kind string) string {
	switch {
	case kind == "choice":
		return "choose"
	case rand.IntN(20) == 0:
		return "reject"
	}
	return "approve"
}

// quiet waits until every run has ended.
func (c *crowd) quiet(atMost time.Duration) {
	c.Helper()
	open := ""
	for end := time.Now().Add(atMost); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		a := c.s.call("GET", "/runs?limit=1&status=running,waiting,paused", nil).want(200) // at one moment
		if a.count("items") == 0 {
			return
		}
		open = a.text("items.0.id") + " is " + a.text("items.0.status")
	}
	c.Errorf("%s after %s", open, atMost)
}

// evidence collects the logs and checks what only an outsider can know.
func (c *crowd) evidence() audit.Case {
	c.Helper()
	e := audit.Case{Definitions: c.definitions(), People: approvers, Acks: c.acks, Quiet: true}
	stored := map[string]bool{}
	for cursor, more := "", true; more; more = cursor != "" {
		list := c.s.call("GET", "/runs?limit=500&cursor="+cursor, nil).want(200)
		for i := range list.count("items") {
			id := list.text(fmt.Sprintf("items.%d.id", i))
			stored[id] = true
			e.Runs = append(e.Runs, audit.Run{ID: id, Lines: c.log(id)})
		}
		cursor = list.text("next_cursor")
	}
	for id := range c.runs {
		if !stored[id] {
			c.Errorf("run %s was acknowledged and is gone", id)
		}
	}
	done := map[string]time.Time{} // try → when its result was recorded
	begun := map[string]int64{}
	for _, r := range e.Runs {
		c.read(r, done, begun)
	}
	for decision := range c.decided {
		c.Errorf("%s was acknowledged, and the log does not know of it", decision)
	}
	for _, s := range c.calls {
		try := fmt.Sprint(s.Run, s.Step, s.Index, s.Rev, s.Try)
		if at, ok := done[try]; ok && s.at.After(at.Add(c.late)) {
			c.Errorf("%s was asked for %s after its result was recorded", s.Work, s.at.Sub(at))
		}
		if s.Seq = begun[try]; s.Seq == 0 {
			c.Errorf("%s try %d was asked for and is not in the log", s.Work, s.Try)
			continue
		}
		e.Starts = append(e.Starts, s.Start)
	}
	return e
}

// read records when each attempt began and when its result was recorded, and ticks off the decisions that are
// there.
func (c *crowd) read(r audit.Run, done map[string]time.Time, begun map[string]int64) {
	newest := map[string]string{} // step and element → its try
	for _, line := range r.Lines {
		var e struct {
			Seq  int64
			At   time.Time
			Type string
			Data struct {
				Step     string
				Index    *int
				Rev, Try int
				ID       string
				Decision struct{ By, Act string }
			}
		}
		if err := json.Unmarshal(line, &e); err != nil {
			c.Fatalf("%v: %s", err, line)
		}
		index := -1
		if e.Data.Index != nil {
			index = *e.Data.Index
		}
		task := fmt.Sprint(e.Data.Step, index)
		switch e.Type {
		case "step.started":
			newest[task] = fmt.Sprint(r.ID, e.Data.Step, index, e.Data.Rev, e.Data.Try)
			begun[newest[task]] = e.Seq
		case "step.completed", "element.completed", "step.returned":
			done[newest[task]] = e.At
		case "approval.decided":
			delete(c.decided, e.Data.ID+" "+e.Data.Decision.By+" "+e.Data.Decision.Act)
		}
	}
}

func (c *crowd) log(id string) (lines [][]byte) {
	c.Helper()
	for after := 0; ; {
		page := c.s.call("GET", fmt.Sprintf("/runs/%s/events?after=%d&limit=1000&full=true", id, after), nil).want(200)
		var events struct{ Items []json.RawMessage }
		if err := json.Unmarshal(page.body, &events); err != nil {
			c.Fatal(err)
		}
		if len(events.Items) == 0 {
			return lines
		}
		for _, e := range events.Items {
			lines = append(lines, e)
		}
		after = len(lines)
	}
}

// definitions are the workflows as the auditor reads them.
func (c *crowd) definitions() map[string][]byte {
	c.Helper()
	agents := map[string]any{}
	list := c.s.call("GET", "/agents", nil).want(200)
	for i := range list.count("items") {
		agents[list.text(fmt.Sprintf("items.%d.name", i))] = list.get(fmt.Sprintf("items.%d.definition", i))
	}
	out := map[string][]byte{}
	list = c.s.call("GET", "/workflows", nil).want(200)
	for i := range list.count("items") {
		at := fmt.Sprintf("items.%d.", i)
		raw, err := json.Marshal(map[string]any{"definition": list.get(at + "definition"), "version": 1, "agents": agents})
		if err != nil {
			c.Fatal(err)
		}
		out[list.text(at+"name")] = raw
	}
	return out
}
