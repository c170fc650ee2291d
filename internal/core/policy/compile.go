package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Limits of a policy. Each is tested at and over.
const (
	RulesMax = 1_000
	ListMax  = 1_000  // words or comparisons in one list
	WordsMax = 20_000 // in all lists together
	NameMax  = 200    // characters
)

// Set is a compiled policy. It is immutable, so it is safe for concurrent use. A nil Set has no rules.
type Set struct {
	hash    string
	rules   []*rule // in evaluation order
	roots   map[string]bool
	paths   int  // number of distinct ones that rules refer to
	off     bool // auto_approval.enabled: false
	stopped bool
	hours   *hours // nil: at any time
	sums    []*sum // of all rules
}

// rule is one rule of either section, compiled.
type rule struct {
	path     string // position in the document
	name     string
	title    string
	ignore   bool // if_missing: ignore
	auto     bool // declared under auto_approval
	enabled  bool
	priority int
	effect   Effect
	when     trigger
	act      Action
	ask      Ask
	expires  time.Time // zero: never
	uses     int       // 0: any number
	rollout  ramp
	sample   int // of 10,000
}

// Compile validates a document and prepares it for Judge. It reports all problems at once; unless all of them
// are warnings, the set is nil.
func Compile(doc Document, zones Zones) (*Set, []fault.Problem) {
	c := &compiler{zones: zones, set: &Set{roots: map[string]bool{}}, paths: map[string]int{}}
	for i, r := range doc.Rules {
		c.rule(fmt.Sprintf("rules[%d]", i), r)
	}
	for i, r := range doc.Checkpoints {
		c.rule(fmt.Sprintf("checkpoints[%d]", i), r)
	}
	c.priorities()
	if doc.AutoApproval != nil {
		c.autoApproval(*doc.AutoApproval)
	}
	if n := len(c.set.rules); n > RulesMax {
		c.bad("rules", "there are %d rules; at most %d are allowed", n, RulesMax)
	}
	if c.words > WordsMax {
		c.bad("rules", "their lists have %d elements together; at most %d are allowed", c.words, WordsMax)
	}
	c.names()
	if len(fault.Errors(c.problems)) > 0 {
		return nil, c.problems
	}
	c.shadows()
	c.set.hash = hash(doc)
	return c.set, c.problems
}

// hash identifies a document by its content, regardless of rule names.
func hash(doc Document) string {
	doc.Rules = slices.Concat(doc.Rules, doc.Checkpoints)
	doc.Checkpoints = nil
	raw, err := value.Marshal(doc)
	if err != nil {
		raw = value.Quote(err.Error())
	}
	digest := value.Digest(value.Canonical(raw))
	return "pol_" + digest[len("sha256:"):][:16]
}

// Hash identifies the policy's content: pol_ and 16 hexadecimal digits.
func (s *Set) Hash() string {
	if s == nil {
		return ""
	}
	return s.hash
}

// Entry describes a rule to people.
type Entry struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Lower is evaluated first; rules under auto_approval have none.
	Priority *int `json:"priority,omitempty"`
	// False if it is disabled.
	Enabled bool `json:"enabled"`
	// The effect.
	Effect Effect `json:"effect"`
	// The condition, in words.
	When string `json:"when"`
	// The maximum number of uses; omitted without a limit.
	MaxUses int `json:"max_uses,omitempty"`
	// The number of uses; only with max_uses.
	Used *int `json:"used,omitempty"`
	// The current share of cases it approves, in percent; only for growing rollouts.
	RolloutNow *float64 `json:"rollout_now,omitempty"`
}

// Rules lists the rules in evaluation order, as of now.
func (s *Set) Rules(now time.Time) []Entry {
	if s == nil {
		return nil
	}
	var out []Entry
	for _, r := range s.rules {
		e := Entry{Name: r.name, Path: r.path, Enabled: r.enabled, Effect: r.effect, When: r.when.String(), MaxUses: r.uses}
		if !r.auto {
			e.Priority = &r.priority
		}
		if r.rollout.over > 0 {
			share := float64(r.rollout.at(now)) / 100
			e.RolloutNow = &share
		}
		out = append(out, e)
	}
	return out
}

// compiler collects problems while it builds the set.
type compiler struct {
	paths    map[string]int // paths that rules refer to, with their numbers
	zones    Zones
	set      *Set
	words    int // in all lists so far
	problems []fault.Problem
}

