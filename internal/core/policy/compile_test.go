package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/policy"
)

// sums is a policy with one rule that compares a sum.
func sums(members string) string {
	return one(`{"operation_type": "refund", "data_threshold": {"field": "amount", `+members+
		`, "operator": ">", "value": 1000}}`, `{}`)
}

func TestProblems(t *testing.T) {
	hours := func(h string) string {
		return `{"auto_approval": {"global_settings": {"business_hours_only": true, "business_hours": {` + h + `}}}}`
	}
	const at = "auto_approval.global_settings.business_hours"
	cases := []struct{ doc, path, message string }{
		{`{"rules": [{"priority": 1}]}`, "rules[0].name", "missing"},
		{`{"rules": [{"name": "` + strings.Repeat("ä", policy.NameMax+1) + `"}]}`, "rules[0].name", "longer than 200"},
		{`{"rules": [{"name": "a", "priority": 1}, {"name": "a", "priority": 2, "trigger": {"tool": "x"}}]}`,
			"rules[1].name", `rules[0] is also named "a"`},
		{`{"rules": [{"name": "a", "priority": 1, "trigger": {"tool": "x"}}, {"name": "b", "priority": 1, "trigger": {"tool": "y"}}]}`, "rules[1].priority", "rules[0] also has priority 1"},
		{`{"rules": [{"name": "a", "trigger": {"tool": "x"}}], "checkpoints": [{"name": "b", "trigger": {"tool": "y"}}]}`,
			"checkpoints[0].priority", "rules[0] also has priority 0"},
		{`{"rules": [{"name": "a"}], "auto_approval": {"rules": [{"name": "a", "conditions": {"agent_confidence": "> 0.1"}, "action": {}}]}}`, "auto_approval.rules[0].name", `rules[0] is also named "a"`},
		{one(`{"at": "start"}`, `{}`), "rules[0].trigger.at", "write act or result"},
		{`{"rules": [{"name": "a", "if_missing": "skip", "trigger": {"tool": "x"}, "action": {}}]}`, "rules[0].if_missing",
			"write ask or ignore"},
		{one(`{"risk_level": "hihg"}`, `{}`), "rules[0].trigger.risk_level", "low, medium, high or critical"},
		{one(`{"risk_level": ["low", "hihg"]}`, `{}`), "rules[0].trigger.risk_level[1]", "hihg"},
		{one(`{"risk_level": []}`, `{}`), "rules[0].trigger.risk_level", "empty"},
		{one(`{"tool": []}`, `{}`), "rules[0].trigger.tool", "empty"},
		{one(`{"tool": ["a", ""]}`, `{}`), "rules[0].trigger.tool[1]", "empty"},
		{one(`{"data_threshold": []}`, `{}`), "rules[0].trigger.data_threshold", "empty"},
		{one(`{"data_threshold": {"field": "a", "operator": "~", "value": 1}}`, `{}`),
			"rules[0].trigger.data_threshold.operator", `"~" is unknown`},
		{one(`{"data_threshold": [{"field": "a", "operator": ">", "value": 1}, {"field": "a", "operator": "more", "value": 1}]}`, `{}`), "rules[0].trigger.data_threshold[1].operator", `"more"`},
		{one(`{"data_threshold": {"operator": ">", "value": 1}}`, `{}`), "rules[0].trigger.data_threshold.field", "missing"},
		{one(`{"data_threshold": {"field": "a..b", "operator": ">", "value": 1}}`, `{}`),
			"rules[0].trigger.data_threshold.field", "expected a name"},
		{one(`{"data_threshold": {"field": "a", "operator": ">"}}`, `{}`),
			"rules[0].trigger.data_threshold.value", "missing"},
		{one(`{"data_threshold": {"field": "a", "operator": ">", "value": true}}`, `{}`),
			"rules[0].trigger.data_threshold.value", "needs a number"},
		{one(`{"custom_field": {"field": "a", "operator": "in", "value": "x"}}`, `{}`),
			"rules[0].trigger.custom_field.value", "needs a list"},
		{one(`{"custom_field": {"field": "a", "operator": "startsWith", "value": 1}}`, `{}`),
			"rules[0].trigger.custom_field.value", "needs a text"},
		{one(`{"agent_confidence": "high"}`, `{}`), "rules[0].trigger.agent_confidence", `"high" is not a comparison`},
		{one(`{"agent_confidence": "0.8"}`, `{}`), "rules[0].trigger.agent_confidence", "not a comparison"},
		{one(`{"agent_confidence": {"operator": "<"}}`, `{}`), "rules[0].trigger.agent_confidence", "not a comparison"},
		{one(`{"agent_confidence": ">= 80"}`, `{}`), "rules[0].trigger.agent_confidence.value", "between 0 and 1"},
		{one(`{"agent_confidence": {"operator": "in", "value": 0.5}}`, `{}`),
			"rules[0].trigger.agent_confidence.operator", "unknown"},
		{`{"auto_approval": {"rules": [{"name": "a", "conditions": {"confidence": "=> 0.8"}, "action": {"auto_approve": true}}]}}`, "auto_approval.rules[0].conditions.confidence.operator", "unknown"},
		{one(`{"expr": "a = 3"}`, `{}`), "rules[0].trigger.expr", "write == to compare (column 3)"},
		{sums(`"sum": "weekly"`), "rules[0].trigger.data_threshold.sum", "write run, or a time from 1m to 31d"},
		{sums(`"sum": "32d"`), "rules[0].trigger.data_threshold.sum", "from 1m to 31d"},
		{sums(`"sum": "30s"`), "rules[0].trigger.data_threshold.sum", "from 1m to 31d"},
		{sums(`"by": "customer"`), "rules[0].trigger.data_threshold.by", "it needs sum"},
		{sums(`"sum": "24h", "by": "a..b"`), "rules[0].trigger.data_threshold.by", "expected a name"},
		{strings.Replace(sums(`"sum": "run"`), `">"`, `"=="`, 1), "rules[0].trigger.data_threshold.operator",
			"compared by >, >=, < or <="},
		{strings.Replace(sums(`"sum": "run"`), `1000`, `"1000"`, 1), "rules[0].trigger.data_threshold.value",
			"compared with a number"},
		{strings.Replace(sums(`"sum": "run"`), `"operation_type": "refund"`, `"tool": "pay"`, 1),
			"rules[0].trigger.data_threshold.sum", "name it in operation_type"},
		{strings.Replace(sums(`"sum": "run"`), `"operation_type"`, `"at": "result", "operation_type"`, 1),
			"rules[0].trigger.data_threshold.sum", "evaluates results"},
		{strings.Replace(sums(`"sum": "run"`), `data_threshold`, `custom_field`, 1), "rules[0].trigger.custom_field.sum",
			"only data_threshold"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "rollout": 101}`), "rules[0].action.rollout.to", "between 0 and 100"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "rollout": {"over": "14d"}}`), "rules[0].action.rollout.to", "missing"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "rollout": {"to": 50, "over": "a fortnight"}}`),
			"rules[0].action.rollout.over", "not a duration"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "rollout": {"to": 50, "over": "10s"}}`),
			"rules[0].action.rollout.over", "between 1m"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "rollout": {"to": 50, "from": "2026-01-01"}}`),
			"rules[0].action.rollout.over", "missing"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "rollout": {"to": 50, "over": "14d", "from": "soon"}}`),
			"rules[0].action.rollout.from", "not a valid time"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "rollout": 50, "rollout_percentage": 50}`),
			"rules[0].action.rollout", "either"},
		{one(`{}`, `{"deny": "no", "auto_approve": true}`), "rules[0].action", "both"},
		{one(`{}`, `{"require_approval_count": 0}`), "rules[0].action.require_approval_count", "between 1 and 100"},
		{one(`{}`, `{"notification": {"channels": ["teams", "pi geon"]}}`), "rules[0].action.notification.channels[1]",
			"is not the name of a channel"},
		{one(`{}`, `{"auto_approve": true, "notification_channels": "pi geon"}`),
			"rules[0].action.notification_channels", "is not the name of a channel"},
		{one(`{}`, `{"require_approval_count": -1}`), "rules[0].action.require_approval_count", "between 1 and 100"},
		{one(`{}`, `{"role": "a", "roles": {"b": 1}}`), "rules[0].action.roles", "either"},
		{one(`{}`, `{"roles": {"b": 0}}`), "rules[0].action.roles.b", "between 1"},
		{one(`{}`, `{"roles": {"a": 1, "b": 2}, "require_approval_count": 2}`),
			"rules[0].action.require_approval_count", "need 3 people"},
		{one(`{}`, `{"timeout_seconds": -1}`), "rules[0].action.timeout_seconds", "number of seconds"},
		{one(`{}`, `{"timeout_seconds": 1, "on_timeout": "explode"}`), "rules[0].action.on_timeout", `"explode" is unknown`},
		{one(`{}`, `{"timeout_seconds": 1, "on_timeout": "escalate"}`), "rules[0].action.on_timeout", "names no one"},
		{one(`{}`, `{"escalation": {"after_seconds": 1}}`), "rules[0].action.escalation.escalate_to", "missing"},
		{one(`{}`, `{"escalation": {"after_seconds": 1e99, "escalate_to": "a"}}`),
			"rules[0].action.escalation.after_seconds", "seconds"},
		{one(`{}`, `{"escalation": {"escalate_to": ["role:"]}}`), "rules[0].action.escalation.escalate_to[0]",
			"not a person or role"},
		{one(`{}`, `{"notification": "teams"}`), "rules[0].action.notification", "channels"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "rollout_percentage": 101}`),
			"rules[0].action.rollout_percentage", "between 0 and 100"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "sample_percentage": -1}`),
			"rules[0].action.sample_percentage", "between 0 and 100"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "max_uses": 0}`), "rules[0].action.max_uses", "at least 1"},
		{one(`{"tool": "x"}`, `{"auto_approve": true, "expires_at": "soon"}`),
			"rules[0].action.expires_at", "not a valid time"},
		{`{"auto_approval": {"global_settings": {"business_hours_only": true}}}`, at, "missing"},
		{hours(`"timezone": "Mars/Olympus", "monday_friday": "09:00-17:00"`), at + ".timezone", "Mars/Olympus"},
		{hours(`"timezone": "Local", "monday_friday": "09:00-17:00"`), at + ".timezone", "differs between machines"},
		{hours(`"timezone": "UTC", "monday_friday": "9-5"`), at + ".monday_friday", "not a valid range"},
		{hours(`"timezone": "UTC", "monday_friday": "09:00-25:00"`), at + ".monday_friday", "not a valid range"},
		{hours(`"timezone": "UTC", "monday_friday": "09:60-17:00"`), at + ".monday_friday", "not a valid range"},
		{hours(`"timezone": "UTC", "monday_friday": "24:00-09:00"`), at + ".monday_friday", "not a valid range"},
		{hours(`"timezone": "UTC", "monday_friday": "09:00-17:00", "saturday_sunday": "10:00-10:00"`),
			at + ".saturday_sunday", "is empty"},
		{hours(`"timezone": "UTC", "monday_friday": "09:00-17:00", "holidays": ["2026-12-25", "xmas"]`),
			at + ".holidays[1]", "not a valid date"},
	}
	for _, c := range cases {
		set, problems := policy.Compile(decode(t, c.doc), time.LoadLocation)
		bad := fault.Errors(problems)
		if set != nil || len(bad) != 1 || bad[0].Path != c.path || !strings.Contains(bad[0].Message, c.message) {
			t.Errorf("%s: %v; want %s: %s", c.doc, problems, c.path, c.message)
		}
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, problems := policy.Compile(decode(t, `{"rules": [
		{"priority": 1, "trigger": {"risk_level": "x", "expr": "a =", "data_threshold": {"field": "", "operator": "", "value": 1}}, "action": {"on_timeout": "x"}},
		{"name": "b", "priority": 1, "trigger": {"tool": "t"}, "action": {"max_uses": -1}}]}`), nil)
	if len(problems) != 8 {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
}

func TestWarnings(t *testing.T) {
	two := func(a, b string) string {
		return fmt.Sprintf(`{"rules": [{"name": "a", "priority": 1, %s}, {"name": "b", "priority": 2, %s}]}`, a, b)
	}
	const asks, approves = `"action": {}`, `"action": {"auto_approve": true}`
	threshold := `"data_threshold": {"field": "n", "operator": ">", "value": 3}`
	cases := []struct{ doc, path string }{
		// Unreachable.
		{two(`"trigger": {}, `+asks, `"trigger": {"tool": "x"}, `+approves), "rules[1]"},
		{two(`"trigger": {"tool": ["x", "y"]}, `+asks, `"trigger": {"tool": "x", "risk_level": "low"}, `+approves),
			"rules[1]"},
		{two(`"trigger": {"tool": "mcp:*"}, `+asks, `"trigger": {"tool": ["mcp:a", "mcp:b*"]}, `+approves), "rules[1]"},
		{two(`"trigger": {"risk_level": ["low", "high"]}, `+asks, `"trigger": {"risk_level": "low"}, `+approves), "rules[1]"},
		{two(`"trigger": {`+threshold+`}, `+asks,
			`"trigger": {"custom_field": {"field": "n", "operator": "gt", "value": 3}}, `+approves), "rules[1]"},
		{two(`"trigger": {`+threshold+`}, `+approves, `"trigger": {"tool": "x", `+threshold+`}, `+approves), "rules[1]"},
		{two(`"trigger": {"expr": "a > 3"}, `+asks, `"trigger": {"tool": "x", "expr": "a > 3"}, `+asks), "rules[1]"},
		{two(`"trigger": {"agent_confidence": "< 0.5"}, `+asks,
			`"trigger": {"tool": "x", "agent_confidence": "< 0.5"}, `+asks), "rules[1]"},
		{`{"rules": [{"name": "a", "trigger": {"tool": "x"}}], "auto_approval": {"rules": [{"name": "b", "conditions": {"tool": "x"}, "action": {"auto_approve": true}}]}}`, "auto_approval.rules[0]"},
		// Reachable, or not certain.
		{two(`"trigger": {"tool": "x"}, `+asks, `"trigger": {}, `+asks), ""},
		{two(`"trigger": {"tool": "x"}, `+asks, `"trigger": {"tool": ["x", "y"]}, `+asks), ""},
		{two(`"trigger": {"tool": "mcp:a"}, `+asks, `"trigger": {"tool": "mcp:*"}, `+asks), ""},
		{two(`"trigger": {"tool": "x"}, "enabled": false, `+asks, `"trigger": {"tool": "x"}, `+asks), ""},
		{two(`"trigger": {"tool": "x"}, `+asks, `"trigger": {"tool": "x"}, "enabled": false, `+asks), ""},
		{two(`"trigger": {"tool": "x"}, "action": {"expires_at": "2030-01-01"}`, `"trigger": {"tool": "x"}, `+asks), ""},
		{two(`"trigger": {"tool": "x"}, "action": {"auto_approve": true, "max_uses": 9}`, `"trigger": {"tool": "x"}, `+asks),
			""},
		{two(`"trigger": {`+threshold+`}, `+approves, `"trigger": {`+threshold+`}, `+asks), ""},
		{two(`"trigger": {}, `+asks, `"trigger": {"at": "result"}, `+asks), ""},
		{two(`"trigger": {}, `+asks, `"trigger": {"agent_confidence": "< 0.5"}, `+asks), ""},
		{two(`"trigger": {"agent_confidence": "< 0.5"}, `+asks, `"trigger": {"agent_confidence": "< 0.6"}, `+asks), ""},
		{two(`"trigger": {"expr": "a > 3"}, `+asks, `"trigger": {"expr": "a > 4"}, `+asks), ""},
		// Other warnings.
		{one(`{}`, `{"auto_approve": true}`), "rules[0].trigger"},
		{one(`{}`, `{"on_timeout": "cancel"}`), "rules[0].action.on_timeout"},
		{one(`{}`, `{"rollout_percentage": 5}`), "rules[0].action.rollout_percentage"},
		{`{"auto_approval": {"rules": [{"name": "a", "conditions": {}, "action": {"auto_approve": true}}]}}`,
			"auto_approval.rules[0].conditions"},
		{`{"auto_approval": {"global_settings": {"business_hours": {"monday_friday": "09:00-17:00"}}}}`,
			"auto_approval.global_settings.business_hours.timezone"},
	}
	for _, c := range cases {
		set, problems := policy.Compile(decode(t, c.doc), time.LoadLocation)
		if set == nil {
			t.Errorf("%s: %v", c.doc, problems)
			continue
		}
		if c.path == "" && len(problems) > 0 ||
			c.path != "" && (len(problems) != 1 || problems[0].Path != c.path || !problems[0].Warning) {
			t.Errorf("%s: %v; want a warning at %q", c.doc, problems, c.path)
		}
	}
}

func TestLimits(t *testing.T) {
	rules := func(n int) policy.Document {
		var doc policy.Document
		for i := range n {
			doc.Rules = append(doc.Rules, policy.Rule{Name: fmt.Sprint(i), Priority: i,
				Trigger: policy.Trigger{Tool: policy.List[string]{fmt.Sprint(i)}}})
		}
		return doc
	}
	if set, problems := policy.Compile(rules(policy.RulesMax), nil); set == nil {
		t.Error(problems)
	}
	if set, problems := policy.Compile(rules(policy.RulesMax+1), nil); set != nil || len(problems) != 1 {
		t.Error(problems)
	}
	words := func(n int) policy.Document {
		doc := rules(1)
		doc.Rules[0].Trigger.Tool = make(policy.List[string], n)
		for i := range n {
			doc.Rules[0].Trigger.Tool[i] = fmt.Sprint(i)
		}
		return doc
	}
	if set, problems := policy.Compile(words(policy.ListMax), nil); set == nil {
		t.Error(problems)
	}
	if set, _ := policy.Compile(words(policy.ListMax+1), nil); set != nil {
		t.Error("a list over the limit must be refused")
	}
	all := rules(policy.WordsMax / policy.ListMax)
	for i := range all.Rules {
		all.Rules[i].Trigger = words(policy.ListMax).Rules[0].Trigger
	}
	if set, problems := policy.Compile(all, nil); set == nil || len(problems) != len(all.Rules)-1 {
		t.Error(problems)
	}
	all.Rules[0].Trigger.Agent = policy.List[string]{"a"}
	if set, _ := policy.Compile(all, nil); set != nil {
		t.Error("lists over the limit must be refused")
	}
}

func TestZonesAreData(t *testing.T) {
	doc := decode(t, `{"auto_approval": {"global_settings": {"business_hours": {"timezone": "Europe/Oslo", "monday_friday": "09:00-17:00"}}}}`)
	for name, zones := range map[string]policy.Zones{
		"none":    nil,
		"unknown": func(string) (*time.Location, error) { return nil, errors.New("no such file") },
		"nothing": func(string) (*time.Location, error) { return nil, nil },
	} {
		if set, problems := policy.Compile(doc, zones); set != nil || len(problems) != 1 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestHours(t *testing.T) {
	set := func(hours string) *policy.Set {
		return compile(t, `{"rules": [{"name": "r", "trigger": {"tool": "*"}, "action": {"auto_approve": true}}],
			"auto_approval": {"global_settings": {"business_hours_only": true, "business_hours": {"timezone": "Europe/Oslo", `+
			hours+`}}}}`)
	}
	day := set(`"monday_friday": "9:00-17:00"`)
	night := set(`"monday_friday": "22:00-06:00", "saturday_sunday": "disabled", "holidays": ["2026-03-05"]`)
	always := set(`"monday_friday": "00:00-24:00", "saturday_sunday": "00:00-24:00"`)
	evening := set(`"monday_friday": "18:00-24:00", "saturday_sunday": "closed"`)
	oslo, _ := time.LoadLocation("Europe/Oslo")
	cases := []struct {
		name string
		set  *policy.Set
		at   string
		want bool
	}{
		{"day", day, "2026-03-03 09:00", true}, // a Tuesday
		{"day", day, "2026-03-03 08:59", false},
		{"day", day, "2026-03-03 16:59", true},
		{"day", day, "2026-03-03 17:00", false},
		{"day", day, "2026-03-07 12:00", false},
		{"day in summer", day, "2026-07-01 09:00", true},
		{"night", night, "2026-03-03 22:00", true},
		{"night", night, "2026-03-03 23:59", true},
		{"night", night, "2026-03-04 05:59", true},
		{"night", night, "2026-03-04 06:00", false},
		{"night", night, "2026-03-04 12:00", false},
		{"night before the holiday", night, "2026-03-04 23:00", true},
		{"morning of the holiday", night, "2026-03-05 03:00", false},
		{"night of the holiday", night, "2026-03-05 23:00", false},
		{"morning after the holiday", night, "2026-03-06 03:00", false},
		{"Friday night", night, "2026-03-06 23:00", true},
		{"Saturday morning belongs to Friday", night, "2026-03-07 03:00", true},
		{"Saturday night", night, "2026-03-07 23:00", false},
		{"Monday morning belongs to Sunday", night, "2026-03-09 03:00", false},
		{"always", always, "2026-03-07 00:00", true},
		{"always", always, "2026-03-07 23:59", true},
		{"evening", evening, "2026-03-03 23:59", true},
		{"evening", evening, "2026-03-04 00:00", false},
	}
	for _, c := range cases {
		now, err := time.ParseInLocation("2006-01-02 15:04", c.at, oslo)
		if err != nil {
			t.Fatal(err)
		}
		if v := c.set.Judge(now, policy.Subject{Tool: "x"}); (v.Effect == policy.Approves) != c.want {
			t.Errorf("%s, %s: %+v", c.name, c.at, v)
		}
	}
}
