package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Outcome is the state of a run, in one shot: the reader knows what to do next.
type Outcome struct {
	Status    string          `json:"status"` // needs_human, cancelling, or the run's status
	Run       string          `json:"run"`
	Workflow  string          `json:"workflow"`
	Output    json.RawMessage `json:"output,omitempty"`    // if completed
	Approvals []Asked         `json:"approvals,omitempty"` // if it needs a human, including sub-runs
	Error     *Failure        `json:"error,omitempty"`     // if failed
	Progress  view.Progress   `json:"progress"`
	Masked    bool            `json:"masked,omitempty"` // some values are masked for the caller
	URL       string          `json:"url,omitempty"`
	Next      string          `json:"next,omitempty"` // what to do next

	open []string // approvals
	rest bool     // nothing happens without a person
}

// Failure explains why a run failed.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Step    string `json:"step,omitempty"`
	Agent   string `json:"agent,omitempty"`
}

const (
	needsHuman    = "needs_human"
	cancellingNow = "cancelling"

	defaultWait = 20 * time.Second
	waitMost    = 50 * time.Second // clients give up after a minute
	lookAgain   = time.Second      // sub-runs have their own events
	changeMax   = time.Minute      // for changes that continue after the client disconnects
	deepest     = 4                // levels of sub-runs that are included
	shownMost   = 50               // approvals of a run, and sub-runs of it
	keyMax      = 200              // characters of an idempotency key
)

// next is what to do about a run.
var next = map[string]string{
	needsHuman: "Waiting for a person's decision. Show your user the question and where to " +
		"decide (url), and call get_run afterwards.",
	cancellingNow:            "It ends when its running steps have finished.",
	string(run.Running):      "It is still running. Call get_run with wait_s to wait for the result.",
	string(run.Waiting):      "It is waiting. Call get_run with wait_s to wait for the result.",
	string(run.Paused):       "It is paused until a person resumes it.",
	string(run.LimitReached): "It reached a limit. A person can raise the limit and resume it.",
	string(run.Failed):       "It failed; see error. A person can fix the cause and resume it.",
	string(run.Cancelled):    "It was cancelled.",
}

type starting struct {
	Workflow string          `json:"workflow"`
	Input    json.RawMessage `json:"input"`
	TestMode bool            `json:"test_mode"`
	Key      *string         `json:"idempotency_key"`
	Wait     *int            `json:"wait_s"`
}

func (c *call) startRun(a starting) (any, error) {
	wait, err := waiting(a.Wait, defaultWait)
	switch {
	case err != nil:
		return nil, err
	case a.Workflow == "":
		return nil, invalid("workflow", "a workflow is required")
	case a.Key != nil && !goodKey(*a.Key):
		return nil, invalid("idempotency_key", fmt.Sprintf("expected 1 to %d printable ASCII characters", keyMax))
	}
	key := ""
	if a.Key != nil {
		key = *a.Key
	}
	return c.begin(app.NewRun{Workflow: a.Workflow, Input: a.Input, TestMode: a.TestMode}, key, wait)
}

func waiting(seconds *int, usually time.Duration) (time.Duration, error) {
	if seconds == nil {
		return usually, nil
	}
	if *seconds < 0 || *seconds > int(waitMost/time.Second) {
		return 0, invalid("wait_s", "expected 0 to 50 seconds")
	}
	return time.Duration(*seconds) * time.Second, nil
}

func goodKey(s string) bool {
	return s != "" && len(s) <= keyMax && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// whole lets a change finish after the client disconnects, so that nothing is left half done.
func (c *call) whole() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.Context), changeMax)
}

// begin starts a run, once per key, and waits for it.
func (c *call) begin(n app.NewRun, key string, wait time.Duration) (any, error) {
	id, err := c.startOnce(n, key)
	if err != nil {
		return nil, err
	}
	now, err := c.await(id, false, wait, nil)
	if err != nil && fault.CodeOf(err) == "" { // it was started, whatever else failed
		return Outcome{Status: string(run.Running), Run: id, Workflow: n.Workflow, URL: c.link("runs", id),
			Next: next[string(run.Running)]}, nil
	}
	return now, err
}

func (c *call) startOnce(n app.NewRun, key string) (id string, err error) {
	ctx, done := c.whole()
	defer done()
	if key == "" {
		v, err := c.app.Begin(ctx, c.Who, n, nil)
		return v.ID, err
	}
	mine := port.Answer{
		Key:  value.Digest([]byte(c.Who.Kind), []byte(c.Who.Sender()), []byte("mcp start_run"), []byte(key)),
		Body: value.Digest([]byte(n.Workflow), n.Input, fmt.Append(nil, n.TestMode)), Status: http.StatusCreated,
	}
	if id, ok, err := c.startedBefore(ctx, mine); ok || err != nil {
		return id, err
	}
	v, err := c.app.Begin(ctx, c.Who, n, func(view any) (_ *port.Answer, err error) {
		mine.At = c.app.Now().UTC()
		mine.Answer, err = value.Marshal(view)
		return &mine, err
	})
	if fault.Is(err, fault.Duplicate) { // another request with the key was faster
		if id, ok, err := c.startedBefore(ctx, mine); ok || err != nil {
			return id, err
		}
	}
	return v.ID, err
}

