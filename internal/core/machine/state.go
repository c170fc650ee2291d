package machine

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// State is the fold of a run's log. Only Apply changes it.
//
// Deciding works on a draft: a shallow copy that shares everything with its original, copies a step, task or
// approval before writing to it, and puts the originals back at the end. So the cost of a decision depends on
// what it touches, not on the size of the run. A draft can have a draft of its own, to look at what would follow.
type State struct {
	ID        string          `json:"id"`
	Seq       int64           `json:"seq"`
	Status    run.Status      `json:"status"`
	Started   run.RunStarted  `json:"started"`
	Input     json.RawMessage `json:"input"`
	Output    json.RawMessage `json:"output,omitempty"`
	Error     *run.Failure    `json:"error,omitempty"`
	ErrorAt   time.Time       `json:"error_at,omitzero"`
	StartedAt time.Time       `json:"started_at,omitzero"`
	EndedAt   time.Time       `json:"ended_at,omitzero"`
	Forked    *run.RunForked  `json:"forked,omitempty"`
	Removed   *Removal        `json:"removed,omitempty"` // payloads from people and agents

	Steps        []*Step          `json:"steps"`
	Unsettled    int              `json:"unsettled"`        // steps that are not settled
	Active       []int            `json:"active,omitempty"` // steps at work; may contain settled ones
	Loose        bool             `json:"loose,omitempty"`  // a settled step may depend on one that is not
	LayersBegun  int              `json:"layers_begun,omitempty"`
	StartPlace   *gate.Place      `json:"start_place,omitempty"`
	EndPlace     *gate.Place      `json:"end_place,omitempty"`
	Approvals    []*gate.Approval `json:"approvals,omitempty"`
	Spots        []run.Spot       `json:"spots,omitempty"`          // of the approvals, by position
	OpenApproval []int            `json:"open_approvals,omitempty"` // may contain settled ones
	Answers      []GateAnswer     `json:"answers,omitempty"`
	Counted      []run.Counted    `json:"counted,omitempty"`    // acts that have begun and count in sums
	Context      json.RawMessage  `json:"context,omitempty"`    // set by a fork's edits
	Programmed   []string         `json:"programmed,omitempty"` // keys of it that programs set

	Thread       []run.Message      `json:"thread,omitempty"`
	Messages     int                `json:"messages,omitempty"` // messages between agents
	Advice       []Advised          `json:"advice,omitempty"`
	Warnings     []run.Warning      `json:"warnings,omitempty"`
	Deliverables []run.Deliverable  `json:"deliverables,omitempty"`
	Usage        run.Usage          `json:"usage,omitzero"`
	PlanChanges  []*run.PlanChanged `json:"plan_changes,omitempty"`
	// Brought are the agents that changes of the plan by people may use in addition to those of the workflow.
	Brought map[string]plan.Agent `json:"brought,omitempty"`

	Pause      *run.RunPaused     `json:"pause,omitempty"`
	Cancelling *run.RunCancelling `json:"cancelling,omitempty"`
	Worked     time.Duration      `json:"worked,omitempty"`      // before WorkingSince
	WorkSince  time.Time          `json:"work_since,omitzero"`   // zero while the run waits
	Ahead      []Ahead            `json:"ahead,omitempty"`       // steps that run ahead of an approval
	AheadCost  run.Usage          `json:"ahead_cost,omitzero"`   // of results of such steps that were not used
	Children   []OpenChild        `json:"children,omitempty"`    // sub-runs that outlive their step
	ChildCount int                `json:"child_count,omitempty"` // counters for their ids
	Point      Point              `json:"point,omitzero"`        // decision points between layers
	Replans    []OpenReplan       `json:"replans,omitempty"`     // in progress
	ReplanNo   int                `json:"replan_no,omitempty"`
	Used       []ToolUse          `json:"used,omitempty"`     // by agents at work
	Declined   []Declined         `json:"declined,omitempty"` // by people
	Answered   map[string]int64   `json:"answered,omitempty"` // command id → seq of its last event

	plan    *plan.Plan
	base    *plan.Plan // before edits
	subject subject
	isDraft bool
	loans   *loans           // of a draft: the originals to restore
	sent    map[run.Key]bool // only ever set by a planted bug
}

