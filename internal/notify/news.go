package notify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/run"
)

// News is an event of a run as its recipient may see it: what is masked for anyone is masked in it.
type News struct {
	Fact      run.Fact
	By        run.Actor // of the event
	Subject   string    // of the run; empty: it has none
	Status    run.Status
	Done, All int // steps
	StartedAt time.Time
	CostUSD   string
}

// errorMax is how much of an error a message contains, in bytes.
const errorMax = 200

// ComposeNews writes the message about an event of a run: what happened, why, and what to do about it.
func ComposeNews(n News, m Message, zone *time.Location) Message {
	what := cmp.Or(line(n.Subject), m.Workflow)
	about := newsData{Run: m.Run, Workflow: m.Workflow, Subject: line(n.Subject), URL: m.Open}
	m.Settled, m.Facts = true, []Fact{{"Workflow", line(m.Workflow)}, {"Run", m.Run}}
	add := func(label, text string) {
		if text = line(text); text != "" {
			m.Facts = append(m.Facts, Fact{label, text})
		}
	}
	switch f := n.Fact.(type) {
	case *run.RunCompleted:
		m.Title, m.Text = "Completed: "+what, "The run completed."
		if n.All > 0 {
			add("Steps", fmt.Sprintf("%d of %d", n.Done, n.All))
		}
		add("Duration", n.lasted(m.At))
		if n.CostUSD != "" && n.CostUSD != "0" {
			add("Cost", n.CostUSD+" USD")
		}
	case *run.RunFailed:
		m.Title, m.Text = "Failed: "+what, paragraphs(failed(&f.Error), n.next(&f.Error))
		add("Agent", f.Error.Agent)
		add("Step", stepOf(&f.Error))
		if f.Error.Try > 1 {
			add("Attempts", fmt.Sprint(f.Error.Try))
		}
		if f.Error.Child != nil {
			add("Sub-run", f.Error.Child.Run)
		}
		add("Failed", clock(m.At, zone))
		add("Duration", n.lasted(m.At))
		about.Error = &newsError{f.Error.Code, brief(f.Error.Message), f.Error.Step, f.Error.Agent, f.Error.StepIndex,
			f.Error.StepCount, f.Error.Try}
	case *run.RunLimitReached:
		used := spent(f.Agent, f.Step, f.Limit, f.Current, f.Max)
		m.Title = "Stopped at a limit: " + what
		m.Text = paragraphs(used, n.next(&run.Failure{Code: limitReached}))
		add("Agent", f.Agent)
		add("Step", f.Step)
		add("Stopped", clock(m.At, zone))
		add("Duration", n.lasted(m.At))
		about.Error = &newsError{Code: limitReached, Message: used, Step: f.Step, Agent: f.Agent}
		about.Limit = limitOf(f.Limit, f.Current, f.Max, 0)
	case *run.RunPaused:
		m.Title, about.Reason = "Paused: "+what, brief(f.Reason)
		why := "The run was paused."
		if n.By.Kind == run.Person {
			why = line(n.By.Name) + " paused the run."
			if r := brief(f.Reason); r != "" {
				why = sentence(line(n.By.Name) + " paused the run: " + r)
			}
		} else if r := brief(f.Reason); r != "" {
			why = sentence(upper(r))
		}
		m.Text = paragraphs(why, n.resumed("Nothing continues until you resume the run."))
		if n.All > 0 {
			add("Steps", fmt.Sprintf("%d of %d", n.Done, n.All))
		}
		add("Paused", clock(m.At, zone))
	case *run.DeliverableCreated:
		d := &f.Deliverable
		made := "The run created a deliverable."
		m.Title = "New deliverable: " + cmp.Or(line(d.Name), what)
		if d.Update {
			made, m.Title = "The run created a new version of a deliverable.", "New version: "+cmp.Or(line(d.Name), what)
		}
		m.Text = cmp.Or(cut(d.Description, textMax), made)
		add("Subject", n.Subject)
		add("Agent", f.Agent)
		add("Step", f.Step)
		add("Type", d.Type)
		about.Deliverable = &newsDeliverable{d.ID, line(d.Name), d.Type, f.Step, f.Agent}
	case *run.LimitWarning:
		m.Title = "Close to a limit: " + what
		m.Text = paragraphs(spent(f.Agent, f.Step, f.Limit, f.Current, f.Max),
			n.resumed("At the limit the agent stops, or asks for more if its settings say so. Results are kept."))
		add("Agent", f.Agent)
		add("Step", f.Step)
		if f.Percentage > 0 {
			add("Used", fmt.Sprintf("%d %%", f.Percentage))
		}
		about.Limit = limitOf(f.Limit, f.Current, f.Max, f.Percentage)
	}
	m.Title, m.Text = line(m.Title), cut(m.Text, textMax)
	m.Data, _ = json.Marshal(about) // texts and numbers
	return m
}

const (
	limitReached = "limit_reached"
	rejected     = "rejected"
)

// failed is what went wrong, in a sentence.
func failed(f *run.Failure) string {
	why := brief(f.Message)
	switch {
	case f.Code == rejected && why != "": // it begins with a name, if someone rejected it
		if strings.HasPrefix(why, rejected) {
			why = upper(why)
		}
		return sentence(why)
	case why == "" && f.Step == "":
		return "The run failed."
	case f.Step == "":
		return sentence(upper(why))
	case why == "":
		return "The step " + line(f.Step) + " failed."
	}
	return sentence("The step " + line(f.Step) + " failed: " + why)
}

