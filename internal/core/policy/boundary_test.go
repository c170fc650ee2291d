package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
)

// A value exactly at a limit is allowed.
func TestLimitsAreInclusive(t *testing.T) {
	approves := `{"auto_approve": true, %s}`
	for _, doc := range []string{
		one(`{"tool": "x"}`, fmt.Sprintf(approves, `"max_uses": 1`)),
		one(`{"tool": "x"}`, `{"timeout_seconds": 3153600000}`),
		one(`{"tool": "x"}`, `{"require_approval_count": 1}`),
		one(`{"tool": "x"}`, `{"require_approval_count": 100}`),
		one(`{"tool": "x"}`, `{"roles": {"legal": 100}}`),
		one(`{"tool": "x"}`, `{"roles": {"legal": 1, "finance": 1}, "require_approval_count": 2}`),
		one(`{"tool": "x"}`, fmt.Sprintf(approves, `"rollout": {"to": 100, "over": "1m"}`)),
		one(`{"tool": "x"}`, fmt.Sprintf(approves, `"rollout": {"to": 0, "over": "36500d"}`)),
		one(`{"agent_confidence": "<= 1"}`, `{}`),
		one(`{"agent_confidence": " >= 0 "}`, `{}`),
		`{"rules": [{"name": "` + strings.Repeat("ä", policy.NameMax) + `"}]}`,
		sums(`"sum": "1m"`), sums(`"sum": "31d"`),
	} {
		if set, problems := policy.Compile(decode(t, doc), nil); set == nil || len(problems) > 0 {
			t.Errorf("%s: %v", doc, problems)
		}
	}
}

func TestWordsAtTheLimit(t *testing.T) {
	var doc policy.Document
	for i := range policy.WordsMax / 1_000 {
		r := policy.Rule{Name: fmt.Sprint(i), Priority: i}
		for j := range 1_000 {
			r.Trigger.Tool = append(r.Trigger.Tool, fmt.Sprint(i, "-", j))
		}
		doc.Rules = append(doc.Rules, r)
	}
	if set, problems := policy.Compile(doc, nil); set == nil {
		t.Error(problems)
	}
	doc.Rules[0].Trigger.Agent = policy.List[string]{"a"}
	if set, problems := policy.Compile(doc, nil); set != nil || len(problems) != 1 || problems[0].Path != "rules" {
		t.Error(problems)
	}
	doc.Rules[0].Trigger.Agent = nil
	doc.Rules[0].Trigger.Tool = append(doc.Rules[0].Trigger.Tool, "one more")
	doc.Rules = doc.Rules[:1]
	if set, problems := policy.Compile(doc, nil); set != nil || len(problems) != 1 ||
		problems[0].Path != "rules[0].trigger.tool" {
		t.Error(problems)
	}
}

// Amounts are read exactly or not at all.
func TestAmountsAtTheEdges(t *testing.T) {
	read := func(text string) string {
		a, ok := (&policy.Count{Of: json.RawMessage(`{"amount":` + text + `}`)}).Amount()
		if !ok {
			return "unknown"
		}
		return a.String()
	}
	for text, want := range map[string]string{
		"0":                            "0",
		"0.5":                          "0.5",
		"0.000000001":                  "0.000000001",
		"0.123456789":                  "0.123456789",
		"1":                            "1",
		"1.5":                          "1.5",
		"12e2":                         "1200",
		"1E3":                          "1000",
		"1e18":                         "unknown",
		"9.99e17":                      "999000000000000000",
		"0e40":                         "0",
		"0e41":                         "unknown",
		"0e-40":                        "0",
		"0e-41":                        "unknown",
		"0e99999999999999999999":       "unknown",
		"-3":                           "0",
		`"3"`:                          "unknown",
		`""`:                           "unknown",
		"1." + strings.Repeat("0", 62): "1",
		"1." + strings.Repeat("0", 63): "unknown",
	} {
		if got := read(text); got != want {
			t.Errorf("%s is read as %s, want %s", text, got, want)
		}
	}
	var c policy.Count
	if _, ok := c.Amount(); ok {
		t.Error("what is not there has an amount")
	}
	c = policy.Count{Of: json.RawMessage(`{"amount":2}`)}
	first, _ := c.Amount()
	c.Of = json.RawMessage(`{"amount":3}`)
	if again, ok := c.Amount(); !ok || again != first {
		t.Errorf("read twice: %v, then %v", first, again)
	}
}

