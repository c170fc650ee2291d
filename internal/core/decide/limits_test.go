package decide_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

const oneStep = `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`

func TestLimitsOfInputAndOutput(t *testing.T) {
	at := json.RawMessage(`"` + strings.Repeat("x", run.OutputMax-2) + `"`)
	over := json.RawMessage(`"` + strings.Repeat("x", run.OutputMax-1) + `"`)
	p := play(t, oneStep)
	if err := p.try(run.Command{Do: run.Start{Input: over}}); !fault.Is(err, fault.TooLarge) {
		t.Errorf("input over the limit: %v", err)
	}
	p.do(run.Start{Input: at})
	p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: at}})
	if p.s.Status != run.Completed {
		t.Errorf("output at the limit: %s %v", p.s.Status, p.s.Error)
	}
	p = play(t, oneStep)
	p.do(run.Start{})
	p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: over}})
	if p.s.Status != run.Failed || p.s.Error.Code != "too_large" {
		t.Errorf("output over the limit: %s %v", p.s.Status, p.s.Error)
	}
}

func TestLimitOfDepth(t *testing.T) {
	p := play(t, oneStep)
	if err := p.try(run.Command{Do: run.Start{Depth: run.DepthMax + 1}}); !fault.Is(err, fault.TooLarge) {
		t.Error(err)
	}
	p.do(run.Start{Depth: run.DepthMax})
}

func TestLimitOfElements(t *testing.T) {
	const mapped = `{"workflow":"w","steps":[{"id":"m","agent":"x","each":"input.list","width":1000,"with":{"v":"item"}}]}`
	list := func(n int) json.RawMessage {
		return json.RawMessage(`{"list":[` + strings.TrimSuffix(strings.Repeat("1,", n), ",") + `]}`)
	}
	p := play(t, mapped)
	p.do(run.Start{Input: list(run.ElementsMax)})
	if got := len(p.s.Effects()); got != 1001 { // the width, and the timer
		t.Errorf("%d effects", got)
	}
	p = play(t, mapped)
	p.do(run.Start{Input: list(run.ElementsMax + 1)})
	if p.s.Status != run.Failed || p.s.Error.Code != "too_large" {
		t.Error(p.s.Status, p.s.Error)
	}
}

func TestLimitOfMessages(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	p.do(run.SendMessage{Text: strings.Repeat("x", run.TextMax)})
	if err := p.try(run.Command{Do: run.SendMessage{Text: strings.Repeat("x", run.TextMax+1)}}); !fault.Is(err,
		fault.TooLarge) {
		t.Error(err)
	}
	if err := p.try(run.Command{Do: run.Replan{Requirement: strings.Repeat("x", run.TextMax+1)}}); !fault.Is(err,
		fault.TooLarge) {
		t.Error(err)
	}
}

func TestLimitOfComments(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"start","title":"Go?"}]}`)
	p.do(run.Start{})
	id := p.s.Pending()[0].ID
	p.do(run.Comment{Approval: id, Text: strings.Repeat("x", run.TextMax)})
	if err := p.try(run.Command{Do: run.Comment{Approval: id, Text: strings.Repeat("x", run.TextMax+1)}}); !fault.Is(err,
		fault.TooLarge) {
		t.Error(err)
	}
	for range run.CommentsMax - 1 {
		p.do(run.Comment{Approval: id, Text: "x"})
	}
	if err := p.try(run.Command{Do: run.Comment{Approval: id, Text: "x"}}); !fault.Is(err, fault.TooLarge) ||
		len(p.s.Pending()[0].Comments) != run.CommentsMax {
		t.Error(err)
	}
}

func TestLimitOfCommands(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	p.s.Answered = map[string]int64{}
	for n := range run.CommandsMax - 1 {
		p.s.Answered[fmt.Sprint(n)] = 1
	}
	if err := p.try(run.Command{ID: "last", Do: run.TakeSnapshot{}}); err != nil {
		t.Fatal(err)
	}
	if err := p.try(run.Command{ID: "one more", Do: run.TakeSnapshot{}}); !fault.Is(err, fault.TooLarge) {
		t.Error(err)
	}
}

func TestLimitOfRevisions(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"after a","on_reject":"revise"}]}`)
	p.do(run.Start{})
	for n := 0; p.s.Status != run.Failed; n++ {
		if n > run.RevisionsMax {
			t.Fatalf("revised %d times and still %s", n, p.s.Status)
		}
		p.answer("a", `1`)
		c := decideAs("bob", nil, p.s.Pending()[0], gate.Reject)
		d := c.Do.(run.Decide)
		d.Answer.Comment = "again"
		if err := p.try(run.Command{By: c.By, Do: d}); err != nil {
			t.Fatal(err)
		}
	}
	if st, _ := p.s.StepByID("a"); st.Rev != run.RevisionsMax {
		t.Errorf("revised %d times", st.Rev)
	}
}

