package notify

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
)

// Sheet is what a message is composed for.
type Sheet struct {
	Event Event
	Key   string
	At    time.Time
	Room  Room
	Edits bool           // the channel can replace the message
	Zone  *time.Location // nil: UTC
	// Paused reports that the run is paused.
	Paused bool
	Link   string // of the page
	// Rule is the address of the page where the rule that approved can be disabled.
	Rule string
	// Whole reports that the recipient reads all of the approval; otherwise there are no details and no acts.
	Whole bool
}

// Texts longer than this are cut where they are not decided on.
const (
	lineMax = 200
	textMax = 600
	actsMax = 6
)

// Compose writes the message about an approval, as its recipient sees it. What is decided on is in Details, whole, or
// Details are empty: then it is decided on the page. Acts are offered only if everything decided on is in the message.
func Compose(v view.Approval, s Sheet) Message {
	m := Message{Key: s.Key, Event: s.Event, At: s.At, Thread: v.ID, Run: v.Run, Workflow: v.Workflow, Approval: v.ID,
		Version: v.Version, Title: title(v, s.Event), About: line(v.Title), Text: text(v, s), Open: s.Link,
		Settled: v.Status != gate.Pending, Data: data(v, s), Facts: facts(v, s), Due: due(v, s)}
	if v.Status == gate.AutoApproved && s.Rule != "" {
		m.Links = []Link{{"Disable this rule", s.Rule}}
	}
	uncut := trim(&m)
	details, whole := details(v)
	if s.Whole && whole && (!v.Masked || mutant.Is(mutant.MaskedShown)) && fits(details, s.Room) {
		m.Details = details
		if uncut && decidable(v, s) {
			m.Acts = acts(v, s.Room)
		}
	}
	return m
}

// trim cuts the texts of a message, and reports whether nothing had to be cut.
func trim(m *Message) (uncut bool) {
	uncut = true
	lined := func(s string) string {
		uncut = uncut && len(oneLine(s)) <= lineMax
		return line(s)
	}
	m.Title = lined(m.Title)
	for i := range m.Facts {
		m.Facts[i].Value = lined(m.Facts[i].Value)
	}
	uncut = uncut && len(visible(m.Text)) <= textMax
	m.Text = cut(m.Text, textMax)
	return uncut
}

// decidable reports whether decisions may be taken in a message that shows everything.
func decidable(v view.Approval, s Sheet) bool {
	shown := append([]string{v.Title, v.Description, v.Subject, v.IfDenied, v.Action.Tool, v.Action.Operation},
		v.Risk.Reasons...)
	for _, o := range v.Options {
		shown = append(shown, o.Value, o.Label, o.Description)
	}
	return s.Edits && s.Room.Acts && v.Status == gate.Pending && v.Kind != gate.KindInput &&
		v.Risk.Level != risk.Critical && len(v.Changed) == 0 &&
		value.KindOf(v.InputSchema) <= value.Null && !slices.ContainsFunc(shown, func(s string) bool { return !plain(s) })
}

// acts are the decisions that need no more than a comment, or changes that fit into a dialog.
func acts(v view.Approval, room Room) (out []Act) {
	has := func(a gate.Act) bool { return slices.Contains(v.Acts, a) }
	if has(gate.Choose) && len(v.Options) <= actsMax-2 {
		for _, o := range v.Options {
			label := o.Label
			if label == "" {
				label = o.Value
			}
			out = append(out, Act{Act: gate.Choose, Label: line(label), Option: o.Value})
		}
	}
	if has(gate.Approve) {
		out = append(out, Act{Act: gate.Approve, Label: "Approve"})
	}
	if has(gate.Modify) && room.Edits && Editable(v.Proposed) {
		out = append(out, Act{Act: gate.Modify, Label: "Edit"})
	}
	if has(gate.Reject) {
		out = append(out, Act{Act: gate.Reject, Label: "Reject", Comment: true, Danger: true})
	}
	if has(gate.RequestRevision) {
		out = append(out, Act{Act: gate.RequestRevision, Label: "Request changes", Comment: true})
	}
	return out
}

