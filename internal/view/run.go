package view

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Removed records when, by whom and why a run's payloads were deleted.
type Removed struct {
	At     time.Time `json:"at"`
	By     string    `json:"by" holds:"id"`       // Who did it.
	Reason string    `json:"reason" holds:"text"` // Why.
}

func removedOf(r *machine.Removal) *Removed {
	if r == nil {
		return nil
	}
	return &Removed{r.At, r.By.Key(), r.Reason}
}

// Run is a run as the API shows it.
type Run struct {
	ID       string     `json:"id" holds:"id"`
	Workflow string     `json:"workflow" holds:"id"`
	Version  int        `json:"version"`
	Status   run.Status `json:"status" holds:"id"`
	// Who started it.
	Owner  string            `json:"owner" holds:"id"`
	Labels map[string]string `json:"labels,omitempty" holds:"labels"`
	// What it is about, in a line.
	Subject string `json:"subject,omitempty" holds:"line"`
	// True for a test run: steps with side effects return samples.
	TestMode bool            `json:"test_mode,omitempty"`
	Input    json.RawMessage `json:"input" holds:"payload"`
	// Input and outputs merged in plan order.
	Context json.RawMessage `json:"context" holds:"payload"`
	Output  json.RawMessage `json:"output" holds:"payload"`
	Steps   []Step          `json:"steps"`
	// The progress.
	Progress Progress `json:"progress"`
	// The ids of the pending approvals.
	PendingApprovals []string `json:"pending_approvals" holds:"id"`
	Usage            Usage    `json:"usage"`
	// The cost of steps that ran ahead of an approval and were not used, or not yet. It is not part of usage.
	AheadUsage *Usage `json:"ahead_usage,omitempty"`
	// What people should know that stopped nothing.
	Warnings []run.Warning `json:"warnings"`
	Error    *Error        `json:"error"`
	// The pause.
	Pause *run.RunPaused `json:"pause,omitempty"`
	// Set while a cancelled run waits for its running steps.
	Cancelling *Cancellation `json:"cancelling,omitempty"`
	// The newest 200 messages.
	Thread []run.Message `json:"thread"`
	// The number of its newest event.
	Seq       int64      `json:"seq"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	// The next deadline of the run.
	DueAt *time.Time `json:"due_at,omitempty"`
	// The parent run; null if none.
	Parent *string `json:"parent" holds:"id"`
	// The run it retries; null if none.
	RetryOf *string `json:"retry_of" holds:"id"`
	// The run it was forked from; null if none.
	ForkedFrom *string `json:"forked_from" holds:"id"`
	// When, by whom and why the payloads were deleted; omitted if they were not.
	Removed *Removed `json:"removed,omitempty"`
	Unseen  int      `json:"-"` // pending approvals that the reader may not see
	Masking
}

// Cancellation reports that a run ends as soon as its active steps have.
type Cancellation struct {
	Reason string `json:"reason,omitempty" holds:"text"` // Why, if a reason was given.
}

// Step is a step as the API shows it.
type Step struct {
	ID    string `json:"id" holds:"id"`
	Agent string `json:"agent,omitempty" holds:"id"`
	// The tool it calls.
	Tool string `json:"tool,omitempty" holds:"id"`
	// The workflow it runs.
	Workflow string `json:"workflow,omitempty" holds:"id"`
	// agent, tool, workflow or human.
	Kind string `json:"kind" holds:"id"`
	// The steps it depends on.
	Needs []string `json:"needs" holds:"id"`
	// The layer of the plan, from 0.
	Layer  int            `json:"layer"`
	Status run.StepStatus `json:"status" holds:"id"`
	// Why it did not run.
	Skipped run.SkipReason `json:"skipped,omitempty" holds:"id"`
	Try     int            `json:"try"`
	// The number of revisions.
	Revision int `json:"revision,omitempty"`
	// If it ran ahead of an approval: running, returned, used or discarded.
	Ahead     string     `json:"ahead,omitempty" holds:"id"`
	StartedAt *time.Time `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	// The duration; null until it ended.
	DurationMS *int64          `json:"duration_ms"`
	Output     json.RawMessage `json:"output" holds:"payload"`
	Confidence *float64        `json:"confidence,omitempty"`
	// The agent's reasoning.
	Reasoning string `json:"reasoning,omitempty" holds:"text"`
	// The agent's logs.
	Logs string `json:"logs,omitempty" holds:"text"`
	// Comments on earlier tries, oldest first.
	Guidance []string `json:"guidance,omitempty" holds:"text"`
	Error    *Error   `json:"error,omitempty"`
	// For a map: its progress.
	Elements *Elements `json:"elements,omitempty"`
	// True if it was added while the run was in progress.
	Injected bool `json:"injected,omitempty"`
	// The time spent waiting for people, also before it started, in milliseconds.
	WaitedMS *int64 `json:"waited_ms"`
	// The working time, without waiting for people, in milliseconds; null before it started.
	WorkedMS *int64 `json:"worked_ms"`
	// Model calls, tokens and cost; omitted if unknown.
	Usage *Usage `json:"usage,omitempty"`
	// The number of turns of the model.
	Turns int `json:"turns,omitempty"`
	// The agent's limits.
	Limits []Meter `json:"limits,omitempty"`
	// Its sub-run.
	Child string `json:"child,omitempty" holds:"id"`
	// The time of the next retry of the step or its model; omitted if none is due.
	RetryAt *time.Time `json:"retry_at,omitempty"`
	// Set while the step waits for an overloaded or unavailable model.
	Busy *Busy `json:"busy,omitempty"`
}