// Step is the state of a step of the plan.
type Step struct {
	Status   run.StepStatus    `json:"status"`
	Unmet    int               `json:"unmet,omitempty"` // needs that are not settled
	Rev      int               `json:"rev,omitempty"`
	Before   *gate.Place       `json:"before,omitempty"`
	After    *gate.Place       `json:"after,omitempty"`
	Tasks    []*Task           `json:"tasks,omitempty"` // one, or one per element of a map
	Next     int               `json:"next,omitempty"`  // tasks before it have been started
	InFlight int               `json:"in_flight,omitempty"`
	Open     int               `json:"open,omitempty"` // tasks that are not done
	Output   json.RawMessage   `json:"output,omitempty"`
	Input    json.RawMessage   `json:"input,omitempty"` // as people changed it
	Patches  []json.RawMessage `json:"patches,omitempty"`
	Given    []string          `json:"given,omitempty"` // input fields set by people's patches
	// Programmed reports whether a program wrote something into its input: a change, or a value of a step it added.
	Programmed bool            `json:"programmed,omitempty"`
	Guidance   []string        `json:"guidance,omitempty"`
	Error      *run.Failure    `json:"error,omitempty"`
	Skipped    run.SkipReason  `json:"skipped,omitempty"`
	Raised     run.LimitAmount `json:"raised,omitzero"`  // additions to its agent's limits
	Copied     bool            `json:"copied,omitempty"` // its result came with a fork
	StartedAt  time.Time       `json:"started_at,omitzero"`
	EndedAt    time.Time       `json:"ended_at,omitzero"`
	AheadNo    int             `json:"ahead_no,omitempty"` // how often it ran ahead
	AheadEnd   run.AheadEnd    `json:"ahead_end,omitempty"`
	AheadLost  int             `json:"ahead_lost,omitempty"` // revisions that only changed its key

	items    []json.RawMessage // the items of a map that has begun
	own      *loans            // of the draft that may write to it
	ownTasks bool
}

// Task is one piece of a step's work.
type Task struct {
	Status       TaskStatus      `json:"status"`
	Rev          int             `json:"rev,omitempty"`
	Try          int             `json:"try,omitempty"`
	Tried        int             `json:"tried,omitempty"` // attempts before the run was resumed
	Deadline     time.Time       `json:"deadline,omitzero"`
	RetryAt      time.Time       `json:"retry_at,omitzero"`
	Before       *gate.Place     `json:"before,omitempty"` // elements only; a plain step's are the step's
	After        *gate.Place     `json:"after,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"` // as people changed it
	Guidance     []string        `json:"guidance,omitempty"`
	Inbox        []run.Message   `json:"inbox,omitempty"` // from other agents, when it began; a loop has its own
	Result       *run.Result     `json:"result,omitempty"`
	Loop         *loop.State     `json:"loop,omitempty"`
	Child        string          `json:"child,omitempty"`
	ChildWaiting bool            `json:"child_waiting,omitempty"`
	Error        *run.Failure    `json:"error,omitempty"` // of the last attempt
	// Approved is the implementation it was started with, if its map has since been approved again with a
	// different one.
	Approved []gate.Implementation `json:"approved,omitempty"`

	own     *loans
	ownLoop bool
}

// TaskStatus is the status of a task.
type TaskStatus string

const (
	TaskIdle    TaskStatus = "idle"
	TaskHeld    TaskStatus = "held" // awaiting approval to start
	TaskRunning TaskStatus = "running"
	TaskBackoff TaskStatus = "backoff"
	TaskReview  TaskStatus = "review" // awaiting approval of its result
	TaskDone    TaskStatus = "done"
)

// GateAnswer is people's answer at a gate, for the steps after it.
type GateAnswer struct {
	Gate   string          `json:"gate"`
	Value  json.RawMessage `json:"value"`
	Copied bool            `json:"copied,omitempty"` // it came with a fork
}

// OpenChild is a sub-run that has to be told that it is no longer needed.
type OpenChild struct {
	Run string  `json:"run"`
	Key run.Key `json:"key"`
}

// OpenReplan is a requirement whose steps are being searched for, or were found and await approval.
type OpenReplan struct {
	N           int             `json:"n"`
	Requirement string          `json:"requirement"`
	Deadline    time.Time       `json:"deadline"`
	Failed      string          `json:"failed,omitempty"` // the step that they are to replace
	Found       *run.FoundSteps `json:"found,omitempty"`  // nil: the search is under way
	Place       *gate.Place     `json:"place,omitempty"`  // where people are asked about them
}

// Searching reports whether a search for steps is under way.
func (s *State) Searching() bool {
	return slices.ContainsFunc(s.Replans, func(r OpenReplan) bool { return r.Found == nil })
}

// HeldByReplan reports whether a step waits for a decision about steps that would be put in front of it.
func (s *State) HeldByReplan(step string) bool {
	return slices.ContainsFunc(s.Replans, func(r OpenReplan) bool {
		return r.Found != nil && slices.ContainsFunc(r.Found.Steps, func(f plan.Step) bool {
			return slices.Contains(f.NeededBy, step)
		})
	})
}

