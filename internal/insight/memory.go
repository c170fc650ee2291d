package insight

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/experience"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/learn"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Graph is what was learned from completed runs about tools.
type Graph struct {
	AsOf  time.Time   `json:"as_of"` // Weights are those of this time.
	Runs  int         `json:"runs"`  // Runs that were learned from.
	Nodes []GraphNode `json:"nodes"` // Tools, the most central first.
	Edges []GraphEdge `json:"edges"` // The heaviest first.
	// True if limit left out nodes or edges.
	More bool `json:"more,omitempty"`
}

// GraphNode is a tool that a run used successfully.
type GraphNode struct {
	Tool string  `json:"tool" holds:"id"` // The tool; an agent is agent:NAME.
	Rank float64 `json:"rank"`            // How central it is, from 0 to 1.
	Runs int     `json:"runs"`            // Runs that used it.
}

// GraphEdge relates two tools.
type GraphEdge struct {
	From string `json:"from" holds:"id"` // A tool.
	To   string `json:"to" holds:"id"`   // Another tool.
	// together: used by the same run; then: a step with the second tool needed one with the first; fits: it was given its
	// result.
	Kind learn.Kind `json:"kind" holds:"id"`
	// The number of runs; a run counts half after 90 days, a quarter after 180.
	Weight float64 `json:"weight"`
}

// LearnedRequest is a request of past runs.
type LearnedRequest struct {
	Request string    `json:"request" holds:"text"`     // Only if its workflow declares it; sensitive values are masked.
	Tools   []string  `json:"tools" holds:"id"`         // Those that served it, the most useful first.
	Not     []string  `json:"not,omitempty" holds:"id"` // Those that failed, or that people rejected.
	Weight  float64   `json:"weight"`                   // As in edges.
	Runs    int       `json:"runs"`                     // Runs that made it.
	LastAt  time.Time `json:"last_at"`                  // When the last of them ended.
}

// RunTaught is what one run taught.
type RunTaught struct {
	Run      string    `json:"run" holds:"id"`
	Workflow string    `json:"workflow" holds:"id"`
	At       time.Time `json:"at"` // When it ended.
	// Tools that worked, in plan order.
	Tools []string `json:"tools" holds:"id"`
	// A step with the second tool needed one with the first.
	Then []ToolPair `json:"then,omitempty"`
	// The second tool was given a result of the first.
	Fits []ToolPair `json:"fits,omitempty"`
	// Requests, with the tools that served them.
	Served []RequestServed `json:"served,omitempty"`
}

// ToolPair is two tools, in this order.
type ToolPair struct {
	From string `json:"from" holds:"id"` // The first.
	To   string `json:"to" holds:"id"`   // The second.
}

// RequestServed is a request in one run.
type RequestServed struct {
	Request string   `json:"request" holds:"text"`       // Only if the workflow declares it; sensitive values are masked.
	Tools   []string `json:"tools,omitempty" holds:"id"` // Those that served it.
	Not     []string `json:"not,omitempty" holds:"id"`   // Those that failed, or that people rejected.
}

// GraphForgetting is a request to forget what was learned: from a run, from a workflow, about a tool, or everything.
type GraphForgetting struct {
	Run      string `json:"run,omitempty"`      // What this run taught.
	Workflow string `json:"workflow,omitempty"` // What runs of this workflow taught.
	Tool     string `json:"tool,omitempty"`     // What was learned about this tool.
	All      bool   `json:"all,omitempty"`      // Everything.
	Reason   string `json:"reason,omitempty"`   // Kept in the audit log.
}

// GraphForgotten is the answer to it.
type GraphForgotten struct {
	Runs int       `json:"runs"` // Runs that the forgotten lessons came from.
	At   time.Time `json:"at"`   // Runs that end later teach again.
}

// GraphRebuilt is the outcome of deriving the graph from the logs again.
type GraphRebuilt struct {
	Runs   int `json:"runs"`   // Runs whose log was read.
	Taught int `json:"taught"` // Runs that were learned from.
}

// GraphMax is the maximum of nodes and of edges in a Graph.
const GraphMax = 1000