// next says what is kept and what to do about a run that stopped.
func (n News) next(f *run.Failure) string {
	do := "Open the run to resume it from there, or to start it again."
	switch {
	case f.Code == limitReached:
		do = "Open the run to raise the limit and continue."
	case n.Done == 0 || f.Code == rejected:
		do = "Open the run to see the details, or to start it again."
	}
	switch n.Done {
	case 0:
		return n.resumed(do)
	case 1:
		return n.resumed("The result of 1 completed step is kept. " + do)
	}
	return n.resumed(fmt.Sprintf("The results of %d completed steps are kept. %s", n.Done, do))
}

// resumed is what to do about a run, unless it has continued or ended by now.
func (n News) resumed(do string) string {
	switch n.Fact.(type) {
	case *run.RunFailed:
		if n.Status != run.Failed {
			return "The run has been resumed since."
		}
	case *run.RunLimitReached:
		if n.Status != run.LimitReached {
			return "The run has been resumed since."
		}
	case *run.RunPaused:
		if n.Status != run.Paused {
			return "The run is no longer paused."
		}
	case *run.LimitWarning:
		if n.Status.Ended() {
			return "The run has ended since."
		}
	}
	return do
}

// spent is how much of a limit is used, in a sentence. Logs of earlier releases name the step alone.
func spent(agent, step string, kind run.LimitKind, used, most int64) string {
	who := cmp.Or(line(agent), line(step))
	if most == 0 {
		return fmt.Sprintf("%s has used most of its %s.", who, limitName(kind))
	}
	if used >= most {
		return fmt.Sprintf("%s has used up its %s (%s).", who, limitName(kind), kind.Amount(most))
	}
	return fmt.Sprintf("%s has used %s of its %s (%s).", who, kind.Amount(used), limitName(kind), kind.Amount(most))
}

func limitName(kind run.LimitKind) string {
	switch kind {
	case run.LimitDuration:
		return "time limit"
	case run.LimitCost:
		return "cost limit"
	case run.LimitIterations:
		return "limit of turns"
	}
	return "limit"
}

// stepOf is a step with its place in the run, such as: check (2 of 5).
func stepOf(f *run.Failure) string {
	out := line(f.Step)
	if out != "" && f.Index != nil {
		out += fmt.Sprintf(", element %d", *f.Index+1)
	}
	if out != "" && f.StepIndex > 0 && f.StepCount > 0 {
		out += fmt.Sprintf(" (%d of %d)", f.StepIndex, f.StepCount)
	}
	return out
}

// lasted is how long a run has taken.
func (n News) lasted(until time.Time) string {
	if n.StartedAt.IsZero() || until.Before(n.StartedAt) {
		return ""
	}
	return lasts(until.Sub(n.StartedAt))
}

// lasts is a duration in at most two units.
func lasts(d time.Duration) string {
	two := func(n int64, unit string, m int64, smaller string) string {
		if m == 0 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		return fmt.Sprintf("%d %s %d %s", n, unit, m, smaller)
	}
	tenths := d.Round(100 * time.Millisecond)
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case tenths < 100*time.Millisecond:
		return "less than 0.1 s"
	case tenths < 10*time.Second:
		return fmt.Sprintf("%.1f s", tenths.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return two(s/60, "min", s%60, "s")
	case s < 86400:
		return two(s/3600, "h", s/60%60, "min")
	}
	return two(s/86400, "d", s/3600%24, "h")
}

// brief is an error or a reason on one line.
func brief(s string) string { return cut(oneLine(s), errorMax) }

// sentence ends a text with a full stop.
func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") ||
		strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

func upper(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(first)) + s[size:]
}

func paragraphs(all ...string) string { return strings.Join(all, "\n") }

// The data for programs.
type (
	newsData struct {
		Run         string           `json:"run"`
		Workflow    string           `json:"workflow"`
		Subject     string           `json:"subject,omitempty"`
		Error       *newsError       `json:"error,omitempty"`
		Reason      string           `json:"reason,omitempty"`
		Deliverable *newsDeliverable `json:"deliverable,omitempty"`
		Limit       *newsLimit       `json:"limit,omitempty"`
		URL         string           `json:"url"`
	}
	newsError struct {
		Code      string `json:"code,omitempty"`
		Message   string `json:"message"`
		Step      string `json:"step,omitempty"`
		Agent     string `json:"agent,omitempty"`
		StepIndex int    `json:"step_index,omitempty"`
		StepCount int    `json:"step_count,omitempty"`
		Try       int    `json:"try,omitempty"`
	}
	newsDeliverable struct {
		ID    string `json:"id,omitempty"`
		Name  string `json:"name"`
		Type  string `json:"type,omitempty"`
		Step  string `json:"step,omitempty"`
		Agent string `json:"agent,omitempty"`
	}
	newsLimit struct {
		Kind    run.LimitKind `json:"kind"`
		Used    string        `json:"used,omitempty"`
		Max     string        `json:"max,omitempty"`
		Percent int           `json:"percent,omitempty"`
	}
)

func limitOf(kind run.LimitKind, used, most int64, percent int) *newsLimit {
	if most == 0 {
		return &newsLimit{Kind: kind}
	}
	return &newsLimit{kind, kind.Amount(used), kind.Amount(most), percent}
}