// ReplanAt finds the open replan of a spot, or nil.
func (s *State) ReplanAt(spot run.Spot) *OpenReplan {
	if spot.At != run.AtReplan {
		return nil
	}
	for n := range s.Replans {
		if s.Replans[n].N == spot.Replan {
			return &s.Replans[n]
		}
	}
	return nil
}

// replan returns the open replan of a spot for writing, or nil.
func (s *State) replan(spot run.Spot) *OpenReplan {
	s.Replans = slices.Clone(s.Replans)
	return s.ReplanAt(spot)
}

// Removal records when, by whom and why a run's payloads were deleted.
type Removal struct {
	At     time.Time `json:"at"`
	By     run.Actor `json:"by"`
	Reason string    `json:"reason"`
}

// Point is the run's progress through the decision points between layers.
type Point struct {
	Open      int                  `json:"open,omitempty"` // steps up to this layer may run
	No        int                  `json:"no,omitempty"`   // consultations so far
	Asking    bool                 `json:"asking,omitempty"`
	Agent     string               `json:"agent,omitempty"` // that is asked; empty, in earlier releases: loops.agent
	For       string               `json:"for,omitempty"`   // summary, else advice
	Try       int                  `json:"try,omitempty"`   // 0, in earlier releases: 1
	Turn      int                  `json:"turn,omitempty"`  // that the agent has used up on looking things up
	Entries   []run.Entry          `json:"entries,omitempty"`
	RetryAt   time.Time            `json:"retry_at,omitzero"`
	Used      map[string]run.Usage `json:"used,omitempty"` // by agent, in all consultations
	Deadline  time.Time            `json:"deadline,omitzero"`
	Failed    string               `json:"failed,omitempty"`    // the step whose failure is discussed
	Consulted int                  `json:"consulted,omitempty"` // layer + 1 for which the agent has answered
	Human     *gate.Place          `json:"human,omitempty"`     // people asked at the current layer
	Ask       *PointAsk            `json:"ask,omitempty"`       // people have to decide, whatever loops.human says
	Summary   string               `json:"summary,omitempty"`   // for them, written by an agent
	Summed    int                  `json:"summed,omitempty"`    // layer + 1 for which it was requested
}

// Advised is an answer of the agent in the loop, or what was done without one.
type Advised struct {
	Agent    string    `json:"agent,omitempty"`
	Failed   string    `json:"failed,omitempty"` // the step whose failure it is about
	Layer    int       `json:"layer,omitempty"`
	Fallback bool      `json:"fallback,omitempty"`
	At       time.Time `json:"at,omitzero"`
	run.AdviceRaw
}

// PointAsk is why people have to decide at a decision point.
type PointAsk struct {
	Failed string `json:"failed,omitempty"` // the step whose failure it is about
	By     string `json:"by,omitempty"`     // the agent that wants it; empty: its fallback
	Why    string `json:"why,omitempty"`
}

// New returns a run that has not started.
func New(id string, p *plan.Plan) *State {
	s := &State{ID: id, plan: p, base: p}
	s.layOut()
	return s
}

// layOut creates a step for every node of the plan that has none yet.
func (s *State) layOut() {
	fresh := make([]Step, len(s.plan.Nodes)-len(s.Steps)) // one block: a plan's steps have the same lifetime
	for k := range fresh {
		fresh[k] = Step{Status: run.PendingStep, own: s.loans}
		s.Steps = append(s.Steps, &fresh[k])
		s.Unsettled++
	}
	for i := range s.plan.Nodes {
		if s.Steps[i].Status != run.PendingStep {
			continue
		}
		unmet := 0
		for _, n := range s.plan.Nodes[i].Needs {
			if !s.Steps[n].Status.Settled() {
				unmet++
			}
		}
		if unmet != s.Steps[i].Unmet {
			s.step(i).Unmet = unmet
		}
	}
}

// Subject summarises the run in one line; "" once its payloads are deleted.
func (s *State) Subject() string {
	if len(s.Input) == 0 {
		return ""
	}
	// Inputs are immutable, so the same bytes have the same subject.
	if at := &s.Input[0]; s.subject.of != at || s.subject.by != s.plan {
		s.subject = subject{of: at, by: s.plan}
		if !value.Equal(s.Input, run.Removed) {
			s.subject.text = s.plan.Subject(s.Input)
		}
	}
	return s.subject.text
}

// subject caches the subject of an input.
type subject struct {
	of   *byte
	by   *plan.Plan
	text string
}

// Plan is the current plan, edits included.
func (s *State) Plan() *plan.Plan { return s.plan }

