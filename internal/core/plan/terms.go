package plan

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
)

// acts available for each kind; the first ones settle it positively.
var actsOf = map[gate.Kind][]gate.Act{
	gate.KindApproval:   {gate.Approve, gate.Modify, gate.Reject, gate.Escalate, gate.RequestRevision, gate.Delegate},
	gate.KindEscalation: {gate.Approve, gate.Modify, gate.Reject, gate.Escalate, gate.RequestRevision, gate.Delegate},
	gate.KindChoice:     {gate.Choose, gate.Reject, gate.Escalate, gate.RequestRevision, gate.Delegate},
	gate.KindInput:      {gate.Submit, gate.Approve, gate.Reject, gate.Escalate, gate.RequestRevision, gate.Delegate},
}

var positive = []gate.Act{gate.Approve, gate.Modify, gate.Choose, gate.Submit}

// Values of Gate.Requester; empty leaves it to the quorum.
const (
	RequesterAllowed  = "allowed"
	RequesterExcluded = "excluded"
)

// checkGate checks who is asked, for what, and by when.
func (c *compiler) checkGate(w where, g *CompiledGate) {
	c.oneOf(w, "kind", string(g.Gate.Kind), kindWords)
	c.oneOf(w, "on_reject", string(g.Gate.OnReject), onRejectWords)
	if c.oneOf(w, "if_missing", g.Gate.IfMissing, missingWords); g.Gate.IfMissing != "" && g.Gate.When == "" {
		c.warn(w, "if_missing", "this gate has no condition (when), so no field of it can be missing")
	}
	if _, err := phrase.Parse(g.Gate.Title); err != nil {
		c.warn(w, "title", "it is shown as written: %v", err)
	}
	c.checkActs(w, g.Gate)
	c.checkOptions(w, g.Gate)
	c.checkQuorum(w, g.Gate)
	c.checkChain(w, g.Gate)
	c.checkTimeout(w, g)
	c.checkSilence(w, g)
	c.json(w, "notify", g.Gate.Notify)
	c.notNegative(w, "remind", g.Gate.Remind)
	c.notNegative(w, "pause_after", g.Gate.PauseAfter)
}

func (c *compiler) checkActs(w where, g *Gate) {
	suit, ok := actsOf[g.Kind]
	if !ok || len(g.Acts) == 0 {
		return
	}
	yes := false
	for k, act := range g.Acts {
		yes = yes || slices.Contains(positive, act)
		switch {
		case !slices.Contains(gate.Acts, act):
			c.mustBe(w, at("acts", k), string(act), known(suit))
		case !slices.Contains(suit, act):
			c.bad(w, at("acts", k), "%q does not suit the kind %s: use %s", act, g.Kind, phrase.Or(known(suit)))
		case slices.Contains(g.Acts[:k], act):
			c.warn(w, at("acts", k), "%q is listed twice", act)
		}
	}
	if !yes {
		c.warn(w, "acts", "none of these acts approves: add %s", suit[0])
	}
}

func (c *compiler) checkOptions(w where, g *Gate) {
	if g.Kind == gate.KindInput && len(g.InputSchema) == 0 {
		c.bad(w, "input_schema", "the kind input needs an input_schema for the data to submit")
	}
	if g.Kind != gate.KindChoice {
		if len(g.Options) > 0 {
			c.warn(w, "options", "options are only offered by the kind choice, not %s", g.Kind)
		}
		return
	}
	if len(g.Options) < 2 {
		c.bad(w, "options", "the kind choice needs at least 2 options, not %d", len(g.Options))
	}
	if len(g.Options) > OptionsMax {
		c.bad(w, "options", "%d options are too many: at most %d", len(g.Options), OptionsMax)
		return
	}
	for k, o := range g.Options {
		if o.Value == "" {
			c.bad(w, at("options", k)+".value", "the value of the option is missing")
		} else if slices.ContainsFunc(g.Options[:k], func(x gate.Option) bool { return x.Value == o.Value }) {
			c.bad(w, at("options", k)+".value", "the value %s is given twice: each option needs its own", quote(o.Value))
		}
	}
}

