package show

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// Text from agents must not control the approver's terminal.
func TestCleanTakesTheTeethOut(t *testing.T) {
	for text, want := range map[string]string{
		"plain ü 漢\n\tfine":      "plain ü 漢\n\tfine",
		"\x1b[2Jgone":            `\u001b[2Jgone`,
		"a\rb":                   `a\u000db`,
		"pay \u202e001 only":     `pay \u202e001 only`,
		"\u009b31m":              `\u009b31m`,
		"bell\a":                 `bell\u0007`,
		"\x1b]8;;http://x\x1b\\": `\u001b]8;;http://x\u001b\`,
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestNothingUnsafeReachesTheCard(t *testing.T) {
	evil := "x\x1b[2J\u202ey"
	v := view.Approval{
		ID: "apr_1", Title: evil, Description: evil, Workflow: evil, Step: evil, Reasoning: evil, IfDenied: evil,
		SoFar: evil, Role: evil, Requester: evil,
		Risk: gate.Risk{Level: "high", Reasons: []string{evil}}, Proposed: json.RawMessage(`{"k\u001b":"\u001b[2J\u202e"}`),
		Show:    json.RawMessage(`{"a":"\u001b"}`),
		Options: []gate.Option{{Value: evil, Label: evil, Description: evil}}, Rule: &gate.Rule{Name: evil, Reason: evil},
		Reason:      gate.ReasonRule,
		Decisions:   []gate.Decision{{By: evil, Comment: evil}},
		InputSchema: json.RawMessage(`{"properties":{"\u001b":{"type":"\u001b"}}}`),
	}
	text := strings.Join(Card(v, CardOptions{Theme: Plain(), Width: 60}), "\n")
	if strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("%q", text)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 12 * time.Millisecond: "12 ms", 300 * time.Millisecond: "0.3 s", 12 * time.Second: "12 s",
		125 * time.Second: "2 min 5 s", 2 * time.Hour: "2 h", 26 * time.Hour: "1 d 2 h", 72 * time.Hour: "3 d",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %s, not %s", d, got, want)
		}
	}
}

func TestDeadlineSaysWhatIsAnsweredThen(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := now.Add(2 * time.Hour)
	options := []gate.Option{{Value: "a", Label: "By post"}, {Value: "b"}}
	for _, c := range []struct {
		kind     gate.Kind
		fallback string
		want     string
	}{
		{gate.KindChoice, `"a"`, "in 2 h, then “By post” is chosen"},
		{gate.KindChoice, `"b"`, "in 2 h, then “b” is chosen"},
		{gate.KindInput, `{"amount":3}`, `in 2 h, then the default {"amount":3}`},
		{gate.KindApproval, ``, "in 2 h, then the default"},
	} {
		v := view.Approval{Kind: c.kind, Options: options, DeadlineAt: &at, OnTimeout: gate.ThenDefault,
			Default: json.RawMessage(c.fallback)}
		if got := Deadline(Theme{}, v, now); got != c.want {
			t.Errorf("%s %s: %q, not %q", c.kind, c.fallback, got, c.want)
		}
	}
}

func TestTableFitsTheTerminal(t *testing.T) {
	rows := [][]string{{"1 s", "a long title that has to give way", "apr_1"}, {"12 min", "short", "apr_22"}}
	columns := []Column{{Title: "WAITING", Right: true}, {Title: "TITLE", Min: 8}, {Title: "ID"}}
	var out bytes.Buffer
	if err := Table(&out, Plain(), 30, columns, rows); err != nil {
		t.Fatal(err)
	}
	want := "WAITING  TITLE          ID\n    1 s  a long title…  apr_1\n 12 min  short          apr_22\n"
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}

// tell is a Teller's output for facts, one second apart.
func tell(t *testing.T, facts ...run.Fact) string {
	t.Helper()
	teller := NewTeller(Plain(), false)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var out []string
	for i, f := range facts {
		data, err := run.EncodeFact(f)
		if err != nil {
			t.Fatal(err)
		}
		if line, ok := teller.Tell(view.Event{Seq: int64(i + 1), At: at.Add(time.Duration(i) * time.Second),
			Type: f.Type(), Data: data}); ok {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func TestLinesOfEvents(t *testing.T) {
	zero := 0
	got := tell(t,
		&run.RunStarted{Workflow: "claims", Version: 2},
		&run.LayerStarted{Layer: 0, Steps: []string{"fraud"}},
		&run.StepStarted{Step: "fraud", Try: 1},
		&run.StepRetrying{Step: "fraud", Error: run.Failure{Message: "connection\nreset"},
			RetryAt: time.Date(2026, 3, 1, 12, 0, 5, 0, time.UTC)},
		&run.StepStarted{Step: "fraud", Try: 2},
		&run.StepCompleted{Step: "fraud"},
		&run.StepExpanded{Step: "pages", Count: 2},
		&run.StepStarted{Step: "pages", Index: &zero, Try: 1},
		&run.ElementCompleted{Step: "pages", Index: 0},
		&run.ApprovalNeeded{Spot: run.Spot{Step: "pay"},
			Request: gate.Request{ID: "apr_1", Title: "Pay this", Risk: gate.Risk{Level: "high"},
				Terms: gate.Terms{Role: "finance"}}},
		&run.ApprovalDecided{ID: "apr_1", Decision: gate.Decision{By: "ann", Act: gate.Reject, Comment: "no"}},
		&run.ApprovalResolved{ID: "apr_1", Outcome: gate.Outcome{Status: gate.Rejected, By: "ann"}},
		&run.StepSkipped{Step: "pay", Why: run.SkipRejected},
		&run.RunFailed{Error: run.Failure{Message: "too late"}},
	)
	want := `12:00:00  run        started: claims v2
12:00:02  fraud      started
12:00:03  fraud      connection reset, retrying in 2.0 s
12:00:04  fraud      try 2
12:00:05  fraud      done in 1.0 s
12:00:06  pages      started: 2 elements
12:00:08  pages      1 of 2 done
12:00:09  pay        waiting for finance: Pay this (high risk)  apr_1
12:00:10  pay        ann rejected: no
12:00:12  pay        skipped: rejected
12:00:13  run        failed: too late`
	if got != want {
		t.Errorf("%s", got)
	}
}

// Steps that were added, skipped or ran ahead are marked, as on the page of a run.
func TestMarksOfSteps(t *testing.T) {
	v := view.Run{Status: run.Waiting, Steps: []view.Step{
		{ID: "list", Kind: "agent", Agent: "lister", Status: run.DoneStep},
		{ID: "parse", Kind: "tool", Tool: "xml_parse", Status: run.DoneStep, Injected: true},
		{ID: "old", Kind: "agent", Agent: "lister", Status: run.SkippedStep, Skipped: run.SkipCommand},
		{ID: "a", Kind: "agent", Agent: "scorer", Status: run.PendingStep, Ahead: "running"},
		{ID: "b", Kind: "agent", Agent: "scorer", Status: run.PendingStep, Ahead: "returned"},
		{ID: "c", Kind: "agent", Agent: "scorer", Status: run.DoneStep, Ahead: "used"},
		{ID: "d", Kind: "agent", Agent: "scorer", Status: run.PendingStep, Ahead: "discarded"},
	}, AheadUsage: &view.Usage{CostUSD: "0.10"}}
	o := TreeOptions{Theme: Plain(), Width: 100, Frame: -1}
	tree := strings.Join(Tree(v, o), "\n")
	for id, want := range map[string]string{"list": "lister", "parse": "tool xml_parse +added",
		"old": "skipped by a person", "a": "running ahead", "b": "ran ahead", "c": "ran ahead, used",
		"d": "ran ahead, discarded"} {
		if ok, err := regexp.MatchString(`(?m) `+id+` .*`+want+`$`, tree); err != nil || !ok {
			t.Errorf("%s is not marked %q:\n%s", id, want, tree)
		}
	}
	if got := Progress(v, o); !strings.Contains(got, "$0.10 for running ahead") {
		t.Errorf("%q", got)
	}
}

func TestLinesOfSnapshots(t *testing.T) {
	for data, want := range map[string]string{
		`{}`: "snapshot saved", `{"step":"fetch"}`: "snapshot saved after fetch",
		`{"layer":0}`: "snapshot saved after layer 1",
	} {
		e := view.Event{Type: "snapshot.saved", Data: json.RawMessage(data)}
		if line, _ := NewTeller(Plain(), true).Tell(e); !strings.HasSuffix(line, "  run        "+want) {
			t.Errorf("%s: %q", data, line)
		}
		if line, ok := NewTeller(Plain(), false).Tell(e); ok {
			t.Errorf("%s: %q to someone who only follows the run", data, line)
		}
	}
}

// Every event has a line in `assent events`, including those of a newer release.
func TestEveryEventCanBeTold(t *testing.T) {
	teller := NewTeller(Plain(), true)
	for _, kind := range append(run.Types(), "something.new") {
		if _, ok := teller.Tell(view.Event{Type: kind, Data: json.RawMessage(`{}`)}); !ok {
			t.Errorf("%s is not told", kind)
		}
	}
}

func TestFields(t *testing.T) {
	got := Fields(json.RawMessage(`{"required":["city"],"properties":{"city":{"type":"string","maxLength":9,"description":"where"},"n":{"enum":[1,2]}}}`))
	if want := "city: string, maxLength 9, required – where\nn: enum [1,2]"; got != want {
		t.Errorf("%q", got)
	}
}

// A program never passes for the person who has the same name.
func TestWho(t *testing.T) {
	for want, a := range map[string]run.Actor{
		"ann":                          {Kind: run.Person, Name: "ann"},
		"service:ann":                  {Kind: run.Service, Name: "ann"},
		"agent:ann":                    {Kind: run.Agent, Name: "ann"},
		"service:https://id.example#7": {Kind: run.Service, Name: "ann", Issuer: "https://id.example", Subject: "7"},
		"system":                       {Kind: run.System},
		`\u202enna`:                    {Kind: run.Person, Name: "\u202enna"},
	} {
		if got := Who(a); got != want {
			t.Errorf("%+v is %s, want %s", a, got, want)
		}
	}
	var teller Teller
	e := view.Event{Actor: run.Actor{Kind: run.Agent, Name: "ann"}}
	_, text := teller.sayApproval(e, &run.ApprovalCommented{Text: "Approved."})
	if text != "agent:ann commented: Approved." {
		t.Error(text)
	}
}