func TestLimitOfCallsAndTurns(t *testing.T) {
	const loop = `{"workflow":"w","steps":[{"id":"l","agent":"other"}]}`
	calls := func(n int) (out []run.Call) {
		for k := range n {
			out = append(out, run.Call{ID: fmt.Sprint(k), Tool: "read_file"})
		}
		return out
	}
	p := play(t, loop)
	p.do(run.Start{})
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: calls(run.CallsMax)}})
	if got := len(p.s.Effects()); got != run.CallsMax+1 {
		t.Errorf("%d effects", got)
	}
	p = play(t, loop)
	p.do(run.Start{})
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: calls(run.CallsMax + 1)}})
	if p.s.Status != run.Failed {
		t.Error(p.s.Status)
	}
	p = play(t, loop)
	p.do(run.Start{})
	turns := 0
	for ; !p.s.Status.Ended(); turns++ {
		p.do(run.CompleteTurn{Key: p.key("l"),
			Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: "gone", Spec: run.ToolSpec{Unknown: true}}}}})
	}
	if turns != run.TurnsMax || p.s.Status != run.LimitReached {
		t.Errorf("%d turns, then %s", turns, p.s.Status)
	}
}

// The run's own timeout counts working time; waiting for people is not limited.
func TestWaitingIsNotWorking(t *testing.T) {
	p := play(t, `{"workflow":"w","timeout":"10m","steps":[{"id":"a","agent":"x","timeout":"1h"},{"id":"b","agent":"x","timeout":"1h"}],"gates":[{"id":"g","at":"before b","pause_after":0,"remind":0}]}`)
	p.do(run.Start{})
	p.env.Now = p.env.Now.Add(9 * time.Minute)
	p.answer("a", `1`)
	p.env.Now = p.env.Now.Add(1000 * time.Hour)
	p.do(run.Tick{})
	if p.s.Status != run.Waiting {
		t.Fatal(p.s.Status, p.s.Error)
	}
	if err := p.try(decideAs("bob", nil, p.s.Pending()[0], gate.Approve)); err != nil {
		t.Fatal(err)
	}
	if at, _ := p.s.NextDeadline(); !at.Equal(p.env.Now.Add(time.Minute)) {
		t.Errorf("deadline in %s", at.Sub(p.env.Now))
	}
	p.env.Now = p.env.Now.Add(time.Minute)
	p.do(run.Tick{})
	if p.s.Status != run.Failed || p.s.Error.Code != "timeout" {
		t.Error(p.s.Status, p.s.Error)
	}
}

