package storekit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// TestSecondLooks: what deserves a second look is listed until it is replaced, and a fork leaves it to its original.
func TestSecondLooks(t *testing.T) {
	suggested := func(step string, index *int) run.Fact {
		return &run.ReviewSuggested{Step: step, Index: index, Confidence: 0.5}
	}
	for what, c := range map[string]struct {
		facts []run.Fact
		rows  string
		gone  int
	}{
		"one":     {[]run.Fact{suggested("a", nil)}, "a-1", 1},
		"element": {[]run.Fact{suggested("a", new(0)), suggested("a", new(1))}, "a0 a1", 2},
		"twice":   {[]run.Fact{suggested("a", nil), suggested("a", nil)}, "a-1", 2},
		"revised": {[]run.Fact{suggested("a", nil), suggested("b", nil), &run.StepRevised{Step: "a"}}, "b-1", 3},
		"element again": {[]run.Fact{suggested("a", new(0)), suggested("a", new(1)),
			&run.StepRevised{Step: "a", Index: new(1)}}, "a0", 3},
		"redone": {[]run.Fact{suggested("a", new(0)), suggested("b", nil),
			&run.StepRevised{Step: "c", Redo: []string{"a"}}}, "b-1", 4},
		"failed":         {[]run.Fact{suggested("a", nil), &run.StepFailed{Step: "a"}}, "", 2},
		"another failed": {[]run.Fact{suggested("a", nil), &run.StepFailed{Step: "b"}}, "a-1", 2},
		"element failed": {[]run.Fact{suggested("a", new(0)), suggested("a", new(1)),
			&run.StepFailed{Step: "a", Error: run.Failure{Index: new(0)}}}, "a1", 3},
		"skipped": {[]run.Fact{suggested("a", new(0)), suggested("a", new(1)), &run.StepSkipped{Step: "a"}}, "", 3},
		"forked":  {[]run.Fact{suggested("a", nil), &run.RunForked{}}, "", 0},
	} {
		w := oneEvent("run_1")
		w.Events = nil
		for i, f := range c.facts {
			w.Events = append(w.Events, run.Event{Run: w.Run, Seq: int64(i) + 1, At: noon, Fact: f})
		}
		var l Looks
		l.Add(&w)
		var rows []string
		for _, r := range l.Rows {
			rows = append(rows, fmt.Sprintf("%s%d", r.Step, r.Index))
			look := r.Look()
			if (look.Index == nil) != (r.Index < 0) || look.Index != nil && int64(*look.Index) != r.Index {
				t.Errorf("%s: %+v is shown as %+v", what, r, look)
			}
		}
		if got := strings.Join(rows, " "); got != c.rows || len(l.Gone) != c.gone {
			t.Errorf("%s: %q is listed and %d are gone, not %q and %d", what, got, len(l.Gone), c.rows, c.gone)
		}
		w.Row.TestMode = true
		l = Looks{}
		if l.Add(&w); len(l.Rows)+len(l.Gone) > 0 {
			t.Errorf("%s: a test run is listed: %+v", what, l)
		}
	}
}

// TestSecondLooksOfSeveralWrites: a fork takes back only its own, and a result belongs to the agent that returned it.
func TestSecondLooksOfSeveralWrites(t *testing.T) {
	var l Looks
	for i, id := range []string{"run_1", "run_2"} {
		w := oneEvent(id)
		w.Events = []run.Event{
			{Run: id, Seq: 1, At: noon, Actor: run.Actor{Name: "mailer"}, Fact: &run.StepReturned{Step: "a"}},
			{Run: id, Seq: 2, At: noon, Actor: run.Actor{Name: "engine"},
				Fact: &run.ReviewSuggested{Step: "a", Confidence: 0.4}},
		}
		if i == 1 {
			w.Events = append(w.Events, run.Event{Run: id, Seq: 3, At: noon, Fact: &run.RunForked{}})
		}
		l.Add(&w)
	}
	want := []LookRow{{ID: "rev_1_2", Run: "run_1", Workflow: "w", Step: "a", Agent: "mailer", Index: plainStep,
		Confidence: 0.4, At: Nanos(noon)}}
	if !slices.Equal(l.Rows, want) || len(l.Gone) != 1 || l.Gone[0].Whole() {
		t.Errorf("%+v", l)
	}
}