func TestTotals(t *testing.T) {
	known := &policy.Count{Of: json.RawMessage(`{"amount":2}`)}
	got := policy.Total{}.Add(known).Add(known).Add(&policy.Count{})
	if got.Acts != 2 || got.Unknown != 1 || got.Amount.String() != "4" {
		t.Errorf("%+v", got)
	}
	if got = got.Plus(got); got.Acts != 4 || got.Unknown != 2 || got.Amount.String() != "8" {
		t.Errorf("%+v", got)
	}
}

// A sum covers acts since the start of its window; within one run, all of them.
func TestSumsAskSince(t *testing.T) {
	for span, want := range map[string]time.Time{"24h": tuesday.Add(-24 * time.Hour), "run": {}} {
		asked := 0
		sub := policy.Subject{Operation: "refund", Data: data(`{"amount": 1}`),
			Total: func(q policy.SumQuery) (policy.Total, bool) {
				asked++
				if !q.Since.Equal(want) || !q.Counts("refund") || q.Counts("read") {
					t.Errorf("%s: %+v", span, q)
				}
				return policy.Total{}, true
			}}
		v, _ := compile(t, sums(`"sum": "`+span+`"`)).Explain(tuesday, sub)
		if asked != 1 {
			t.Errorf("%s: asked %d times, %+v", span, asked, v)
		}
	}
}

func TestSumsOfACustomerInWords(t *testing.T) {
	set := compile(t, sums(`"sum": "24h", "by": "to"`))
	sub := policy.Subject{Operation: "refund", Data: data(`{"amount": 600, "to": "a"}`), Total: total("600", 1, 0)}
	v := set.Judge(tuesday, sub)
	if want := "2 refund actions in the last 24h for this to add up to 1,200 (amount)"; !strings.Contains(v.Reason, want) {
		t.Errorf("%q does not say %q", v.Reason, want)
	}
	sub.Total = total("0", 0, 0)
	sub.Data = data(`{"amount": 100000, "to": "a"}`)
	if v := set.Judge(tuesday, sub); !strings.Contains(v.Reason,
		"1 refund action in the last 24h for this to comes to 100,000 (amount)") {
		t.Errorf("%q", v.Reason)
	}
}

// Results, and policies without sums, count nothing.
func TestWhatCountsNothing(t *testing.T) {
	refund := policy.Subject{Operation: "refund", Data: data(`{"amount": 1}`)}
	set := compile(t, sums(`"sum": "run"`))
	if len(set.Counts(refund)) != 1 {
		t.Fatal("a refund counts")
	}
	refund.Result = true
	var none *policy.Set
	if got := append(set.Counts(refund), none.Counts(refund)...); got != nil {
		t.Errorf("%v", got)
	}
}

// Negative customer numbers are told apart; only amounts are clamped at zero.
func TestNegativeCustomersDiffer(t *testing.T) {
	set := compile(t, sums(`"sum": "run", "by": "to"`))
	name := func(to string) string {
		counts := set.Counts(policy.Subject{Operation: "refund", Data: data(`{"amount": 1, "to": ` + to + `}`)})
		if len(counts) != 1 {
			t.Fatalf("%s: %v", to, counts)
		}
		return counts[0].Sum
	}
	if name("-1") == name("-2") || name("-1") == name("0") {
		t.Error("two customers have one sum")
	}
}

