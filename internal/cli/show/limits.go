package show

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
)

// Limits describes when a rule applies in addition to its condition: where, to how many cases, how often and
// until when. Definition is the policy that contains it.
func (t Theme) Limits(r policy.Entry, definition json.RawMessage, now time.Time) string {
	raw, ok := value.Get(definition, steps(r.Path)...)
	if !ok {
		return ""
	}
	rule := ruleText{raw}
	var parts []string
	add := func(format string, text string) {
		if text != "" {
			parts = append(parts, fmt.Sprintf(format, text))
		}
	}
	add("at %s", rule.text("trigger", "at")+rule.text("conditions", "at"))
	add("missing fields: %s", rule.text("if_missing"))
	add("%s", rule.rollout(r.RolloutNow))
	add("%s %% sampled", rule.text("action", "sample_percentage"))
	parts = append(parts, t.uses(r)...)
	if at := rule.text("action", "expires_at"); at != "" {
		parts = append(parts, t.expires(at, now))
	}
	return strings.Join(parts, t.Dim(" · "))
}

// steps splits a path such as rules[0].
func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// ruleText reads members of a rule as written.
type ruleText struct{ raw json.RawMessage }

func (r ruleText) text(path ...string) string {
	v, ok := value.Get(r.raw, path...)
	if !ok || string(v) == "null" {
		return ""
	}
	if text, ok := value.Text(v); ok {
		return Line(text)
	}
	return Line(string(v))
}

// rollout is the share of cases, fixed or growing.
func (r ruleText) rollout(now *float64) string {
	if share := r.text("action", "rollout_percentage"); share != "" {
		return share + " % of cases"
	}
	to, over := r.text("action", "rollout", "to"), r.text("action", "rollout", "over")
	switch {
	case to == "":
		return ""
	case over == "" || now == nil:
		return to + " % of cases"
	}
	return fmt.Sprintf("%.4g %% of cases now, growing to %s %% over %s", *now, to, over) +
		prefixed(" from ", r.text("action", "rollout", "from"))
}

func (t Theme) uses(r policy.Entry) []string {
	if r.MaxUses == 0 {
		return nil
	}
	used := 0
	if r.Used != nil {
		used = *r.Used
	}
	text := fmt.Sprintf("%d of %d uses", used, r.MaxUses)
	if used >= r.MaxUses {
		text = t.Bad(text + ", limit reached")
	}
	return []string{text}
}

func (t Theme) expires(text string, now time.Time) string {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if !at.After(now) {
			return t.Bad("expired " + Moment(at))
		}
		return "until " + Moment(at)
	}
	return "until " + text
}