func TestFailuresOfAWrite(t *testing.T) {
	events := []run.Event{
		{Run: "r", Seq: 1, At: noon, Fact: &run.RunWaiting{}},
		{Run: "r", Seq: 2, At: noon, Fact: &run.StepFailed{Step: "a", Error: run.Failure{Agent: "x", Code: "c"}}},
	}
	if got := Failures(events); !slices.Equal(got, []Failure{{"r", "a", "x", "c", 2, Nanos(noon)}}) {
		t.Errorf("%+v", got)
	}
}

// TestForgottenTools: an experience without a tool keeps its other pairs and requests, whose positions move up.
func TestForgottenTools(t *testing.T) {
	e := port.Experience{Run: "r", Workflow: "w", At: noon, Experience: run.Experience{
		Tools: []string{"a", "b", "c", "d"},
		Then:  [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 2}},
		Fits:  [][2]int{{2, 0}, {1, 0}},
		Served: []run.Served{
			{Request: "one", Tools: []string{"a", "b"}}, {Request: "two", Not: []string{"b"}},
			{Request: "three", Tools: []string{"b"}, Not: []string{"c"}},
		},
	}}
	before, _ := json.Marshal(e)
	got, ok := Remembered(e, []port.Unlearning{{Tool: "b", At: noon}})
	want := run.Experience{
		Tools: []string{"a", "c", "d"}, Then: [][2]int{{0, 1}, {2, 1}}, Fits: [][2]int{{1, 0}},
		Served: []run.Served{{Request: "one", Tools: []string{"a"}}, {Request: "three", Not: []string{"c"}}},
	}
	if !ok || !sameJSON(got.Experience, want) {
		t.Errorf("without b it is %+v", got)
	}
	if after, _ := json.Marshal(e); !bytes.Equal(before, after) {
		t.Errorf("what was read has changed: %s", after)
	}
	if got, ok := Remembered(e, []port.Unlearning{{Tool: "b", At: noon.Add(-1)}, {Tool: "z", At: noon}}); !ok ||
		!sameJSON(got.Experience, e.Experience) {
		t.Errorf("without anything else: %+v", got)
	}
	if got, ok := Remembered(e, []port.Unlearning{{Workflow: "w", At: noon}}); ok {
		t.Errorf("without its workflow: %+v", got)
	}
	first := run.Experience{Tools: []string{"b", "c", "d"}, Then: [][2]int{{0, 1}, {2, 1}}, Served: []run.Served{
		{Request: "one", Tools: []string{"b"}}, {Request: "two", Not: []string{"b"}},
		{Request: "three", Tools: []string{"b"}, Not: []string{"c"}},
	}}
	if got, ok := Remembered(e, []port.Unlearning{{Tool: "a", At: noon}}); !ok || !sameJSON(got.Experience, first) {
		t.Errorf("without a it is %+v", got)
	}
	little := e
	little.Experience = run.Experience{Tools: []string{"a", "b"}, Then: [][2]int{{0, 1}}}
	if got, ok := Remembered(little, []port.Unlearning{{Tool: "b", At: noon}}); ok {
		t.Errorf("one tool is left: %+v", got)
	}
}

func sameJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

func TestOrdersToForget(t *testing.T) {
	for _, u := range []port.Unlearning{{At: noon}, {Run: "r", At: noon}, {Workflow: "w", At: noon},
		{Tool: "t", At: noon}} {
		what, name := UnlearnWords(u)
		if got := UnlearningOf(what, name, Nanos(u.At)); got != u {
			t.Errorf("%+v came back as %+v", u, got)
		}
	}
}