// startedBefore finds the run that a key started.
func (c *call) startedBefore(ctx context.Context, mine port.Answer) (id string, ok bool, err error) {
	said, ok, err := c.app.Answered(ctx, mine.Key, mine.Body)
	if !ok || err != nil {
		return "", false, err
	}
	raw, _ := value.Get(said.Answer, "id")
	id, _ = value.Text(raw) // always a run returned by Begin
	return id, true, nil
}

type getting struct {
	Run  string `json:"run"`
	Wait *int   `json:"wait_s"`
	Full bool   `json:"full"`
}

func (c *call) getRun(a getting) (any, error) {
	wait, err := waiting(a.Wait, 0)
	if err != nil {
		return nil, err
	}
	if a.Run == "" {
		return nil, invalid("run", "a run is required")
	}
	now, err := c.look(a.Run, a.Full)
	if err != nil || wait == 0 || now.rest && len(now.open) == 0 {
		return now, err
	}
	return c.await(a.Run, a.Full, wait, now.open)
}

type cancelling struct {
	Run    string `json:"run"`
	Reason string `json:"reason"`
}

func (c *call) cancelRun(a cancelling) (any, error) {
	if a.Run == "" {
		return nil, invalid("run", "a run is required")
	}
	ctx, done := c.whole()
	defer done()
	if _, err := c.app.Command(ctx, c.Who, a.Run, app.Command{Do: run.Cancel{Reason: a.Reason}}, nil); err != nil {
		return nil, err
	}
	return c.look(a.Run, false)
}

// await waits until a run rests or asks something new; then, or when the time is up, it returns the state of the run.
func (c *call) await(id string, full bool, wait time.Duration, known []string) (any, error) {
	c.give() // waiting callers do not count as working
	ctx, cancel := context.WithTimeout(c.Context, wait)
	defer cancel()
	defer context.AfterFunc(c.Stopping, cancel)()
	// Subscribe first, then read: nothing is missed.
	feed, err := c.app.Follow(c, c.Who, feed.Filter{Run: id, Types: telling})
	if err != nil {
		return nil, err
	}
	defer feed.Close()
	for {
		now, err := c.look(id, full)
		news := now.rest && (len(now.open) == 0 || !slices.Equal(now.open, known))
		if err != nil || news || ctx.Err() != nil {
			return now, err
		}
		beat, stop := context.WithTimeout(ctx, lookAgain)
		_, err = feed.Next(beat)
		stop()
		if err != nil && beat.Err() == nil {
			return now, nil // the server is stopping
		}
	}
}

// telling are the events after which the state of a run may have changed.
var telling = []string{
	(&run.RunWaiting{}).Type(), (&run.RunPaused{}).Type(), (&run.RunCompleted{}).Type(), (&run.RunFailed{}).Type(),
	(&run.RunCancelled{}).Type(),
	(&run.RunLimitReached{}).Type(), (&run.ApprovalNeeded{}).Type(), (&run.ApprovalResolved{}).Type(),
}

// look returns the state of a run.
func (c *call) look(id string, full bool) (Outcome, error) {
	v, err := c.app.Run(c, c.Who, id, full)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Status: string(v.Status), Run: v.ID, Workflow: v.Workflow, Progress: v.Progress, Masked: v.Masked,
		URL: c.link("runs", v.ID)}
	o.rest = v.Status.Ended() || v.Status == run.Paused
	switch {
	case v.Status == run.Completed:
		o.Output = v.Output
	case v.Error != nil:
		o.Error = &Failure{v.Error.Code, v.Error.Message, v.Error.Step, v.Error.Agent}
	}
	if !v.Status.Ended() {
		if o.Approvals, err = c.asked(id, deepest); err != nil {
			return Outcome{}, err
		}
		o.open = slices.Clone(v.PendingApprovals)
		if v.Unseen > 0 { // the caller may see the run, but not all of its approvals
			o.open = append(o.open, "unseen: "+strconv.Itoa(v.Unseen))
		}
		for _, a := range o.Approvals {
			o.open = append(o.open, a.ID)
		}
		slices.Sort(o.open)
		o.open = slices.Compact(o.open)
	}
	switch {
	case v.Cancelling != nil && !o.rest:
		o.Status = cancellingNow
	case len(o.open) > 0 && v.Status != run.Paused:
		o.Status, o.rest = needsHuman, true
	}
	o.Next = next[o.Status]
	return o, nil
}

// asked are the pending approvals of a run and its sub-runs.
func (c *call) asked(id string, deep int) ([]Asked, error) {
	page, err := c.app.Lists(c.Who).Approvals(c, port.ApprovalQuery{Run: id, Status: pending, Sort: port.ByAge,
		Limit: shownMost, NoTotal: true})
	if err != nil {
		return nil, err
	}
	var out []Asked
	for _, v := range page.Items {
		out = append(out, c.ask(v))
	}
	if deep == 0 {
		return out, nil
	}
	children, err := c.app.Lists(c.Who).Runs(c, port.RunQuery{Parent: id,
		Status: []run.Status{run.Running, run.Waiting}, Limit: shownMost})
	if err != nil {
		return nil, err
	}
	for _, child := range children.Items {
		more, err := c.asked(child.ID, deep-1)
		if out = append(out, more...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// link is the address of a page; empty if there is none.
func (c *call) link(kind, id string) string {
	if c.Base == "" {
		return ""
	}
	return c.Base + "/" + kind + "/" + id
}