// Limits of a dialog for changes.
const (
	editFields = 10
	editText   = 3000
)

// Editable reports whether a dialog can show a proposal for changes: all of its members, if they are few and simple.
func Editable(proposed json.RawMessage) bool {
	n := 0
	for name, v := range value.Members(proposed) {
		text := string(v)
		switch value.KindOf(v) {
		case value.String:
			text, _ = value.Text(v)
		case value.Number, value.Bool:
		default:
			return false
		}
		if n++; n > editFields || len(text) > editText || strings.TrimSpace(name) == "" || strings.Contains(text, "\r") {
			return false
		}
	}
	return n > 0 && value.KindOf(proposed) == value.KindObject
}

// title is the first line.
func title(v view.Approval, e Event) string {
	switch {
	case v.Status != gate.Pending && e == ApprovalAutoApproved:
		return "Approved automatically: " + v.Title
	case v.Status != gate.Pending:
		return settledWord(v) + ": " + v.Title
	case e == ApprovalReminder:
		return "Reminder: " + v.Title
	case e == ApprovalEscalated:
		return "Escalated to you: " + v.Title
	case e == ApprovalTimedOut:
		return "Timed out: " + v.Title
	}
	return "Approval required: " + v.Title
}

func settledWord(v view.Approval) string {
	word := map[gate.Status]string{gate.Approved: "Approved", gate.Modified: "Approved with changes",
		gate.Rejected: "Rejected", gate.Chosen: "Decided", gate.Submitted: "Submitted",
		gate.RevisionRequested: "Changes requested", gate.TimedOut: "Timed out", gate.Cancelled: "Cancelled",
		gate.AutoApproved: "Approved automatically"}[v.Status]
	if word == "" {
		return "Closed"
	}
	return word
}

// text is a sentence or two.
func text(v view.Approval, s Sheet) string {
	if v.Status != gate.Pending {
		return outcome(v)
	}
	out := v.Description
	if s.Event == ApprovalTimedOut {
		return strings.TrimSpace(late(v, s) + "\n" + out)
	}
	if out == "" && v.Agent != "" {
		out = v.Agent + " is waiting for a decision."
	} else if out == "" {
		out = "Waiting for a decision."
	}
	return out
}

// due is by when an approval is to be decided; empty: whenever, or it is too late.
func due(v view.Approval, s Sheet) string {
	if v.Status != gate.Pending || s.Event == ApprovalTimedOut || v.DeadlineAt == nil || v.DeadlineAt.IsZero() {
		return ""
	}
	return "Decide before " + clock(*v.DeadlineAt, s.Zone) + "."
}

// late says what follows from a deadline after which an approval stays open.
func late(v view.Approval, s Sheet) string {
	out := "No decision"
	if !v.RequestedAt.IsZero() && s.At.After(v.RequestedAt) {
		out += " in " + lasts(s.At.Sub(v.RequestedAt))
	}
	if s.Paused {
		return out + ", so the run is paused. It continues once this is decided."
	}
	return out + ". The approval stays open."
}

// outcome says who decided what.
func outcome(v view.Approval) string {
	word := settledWord(v)
	o := v.Outcome
	switch {
	case o == nil:
		return word + "."
	case o.Status == gate.TimedOut && o.Act != "":
		return "Timed out. The default was used: " + string(o.Act) + "."
	case o.Status == gate.AutoApproved || v.Status == gate.AutoApproved:
		why := word + "."
		if v.Rule != nil {
			why = fmt.Sprintf("The rule %q approved this. No action is required.", v.Rule.Name)
		}
		return why
	case o.By == "":
		return word + "."
	}
	out := word + " by " + o.By
	if o.Option != "" {
		out += ": " + o.Option
	}
	if o.Comment != "" {
		return out + ". “" + o.Comment + "”"
	}
	return out + "."
}