// TestWhatAWriteTeaches: a lesson is stored with the time and workflow of its run, and one that is too long is not.
func TestWhatAWriteTeaches(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	w := oneEvent("run_1")
	w.Row.EndedAt = noon
	if got, err := v.TaughtBy(&w); err != nil || got.Changes() {
		t.Errorf("nothing: %+v, %v", got, err)
	}
	w.Untaught = true
	if got, err := v.TaughtBy(&w); err != nil || !got.Changes() || !got.Gone || got.Row != nil {
		t.Errorf("untaught: %+v, %v", got, err)
	}
	w.Untaught, w.Taught = false, &run.Experience{Tools: []string{"a", "b"}}
	got, err := v.TaughtBy(&w)
	if err != nil || !got.Changes() || got.Gone || bytes.Contains(got.Row.Body, []byte("tools")) {
		t.Fatalf("taught: %+v, %v", got, err)
	}
	e, err := v.DecodeTaught(got.Row)
	if err != nil || e.Run != "run_1" || e.Workflow != "w" || !e.At.Equal(noon) ||
		!slices.Equal(e.Tools, w.Taught.Tools) {
		t.Errorf("%+v, %v", e, err)
	}
	w.Taught.Served = []run.Served{{Request: "said", Said: true}, {Request: "declared", Said: true, Declared: true}}
	if got, err = v.TaughtBy(&w); err != nil {
		t.Fatal(err)
	}
	e, undeclared, err := v.DecodeTaughtAs(got.Row)
	if err != nil || !undeclared || len(e.Served) != 1 || e.Served[0].Request != "declared" {
		t.Errorf("%+v, %t, %v", e, undeclared, err)
	}
	got.Row.Run = "run_2"
	if _, err := v.DecodeTaught(got.Row); err == nil {
		t.Error("the lesson of another run was read")
	}
	size := func(n int) *run.Experience {
		const frame = len(`{"tools":[""]}`)
		return &run.Experience{Tools: []string{strings.Repeat("x", n-frame)}}
	}
	if _, err := v.EncodeTaught("r", size(TaughtMax)); err != nil {
		t.Error(err)
	}
	if _, err := v.EncodeTaught("r", size(TaughtMax+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("one byte more: %v", err)
	}
}

// TestWorkAsStored: amounts are stored in whole dollars and a rest, and what cannot be is cut to what can.
func TestWorkAsStored(t *testing.T) {
	w := oneEvent("run_1")
	w.Worked = []port.Worked{
		{Seq: 1, Agent: "a", At: noon, Steps: 2, Failed: 1, Usage: run.Usage{LLMCalls: 3, TokensIn: 4, TokensOut: 5,
			CostUSD: 7_000_000_009}},
		{Seq: 2, Agent: "b", At: noon, Steps: -1, Failed: -1, Usage: run.Usage{LLMCalls: -1, TokensIn: -1, TokensOut: -1,
			CostUSD: -1}},
		{Seq: 3, Agent: "c", At: noon, Usage: run.Usage{LLMCalls: workMax + 1, TokensIn: math.MaxInt64, TokensOut: workMax,
			CostUSD: math.MaxInt64}},
	}
	want := []WorkRow{
		{Run: "run_1", Workflow: "w", Agent: "a", Seq: 1, At: Nanos(noon), Steps: 2, Failed: 1, Calls: 3, TokensIn: 4,
			TokensOut: 5, Dollars: 7, Nanos: 9},
		{Run: "run_1", Workflow: "w", Agent: "b", Seq: 2, At: Nanos(noon)},
		{Run: "run_1", Workflow: "w", Agent: "c", Seq: 3, At: Nanos(noon), Calls: workMax, TokensIn: workMax,
			TokensOut: workMax, Dollars: math.MaxInt64 / dollar, Nanos: math.MaxInt64 % dollar},
	}
	if got := WorkRows(&w); !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	const most = math.MaxInt64 / dollar
	for _, c := range []struct {
		dollars, nanos int64
		want           quantity.Money
	}{{2, 3, 2_000_000_003}, {0, 5_000_000_000, 5_000_000_000}, {most, 0, most * dollar},
		{most, math.MaxInt64 % dollar, math.MaxInt64}, {most, dollar, math.MaxInt64}, {most + 1, 0, math.MaxInt64}} {
		if got := moneyOf(c.dollars, c.nanos); got != c.want {
			t.Errorf("%d and %d are %d, not %d", c.dollars, c.nanos, got, c.want)
		}
	}
}

// TestGrantsCount: uses of one write count together with earlier ones, which are looked up once.
func TestGrantsCount(t *testing.T) {
	asked := 0
	before := func(rule string) (int, error) { asked++; return map[string]int{"a": 3}[rule], nil }
	uses := func(a, b int) (out []port.Use) {
		a5, b1 := []port.Use{{Rule: "a", Max: 5}}, []port.Use{{Rule: "b", Max: 1}}
		return slices.Concat(slices.Repeat(a5, a), slices.Repeat(b1, b))
	}
	got, err := Grants(uses(2, 1), before)
	if err != nil || !reflect.DeepEqual(got, map[string]int{"a": 5, "b": 1}) || asked != 2 {
		t.Errorf("%v after %d questions, %v", got, asked, err)
	}
	for _, over := range [][]port.Use{uses(3, 0), uses(0, 2)} {
		if got, err := Grants(over, before); !fault.Is(err, fault.Outdated) {
			t.Errorf("%v: %v, %v", over, got, err)
		}
	}
	if _, err := Grants(uses(1, 0), func(string) (int, error) { return 0, errBroken }); err == nil {
		t.Error("trouble was passed over")
	}
}

// TestAccountsChange: a new password and a closed account end sessions; a password in another form, roles and a
// sign-in do not.
func TestAccountsChange(t *testing.T) {
	nothing, renamed := func(*port.Account) {}, func(a *port.Account) { a.Hash = "new" }
	for what, c := range map[string]struct {
		change port.AccountChange
		want   func(*port.Account)
		ends   bool
	}{
		"nothing": {port.AccountChange{}, nothing, false},
		"a sign-in": {port.AccountChange{SignedInAt: noon}, func(a *port.Account) { a.SignedInAt = noon },
			false},
		"password":         {port.AccountChange{Hash: new("new")}, renamed, true},
		"its form":         {port.AccountChange{Hash: new("new"), IfHash: "old"}, renamed, false},
		"closed":           {port.AccountChange{Disabled: new(true)}, func(a *port.Account) { a.Disabled = true }, true},
		"opened":           {port.AccountChange{Disabled: new(false)}, nothing, false},
		"opened, password": {port.AccountChange{Disabled: new(false), Hash: new("new")}, renamed, true},
		"roles": {port.AccountChange{Roles: &[]string{"r"}}, func(a *port.Account) { a.Roles = []string{"r"} },
			false},
		"closed, form": {port.AccountChange{Disabled: new(true), Hash: new("new"), IfHash: "old"},
			func(a *port.Account) { a.Hash, a.Disabled = "new", true }, true},
	} {
		a := port.Account{Name: "ann", Hash: "old", Epoch: 4}
		want := a
		c.want(&want)
		if c.ends {
			want.Epoch = 5
		}
		if what != "nothing" && what != "a sign-in" {
			want.ChangedAt = noon
		}
		c.change.At = noon
		got, ends, err := Change(a, c.change)
		if err != nil || ends != c.ends || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %t, %v", what, got, ends, err)
		}
	}
	a := port.Account{Name: "ann", Hash: "old", Epoch: 4}
	got, ends, err := Change(a, port.AccountChange{Hash: new("new"), IfHash: "other"})
	if !fault.Is(err, fault.Conflict) || ends || !reflect.DeepEqual(got, a) {
		t.Errorf("of another password: %+v, %t, %v", got, ends, err)
	}
	if _, _, err := Change(a, port.AccountChange{Hash: new("")}); !fault.Is(err, fault.Invalid) {
		t.Errorf("no password: %v", err)
	}
}