// Busy reports that a step waits for a model that is overloaded or unavailable.
type Busy struct {
	Since time.Time `json:"since"` // Since when the model has been overloaded or unavailable.
	Tries int       `json:"tries"` // The number of attempts since then.
}

// Meter reports how much of a limit an agent has used.
type Meter struct {
	Limit   run.LimitKind `json:"limit" holds:"id"` // Which limit.
	Used    string        `json:"used" holds:"id"`  // The amount used, such as 1h20m0s, 0.75 or 12.
	Max     string        `json:"max" holds:"id"`   // The limit, such as 4h0m0s, 5 or 500.
	Percent int           `json:"percent"`          // The used part in percent, up to 100.
	// For a duration that is still growing: when it started to count, so that used is the time since then.
	Since *time.Time `json:"since,omitempty"`
}

// Elements counts the elements of a map.
type Elements struct {
	Total   int `json:"total"`
	Done    int `json:"done"`    // How many are done.
	Running int `json:"running"` // How many are at work.
}

// Progress reports how far a run is.
type Progress struct {
	Done    int      `json:"done"`    // Steps that are done.
	Total   int      `json:"total"`   // All steps.
	Percent int      `json:"percent"` // Steps that are done, in percent.
	ETAs    *float64 `json:"eta_s"`   // Estimated seconds until the end; null if unknown.
}

// Usage is what a run cost; money is a decimal string.
type Usage struct {
	LLMCalls  int64  `json:"llm_calls"`
	TokensIn  int64  `json:"tokens_in"`
	TokensOut int64  `json:"tokens_out"`
	CostUSD   string `json:"cost_usd" holds:"id"`
}

// Error is why something failed.
type Error struct {
	Code    string `json:"code" holds:"id"`
	Message string `json:"message" holds:"text"`
	Step    string `json:"step,omitempty" holds:"id"`
	Agent   string `json:"agent,omitempty" holds:"id"`
	Index   *int   `json:"index,omitempty"`
	// The sub-run that failed, with its own error.
	Child *run.ChildFailure `json:"child,omitempty"`
	Try   int               `json:"try,omitempty"`
	// Which step of the run, from 1.
	StepIndex int `json:"step_index,omitempty"`
	// How many steps the run has.
	StepCount int             `json:"step_count,omitempty"`
	Input     json.RawMessage `json:"input,omitempty" holds:"payload"`
	// Where in the agent's code it happened, if it said so.
	Stack string `json:"stack,omitempty" holds:"text"`
	// What the other side answered.
	Body string     `json:"body,omitempty" holds:"text"`
	At   *time.Time `json:"at,omitempty"`
}

// RunOf shows a run. Unless full, long values appear as references with a
// preview.
func RunOf(s *machine.State, now time.Time, full bool) Run {
	show := Shortener(full)
	v := Run{
		ID: s.ID, Workflow: s.Started.Workflow, Version: s.Started.Version, Status: s.Status, Owner: s.Started.Owner,
		Labels: s.Started.Labels, Subject: s.Subject(),
		TestMode: s.Started.TestMode, Input: show(s.Input), Context: show(s.Merged()), Output: json.RawMessage("null"),
		Progress: progress(s, now), PendingApprovals: []string{}, Usage: UsageOf(s.Usage), Warnings: s.Warnings,
		Error: ErrorOf(s.Error, s.ErrorAt, show), Pause: s.Pause, Seq: s.Seq, StartedAt: s.StartedAt,
		EndedAt: TimeOrNil(s.EndedAt),
		RetryOf: TextOrNil(s.Started.RetryOf), Removed: removedOf(s.Removed),
	}
	if spent := s.AheadSpent(); spent != (run.Usage{}) {
		v.AheadUsage = new(UsageOf(spent))
	}
	if s.Status == run.Completed {
		v.Output = show(s.Output)
	}
	if s.Cancelling != nil {
		v.Cancelling = &Cancellation{s.Cancelling.Reason}
	}
	if v.Warnings == nil {
		v.Warnings = []run.Warning{}
	}
	if s.Started.Parent != nil {
		v.Parent = TextOrNil(s.Started.Parent.Run)
	}
	if s.Forked != nil {
		v.ForkedFrom = TextOrNil(s.Forked.From)
	}
	if at, ok := s.NextDeadline(); ok {
		v.DueAt = &at
	}
	for _, a := range s.Pending() { // showRun leaves out those that the reader may not see
		v.PendingApprovals = append(v.PendingApprovals, a.ID)
	}
	v.Thread = NotNil(s.Thread[max(len(s.Thread)-threadMax, 0):])
	waits := waitsOf(s, now)
	v.Steps = make([]Step, len(s.Steps))
	for i := range s.Steps {
		v.Steps[i] = StepOf(s, i, now, show)
		v.Steps[i].tellTimes(waits[v.Steps[i].ID], now)
	}
	return v
}

