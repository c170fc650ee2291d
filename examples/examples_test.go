// Package examples_test loads the examples, alone and together, and runs each of them to its end on the real
// engine, with decisions from a table.
package examples_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// story is one course of a run.
type story struct {
	name    string
	example string // directory and workflow
	input   string // file; input.json if empty
	hurry   []string
	answers []answer

	asked        []string
	status       run.Status // completed if empty
	output       string
	skipped      []string
	events       map[string]int
	deliverables []string
	check        func(t *testing.T, c course)
}

func says(act gate.Act) gate.Answer { return gate.Answer{Act: act} }

func rejects(why string) gate.Answer { return gate.Answer{Act: gate.Reject, Comment: why} }

func changes(patch string) gate.Answer {
	return gate.Answer{Act: gate.Modify, Changes: json.RawMessage(patch)}
}

func submits(data string) gate.Answer {
	return gate.Answer{Act: gate.Submit, Data: json.RawMessage(data)}
}

func chooses(option string) gate.Answer { return gate.Answer{Act: gate.Choose, Option: option} }

func sendsBack(why string) gate.Answer { return gate.Answer{Act: gate.RequestRevision, Comment: why} }

var stories = []story{
	{
		name: "one person starts and approves", example: "refund-email",
		answers: []answer{{at: "refund_review", by: starter, says: says(gate.Approve)}},
		asked:   []string{"refund_review: approval of support_lead"},
		output:  `{"amount":89.50,"refund":"RF-5501-1","sent_to":"customer-1042@example.com","message_id":"<refund-1@example.com>"}`,
		check: func(t *testing.T, c course) {
			a := c.approvals[0]
			if a.Risk.Level != risk.High || a.Confidence == nil || *a.Confidence != 0.87 || a.Reasoning == "" ||
				a.Description == "" || len(a.Action.ArgsSchema) == 0 || a.SoFar == "" {
				t.Errorf("the approval is not rich enough: %+v", a.Request)
			}
			if v, _ := value.Get(a.Show, "order.customer"); string(v) != `"customer 1042"` {
				t.Errorf("it shows %s", a.Show)
			}
		},
	},
	{
		name: "changed before it is sent", example: "refund-email",
		answers: []answer{
			{at: "refund_review", by: holder("support_lead"), says: changes(`{"amount":-5}`), refused: fault.Invalid},
			{at: "refund_review", by: holder("support_lead"), says: changes(`{"amount":80,"subject":"We are sorry"}`)},
		},
		asked:  []string{"refund_review: approval of support_lead"},
		output: `{"amount":80,"refund":"RF-5501-1","sent_to":"customer-1042@example.com","message_id":"<refund-1@example.com>"}`,
	},
	{
		name: "another draft, then no", example: "refund-email",
		answers: []answer{
			{at: "refund_review", by: holder("stranger"), says: says(gate.Approve), refused: fault.Forbidden},
			{at: "refund_review", by: holder("support_lead"),
				says: sendsBack("shorter, and say what becomes of the headphones")},
			{at: "refund_review", by: holder("support_lead"), says: rejects("they were bought elsewhere")},
		},
		asked:  []string{"refund_review: approval of support_lead", "refund_review: approval of support_lead"},
		status: run.Cancelled,
		check: func(t *testing.T, c course) {
			if first, second := c.approvals[0].Proposed, c.approvals[1].Proposed; value.Equal(first, second) {
				t.Errorf("the second draft is the first: %s", second)
			}
			if c.steps["pay"] == run.DoneStep || c.steps["send"] == run.DoneStep {
				t.Errorf("it was paid or sent all the same: %v", c.steps)
			}
		},
	},
	{
		name: "a high amount needs two others", example: "refund-email", input: "input-high.json",
		answers: []answer{
			{at: "refund_review", by: starter, says: says(gate.Approve)},
			{at: "High-value refunds", by: starter, says: says(gate.Approve), refused: fault.Forbidden},
			{at: "High-value refunds", by: holder("finance", 1), says: says(gate.Approve)},
			{at: "High-value refunds", by: holder("finance", 1), says: says(gate.Approve), refused: fault.Conflict},
			{at: "High-value refunds", by: holder("finance", 2), says: says(gate.Approve)},
		},
		asked:  []string{"refund_review: approval of support_lead", "High-value refunds: approval of 2 × finance"},
		output: `{"amount":2400.00,"refund":"RF-7720-1","sent_to":"customer-2077@example.com","message_id":"<refund-1@example.com>"}`,
		events: map[string]int{"approval.auto_approved": 1}, // the order was read
	},
	{
		name: "instructions need nobody, and a network failure is tried again", example: "ticket-triage",
		input:   "input-low.json",
		output:  `{"state":"solved","message":"We have sent you instructions."}`,
		skipped: []string{"account", "act"},
		events:  map[string]int{"step.retrying": 1},
	},
	{
		name: "a password reset is approved", example: "ticket-triage",
		answers: []answer{{at: "act_review", by: holder("it_lead"), says: says(gate.Approve)}},
		asked:   []string{"act_review: approval of it_lead"},
		output:  `{"state":"solved","message":"Your password was reset; a link is in your private mailbox."}`,
		skipped: []string{"device", "guide"},
	},
	{
		name: "a password reset is rejected and the run goes on", example: "ticket-triage",
		answers: []answer{{at: "act_review", by: holder("it_lead"), says: rejects("call them first")}},
		asked:   []string{"act_review: approval of it_lead"},
		output:  `{"state":"handed over","message":"A colleague will call you about your ticket."}`,
		skipped: []string{"act", "device", "guide"},
	},
	{
		name: "nobody answers about a password reset", example: "ticket-triage", hurry: []string{"act_review"},
		asked:   []string{"act_review: approval of it_lead"},
		output:  `{"state":"handed over","message":"A colleague will call you about your ticket."}`,
		skipped: []string{"act", "device", "guide"},
		events:  map[string]int{"approval.timed_out": 1},
	},
	{
		name: "deleting an account needs two roles", example: "ticket-triage", input: "input-delete.json",
		answers: []answer{
			{at: "delete_review", by: starter, says: says(gate.Approve), refused: fault.Forbidden},
			{at: "delete_review", by: holder("it_lead", 1), says: says(gate.Approve)},
			// that seat is taken
			{at: "delete_review", by: holder("it_lead", 2), says: says(gate.Approve), refused: fault.Conflict},
			{at: "delete_review", by: holder("security"), says: says(gate.Approve)},
		},
		asked:   []string{"delete_review: approval of it_lead and security"},
		output:  `{"state":"solved","message":"The account is deleted."}`,
		skipped: []string{"device", "guide"},
	},
	{
		name: "an agent that is not sure gets help", example: "ticket-triage", input: "input-unclear.json",
		answers: []answer{{at: "low_confidence at propose", by: starter, says: rejects("they mean the shared drive")}},
		asked:   []string{"low_confidence at propose: approval of anybody"},
		output:  `{"state":"solved","message":"We have sent you instructions."}`,
		skipped: []string{"account", "act", "device"},
		events:  map[string]int{"step.revised": 1},
	},
	{
		name: "a plain claim", example: "claims-triage",
		answers: []answer{
			{at: "pre_review", by: holder("reviewer"), says: says(gate.Approve)},
			{at: "final_approval", by: holder("approver"), says: says(gate.Approve)},
		},
		asked:   []string{"pre_review: approval of reviewer", "final_approval: approval of approver"},
		output:  `{"recommendation":"pay","reason":"covered and plausible"}`,
		skipped: []string{"investigate"},
	},
	{
		name: "a claim is refused before anything runs", example: "claims-triage",
		answers: []answer{{at: "pre_review", by: holder("reviewer"), says: rejects("a duplicate")}},
		asked:   []string{"pre_review: approval of reviewer"},
		status:  run.Cancelled,
		check: func(t *testing.T, c course) {
			if c.events["step.started"] > 0 {
				t.Errorf("steps ran: %v", c.events)
			}
		},
	},
	{
		name: "missing data is added, and the report is revised", example: "claims-triage", input: "input-incomplete.json",
		answers: []answer{
			{at: "pre_review", by: holder("reviewer"), says: says(gate.Approve)},
			{at: "data_correction", by: holder("claims_adjuster"), says: submits(`{"incident_date":"last week"}`),
				refused: fault.Invalid},
			{at: "data_correction", by: holder("claims_adjuster"), says: submits(`{"incident_date":"2025-12-15"}`)},
			{at: "final_approval", by: holder("approver"), says: sendsBack("Need additional severity analysis")},
			{at: "final_approval", by: holder("approver"), says: says(gate.Approve)},
		},
		asked: []string{
			"pre_review: approval of reviewer", "data_correction: input of claims_adjuster",
			"final_approval: approval of approver", "final_approval: approval of approver",
		},
		output:  `{"recommendation":"pay","reason":"severe damage with a repair quote"}`,
		skipped: []string{"investigate"},
		events:  map[string]int{"step.revised": 1},
	},
	{
		name: "fraud is confirmed", example: "claims-triage", input: "input-high.json",
		answers: []answer{
			{at: "pre_review", by: holder("reviewer"), says: says(gate.Approve)},
			{at: "data_correction", by: holder("claims_adjuster"), says: submits(`{"policy_id":"POL-9"}`)},
			{at: "fraud_review", by: holder("approver"), says: chooses("confirm_fraud"), refused: fault.Forbidden},
			{at: "fraud_review", by: holder("fraud_investigator"), says: chooses("confirm_fraud")},
			{at: "final_approval", by: holder("approver"), says: says(gate.Approve)},
		},
		asked: []string{
			"pre_review: approval of reviewer", "data_correction: input of claims_adjuster",
			"fraud_review: choice of fraud_investigator", "final_approval: approval of approver",
		},
		output:  `{"recommendation":"decline","reason":"fraud confirmed by an investigator"}`,
		skipped: []string{"investigate"},
	},
	{
		name: "a closer look at the claim", example: "claims-triage", input: "input-high.json",
		answers: []answer{
			{at: "pre_review", by: holder("reviewer"), says: says(gate.Approve)},
			{at: "data_correction", by: holder("claims_adjuster"), says: submits(`{"policy_id":"POL-9"}`)},
			{at: "fraud_review", by: holder("fraud_investigator"), says: chooses("needs_investigation")},
			{at: "investigate", by: holder("fraud_investigator"), says: says(gate.Approve)},
			{at: "final_approval", by: holder("approver"), says: says(gate.Approve)},
		},
		asked: []string{
			"pre_review: approval of reviewer", "data_correction: input of claims_adjuster",
			"fraud_review: choice of fraud_investigator", "investigate: escalation of fraud_investigator",
			"final_approval: approval of approver",
		},
		output: `{"recommendation":"pay","reason":"covered and plausible"}`,
	},
	{
		name: "nobody answers in time: approved, then taken for a false positive", example: "claims-triage",
		input: "input-high.json",
		hurry: []string{"pre_review", "fraud_review"},
		answers: []answer{
			{at: "data_correction", by: holder("claims_adjuster"), says: submits(`{"policy_id":"POL-9"}`)},
			{at: "final_approval", by: holder("approver"), says: says(gate.Approve)},
		},
		asked: []string{
			"pre_review: approval of reviewer", "data_correction: input of claims_adjuster",
			"fraud_review: choice of fraud_investigator", "final_approval: approval of approver",
		},
		output:  `{"recommendation":"pay","reason":"covered and plausible"}`,
		skipped: []string{"investigate"},
		events:  map[string]int{"approval.timed_out": 2},
	},
	{
		name: "a report is revised and published", example: "research",
		answers: []answer{
			{at: "sign_off", by: holder("editor"), says: sendsBack("begin with what to do")},
			{at: "sign_off", by: holder("editor"), says: changes(`{"title":"When to repeat a request"}`)},
		},
		asked:  []string{"sign_off: approval of editor", "sign_off: approval of editor"},
		output: `{"url":"https://example.com/reports/requests-that-can-be-repeated","signed_off_by":"editor"}`,
		events: map[string]int{"step.revised": 1, "element.completed": 4, "step.retrying": 1},
		deliverables: []string{"report.md (document, draft)", "sources.csv (data, draft)", "report.md (document, draft)",
			"Published report (document, final)"},
		check: func(t *testing.T, c course) {
			if first, second := c.approvals[0].Proposed, c.approvals[1].Proposed; value.Equal(first, second) {
				t.Errorf("the second draft is the first: %s", second)
			}
		},
	},
	{
		name: "a report is not published", example: "research",
		answers:      []answer{{at: "sign_off", by: holder("editor"), says: rejects("we have one on this already")}},
		asked:        []string{"sign_off: approval of editor"},
		status:       run.Cancelled,
		deliverables: []string{"report.md (document, draft)", "sources.csv (data, draft)"}, // work is kept
	},
}