// TestSumsAsStored: an unknown amount is stored as one, and acts that are tried again are replaced.
func TestSumsAsStored(t *testing.T) {
	if got := SinceOf(time.Time{}); got != 0 {
		t.Errorf("without a start: %d", got)
	}
	if got := SinceOf(noon); got != noon.UnixNano() {
		t.Errorf("from noon on: %d", got)
	}
	got := Tallied([]TallyRow{{Operation: "a", Acts: 2, Unknown: 1, Unit: 7, Newest: 5}, {Operation: "b", Newest: 3}})
	if got.Version != 5 || len(got.Tallies) != 2 || got.Tallies[0].Operation != "a" || got.Tallies[0].Acts != 2 ||
		got.Tallies[0].Unknown != 1 || got.Tallies[0].Amount.Unit != 7 {
		t.Errorf("%+v", got)
	}
	w := port.Write{TakenBack: []string{"a"}, Counted: []run.Counted{{Act: "b"}}}
	if got := Replaced(&w); !slices.Equal(got, []string{"a", "b"}) || len(w.TakenBack) != 1 {
		t.Errorf("%q", got)
	}
	salts := map[string]string{"a": "s", "b": ""}
	if got := Saltless([]string{"a", "b", "c"}, salts); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("%q have no salt", got)
	}
}