// Backoff grows, stays within its bounds, and is the same on every host.
func TestBackoff(t *testing.T) {
	delays := func() (out []time.Duration) {
		p := play(t, `{"workflow":"w","timeout":0,"steps":[{"id":"a","agent":"x","retry":{"max":6,"backoff":"1s","factor":2,"max_backoff":"10s"}}]}`)
		p.do(run.Start{})
		for range 5 {
			p.do(run.Fail{Key: p.key("a"), Failure: run.Failure{Message: "busy", Transient: true}})
			at, _ := p.s.NextDeadline()
			out = append(out, at.Sub(p.env.Now))
			p.env.Now = at
			p.do(run.Tick{})
		}
		return out
	}
	got := delays()
	for n, full := range []time.Duration{1, 2, 4, 8, 10} {
		if full *= time.Second; got[n] < full/2 || got[n] > full {
			t.Errorf("delay %d is %s, not between %s and %s", n, got[n], full/2, full)
		}
	}
	if again := delays(); fmt.Sprint(again) != fmt.Sprint(got) {
		t.Errorf("%v, then %v", got, again)
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	p.do(run.Fail{Key: p.key("a"), Failure: run.Failure{Message: "429", Transient: true, RetryAfter: 90e9}})
	if at, _ := p.s.NextDeadline(); !at.Equal(t0.Add(90 * time.Second)) {
		t.Error(at)
	}
}

// Messages between agents are limited in number and size.
func TestLimitOfAgentMessages(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"l","agent":"other"},{"id":"a","agent":"x"}]}`)
	p.do(run.Start{})
	send := func(text string) string {
		args := fmt.Sprintf(`{"to":"x","text":%q}`, text)
		p.do(run.CompleteTurn{Key: p.key("l"),
			Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: run.ToolSendMessage, Args: json.RawMessage(args),
				Spec: run.ToolSpec{Class: "safe"}}}}})
		st, _ := p.s.StepByID("l")
		entries := st.Tasks[0].Loop.Entries
		return entries[len(entries)-1].Text
	}
	if why := send(strings.Repeat("x", run.MessageMax)); why != "" {
		t.Error(why)
	}
	if why := send(strings.Repeat("x", run.MessageMax+1)); !strings.Contains(why, "the limit is 8192") {
		t.Error(why)
	}
	for p.s.Messages < run.MessagesMax {
		if why := send("again"); why != "" {
			t.Fatal(p.s.Messages, why)
		}
	}
	if why := send("once more"); !strings.Contains(why, "the limit of 200 messages") || p.s.Messages != run.MessagesMax {
		t.Error(p.s.Messages, why)
	}
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Output: json.RawMessage(`1`)}})
	for _, e := range p.s.Effects() {
		if do, ok := e.Do.(run.Invoke); ok && (len(do.Messages) != run.UnreadMax || do.Messages[0].From.Name != "other") {
			t.Errorf("%d messages", len(do.Messages))
		}
	}
}

// A confidence is a number from 0 to 1; anything else means that an agent is not sure.
func TestLimitsOfConfidence(t *testing.T) {
	for given, want := range map[float64]float64{0: 0, 1: 1, 0.5: 0.5, -0.1: 0, 1.1: 0} {
		p := play(t, `{"workflow":"w","confidence_threshold":0,"steps":[{"id":"a","agent":"x"}]}`)
		p.do(run.Start{})
		p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: json.RawMessage(`1`), Confidence: &given}})
		st, _ := p.s.StepByID("a")
		if got := st.Tasks[0].Result.Confidence; got == nil || *got != want {
			t.Errorf("%g became %v", given, got)
		}
	}
}

// People are asked below a threshold, and a look is suggested from there on until an
// agent is sure.
func TestLimitsOfReviews(t *testing.T) {
	for sure, want := range map[float64]string{0.69: "asked", 0.7: "suggested", 0.89: "suggested", 0.9: ""} {
		p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`)
		p.do(run.Start{})
		p.do(run.Complete{Key: p.key("a"), Result: run.Result{Output: json.RawMessage(`1`), Confidence: &sure}})
		got := ""
		for _, e := range p.log {
			switch e.Fact.(type) {
			case *run.ApprovalNeeded:
				got += "asked"
			case *run.ReviewSuggested:
				got += "suggested"
			}
		}
		if got != want {
			t.Errorf("%g: %q", sure, got)
		}
	}
}

func TestLimitOfQuietOutputs(t *testing.T) {
	for size, want := range map[int]int{run.OutputWarn: 0, run.OutputWarn + 1: 1} {
		p := play(t, oneStep)
		p.do(run.Start{})
		p.answer("a", `"`+strings.Repeat("x", size-2)+`"`)
		if got := len(p.s.Warnings); got != want {
			t.Errorf("%d bytes: %d warnings", size, got)
		}
	}
}

func TestLimitOfReasons(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	p.answer("a", `1`)
	if err := p.try(run.Command{Do: run.Forget{Reason: strings.Repeat("x", 1001)}}); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
	p.do(run.Forget{Reason: strings.Repeat("x", 1000)})
}

// A model whose output is too large, or no JSON, is asked again.
func TestLimitOfModelOutputs(t *testing.T) {
	for size, want := range map[int]run.Status{run.OutputMax: run.Completed, run.OutputMax + 1: run.Running} {
		p := play(t, oneLoop)
		p.do(run.Start{})
		p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Usage: run.Usage{TokensIn: 2},
			Output: json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)}})
		if p.s.Status != want || p.s.Usage.TokensIn != 2 {
			t.Errorf("%d bytes: %s, %+v", size, p.s.Status, p.s.Usage)
		}
	}
}

// Labels of a run count more than those of its workflow.
func TestLabelsOfRuns(t *testing.T) {
	p := play(t, `{"workflow":"w","labels":{"team":"a","tier":"1"},"steps":[{"id":"a","agent":"x"}]}`)
	p.do(run.Start{Labels: map[string]string{"team": "b", "own": "2"}})
	if got := fmt.Sprint(p.s.Started.Labels); got != "map[own:2 team:b tier:1]" {
		t.Error(got)
	}
	p = play(t, oneStep)
	p.do(run.Start{Labels: map[string]string{"own": "2"}})
	if got := fmt.Sprint(p.s.Started.Labels); got != "map[own:2]" {
		t.Error(got)
	}
}

// While a run is being cancelled, nothing is tried again.
func TestNoRetriesWhileCancelling(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	p.do(run.Cancel{})
	p.do(run.Fail{Key: p.key("a"), Failure: run.Failure{Message: "busy", Transient: true}})
	if p.s.Status != run.Cancelled {
		t.Error(p.s.Status)
	}
}