func facts(v view.Approval, s Sheet) (out []Fact) {
	add := func(label, text string) {
		if text != "" {
			out = append(out, Fact{label, text})
		}
	}
	add("Workflow", v.Workflow)
	add("Subject", v.Subject)
	add("Agent", v.Agent)
	add("Tool", v.Action.Tool)
	if v.Action.Operation != v.Action.Tool {
		add("Operation", v.Action.Operation)
	}
	if v.CostUSD != nil && *v.CostUSD != "" {
		add("Estimated cost", *v.CostUSD+" USD")
	}
	if v.Risk.Level != "" {
		add("Risk", string(v.Risk.Level))
	}
	if v.Status == gate.Pending {
		add("Reasons", strings.Join(v.Risk.Reasons, "; "))
	}
	if v.Confidence != nil {
		add("Confidence", strconv.Itoa(int(*v.Confidence*100))+" %")
	}
	add("Requested by", v.Requester)
	if v.Status == gate.Pending && v.Quorum.Needed > 1 {
		add("Approvals", fmt.Sprintf("%d of %d", v.Quorum.Given, v.Quorum.Needed))
	}
	if v.Status == gate.Pending && v.DeadlineAt != nil && !v.DeadlineAt.IsZero() {
		add("Deadline", clock(*v.DeadlineAt, s.Zone))
	}
	if v.Status == gate.Pending {
		add("If you reject", v.IfDenied)
	}
	if v.Status == gate.AutoApproved && v.Rule != nil {
		for _, c := range conditions(v.Rule) {
			add("Condition", c+" ✓")
		}
	}
	return out
}

// conditions are those of the rule that approved, each in words with the value that met it. The policy writes them as
// one sentence, with texts quoted; one that was cut within a text is not taken apart.
func conditions(r *gate.Rule) (out []string) {
	all, ok := strings.CutPrefix(strings.TrimSuffix(r.Reason, "."), fmt.Sprintf("Rule %q approves: ", r.Name))
	if !ok || all == "" {
		return nil
	}
	quoted, escaped, depth, from := false, false, 0, 0
	for i, c := range all {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ',' && depth == 0 && strings.HasPrefix(all[i:], ", "):
			out, from = append(out, all[from:i]), i+2
		}
	}
	if quoted || depth != 0 {
		return []string{all}
	}
	return append(out, all[from:])
}

func clock(t time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format("2 Jan 2006 15:04 MST")
}

// details are what is decided on. They are not whole if a part cannot be shown as it is.
func details(v view.Approval) (out []Detail, whole bool) {
	whole = true
	add := func(label string, raw json.RawMessage) {
		if value.KindOf(raw) <= value.Null {
			return
		}
		if value.KindOf(raw) != value.KindObject {
			out = append(out, Detail{label, written(raw, 0)})
			return
		}
		empty := true
		for key, val := range value.Members(raw) {
			empty = false
			name := key
			if label != "" {
				name = label + " · " + key
			}
			out = append(out, Detail{name, written(val, 0)})
		}
		if empty {
			out = append(out, Detail{label, "{}"})
		}
	}
	add("", v.Proposed)
	add("Supporting data", v.Show)
	for _, o := range v.Options {
		out = append(out, Detail{"Option " + o.Value, strings.TrimSpace(o.Label + "\n" + o.Description)})
	}
	for _, d := range out {
		whole = whole && plain(d.Label) && plain(d.Text)
	}
	return out, whole
}

// written is a value as people read it: every text, number and key in it, as it is.
func written(raw json.RawMessage, depth int) string {
	indent := strings.Repeat("  ", depth)
	switch value.KindOf(raw) {
	case value.String:
		s, _ := value.Text(raw)
		return s
	case value.KindObject:
		var b strings.Builder
		for key, val := range value.Members(raw) {
			b.WriteString("\n" + indent + key + ": " + nested(val, depth+1))
		}
		if b.Len() == 0 {
			return "{}"
		}
		return strings.TrimPrefix(b.String(), "\n")
	case value.KindArray:
		var b strings.Builder
		for _, val := range value.Elements(raw) {
			b.WriteString("\n" + indent + "- " + nested(val, depth+1))
		}
		if b.Len() == 0 {
			return "[]"
		}
		return strings.TrimPrefix(b.String(), "\n")
	}
	return string(raw)
}