// checkQuorum checks who has to agree.
func (c *compiler) checkQuorum(w where, g *Gate) {
	needed := g.Quorum
	if g.Quorum < 0 || g.Quorum > QuorumMax {
		c.bad(w, "quorum", "quorum %d is out of range: use 1 to %d", g.Quorum, QuorumMax)
	}
	sum := 0
	for _, role := range slices.Sorted(maps.Keys(g.Roles)) {
		if n := g.Roles[role]; n < 1 || n > QuorumMax {
			c.bad(w, "roles."+clip(role), "%d is not a number of people: use 1 to %d", n, QuorumMax)
		}
		if role == "" {
			c.bad(w, "roles", "the name of a role is empty")
		}
		sum += min(max(g.Roles[role], 0), QuorumMax)
	}
	needed = max(needed, sum)
	field := "quorum"
	if sum > g.Quorum {
		field = "roles"
	}
	c.oneOf(w, "requester", g.Requester, requesterWords)
	if g.Kind == gate.KindInput && needed >= 2 {
		c.bad(w, field, "one person submits the data of an input: a quorum of %d is not possible", needed)
	}
	if c.workflow().OwnerOnly {
		if needed >= 2 {
			c.bad(w, field, "with owner_only only the run's owner decides: a quorum of %d is not possible", needed)
		}
		if g.Requester == RequesterExcluded {
			c.bad(w, "requester", "with owner_only only the run's owner decides: excluding the requester leaves no approver")
		}
	}
	c.checkAssignees(w, g, needed)
}

func (c *compiler) checkAssignees(w where, g *Gate, needed int) {
	people := map[string]bool{}
	roles := g.Role != "" || len(g.Roles) > 0
	for k, who := range g.Assignees {
		if !isRecipient(who) {
			c.bad(w, at("assignees", k), "%s is not a person or role:NAME", quote(who))
		}
		people[who] = true
		roles = roles || strings.HasPrefix(who, "role:")
	}
	if !roles && len(people) > 0 && len(people) < needed {
		c.warn(w, "assignees", "%d have to agree, but only %d may answer", needed, len(people))
	}
}

// askThen lists what may happen on timeout. A timeout never approves anything that no gate was written for.
var askThen = []string{string(gate.ThenReject), string(gate.ThenCancel), string(gate.ThenPause)}

// pointThen is that list for decision points, which are written for their workflow.
var pointThen = append([]string{string(gate.ThenApprove)}, askThen...)

// checkAsk checks the default approvers.
func (c *compiler) checkAsk(w where, field string, a *Ask) {
	if a == nil {
		return
	}
	if a.Role != "" && len(a.People) > 0 {
		c.bad(w, field+".people", "ask a role or people, not both")
	}
	if a.Role != "" && !isRecipient("role:"+a.Role) {
		c.bad(w, field+".role", "%s is not the name of a role", quote(a.Role))
	}
	for k, who := range a.People {
		if !isRecipient(who) {
			c.bad(w, at(field+".people", k), "%s is not a person or role:NAME", quote(who))
		}
	}
	if a.Quorum < 0 || a.Quorum > QuorumMax {
		c.bad(w, field+".quorum", "quorum %d is out of range: use 1 to %d", a.Quorum, QuorumMax)
	}
	if n := len(a.People); n > 0 && n < a.Quorum &&
		!slices.ContainsFunc(a.People, func(p string) bool { return strings.HasPrefix(p, "role:") }) {
		c.bad(w, field+".quorum", "%d have to agree, but only %d may answer", a.Quorum, n)
	}
	if t := a.Timeout; t != nil {
		if t.After <= 0 {
			c.bad(w, field+".timeout.after", "set after, such as 1h, or remove timeout")
		}
		then := askThen
		if field == "loops.human" {
			then = pointThen
		}
		c.mustBe(w, field+".timeout.then", string(t.Then), then)
		if t.Then == gate.ThenApprove && field == "loops.human" {
			c.warn(w, field+".timeout.then", "without an answer the run continues after %s, and no person has approved it",
				t.After)
		}
	}
}

// isRecipient accepts ann, ann@example.com and role:manager.
func isRecipient(to string) bool {
	name := strings.TrimPrefix(to, "role:")
	return name != "" && len(name) <= 254 && !strings.ContainsFunc(name, func(r rune) bool {
		return r == ':' || unicode.IsSpace(r) || unicode.IsControl(r)
	})
}