func TestStories(t *testing.T) {
	whole := openDesk(t, load(t, "."))
	for _, s := range stories {
		for how, d := range map[string]*desk{"together": whole, "alone": nil} {
			t.Run(s.example+"/"+s.name+"/"+how, func(t *testing.T) {
				if d == nil {
					d = openDesk(t, load(t, s.example))
				}
				own := *d
				own.T = t
				own.tell(s)
			})
		}
	}
}

// tell plays a story and compares.
func (d *desk) tell(s story) {
	file, status := "input.json", run.Completed
	if s.input != "" {
		file = s.input
	}
	if s.status != "" {
		status = s.status
	}
	c := d.play(d.define(s.example, s.hurry), read(d.T, filepath.Join(s.example, file)), s.answers)
	if c.status != status {
		d.Fatalf("the run is %s (%+v), want %s", c.status, c.err, status)
	}
	if !slices.Equal(c.asked, s.asked) {
		d.Errorf("asked:\n  %s\nwant:\n  %s", strings.Join(c.asked, "\n  "), strings.Join(s.asked, "\n  "))
	}
	if s.output != "" && !value.Equal(json.RawMessage(c.output), json.RawMessage(s.output)) {
		d.Errorf("output %s, want %s", c.output, s.output)
	}
	var skipped []string
	for _, id := range slices.Sorted(maps.Keys(c.steps)) {
		if c.steps[id] == run.SkippedStep {
			skipped = append(skipped, id)
		}
	}
	if status == run.Completed && !slices.Equal(skipped, s.skipped) {
		d.Errorf("skipped %v, want %v", skipped, s.skipped)
	}
	for kind, n := range s.events {
		if c.events[kind] != n {
			d.Errorf("%d × %s, want %d", c.events[kind], kind, n)
		}
	}
	if !slices.Equal(c.deliverables, s.deliverables) {
		d.Errorf("deliverables %q, want %q", c.deliverables, s.deliverables)
	}
	if s.check != nil {
		s.check(d.T, c)
	}
}