// Fold rebuilds a state from its log.
func Fold(id string, p *plan.Plan, events []run.Event) *State {
	s := New(id, p)
	for _, e := range events {
		s.Apply(e)
	}
	s.markSent()
	return s
}

// step returns step i for writing.
func (s *State) step(i int) *Step {
	st := s.Steps[i]
	if s.isDraft && st.own != s.loans {
		s.loans.steps = append(s.loans.steps, loan[Step]{i, st})
		c := *st
		c.own, c.ownTasks = s.loans, false
		st = &c
		s.Steps[i] = st
	}
	return st
}

// task returns a task for writing.
func (s *State) task(i, k int) *Task {
	st := s.step(i)
	t := st.Tasks[k]
	if !s.isDraft {
		return t
	}
	if !st.ownTasks {
		st.Tasks = slices.Clone(st.Tasks)
		st.ownTasks = true
	}
	if t.own != s.loans {
		c := *t
		c.own, c.ownLoop = s.loans, false
		t = &c
		st.Tasks[k] = t
	}
	return t
}

// approval returns an approval for writing.
func (s *State) approval(n int) *gate.Approval {
	if s.isDraft {
		s.loans.approvals = append(s.loans.approvals, loan[gate.Approval]{n, s.Approvals[n]})
		s.Approvals[n] = s.Approvals[n].Clone()
	}
	return s.Approvals[n]
}

// Draft returns a copy to try out events on. It shares everything with s that it has not written to; s must
// not be used until GiveBack.
func (s *State) Draft() State {
	d := *s
	d.isDraft, d.loans = true, &loans{}
	return d
}

// loans are the steps and approvals of a state that its draft replaced.
type loans struct {
	steps     []loan[Step]
	approvals []loan[gate.Approval]
}

type loan[T any] struct {
	at       int
	original *T
}

// GiveBack undoes what a draft changed in the slices it shares with s.
func (s *State) GiveBack(draft *State) {
	for _, x := range slices.Backward(draft.loans.steps) {
		s.Steps[x.at] = x.original
	}
	for _, x := range slices.Backward(draft.loans.approvals) {
		if x.at < len(s.Approvals) { // the draft may have added some
			s.Approvals[x.at] = x.original
		}
	}
}

// FindApproval returns the position of an approval.
func (s *State) FindApproval(id string) (int, bool) {
	for n := len(s.Approvals) - 1; n >= 0; n-- {
		if s.Approvals[n].ID == id {
			return n, true
		}
	}
	return 0, false
}

// Approval returns an approval by its id.
func (s *State) Approval(id string) (*gate.Approval, bool) {
	n, ok := s.FindApproval(id)
	if !ok {
		return nil, false
	}
	return s.Approvals[n], true
}

// Pending lists the pending approvals, oldest first.
func (s *State) Pending() []*gate.Approval {
	var out []*gate.Approval
	for _, n := range s.OpenApproval {
		if a := s.Approvals[n]; a.Status == gate.Pending {
			out = append(out, a)
		}
	}
	return out
}

// SubRuns lists the sub-runs in progress, in plan order.
func (s *State) SubRuns() (ids []string) {
	if s.Status.Ended() {
		return nil
	}
	for _, i := range s.Active {
		for _, t := range s.Steps[i].Tasks {
			if t.Status == TaskRunning && t.Child != "" {
				ids = append(ids, t.Child)
			}
		}
	}
	return ids
}

// StepByID returns a step's state by its id.
func (s *State) StepByID(id string) (*Step, bool) {
	i, ok := s.plan.Step(id)
	if !ok {
		return nil, false
	}
	return s.Steps[i], true
}

// IsMap reports whether step i works on the elements of a list.
func (s *State) IsMap(i int) bool { return len(s.plan.Nodes[i].Each) > 0 }

// StepsDone counts the finished steps of a run. For a run that ended badly, it counts those that were done or
// skipped, not those that its end stopped.
func (s *State) StepsDone() int {
	if !s.Status.Ended() || s.Status == run.Completed {
		return len(s.Steps) - s.Unsettled
	}
	done := 0
	for _, step := range s.Steps {
		if step.Status == run.DoneStep || step.Status == run.SkippedStep {
			done++
		}
	}
	return done
}

// Refusal explains why a run accepts no further commands.
func (r *Removal) Refusal() error {
	return fault.New(fault.Closed, fmt.Sprintf("this run's payloads were deleted on %s by %s",
		r.At.UTC().Format("2006-01-02"), r.By.Name), "start a new run").
		With("removed_at", r.At).With("removed_by", r.By.Name)
}