func TestClocks(t *testing.T) {
	hours := func(h string) string {
		return `{"auto_approval": {"global_settings": {"business_hours_only": true,
			"business_hours": {"timezone": "UTC", "monday_friday": "` + h + `"}}}}`
	}
	for _, good := range []string{" 09:00 - 17:00 ", "9:05-17:59", "00:00-24:00", " disabled ", "Closed"} {
		if set, problems := policy.Compile(decode(t, hours(good)), nil); set == nil {
			t.Errorf("%q: %v", good, problems)
		}
	}
	for _, bad := range []string{":00-17:00", "009:00-17:00", "09:0-17:00", "09:000-17:00", "0900-17:00", "9x:00-17:00",
		"0/:00-17:00", "09:0:-17:00", "09:00-17:60", "09:00-24:01", "24:00-09:00", "09:00"} {
		if set, problems := policy.Compile(decode(t, hours(bad)), nil); set != nil || len(problems) == 0 {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestMinutesOfHours(t *testing.T) {
	set := compile(t, `{"rules": [{"name": "r", "trigger": {"tool": "*"}, "action": {"auto_approve": true}}],
		"auto_approval": {"global_settings": {"business_hours_only": true, "business_hours": {"timezone": "UTC", "monday_friday": "09:25-17:45"}}}}`)
	for at, want := range map[string]bool{"09:24": false, "09:25": true, "10:30": true, "17:44": true, "17:45": false} {
		now, err := time.Parse("2006-01-02 15:04", "2026-03-03 "+at)
		if err != nil {
			t.Fatal(err)
		}
		if v := set.Judge(now, policy.Subject{Tool: "x"}); (v.Effect == policy.Approves) != want {
			t.Errorf("%s: %+v", at, v)
		}
	}
}

func TestRulesShowPriorityAndShare(t *testing.T) {
	set := compile(t, `{"rules": [{"name": "r", "priority": 7, "trigger": {"tool": "x"}, "action": {}},
		{"name": "grows", "priority": 8, "trigger": {"tool": "y"}, "action": {"auto_approve": true,
			"rollout": {"to": 50, "over": "14d", "from": "2026-03-03T15:00:00Z"}}}],
		"auto_approval": {"rules": [{"name": "a", "if_missing": "ignore", "conditions": {"tool": "z", "data_threshold": {"field": "n", "operator": ">", "value": 1}}, "action": {"auto_approve": true}}]}}`)
	rules := set.Rules(tuesday.Add(7 * 24 * time.Hour))
	if p := rules[0].Priority; p == nil || *p != 7 || rules[0].RolloutNow != nil {
		t.Errorf("%+v", rules[0])
	}
	if now := rules[1].RolloutNow; now == nil || *now != 25 {
		t.Errorf("%+v", rules[1])
	}
	if rules[2].Priority != nil {
		t.Errorf("%+v", rules[2])
	}
	for days, want := range map[int]float64{-1: 0, 0: 0, 14: 50, 15: 50} {
		if now := set.Rules(tuesday.Add(time.Duration(days) * 24 * time.Hour))[1].RolloutNow; *now != want {
			t.Errorf("after %d days: %v, want %v", days, *now, want)
		}
	}
	_, steps := set.Explain(tuesday, policy.Subject{Tool: "z"})
	if len(steps) != 3 || steps[0].Priority == nil || *steps[0].Priority != 7 || steps[2].Priority != nil {
		t.Errorf("%+v", steps)
	}
	// The auto_approval rule ignores missing fields.
	if v := set.Judge(tuesday, policy.Subject{Tool: "z"}); v.Effect != policy.None {
		t.Errorf("%+v", v)
	}
}

// Trying out a policy explains why a rule was skipped.
func TestExplanationsOfIdleRules(t *testing.T) {
	explain := func(doc string, sub policy.Subject) string {
		_, steps := compile(t, doc).Explain(tuesday, sub)
		if len(steps) == 0 {
			t.Fatalf("%s: no steps", doc)
		}
		return steps[0].Result
	}
	once := one(`{"tool": "y"}`, `{"auto_approve": true, "max_uses": 1}`)
	for _, c := range []struct {
		doc  string
		sub  policy.Subject
		want string
	}{
		{one(`{"agent_confidence": "< 0.5"}`, `{}`), policy.Subject{Result: true},
			"applies to results with a confidence; this one has none"},
		{one(`{"tool": "x"}`, `{}`), policy.Subject{Result: true}, "applies before something runs; this is a result"},
		{one(`{"at": "act", "agent_confidence": "< 0.5"}`, `{}`), policy.Subject{Result: true, Confidence: sure(0.4)},
			"applies before something runs; this is a result"},
		{one(`{"at": "result"}`, `{}`), policy.Subject{Tool: "x"}, "applies to results; this has not run yet"},
		{once, policy.Subject{Tool: "y", Uses: func(string) int { return 1 }}, "has been used 1 times"},
		{once, policy.Subject{Tool: "z", Uses: func(string) int { return 0 }}, "does not match: tool is z, not y"},
		{one(`{"at": "result"}`, `{}`), policy.Subject{Tool: "x", Uses: func(string) int { return 0 }},
			"applies to results; this has not run yet"},
	} {
		if got := explain(c.doc, c.sub); got != c.want {
			t.Errorf("%s: %q, want %q", c.doc, got, c.want)
		}
	}
}

func TestTriggersInWords(t *testing.T) {
	for trigger, want := range map[string]string{
		`{"at": "result"}`:               "a result",
		`{"at": "act", "tool": "x"}`:     "before it runs and tool is x",
		`{"expr": "amount > 3"}`:         "amount > 3",
		`{"risk_level": ["low","high"]}`: "risk is low or high",
	} {
		if got := compile(t, one(trigger, `{}`)).Rules(tuesday)[0].When; got != want {
			t.Errorf("%s: %q, want %q", trigger, got, want)
		}
	}
	v := compile(t, one(`{"expr": "amount > 3"}`, `{}`)).Judge(tuesday, policy.Subject{Data: data(`{"amount": 4}`)})
	if !strings.Contains(v.Reason, "amount > 3") {
		t.Errorf("%q", v.Reason)
	}
	// Long values are truncated between characters.
	long := strings.Repeat("ä", 300)
	set := compile(t, one(`{"custom_field": {"field": "name", "operator": "!=", "value": "`+long+`"}}`, `{}`))
	for _, name := range []string{long + "x", "x" + long} {
		v := set.Judge(tuesday, policy.Subject{Data: data(`{"name": "` + name + `"}`)})
		if v.Effect != policy.Asks || strings.ContainsRune(v.Reason, '\uFFFD') || !strings.Contains(v.Reason, "ää") ||
			strings.Contains(v.Reason, long) {
			t.Errorf("%+v", v)
		}
	}
}

// null means the same as a missing field.
func TestNullIsLeftOut(t *testing.T) {
	set := compile(t, one(`{"tool": null, "risk_level": null, "data_threshold": null, "agent": "x"}`, `{}`))
	if got := set.Rules(tuesday)[0].When; got != "agent is x" {
		t.Error(got)
	}
	d := policy.Document{}
	if err := json.Unmarshal([]byte(`{"version": 1.0}`), &d); err != nil || d.Version != "1.0" {
		t.Errorf("%q, %v", d.Version, err)
	}
	for text, want := range map[string]policy.Scalar{`0`: "0", ` 9 `: "9", `-1`: "-1", `"a"`: "a"} {
		var s policy.Scalar
		if err := json.Unmarshal([]byte(text), &s); err != nil || s != want {
			t.Errorf("%s: %q, %v", text, s, err)
		}
	}
	r := policy.Rollout{Over: "14d", From: "2026-01-01"}
	if err := json.Unmarshal([]byte(`25`), &r); err != nil || *r.To != 25 || r.Over != "" || r.From != "" {
		t.Errorf("%+v, %v", r, err)
	}
	list, fields := policy.List[string]{"old"}, policy.Fields{{Field: "old"}}
	if list.UnmarshalJSON([]byte("null")) != nil || list != nil || fields.UnmarshalJSON([]byte("null")) != nil ||
		fields != nil {
		t.Errorf("%v, %v", list, fields)
	}
}

// A condition that cannot be evaluated on the data keeps a rule from approving.
func TestMistypedKeepsFromApproving(t *testing.T) {
	set := compile(t, one(`{"tool": "pay", "expr": "amount > 3"}`, `{"auto_approve": true}`))
	v := set.Judge(tuesday, policy.Subject{Tool: "pay", Risk: risk.Low, Data: data(`{"amount": "many"}`)})
	if v.Effect == policy.Approves {
		t.Errorf("%+v", v)
	}
	v, steps := set.Explain(tuesday, policy.Subject{Tool: "pay", Data: data(`{"amount": {}}`)})
	if v.Effect == policy.Approves || len(steps) == 0 || !strings.Contains(v.Reason, "cannot compare an object") {
		t.Errorf("%+v, %+v", v, steps)
	}
}

func TestUnchangedUnderAutoApproval(t *testing.T) {
	doc := func(more, name string) policy.Document {
		return decode(t, `{"auto_approval": {"rules": [{"name": "other", "conditions": {"tool": "a"}, "action": {}},
			{"name": "`+name+`", `+more+` "conditions": {"tool": "x"}, "action": {"auto_approve": true}}]}}`)
	}
	if !policy.Unchanged(doc("", "r"), doc(`"description": "for people", "title": "R",`, "r"), "r") {
		t.Error("words for people make another rule")
	}
	if policy.Unchanged(doc("", "r"), doc(`"enabled": false,`, "r"), "r") ||
		policy.Unchanged(doc("", "r"), doc("", "s"), "r") {
		t.Error("another rule is the same")
	}
}