// TestPolicy evaluates the policy directly on subjects that no example has.
func TestPolicy(t *testing.T) {
	set, problems := policy.Compile(load(t, "refund-email").Policy.Document, time.LoadLocation)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for want, sub := range map[string]policy.Subject{
		"ask High-value refunds":     {Operation: "refund", Risk: risk.High, Data: json.RawMessage(`{"amount":1000.01}`)},
		" ":                          {Operation: "refund", Risk: risk.High, Data: json.RawMessage(`{"amount":1000}`)},
		"deny Data is never dropped": {Operation: "drop_table"},
		"approve Safe reads":         {Operation: "query", Risk: risk.Low},
	} {
		v := set.Judge(time.Now(), sub)
		if got := fmt.Sprint(v.Effect, " ", v.Rule); got != want {
			t.Errorf("%s on %s: %q, want %q", sub.Operation, sub.Data, got, want)
		}
	}
}

// TestEveryInput: no input is unused, and each workflow has the one its directory is named after.
func TestEveryInput(t *testing.T) {
	used := map[string]bool{}
	for _, s := range stories {
		file := "input.json"
		if s.input != "" {
			file = s.input
		}
		used[filepath.Join(s.example, file)] = true
	}
	for example := range risky { // covered by their own tests
		used[filepath.Join(example, "input.json")] = true
	}
	used["adaptive-files/input.json"] = true // likewise
	files, err := filepath.Glob("*/input*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if !used[f] {
			t.Errorf("no story uses %s", f)
		}
	}
	set := load(t, ".")
	folders, _ := filepath.Glob("*/*.yaml")
	for _, f := range folders {
		if name := filepath.Dir(f); set.Workflows[name] == nil {
			t.Errorf("the folder %s has no workflow of that name", name)
		}
	}
}

// TestSubjects: every workflow has a subject, and every input fills it in, so that rows of a list are
// distinguishable.
func TestSubjects(t *testing.T) {
	set := load(t, ".")
	files, _ := filepath.Glob("*/input*.json")
	seen := map[string]string{}
	for _, f := range files {
		input, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		about, err := phrase.Parse(set.Workflows[filepath.Dir(f)].Subject)
		if err != nil {
			t.Fatal(err)
		}
		subject := about.Fill(func(p value.Path) (json.RawMessage, bool) { return value.Get(input, p...) })
		if subject == "" || strings.Contains(subject, "?") && !strings.Contains(string(input), "?") || seen[subject] != "" {
			t.Errorf("%s is about %q, as is %q", f, subject, seen[subject])
		}
		seen[subject] = f
	}
}