func StepOf(s *machine.State, i int, now time.Time, show func(json.RawMessage) json.RawMessage) Step {
	st, n := s.Steps[i], &s.Plan().Nodes[i]
	v := Step{
		ID: n.Step.ID, Agent: n.Step.Agent, Tool: n.Step.Tool, Workflow: n.Step.Workflow, Kind: "agent", Needs: []string{},
		Layer: n.Layer, Status: st.Status,
		Skipped: st.Skipped, Revision: st.Rev - st.AheadLost, Ahead: aheadOf(s, i),
		StartedAt: TimeOrNil(st.StartedAt), EndedAt: TimeOrNil(st.EndedAt),
		Output:   json.RawMessage("null"),
		Guidance: st.Guidance, Error: ErrorOf(st.Error, st.EndedAt, show), Injected: n.Injected, Usage: stepUsage(st),
	}
	switch {
	case n.Step.Tool != "":
		v.Kind = "tool"
	case n.Step.Workflow != "":
		v.Kind = "workflow"
	case n.Step.Human != nil:
		v.Kind = "human"
	}
	for _, k := range n.Needs {
		v.Needs = append(v.Needs, s.Plan().Nodes[k].Step.ID)
	}
	if st.Output != nil {
		v.Output = show(st.Output)
	}
	if !st.StartedAt.IsZero() && !st.EndedAt.IsZero() {
		ms := max(st.EndedAt.Sub(st.StartedAt), 0).Milliseconds()
		v.DurationMS = &ms
	}
	v.RetryAt, v.Busy = nextTry(st)
	if len(n.Each) > 0 {
		v.Elements = &Elements{Total: len(st.Tasks), Done: len(st.Tasks) - st.Open, Running: st.InFlight}
	} else if len(st.Tasks) > 0 {
		t := st.Tasks[0]
		v.Try, v.Child = t.Try, t.Child
		if t.Loop != nil {
			v.Turns = t.Loop.Turns
			v.Limits = metersOf(s.Meters(n.Step.ID, -1, now))
		}
		if t.Result != nil {
			v.Confidence, v.Reasoning, v.Logs = t.Result.Confidence, t.Result.Reasoning, t.Result.Logs
		}
	}
	return v
}

// aheadOf reports what became of a step that ran ahead of an approval; empty if it did not.
func aheadOf(s *machine.State, i int) string {
	switch a, end := s.AheadOf(i), s.Steps[i].AheadEnd; {
	case a != nil && a.Result == nil:
		return "running"
	case a != nil:
		return "returned"
	case end == "" || end == run.AheadUsed:
		return string(end)
	}
	return "discarded"
}

// nextTry is the time of the next attempt at a step that failed temporarily, the earliest of a map's elements, and
// whether that is because a model is busy.
func nextTry(st *machine.Step) (at *time.Time, busy *Busy) {
	for _, t := range st.Tasks {
		when, found := t.RetryAt, (*Busy)(nil)
		if l := t.Loop; l != nil {
			if when = l.RetryAt; l.Busy > 0 {
				found = &Busy{l.BusySince, l.Busy}
			}
		}
		if !when.IsZero() && (at == nil || when.Before(*at)) {
			at, busy = &when, found
		}
	}
	return at, busy
}

// stepUsage is the cost of a step's work; nil if unreported.
func stepUsage(st *machine.Step) *Usage {
	var sum run.Usage
	for _, t := range st.Tasks {
		switch {
		case t.Loop != nil:
			sum = sum.Add(t.Loop.Usage)
		case t.Result != nil:
			sum = sum.Add(t.Result.Usage)
		}
	}
	if sum == (run.Usage{}) {
		return nil
	}
	return new(UsageOf(sum))
}

