package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/policy"
)

const ramping = `{"rules": [{"name": "Small", "priority": 1, "trigger": {"operation_type": "refund"}, "action": {"auto_approve": true, "rollout": {"to": 50, "over": "14d"}}}]}`

// approved counts and lists the cases out of a thousand that a policy approves at a given time.
func approved(set *policy.Set, at time.Time) (n int, which map[string]bool) {
	which = map[string]bool{}
	for i := range 1000 {
		key := fmt.Sprintf("case %d", i)
		if v := set.Judge(at, policy.Subject{Operation: "refund", Key: key}); v.Effect == policy.Approves {
			n++
			which[key] = true
		}
	}
	return n, which
}

// A rollout grows linearly from none to its target, and a case never drops out again.
func TestRolloutRamps(t *testing.T) {
	set := compile(t, ramping)
	if names := set.Ramps(); len(names) != 1 || names[0] != "Small" {
		t.Errorf("ramps: %v", names)
	}
	if n, _ := approved(set, tuesday); n != 0 {
		t.Errorf("%d cases are approved although nobody knows since when the rule is in force", n)
	}
	set = set.Since(map[string]time.Time{"Small": tuesday, "other": tuesday.AddDate(-1, 0, 0)})
	var before map[string]bool
	for _, c := range []struct {
		days     float64
		from, to int
	}{{-1, 0, 0}, {0, 0, 0}, {3.5, 90, 160}, {7, 200, 300}, {14, 440, 560}, {1000, 440, 560}} {
		n, which := approved(set, tuesday.Add(time.Duration(c.days*24*float64(time.Hour))))
		if n < c.from || n > c.to {
			t.Errorf("after %v days %d of 1000 cases are approved", c.days, n)
		}
		for key := range before {
			if !which[key] {
				t.Errorf("%s was approved before, and not after %v days", key, c.days)
			}
		}
		before = which
	}
	if n, _ := approved(set.AtTarget(), tuesday); n < 440 || n > 560 {
		t.Errorf("at its target it approves %d", n)
	}
	if share := set.Rules(tuesday.AddDate(0, 0, 7))[0].RolloutNow; share == nil || *share != 25 {
		t.Errorf("after half of the time the share is %v", share)
	}
}

// The description states the current share.
func TestRolloutInWords(t *testing.T) {
	set := compile(t, ramping)
	say := func(set *policy.Set, at time.Time) string {
		for i := range 1000 {
			if v := set.Judge(at, policy.Subject{Operation: "refund", Key: fmt.Sprint(i)}); v.Effect == policy.Asks {
				return v.Reason
			}
		}
		return ""
	}
	begun := set.Since(map[string]time.Time{"Small": tuesday})
	for _, c := range []struct {
		set  *policy.Set
		at   time.Time
		want string
	}{
		{set, tuesday, "its rollout to 50 % has not started"},
		{begun, tuesday.AddDate(0, 0, 7), "outside its rollout, which is at 25 % now (50 % by " +
			tuesday.AddDate(0, 0, 14).UTC().Format(time.DateOnly)},
		{begun, tuesday.AddDate(0, 0, 14), "outside its 50 % rollout."},
	} {
		if got := say(c.set, c.at); !strings.Contains(got, c.want) {
			t.Errorf("%q does not say %q", got, c.want)
		}
	}
}

func TestRolloutIsWrittenInTwoWays(t *testing.T) {
	number := compile(t, strings.Replace(ramping, `{"to": 50, "over": "14d"}`, "50", 1))
	percentage := compile(t, strings.Replace(ramping, `"rollout": {"to": 50, "over": "14d"}`,
		`"rollout_percentage": 50`, 1))
	a, _ := approved(number, tuesday)
	if b, _ := approved(percentage, tuesday); a != b || a < 440 || number.Ramps() != nil {
		t.Errorf("%d and %d cases", a, b)
	}
	fixed := compile(t, strings.Replace(ramping, `"14d"`, `"14d", "from": "`+tuesday.Format(time.RFC3339)+`"`, 1))
	other := fixed.Since(map[string]time.Time{"Small": tuesday.AddDate(-1, 0, 0)})
	if n, _ := approved(other, tuesday); n != 0 || fixed.Ramps() != nil {
		t.Errorf("%d: what the document says counts", n)
	}
	if raw, err := json.Marshal(policy.Rollout{}); err != nil || string(raw) != `{"to":null}` {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestUnchangedRules(t *testing.T) {
	doc := func(text string) policy.Document {
		d, err := policy.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	was := doc(ramping)
	for change, same := range map[string]bool{
		`"priority": 1`:               true, // → 7
		`"operation_type": "refund"`:  false,
		`"auto_approve": true`:        false,
		`"over": "14d"`:               false,
		`"priority": 1, "trigger": {`: false,
	} {
		is := doc(strings.Replace(ramping, change, map[string]string{
			`"priority": 1`:               `"priority": 7, "description": "for the summer"`,
			`"operation_type": "refund"`:  `"operation_type": ["refund", "payout"]`,
			`"auto_approve": true`:        `"auto_approve": true, "max_uses": 3`,
			`"over": "14d"`:               `"over": "7d"`,
			`"priority": 1, "trigger": {`: `"priority": 1, "enabled": false, "trigger": {`,
		}[change], 1))
		if policy.Unchanged(was, is, "Small") != same {
			t.Errorf("%s changed: the same is not %v", change, same)
		}
	}
	if policy.Unchanged(was, was, "Large") {
		t.Error("a rule that is not there is no rule")
	}
}
