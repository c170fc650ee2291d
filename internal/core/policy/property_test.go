package policy_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/steady"
	"pgregory.net/rapid"
)

var operations = []string{"read", "refund", "delete", "send_email"}

func drawTrigger(t *rapid.T) policy.Trigger {
	var out policy.Trigger
	if rapid.Bool().Draw(t, "by risk") {
		out.RiskLevel = rapid.SliceOfNDistinct(rapid.SampledFrom(risk.Levels), 1, 3, rapid.ID).Draw(t, "risks")
	}
	if rapid.Bool().Draw(t, "by operation") {
		out.OperationType = rapid.SliceOfNDistinct(rapid.SampledFrom(operations), 1, 3, rapid.ID).Draw(t, "operations")
	}
	if rapid.Bool().Draw(t, "by amount") {
		op := rapid.SampledFrom([]string{">", "<", ">=", "<="}).Draw(t, "operator")
		out.DataThreshold = policy.Fields{{Field: "amount", Operator: op,
			Value: json.RawMessage(fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "limit")))}}
	}
	return out
}

func drawDocument(t *rapid.T) policy.Document {
	doc := policy.Document{AutoApproval: &policy.AutoApproval{}}
	priorities := rapid.Permutation([]int{1, 2, 3, 4, 5, 6}).Draw(t, "priorities")
	for i := range rapid.IntRange(0, 6).Draw(t, "rules") {
		r := policy.Rule{Name: fmt.Sprint("rule ", i), Priority: priorities[i], Trigger: drawTrigger(t)}
		switch rapid.IntRange(0, 2).Draw(t, "effect") {
		case 0:
			r.Action.AutoApprove = true
		case 1:
			r.Action.Deny = "no"
		}
		doc.Rules = append(doc.Rules, r)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "auto rules") {
		r := policy.AutoRule{Name: fmt.Sprint("auto ", i), Action: policy.Action{AutoApprove: true}}
		r.Conditions.Trigger = drawTrigger(t)
		if rapid.Bool().Draw(t, "partly") {
			p := rapid.Float64Range(0, 100).Draw(t, "percentage")
			r.Action.RolloutPercentage, r.Action.SamplePercentage = &p, &p
		}
		doc.AutoApproval.Rules = append(doc.AutoApproval.Rules, r)
	}
	return doc
}

func drawSubject(t *rapid.T) policy.Subject {
	return policy.Subject{
		Risk: rapid.SampledFrom(risk.Levels).Draw(t, "risk"), Operation: rapid.SampledFrom(operations).Draw(t, "operation"),
		Data: json.RawMessage(rapid.SampledFrom([]string{`{"amount": 0}`, `{"amount": 4.5}`, `{"amount": 99}`,
			`{"amount": "4"}`, `{}`}).Draw(t, "data")),
		Key: rapid.StringN(1, 8, -1).Draw(t, "key"),
	}
}

func set(t *rapid.T, doc policy.Document) *policy.Set {
	s, problems := policy.Compile(doc, nil)
	if s == nil {
		t.Fatal(problems)
	}
	return s
}

// A policy's verdict is that of the first rule that has one on its own. Rules that would approve except for
// an unknown field come last.
func TestFirstMatchByPriority(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, sub := drawDocument(t), drawSubject(t)
		got := set(t, doc).Judge(tuesday, sub)
		var want, back, held policy.Verdict
		alone := func(d policy.Document) {
			if want.Effect != policy.None {
				return
			}
			v := set(t, d).Judge(tuesday, sub)
			whole := len(d.Rules) == 1 || d.AutoApproval.Rules[0].Action.RolloutPercentage == nil
			switch {
			case strings.Contains(v.Reason, "would approve, but"):
				if back.Effect == policy.None {
					back = v
				}
				if held.Effect == policy.None && !whole && !rolledOut(t, d, sub) {
					held = v
				}
			case held.Effect != policy.None && (v.Effect == policy.Approves || strings.Contains(v.Reason, "would approve (")):
				want = held
			default:
				want = v
			}
		}
		for p := 1; p <= 6; p++ {
			for _, r := range doc.Rules {
				if r.Priority == p {
					alone(policy.Document{Rules: []policy.Rule{r}})
				}
			}
		}
		for _, r := range doc.AutoApproval.Rules {
			alone(policy.Document{AutoApproval: &policy.AutoApproval{Rules: []policy.AutoRule{r}}})
		}
		if want.Effect == policy.None {
			want = back
		}
		for _, v := range []*policy.Verdict{&got, &want} {
			v.Policy = ""
			v.Reason = strings.Replace(v.Reason, "may apply, so it requires approval: ", "would approve, but ", 1)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
	})
}