func (c *compiler) checkChain(w where, g *Gate) {
	if len(g.Escalate) > EscalationsMax {
		c.bad(w, "escalate", "%d escalations are too many: at most %d", len(g.Escalate), EscalationsMax)
		return
	}
	for k, e := range g.Escalate {
		field := at("escalate", k)
		switch {
		case e.After <= 0:
			c.bad(w, field+".after", "say after how long it is escalated, such as 30m")
		case k > 0 && e.After <= g.Escalate[k-1].After:
			c.bad(w, field+".after", "%s is not after %s: the times count from the opening and must rise",
				e.After, g.Escalate[k-1].After)
		case g.Timeout != nil && g.Timeout.Then != gate.ThenPause && g.Timeout.Then != gate.ThenEscalate &&
			g.Timeout.After > 0 && e.After >= g.Timeout.After:
			c.warn(w, field+".after", "the timeout after %s comes first, so this never happens", g.Timeout.After)
		}
		if !isRecipient(e.To) {
			c.bad(w, field+".to", "%s is not a person or role:NAME", quote(e.To))
		}
	}
}

func (c *compiler) checkTimeout(w where, g *CompiledGate) {
	t := g.Gate.Timeout
	if t == nil {
		return
	}
	if t.After <= 0 {
		c.bad(w, "timeout.after", "set after, such as 1h, or remove timeout")
	}
	c.json(w, "timeout.default", t.Default)
	if t.Then == "" {
		c.bad(w, "timeout.then", "say what happens then: %s", phrase.Or(thenWords))
		return
	}
	c.oneOf(w, "timeout.then", string(t.Then), thenWords)
	switch {
	case t.Then == gate.ThenDefault:
		c.checkDefault(w, g, t.Default)
	case len(t.Default) > 0:
		c.warn(w, "timeout.default", "default has no effect with then: %s", t.Then)
	}
	if t.Then == gate.ThenEscalate && len(g.Gate.Escalate) == 0 {
		c.bad(w, "timeout.then", "no escalation is defined: add `escalate`")
	}
	if t.Then == gate.ThenApprove && g.Gate.Kind == gate.KindChoice {
		c.warn(w, "timeout.then", "approve selects no option: use then: default with one of the options")
	}
}

// checkDefault checks the default used on timeout.
func (c *compiler) checkDefault(w where, g *CompiledGate, answer json.RawMessage) {
	if len(answer) == 0 {
		c.bad(w, "timeout.default", "then: default needs `default`, the answer to use")
		return
	}
	switch g.Gate.Kind {
	case gate.KindChoice:
		var values []string
		for _, o := range g.Gate.Options {
			values = append(values, o.Value)
		}
		option, _ := value.Text(answer)
		if !slices.Contains(values, option) {
			c.bad(w, "timeout.default", "%s is not one of the options%s", clip(string(answer)), c.didYouMean(option, values))
		}
	case gate.KindInput:
		if g.InputSchema == nil {
			return
		}
		for _, p := range g.InputSchema.Validate(answer) {
			c.bad(w, "timeout.default", "the default does not match input_schema: %s", p)
		}
	}
}

// checkSilence warns about gates that let work continue on timeout where the risk is high.
func (c *compiler) checkSilence(w where, g *CompiledGate) {
	t := g.Gate.Timeout
	if t == nil || g.Step < 0 || t.Then != gate.ThenApprove && (t.Then != gate.ThenDefault || g.Spot.Kind != SpotBefore) {
		return
	}
	if c.step(g.Step).ReversibleBy == ReversibleNone && !t.Irreversible {
		c.warn(w, "timeout.then", "step %q cannot be undone, so a timeout does not approve it: write irreversible: true "+
			"beside it if it should", c.ids[g.Step])
		return
	}
	if level := c.step(g.Step).Risk; t.Then == gate.ThenApprove && (level == risk.High || level == risk.Critical) {
		c.warn(w, "timeout.then", "without an answer, step %q with %s risk runs after %s, and no person has approved it",
			c.ids[g.Step], level, t.After)
	}
}