func (c *compiler) bad(path, format string, args ...any) {
	c.problems = append(c.problems, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (c *compiler) warn(path, format string, args ...any) {
	c.problems = append(c.problems, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...), Warning: true})
}

func (c *compiler) rule(path string, in Rule) {
	r := &rule{path: path, name: in.Name, title: in.Title,
		enabled: in.Enabled == nil || *in.Enabled, priority: in.Priority}
	r.ignore = c.ifMissing(path+".if_missing", in.IfMissing)
	r.when = c.trigger(path+".trigger", in.Trigger, nil)
	c.action(path+".action", r, in.Action)
	if r.effect == Approves && r.when.empty() {
		c.warn(path+".trigger", "an empty trigger approves everything")
	}
	c.set.rules = append(c.set.rules, r)
}

func (c *compiler) ifMissing(path, word string) (ignore bool) {
	switch word {
	case "", "ask":
	case "ignore":
		return true
	default:
		c.bad(path, "%q is unknown: write ask or ignore", word)
	}
	return false
}

func (c *compiler) autoApproval(in AutoApproval) {
	const path = "auto_approval"
	c.set.off = in.Enabled != nil && !*in.Enabled
	c.set.stopped = in.Settings.EmergencyStop
	if in.Settings.BusinessHours != nil {
		h := c.hours(path+".global_settings.business_hours", in.Settings.BusinessHours)
		if in.Settings.BusinessHoursOnly {
			c.set.hours = h
		}
	} else if in.Settings.BusinessHoursOnly {
		c.bad(path+".global_settings.business_hours", "it is missing: business_hours_only needs the hours")
	}
	for i, a := range in.Rules {
		at := fmt.Sprintf("%s.rules[%d]", path, i)
		r := &rule{path: at, name: a.Name, title: a.Title, auto: true, enabled: a.Enabled == nil || *a.Enabled}
		r.ignore = c.ifMissing(at+".if_missing", a.IfMissing)
		r.when = c.trigger(at+".conditions", a.Conditions.Trigger, a.Conditions.Confidence)
		c.action(at+".action", r, a.Action)
		if r.effect == Approves && r.when.empty() {
			c.warn(at+".conditions", "they are empty: this approves everything")
		}
		c.set.rules = append(c.set.rules, r)
	}
}

// priorities sorts the rules and reports ties.
func (c *compiler) priorities() {
	seen := map[int]string{}
	for _, r := range c.set.rules {
		if other, ok := seen[r.priority]; ok {
			c.bad(r.path+".priority", "%s also has priority %d: change one of them", other, r.priority)
			continue
		}
		seen[r.priority] = r.path
	}
	slices.SortStableFunc(c.set.rules, func(a, b *rule) int { return cmp.Compare(a.priority, b.priority) })
}

// names must be present and unique: the log refers to them, and uses are counted by them.
func (c *compiler) names() {
	seen := map[string]string{}
	for _, r := range c.set.rules {
		switch other, twice := seen[r.name]; {
		case r.name == "":
			c.bad(r.path+".name", "it is missing")
			continue
		case utf8.RuneCountInString(r.name) > NameMax:
			c.bad(r.path+".name", "it is longer than %d characters", NameMax)
		case twice:
			c.bad(r.path+".name", "%s is also named %q", other, r.name)
		}
		seen[r.name] = r.path
	}
}

// shadows warns about unreachable rules, but only when it is certain.
func (c *compiler) shadows() {
	for i, later := range c.set.rules {
		for _, earlier := range c.set.rules[:i] {
			if later.enabled && earlier.covers(later) {
				c.warn(later.path, "it is never reached: %s (%q) comes first and matches whatever this one does",
					earlier.path, earlier.name)
				break
			}
		}
	}
}

func (r *rule) covers(later *rule) bool {
	if !r.enabled || !r.expires.IsZero() || r.uses > 0 {
		return false
	}
	if r.when.uncertain() {
		switch {
		case r.ignore: // it may not apply where the later one does
			return false
		case r.effect == Approves && later.effect != Approves: // it defers where the later one asks
			return false
		}
	}
	if r.effect == Approves && r.when.at == "" && later.when.results() > never {
		return false // it does not apply to results that it may not approve
	}
	return r.when.covers(later.when)
}
