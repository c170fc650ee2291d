package storekit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// checker collects problems with the rows of a write.
type checker struct {
	problems []fault.Problem
	list     string // the list whose element is being checked, if any
	i        int
}

// in has the paths of problems begin with an element of a list, until out is called. They are seldom needed, so they
// are not written beforehand.
func (c *checker) in(list string, i int) { c.list, c.i = list, i }

func (c *checker) out() { c.list = "" }

func (c *checker) add(path, format string, args ...any) {
	if c.list != "" {
		path = fmt.Sprintf("%s[%d].%s", c.list, c.i, path)
	}
	if len(c.problems) < 20 {
		c.problems = append(c.problems, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

func (c *checker) id(path, s string) {
	if !Word(s) {
		c.add(path, "must be 1 to %d bytes of text without NUL", WordMax)
	}
}

// word is for indexed but optional values.
func (c *checker) word(path, s string) {
	if s != "" {
		c.id(path, s)
	}
}

var (
	earliest = time.Unix(0, 1)
	latest   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

func (c *checker) time(path string, t time.Time) {
	if !t.IsZero() && (t.Before(earliest) || t.After(latest)) {
		c.add(path, "must be a time between 1970 and 2262")
	}
}

func (c *checker) json(path string, raw json.RawMessage) {
	if len(raw) > 0 && !json.Valid(raw) {
		c.add(path, "is not JSON")
	}
}

func (c *checker) result(what string) error {
	if len(c.problems) == 0 {
		return nil
	}
	return fault.Of(what+" cannot be stored", c.problems)
}

// CheckWrite validates a write before anything is stored. A write that passes is accepted by every table.
func CheckWrite(w *port.Write) error {
	var c checker
	c.id("run", w.Run)
	last := w.After + int64(len(w.Events))
	switch {
	case w.After < 0:
		c.add("after", "is negative")
	case last == 0:
		c.add("events", "a run begins with an event")
	case len(w.Events) > EventsMax:
		return fault.Newf(fault.TooLarge, "%d events at once are more than %d", len(w.Events), EventsMax)
	case len(w.Snapshot) > BodyMax:
		return fault.Newf(fault.TooLarge, "a snapshot of %d bytes is larger than %d", len(w.Snapshot), BodyMax)
	}
	for i := range w.Events {
		checkEvent(&c, w, i)
	}
	checkRun(&c, w, last)
	for i := range w.Approvals {
		c.in("approvals", i)
		checkApproval(&c, w.Run, &w.Approvals[i])
	}
	for i := range w.Deliverables {
		c.in("deliverables", i)
		checkDeliverable(&c, w.Run, &w.Deliverables[i])
	}
	for i := range w.Marks {
		m := &w.Marks[i]
		c.in("marks", i)
		c.id("id", m.ID)
		c.word("status", m.Status)
		c.time("at", m.At)
	}
	c.out()
	checkWork(&c, w, last)
	unique(&c, "approvals", len(w.Approvals), func(i int) string { return w.Approvals[i].ID })
	unique(&c, "deliverables", len(w.Deliverables), func(i int) string { return w.Deliverables[i].ID })
	if w.Answer != nil {
		checkAnswer(&c, w.Answer)
	}
	return c.result("the write to run " + shorten(w.Run))
}

// CheckUnlearning validates an order to forget.
func CheckUnlearning(u *port.Unlearning) error {
	var c checker
	named := 0
	for _, name := range []string{u.Run, u.Workflow, u.Tool} {
		if c.word("name", name); name != "" {
			named++
		}
	}
	if named > 1 {
		c.add("name", "only one of a run, a workflow and a tool")
	}
	if u.At.IsZero() {
		c.add("at", "is missing")
	}
	c.time("at", u.At)
	return c.result("the request to forget")
}

func unique(c *checker, path string, n int, id func(int) string) {
	if n < 2 {
		return
	}
	seen := make(map[string]bool, n)
	for i := range n {
		if seen[id(i)] {
			c.add(path, "%s is there twice", shorten(id(i)))
		}
		seen[id(i)] = true
	}
}

func checkEvent(c *checker, w *port.Write, i int) {
	e := &w.Events[i]
	switch {
	case e.Fact == nil:
		c.add(fmt.Sprintf("events[%d]", i), "has no fact")
	case e.Run != w.Run || e.Seq != w.After+1+int64(i):
		c.add(fmt.Sprintf("events[%d]", i), "is number %d of run %s where number %d of %s belongs", e.Seq,
			shorten(e.Run), w.After+1+int64(i), shorten(w.Run))
	case e.At.IsZero() || e.At.Before(earliest) || e.At.After(latest):
		c.add(fmt.Sprintf("events[%d].at", i), "must be a time between 1970 and 2262")
	}
}

func checkRun(c *checker, w *port.Write, last int64) {
	r := &w.Row
	if r.ID != w.Run || r.Seq != last {
		c.add("row", "is of run %s at %d where %s at %d belongs", shorten(r.ID), r.Seq, shorten(w.Run), last)
	}
	c.id("row.workflow", r.Workflow)
	c.id("row.status", string(r.Status))
	c.word("row.owner", r.Owner)
	c.word("row.parent", r.Parent)
	c.word("row.retry_of", r.RetryOf)
	c.word("row.forked_from", r.ForkedFrom)
	c.word("row.definition", r.Definition)
	c.word("row.cost_usd", r.CostUSD)
	c.time("row.started_at", r.StartedAt)
	c.time("row.updated_at", r.UpdatedAt)
	c.time("row.ended_at", r.EndedAt)
	c.time("row.due_at", r.DueAt)
	if len(r.Labels) > LabelsMax {
		c.add("row.labels", "%d are more than %d", len(r.Labels), LabelsMax)
		return
	}
	for k, v := range r.Labels {
		if !Word(k) || v != "" && !word(v, ValueMax) {
			c.add("row.labels", "%q: names have up to %d bytes, values up to %d, both without NUL", shorten(k),
				WordMax, ValueMax)
		}
	}
}

func checkApproval(c *checker, run string, a *port.ApprovalRow) {
	if a.Run != run {
		c.add("run", "is %s in a write to %s", shorten(a.Run), shorten(run))
	}
	c.id("id", a.ID)
	if !slices.Contains(approvalStatuses, a.Status) {
		c.add("status", "%q is not known", shorten(a.Status))
	}
	c.word("workflow", a.Workflow)
	c.word("step", a.Step)
	c.word("agent", a.Agent)
	c.word("tool", a.Tool)
	c.word("kind", a.Kind)
	c.word("reason", a.Reason)
	c.word("risk", a.Risk)
	c.word("requester", a.Requester)
	c.time("requested_at", a.RequestedAt)
	c.time("deadline_at", a.DeadlineAt)
	c.time("settled_at", a.SettledAt)
	if a.Priority < -1<<40 || a.Priority > 1<<40 {
		c.add("priority", "is out of range")
	}
	if len(a.Asked) > AskedMax {
		c.add("asked", "%d are more than %d", len(a.Asked), AskedMax)
		return
	}
	for _, who := range a.Asked {
		if who != port.Anyone && !Word(who) || reserved(who) {
			c.add("asked", "%q is not a valid name", shorten(who))
		}
	}
}

func checkDeliverable(c *checker, run string, d *port.DeliverableRow) {
	if d.Run != run {
		c.add("run", "is %s in a write to %s", shorten(d.Run), shorten(run))
	}
	c.id("id", d.ID)
	c.word("workflow", d.Workflow)
	c.word("step", d.Step)
	c.word("agent", d.Agent)
	c.word("type", d.Type)
	c.word("status", d.Status)
	c.word("blob", d.Blob)
	c.time("created_at", d.CreatedAt)
	c.time("updated_at", d.UpdatedAt)
}

// CheckAnswer validates an answer.
func CheckAnswer(a *port.Answer) error {
	var c checker
	checkAnswer(&c, a)
	return c.result("the answer")
}

func checkAnswer(c *checker, a *port.Answer) {
	if !Key(a.Key) {
		c.add("answer.key", "must be 1 to %d bytes of text without NUL", ValueMax)
	}
	if a.Body != "" && !Key(a.Body) {
		c.add("answer.body", "must be a digest")
	}
	if len(a.Answer) > BodyMax {
		c.add("answer", "has more than %d bytes", BodyMax)
	}
	c.time("answer.at", a.At)
}

// CheckVersion validates a document.
func CheckVersion(v *port.Version) error {
	var c checker
	c.id("id", v.ID)
	c.id("kind", v.Kind)
	c.id("name", v.Name)
	c.id("digest", v.Digest)
	c.word("by", v.By)
	c.time("at", v.At)
	c.json("body", v.Body)
	if len(v.Body) == 0 {
		c.add("body", "is empty")
	}
	if len(v.Body) > BodyMax {
		return fault.Newf(fault.TooLarge, "%d bytes are more than %d", len(v.Body), BodyMax)
	}
	if err := CheckSource(v.Source); err != nil {
		return err
	}
	return c.result(strings.TrimSpace("the " + shorten(v.Kind) + " " + shorten(v.Name)))
}

// CheckSource validates the source of a document.
func CheckSource(source []byte) error {
	switch {
	case len(source) > port.SourceMax:
		return fault.Newf(fault.TooLarge, "a source of %d bytes is larger than %d", len(source), port.SourceMax)
	case !utf8.Valid(source) || bytes.IndexByte(source, 0) >= 0:
		return fault.New(fault.Invalid, "a source must be text without NUL", "")
	}
	return nil
}

// CheckStatuses limits a query's list of words.
func CheckStatuses(n int) error {
	if n > AskedMax {
		return fault.Newf(fault.Invalid, "%d values to choose from are more than %d", n, AskedMax)
	}
	return nil
}

// CheckRuns limits a query.
func CheckRuns(q *port.RunQuery) error {
	if len(q.Label) > LabelsMax {
		return fault.Newf(fault.Invalid, "%d labels are more than %d", len(q.Label), LabelsMax)
	}
	return CheckStatuses(len(q.Status))
}

// Statuses returns the distinct statuses as text.
func Statuses(list []run.Status) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, string(s))
	}
	return Distinct(out)
}