func nested(raw json.RawMessage, depth int) string {
	out := written(raw, depth)
	if k := value.KindOf(raw); (k == value.KindObject || k == value.KindArray) && strings.ContainsAny(out, ":-") {
		return "\n" + out
	}
	return out
}

// fits reports whether details have room.
func fits(all []Detail, room Room) bool {
	sum := 0
	part := room.Part
	if part == 0 {
		part = room.Details
	}
	for _, d := range all {
		n := len(d.Label) + len(d.Text)
		if sum += n; n > part {
			return false
		}
	}
	return sum <= room.Details && (room.Parts == 0 || len(all) <= room.Parts)
}

// plain reports whether people see a text as it is: nothing in it is invisible, changes the direction of what follows,
// or is so far apart that the rest is overlooked.
func plain(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	blank, lines := 0, 0
	for _, r := range s {
		switch {
		case r == '\n':
			blank, lines = 0, lines+1
		case r == ' ' || r == '\t':
			blank++
		case r == utf8.RuneError, unicode.IsControl(r),
			unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp),
			unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r),
			unicode.Is(unicode.Bidi_Control, r), unicode.IsSpace(r):
			return false
		default:
			blank, lines = 0, 0
		}
		if blank > 100 || lines > 10 {
			return false
		}
	}
	return true
}

// line is one line without characters that people do not see, cut.
func line(s string) string { return cut(oneLine(s), lineMax) }

// oneLine is line before it is cut.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(visible(s), unicode.IsSpace), " ")
}

// visible leaves out characters that people do not see.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsSpace(r) && !plain(string(r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

func cut(s string, most int) string { return phrase.ClipValid(visible(s), most) }

// dataMax is how much of a proposal programs are sent.
const dataMax = 8 << 10

// data is the payload for programs.
func data(v view.Approval, s Sheet) json.RawMessage {
	type outcome struct {
		Status gate.Status `json:"status"`
		Act    gate.Act    `json:"act,omitempty"`
		By     string      `json:"by,omitempty"`
		At     time.Time   `json:"at"`
	}
	out := struct {
		Approval    string          `json:"approval"`
		Run         string          `json:"run"`
		Workflow    string          `json:"workflow"`
		Step        string          `json:"step,omitempty"`
		Agent       string          `json:"agent,omitempty"`
		Title       string          `json:"title"`
		Kind        gate.Kind       `json:"kind"`
		Status      gate.Status     `json:"status"`
		Version     int             `json:"version"`
		Risk        risk.Level      `json:"risk,omitempty"`
		RequestedAt time.Time       `json:"requested_at"`
		DeadlineAt  *time.Time      `json:"deadline_at,omitempty"`
		Proposed    json.RawMessage `json:"proposed,omitempty"`
		Outcome     *outcome        `json:"outcome,omitempty"`
		Rule        string          `json:"rule,omitempty"`
		RuleURL     string          `json:"rule_url,omitempty"`
		URL         string          `json:"url"`
	}{v.ID, v.Run, v.Workflow, v.Step, v.Agent, line(v.Title), v.Kind, v.Status, v.Version, v.Risk.Level, v.RequestedAt,
		v.DeadlineAt, nil, nil, "", s.Rule, s.Link}
	if v.Rule != nil {
		out.Rule = v.Rule.Name
	}
	if s.Whole && !v.Masked && len(v.Proposed) <= dataMax && json.Valid(v.Proposed) {
		out.Proposed = v.Proposed
	}
	if v.Outcome != nil {
		out.Outcome = &outcome{v.Outcome.Status, v.Outcome.Act, v.Outcome.By, v.Outcome.At}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return raw
}