// Memory is what runs taught about tools.
type Memory struct {
	Store   port.Experiences
	Masking *view.Sensitive
	// At folds a run's log.
	At  func(ctx context.Context, run string, seq int64) (*machine.State, error)
	Now func() time.Time
	Log *slog.Logger
	// InForce are the documents in force.
	InForce func() *definition.Set

	mu      sync.Mutex
	version string
	known   bool
	lessons []port.Experience
}

// read reads what runs taught, oldest first. Callers do not modify it.
func (m *Memory) read(ctx context.Context) ([]port.Experience, error) {
	version, err := m.Store.ExperienceVersion(ctx)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.known || m.version != version {
		lessons, err := m.Store.Experiences(ctx)
		if err != nil {
			return nil, err
		}
		m.lessons, m.version, m.known = lessons, version, true
	}
	return m.lessons, nil
}

// Graph shows what was learned about tools, or about one tool.
func (m *Memory) Graph(ctx context.Context, tool string, limit int) (Graph, error) {
	lessons, err := m.read(ctx)
	if err != nil {
		return Graph{}, err
	}
	now := m.Now()
	all := learn.Fold(lessons, now)
	out := Graph{AsOf: now, Runs: len(lessons), Nodes: []GraphNode{}, Edges: []GraphEdge{}}
	near := map[string]bool{tool: true}
	for _, e := range all.Edges {
		if tool != "" && e.From != tool && e.To != tool {
			continue
		}
		if out.More = out.More || len(out.Edges) == limit; len(out.Edges) < limit {
			out.Edges = append(out.Edges, GraphEdge{e.From, e.To, e.Kind, rounded(e.Weight)})
			near[e.From], near[e.To] = true, true
		}
	}
	for _, n := range all.Nodes {
		if tool != "" && !near[n.Tool] {
			continue
		}
		if out.More = out.More || len(out.Nodes) == limit; len(out.Nodes) < limit {
			out.Nodes = append(out.Nodes, GraphNode{n.Tool, rounded(n.Rank), n.Runs})
		}
	}
	return out, nil
}

func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Requests lists the requests of past runs with the tools that served them, the newest first.
func (m *Memory) Requests(ctx context.Context) (view.List[LearnedRequest], error) {
	lessons, err := m.read(ctx)
	if err != nil {
		return view.List[LearnedRequest]{}, err
	}
	var out []LearnedRequest
	for _, r := range slices.Backward(learn.Fold(lessons, m.Now()).Requests) {
		out = append(out, LearnedRequest{r.Text, view.NotNil(r.Tools), r.Not, rounded(r.Weight), r.Runs, r.At})
	}
	return view.Whole(out), nil
}

// Runs lists what runs taught, the newest first.
func (m *Memory) Runs(ctx context.Context) (view.List[RunTaught], error) {
	lessons, err := m.read(ctx)
	if err != nil {
		return view.List[RunTaught]{}, err
	}
	var out []RunTaught
	for _, l := range slices.Backward(lessons) {
		one := RunTaught{Run: l.Run, Workflow: l.Workflow, At: l.At, Tools: view.NotNil(l.Tools),
			Then: pairs(l.Tools, l.Then), Fits: pairs(l.Tools, l.Fits)}
		for _, s := range l.Served {
			one.Served = append(one.Served, RequestServed{s.Request, s.Tools, s.Not})
		}
		out = append(out, one)
	}
	return view.Whole(out), nil
}

func pairs(tools []string, of [][2]int) (out []ToolPair) {
	for _, p := range of {
		if max(p[0], p[1]) < len(tools) {
			out = append(out, ToolPair{tools[p[0]], tools[p[1]]})
		}
	}
	return out
}