// rolledOut reports whether the only rule of a document would approve a subject if all fields were known.
func rolledOut(t *rapid.T, d policy.Document, sub policy.Subject) bool {
	r := d.AutoApproval.Rules[0]
	r.Conditions = policy.Conditions{}
	return set(t, policy.Document{AutoApproval: &policy.AutoApproval{Rules: []policy.AutoRule{r}}}).Judge(tuesday,
		sub).Effect == policy.Approves
}

func TestVerdictsAreDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, sub := drawDocument(t), drawSubject(t)
		a, b := set(t, doc), set(t, doc)
		if x, y := a.Judge(tuesday, sub), b.Judge(tuesday, sub); a.Hash() != b.Hash() || !reflect.DeepEqual(x, y) ||
			!reflect.DeepEqual(x, a.Judge(tuesday, sub)) {
			t.Fatalf("%+v\n%+v", x, y)
		}
	})
}

// The emergency stop turns every approval into a question by the same rule, and changes nothing else.
func TestStopApprovesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, sub := drawDocument(t), drawSubject(t)
		free := set(t, doc).Judge(tuesday, sub)
		doc.AutoApproval.Settings.EmergencyStop = true
		stopped := set(t, doc).Judge(tuesday, sub)
		switch {
		case stopped.Effect == policy.Approves:
			t.Fatalf("approved: %+v", stopped)
		case stopped.Rule != free.Rule:
			t.Fatalf("%+v\n%+v", free, stopped)
		case free.Effect == policy.Approves && stopped.Effect != policy.Asks,
			free.Effect != policy.Approves && stopped.Effect != free.Effect:
			t.Fatalf("%+v\n%+v", free, stopped)
		}
	})
}

// A warning about an unreachable rule is always right.
func TestShadowedRulesNeverSpeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDocument(t)
		s, problems := policy.Compile(doc, nil)
		if s == nil {
			t.Fatal(problems)
		}
		silent := map[string]bool{}
		for _, e := range s.Rules(tuesday) {
			for _, p := range problems {
				silent[e.Name] = silent[e.Name] || p.Path == e.Path
			}
		}
		for range 20 {
			if v := s.Judge(tuesday, drawSubject(t)); silent[v.Rule] {
				t.Fatalf("%+v spoke: %v", v, problems)
			}
		}
	})
}

func TestRolloutIsMonotoneAndFair(t *testing.T) {
	const keys = 20_000
	before := make([]bool, keys)
	for _, percent := range []float64{0, 0.01, 1, 10, 25, 25.5, 50, 90, 99.99, 100} {
		doc := policy.Document{Rules: []policy.Rule{{Name: "r", Trigger: policy.Trigger{Tool: policy.List[string]{"x"}},
			Action: policy.Action{AutoApprove: true, RolloutPercentage: &percent, SamplePercentage: &percent}}}}
		s, problems := policy.Compile(doc, nil)
		if s == nil {
			t.Fatal(problems)
		}
		approved, sampled := 0, 0
		for i := range keys {
			v := s.Judge(tuesday, policy.Subject{Tool: "x", Key: fmt.Sprint("call_", i)})
			yes := v.Effect == policy.Approves
			if before[i] && !yes {
				t.Fatalf("call_%d was approved below %v %% and is no longer", i, percent)
			}
			if before[i] = yes; yes {
				approved++
			}
			if v.Sample {
				sampled++
			}
		}
		if got := 100 * float64(approved) / keys; got < percent-2 || got > percent+2 || percent == 0 && approved > 0 ||
			percent == 100 && approved < keys {
			t.Errorf("%v %%: %d of %d approved", percent, approved, keys)
		}
		// Samples are drawn independently of the rollout.
		if got, want := 100*float64(sampled)/keys, percent*percent/100; got < want-2 || got > want+2 {
			t.Errorf("%v %%: %d of %d sampled", percent, sampled, keys)
		}
	}
}

