package view

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// StepDetail is a step with its history.
type StepDetail struct {
	Step
	Input json.RawMessage `json:"input" holds:"payload"` // The input; null until it starts.
	Tries []Try           `json:"tries"`                 // Attempts, the newest 500, oldest first.
	Calls []Call          `json:"calls"`                 // Tool calls, the newest 500, oldest first.
	Masking
}

// Try is one attempt at a step, or at one element of a map.
type Try struct {
	Try       int             `json:"try"`
	Revision  int             `json:"revision,omitempty"` // The number of revisions before it.
	Index     *int            `json:"index,omitempty"`
	StartedAt time.Time       `json:"started_at"`
	EndedAt   *time.Time      `json:"ended_at"`
	RetryAt   *time.Time      `json:"retry_at,omitempty"` // When the retry was due.
	Error     *Error          `json:"error,omitempty"`
	Output    json.RawMessage `json:"output,omitempty" holds:"payload"`
	Logs      string          `json:"logs,omitempty" holds:"text"` // The agent's logs.
	Turns     int             `json:"turns,omitempty"`             // The number of turns of the model.
}

// Call is one tool call of an agent.
type Call struct {
	ID        string          `json:"id" holds:"id"`
	Index     *int            `json:"index,omitempty"`
	Tool      string          `json:"tool" holds:"id"`
	Does      string          `json:"does,omitempty" holds:"text"` // A description of the call.
	Args      json.RawMessage `json:"args" holds:"payload"`        // The arguments.
	Status    string          `json:"status" holds:"id"`           // asked, running, done, failed or denied.
	Try       int             `json:"try,omitempty"`
	AskedAt   time.Time       `json:"asked_at"` // When the model asked for it.
	StartedAt *time.Time      `json:"started_at"`
	EndedAt   *time.Time      `json:"ended_at"`
	Output    json.RawMessage `json:"output,omitempty" holds:"payload"`
	Error     string          `json:"error,omitempty" holds:"text"`
	Logs      string          `json:"logs,omitempty" holds:"text"` // The tool's output on standard error.
}

// stepTriesMax bounds how many tries and calls of a step are listed, the newest.
const stepTriesMax = 500

func newest[T any](items []T) []T { return NotNil(items[max(len(items)-stepTriesMax, 0):]) }

// StepHistory collects the events of one step from the log.
type StepHistory struct {
	step    string
	show    func(json.RawMessage) json.RawMessage
	tries   []Try
	running map[int]int // element, or -1 → its newest try
	called  []Call
	calls   map[callAt]int
	usage   run.Usage // of all its tries
	lost    int       // revisions that only changed its key
}

func NewStepHistory(step string, show func(json.RawMessage) json.RawMessage) *StepHistory {
	return &StepHistory{step: step, show: show, running: map[int]int{}, calls: map[callAt]int{}}
}

// AddTo adds the collected history to a view.
func (h *StepHistory) AddTo(v *StepDetail) {
	v.Tries, v.Calls = newest(h.tries), newest(h.called)
	if h.usage != (run.Usage{}) {
		v.Usage = new(UsageOf(h.usage))
	}
}

type callAt struct{ index, no int }

func at(index *int) int {
	if index == nil {
		return -1
	}
	return *index
}

func (h *StepHistory) Take(e run.Event) {
	if step, spent := spentBy(e.Fact); step == h.step {
		h.usage = h.usage.Add(spent)
	}
	switch f := e.Fact.(type) {
	case *run.StepStarted:
		if f.Step == h.step {
			h.running[at(f.Index)] = len(h.tries)
			h.tries = append(h.tries, Try{Try: f.Try, Revision: f.Rev - h.lost, Index: f.Index, StartedAt: e.At})
		}
	case *run.SpeculationDiscarded:
		if f.Step == h.step {
			h.lost++
		}
	case *run.StepRetrying:
		if t := h.try(f.Step, at(f.Index)); t != nil {
			t.Error, t.EndedAt, t.RetryAt = ErrorOf(&f.Error, e.At, h.show), &e.At, TimeOrNil(f.RetryAt)
		}
	case *run.StepFailed:
		if t := h.try(f.Step, at(f.Error.Index)); t != nil {
			t.Error, t.EndedAt = ErrorOf(&f.Error, e.At, h.show), &e.At
		}
	case *run.StepReturned:
		h.ended(f.Step, at(f.Index), &f.Result, e.At)
	case *run.StepCompleted:
		h.ended(f.Step, -1, f.Result, e.At)
	case *run.ElementCompleted:
		h.ended(f.Step, f.Index, f.Result, e.At)
	case *run.TurnCompleted:
		if t := h.try(f.Step, at(f.Index)); t != nil {
			t.Turns++
		}
	default:
		h.takeCall(e)
	}
}