// Forget forgets what was learned so far.
func (m *Memory) Forget(ctx context.Context, by run.Actor, f GraphForgetting) (v GraphForgotten, err error) {
	detail, named := map[string]any{}, 0
	for name, text := range map[string]string{"run": f.Run, "workflow": f.Workflow, "tool": f.Tool} {
		if text != "" {
			detail[name] = text
			named++
		}
	}
	if f.All {
		detail["all"] = true
		named++
	}
	if named != 1 {
		return v, fault.Of("the request is not valid", []fault.Problem{{
			Message: "name a run, a workflow or a tool, or set all: exactly one of them"}})
	}
	if f.Reason != "" {
		detail["reason"] = f.Reason
	}
	v.At = m.Now()
	v.Runs, err = m.Store.Unlearn(ctx, port.Unlearning{Run: f.Run, Workflow: f.Workflow, Tool: f.Tool, At: v.At},
		port.AuditDraft{At: v.At, Actor: by, Action: "graph.forgotten", Target: "graph", Detail: detail})
	return v, err
}

// rebuildTries is how often a run is read again that changes in the meantime.
const rebuildTries = 5

// Rebuild derives from the logs again what runs taught. What was forgotten stays forgotten, and repeating it
// changes nothing. Runs continue, and searches use what is there.
func (m *Memory) Rebuild(ctx context.Context) (v GraphRebuilt, err error) {
	workflows := map[string]int{}
	for after := (port.EndedRun{}); v.Taught < port.ExperiencesMax; {
		ended, err := m.Store.EndedRuns(ctx, after, port.ExperiencesMax)
		if err != nil {
			return v, err
		}
		if len(ended) == 0 {
			break
		}
		for _, r := range ended {
			if after = r; workflows[r.Workflow] >= port.ExperiencesWorkflow || v.Taught >= port.ExperiencesMax {
				continue
			}
			taught, err := m.relearn(ctx, r)
			if err != nil {
				return v, err
			}
			if v.Runs++; taught {
				v.Taught++
				workflows[r.Workflow]++
			}
		}
	}
	_, err = m.Store.PruneExperiences(ctx)
	return v, err
}

// relearn derives what one run teaches from its log.
func (m *Memory) relearn(ctx context.Context, r port.EndedRun) (taught bool, err error) {
	for range rebuildTries {
		s, err := m.At(ctx, r.Run, 0)
		if fault.Is(err, fault.NotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		lesson := port.Experience{Run: r.Run, Workflow: s.Started.Workflow, At: s.EndedAt}
		if e := experience.Of(s); e != nil {
			if e = m.Redact(ctx, s, e); e != nil {
				lesson.Experience = *e
			}
		}
		done, err := m.Store.Relearn(ctx, lesson, s.Seq)
		if err != nil || done {
			return !lesson.Empty(), err
		}
	}
	return false, nil // it continues, and teaches when it ends
}

// Redact removes from what a run teaches everything that not all readers of the graph may see. Words of people and
// agents are kept only if both the version that the run is bound to and the one in force declare that they are not
// sensitive, and not if only the owner of a run sees it, or if it cannot be found out which values are sensitive. Those
// and credentials are masked in them.
func (m *Memory) Redact(ctx context.Context, s *machine.State, e *run.Experience) *run.Experience {
	said := func(served run.Served) bool { return served.Said }
	if !slices.ContainsFunc(e.Served, said) {
		return e
	}
	out := *e
	out.Served = slices.Clone(e.Served)
	known, err := m.Masking.Of(ctx, view.RowOf(s), 0)
	if err != nil {
		m.Log.Warn("requests of a run are not learned: its sensitive values cannot be read", "run", s.ID, "error", err)
	}
	inForce := m.InForce().Workflows[s.Started.Workflow]
	declared := inForce != nil && inForce.Loops.LearnsRequests() && s.Plan().Definition.Workflow.Loops.LearnsRequests()
	if err != nil || !declared || s.Plan().Definition.Workflow.OwnerOnly {
		out.Served = slices.DeleteFunc(out.Served, said)
	}
	veil := known.Veil(nil)
	for i := range out.Served {
		if !out.Served[i].Said {
			continue
		}
		if veil != nil {
			shown, _ := veil.Excerpt([]byte(out.Served[i].Request), false)
			out.Served[i].Request = string(shown)
		}
		out.Served[i].Request = mask.Credentials(out.Served[i].Request)
	}
	if out.Empty() {
		return nil
	}
	return &out
}