// A verdict is quick, however many rules look at however much data.
func TestJudgingIsBounded(t *testing.T) {
	var doc policy.Document
	for i := range policy.RulesMax {
		r := policy.Rule{Name: fmt.Sprint(i), Priority: i}
		switch i % 3 {
		case 0:
			r.Trigger.Expr = fmt.Sprintf("list contains \"x%d\"", i)
		case 1:
			r.Trigger.CustomField = policy.Fields{{Field: fmt.Sprintf("object.a%d", i), Operator: "==",
				Value: json.RawMessage("1")}}
		case 2:
			r.Trigger.CustomField = policy.Fields{{Field: "text", Operator: "==",
				Value: json.RawMessage(fmt.Sprintf(`"%d"`, i))}}
		}
		doc.Rules = append(doc.Rules, r)
	}
	s, problems := policy.Compile(doc, nil)
	if s == nil {
		t.Fatal(problems)
	}
	fields := `{"list": [` + strings.Repeat("1,", 2_000_000) + `1], "object": {` + strings.Repeat(`"k":1,`, 600_000) +
		`"k":1}, "text": "` + strings.Repeat("x", 3_000_000) + `"}`
	start := steady.CPU()
	v := s.Judge(tuesday, policy.Subject{Data: json.RawMessage(fields)})
	if took := steady.CPU() - start; v.Effect != policy.Asks || took > 10*time.Second {
		t.Errorf("%v: %+v", took, v)
	}
}

func FuzzPolicies(f *testing.F) {
	f.Add([]byte(seedRules), []byte(`{"amount": 1500}`), int64(1_772_550_000), true)
	f.Add([]byte(seedAuto), []byte(`{"amount": 35.00}`), int64(1_772_550_000), false)
	f.Add([]byte(contract), []byte(`{"amount": 1e999, "tags": ["vip"], "customer": {"country": null}}`), int64(0), false)
	f.Fuzz(func(t *testing.T, raw, fields []byte, at int64, result bool) {
		doc, err := policy.Decode(raw)
		if err != nil {
			return
		}
		zones := func(name string) (*time.Location, error) { return time.FixedZone(name, 3600*len(name)%43200), nil }
		s, problems := policy.Compile(doc, zones)
		for _, p := range problems {
			if p.Path == "" || p.Message == "" {
				t.Fatalf("%+v", p)
			}
			if s != nil && !p.Warning {
				t.Fatalf("compiled in spite of %v", p)
			}
		}
		if s == nil && len(problems) == 0 {
			t.Fatal("refused without a reason")
		}
		for _, op := range operations {
			for _, level := range risk.Levels {
				sub := policy.Subject{Workflow: "refund", Risk: level, Operation: op, Confidence: sure(0.85),
					Result: result, Data: fields, Key: op}
				v := s.Judge(time.Unix(at, 0), sub)
				stopped := doc.AutoApproval != nil && doc.AutoApproval.Settings.EmergencyStop
				switch v.Effect {
				case policy.None:
					if v.Rule != "" {
						t.Fatalf("%+v", v)
					}
				case policy.Approves:
					if stopped {
						t.Fatalf("approved while stopped: %+v", v)
					}
				case policy.Asks:
					if v.Ask.Count < 1 {
						t.Fatalf("asks nobody: %+v", v)
					}
				case policy.Denies:
					if v.Deny == "" {
						t.Fatalf("%+v", v)
					}
				}
				if _, err := json.Marshal(v); err != nil {
					t.Fatalf("%+v: %v", v, err)
				}
			}
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	s, _ := policy.Compile(func() policy.Document { d, _ := policy.Decode([]byte(seedRules)); return d }(), nil)
	sub := policy.Subject{Risk: risk.High, Operation: "refund",
		Data: json.RawMessage(`{"amount": 1500, "customer": {"country": "NO"}, "note": "please"}`)}
	none := policy.Subject{Risk: risk.Medium, Operation: "update", Data: sub.Data}
	b.Run("asks", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Judge(tuesday, sub)
		}
	})
	b.Run("none", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Judge(tuesday, none)
		}
	})
	// Each rule has to search the data before the last one decides.
	var many policy.Document
	for i := range 1000 {
		limit := json.RawMessage(fmt.Sprint(100_000 - i))
		many.Rules = append(many.Rules, policy.Rule{Name: fmt.Sprint("rule ", i), Priority: i, Trigger: policy.Trigger{
			OperationType: policy.List[string]{"refund"},
			DataThreshold: policy.Fields{{Field: "amount", Operator: ">", Value: limit}}, Expr: `customer.country == "NO"`,
		}})
	}
	many.Rules[999].Trigger.DataThreshold[0].Value = json.RawMessage(`1`)
	thousand, problems := policy.Compile(many, nil)
	if thousand == nil {
		b.Fatal(problems)
	}
	b.Run("1000 rules", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if v := thousand.Judge(tuesday, sub); v.Rule != "rule 999" {
				b.Fatalf("%+v", v)
			}
		}
	})
}