// spentBy is the usage that a fact adds to a step. Once the step has ended, the state has it for the whole run only.
func spentBy(fact run.Fact) (step string, spent run.Usage) {
	switch f := fact.(type) {
	case *run.StepReturned:
		return f.Step, f.Result.Usage
	case *run.StepCompleted:
		if f.Result != nil {
			return f.Step, f.Result.Usage
		}
	case *run.ElementCompleted:
		if f.Result != nil {
			return f.Step, f.Result.Usage
		}
	case *run.StepRetrying:
		return f.Step, f.Error.Usage
	case *run.StepFailed:
		return f.Step, f.Error.Usage
	case *run.TurnCompleted:
		return f.Step, f.Turn.Usage
	case *run.TurnRetrying:
		return f.Step, f.Error.Usage
	case *run.CallRetrying:
		return f.Step, f.Error.Usage
	case *run.CallInputNeeded:
		return f.Step, f.Usage
	case *run.CallCompleted:
		return f.Step, f.Result.Usage
	}
	return "", run.Usage{}
}

func (h *StepHistory) try(step string, index int) *Try {
	n, ok := h.running[index]
	if step != h.step || !ok {
		return nil
	}
	return &h.tries[n]
}

// ended records a result. A result that people were shown first is repeated when it counts, without its content.
func (h *StepHistory) ended(step string, index int, r *run.Result, when time.Time) {
	t := h.try(step, index)
	if t == nil || r == nil || t.EndedAt != nil {
		return
	}
	t.EndedAt, t.Output, t.Logs = &when, h.show(r.Output), r.Logs
}

func (h *StepHistory) takeCall(e run.Event) {
	switch f := e.Fact.(type) {
	case *run.CallRequested:
		if f.Step == h.step {
			h.calls[callAt{at(f.Index), f.No}] = len(h.called)
			h.called = append(h.called, Call{
				ID: f.Call.ID, Index: f.Index, Tool: f.Call.Tool, Does: f.Call.Spec.Description, Args: h.show(OrNull(f.Call.Args)),
				Status: "asked", AskedAt: e.At,
			})
		}
	case *run.CallArgsChanged:
		if c := h.call(f.Step, f.Index, f.No); c != nil {
			c.Args = h.show(f.Args)
		}
	case *run.CallStarted:
		if c := h.call(f.Step, f.Index, f.No); c != nil {
			c.Status, c.Try = "running", f.Try
			if c.StartedAt == nil {
				c.StartedAt = &e.At
			}
		}
	case *run.CallInputNeeded:
		if c := h.call(f.Step, f.Index, f.No); c != nil {
			c.Status = "asked" // for approval, by the tool
		}
	case *run.CallCompleted:
		if c := h.call(f.Step, f.Index, f.No); c != nil {
			c.Status, c.EndedAt, c.Output, c.Error, c.Logs = "done", &e.At, f.Result.Output, f.Result.Error, f.Result.Logs
			if c.Output != nil {
				c.Output = h.show(c.Output)
			}
			if f.Denied {
				c.Status = "denied"
			} else if c.Error != "" {
				c.Status = "failed"
			}
		}
	}
}

func (h *StepHistory) call(step string, index *int, no int) *Call {
	n, ok := h.calls[callAt{at(index), no}]
	if step != h.step || !ok {
		return nil
	}
	return &h.called[n]
}