func metersOf(meters []machine.Meter) []Meter {
	var out []Meter
	for _, m := range meters {
		v := Meter{Limit: m.Limit, Since: TimeOrNil(m.Since), Percent: int(min(float64(m.Used)/float64(m.Max)*100, 100))}
		switch m.Limit {
		case run.LimitDuration:
			v.Used, v.Max = rounded(time.Duration(m.Used)).String(), time.Duration(m.Max).String()
		case run.LimitCost:
			v.Used, v.Max = quantity.Money(m.Used).String(), quantity.Money(m.Max).String()
		default:
			v.Used, v.Max = strconv.FormatInt(m.Used, 10), strconv.FormatInt(m.Max, 10)
		}
		out = append(out, v)
	}
	return out
}

// rounded is a duration as people read it: in seconds, and milliseconds where seconds would say "0s".
func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

// interval is the time from one moment to another.
type interval struct{ from, to time.Time }

// length adds up the parts of the intervals between two times.
func length(all []interval, first, last time.Time) (sum time.Duration) {
	for _, i := range all {
		from, to := i.from, i.to
		if from.Before(first) {
			from = first
		}
		if to.After(last) {
			to = last
		}
		sum += max(to.Sub(from), 0)
	}
	return sum
}

// TellTimes sets how long a step waited for people and how long it worked.
func (v *Step) TellTimes(s *machine.State, now time.Time) { v.tellTimes(waitsOf(s, now)[v.ID], now) }

func (v *Step) tellTimes(waits []interval, now time.Time) {
	if len(waits) > 0 {
		v.WaitedMS = new(length(waits, time.Time{}, now).Milliseconds())
	}
	if v.StartedAt == nil {
		return
	}
	end := now
	if v.EndedAt != nil {
		end = *v.EndedAt
	}
	v.WorkedMS = new(max(end.Sub(*v.StartedAt)-length(waits, *v.StartedAt, end), 0).Milliseconds())
}

// waitsOf is when each step waited for people; questions that were open at the
// same time count once.
func waitsOf(s *machine.State, now time.Time) map[string][]interval {
	out := map[string][]interval{}
	for n, ap := range s.Approvals { // in the order they were asked
		step := s.Spots[n].Step
		if step == "" || ap.Status == gate.AutoApproved {
			continue
		}
		from, to := ap.OpenedAt, ap.SettledAt
		if to.IsZero() {
			to = now
		}
		if before := out[step]; len(before) > 0 && before[len(before)-1].to.After(from) {
			from = before[len(before)-1].to
		}
		if to.After(from) || len(out[step]) == 0 {
			out[step] = append(out[step], interval{from, to})
		}
	}
	return out
}

// progress estimates the time left from the time that the steps so far took.
func progress(s *machine.State, now time.Time) Progress {
	p := Progress{Total: len(s.Steps), Done: s.StepsDone()}
	if s.Status == run.Completed {
		p.Done = p.Total
	}
	if p.Total > 0 {
		p.Percent = p.Done * 100 / p.Total
	}
	if s.Status == run.Running && p.Done > 0 && p.Done < p.Total {
		worked := s.Worked
		if !s.WorkSince.IsZero() {
			worked += max(now.Sub(s.WorkSince), 0)
		}
		eta := (worked.Seconds() / float64(p.Done)) * float64(p.Total-p.Done)
		p.ETAs = &eta
	}
	return p
}

func UsageOf(u run.Usage) Usage {
	return Usage{u.LLMCalls, u.TokensIn, u.TokensOut, u.CostUSD.String()}
}

func ErrorOf(f *run.Failure, at time.Time, show func(json.RawMessage) json.RawMessage) *Error {
	if f == nil {
		return nil
	}
	return &Error{
		Code: f.Code, Message: f.Message, Step: f.Step, Agent: f.Agent, Index: f.Index, Child: f.Child, Try: f.Try,
		StepIndex: f.StepIndex,
		StepCount: f.StepCount, Input: show(f.Input), Stack: f.Stack, Body: f.Body, At: TimeOrNil(at),
	}
}

const (
	threadMax  = 200      // messages
	shownMax   = 64 << 10 // bytes of a value that responses include whole
	previewMax = 1 << 10
)

// Shortener replaces long values by references.
func Shortener(full bool) func(json.RawMessage) json.RawMessage {
	return func(v json.RawMessage) json.RawMessage {
		if full || len(v) <= shownMax {
			return v
		}
		ref, _ := value.Marshal(struct {
			Blob    string `json:"$blob"`
			Size    int    `json:"size"`
			Preview string `json:"preview"`
		}{value.Digest(v), len(v), preview(v)})
		return ref
	}
}

// preview cuts text at a character.
func preview(v []byte) string {
	cut := min(previewMax, len(v))
	for cut > 0 && cut < len(v) && v[cut]&0xC0 == 0x80 {
		cut--
	}
	return string(v[:cut])
}

func TimeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func TextOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
