package gate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// CommentMax is the maximum length of a comment on a decision, in characters.
const CommentMax = 10_000

// TooLong reports whether a comment on a decision exceeds its maximum length.
func TooLong(comment string) bool { return utf8.RuneCountInString(comment) > CommentMax }

// Answer is a decision that a person wants to make on an approval.
type Answer struct {
	By      Person          `json:"by"`
	Act     Act             `json:"act"`
	Option  string          `json:"option,omitempty"`
	Changes json.RawMessage `json:"changes,omitempty"` // merge patch on the proposal
	Data    json.RawMessage `json:"data,omitempty"`
	Comment string          `json:"comment,omitempty"`
	To      string          `json:"to,omitempty"`
	Role    string          `json:"role,omitempty"` // whose seat the vote takes, if votes are counted by role
	Version int             `json:"version"`
	Via     Via             `json:"via,omitempty"` // set by the integration that relays it
}

// Ruling is the result of an answer.
type Ruling struct {
	Decision Decision
	Outcome  *Outcome // nil while more approvals are needed
}

// Decide evaluates an answer without changing the approval.
func (a *Approval) Decide(ans Answer, now time.Time) (Ruling, error) {
	if a.Status != Pending {
		return Ruling{}, a.alreadyDecided()
	}
	roles, behalf, err := a.standing(ans.By)
	if err != nil {
		return Ruling{}, err
	}
	if ans, err = ans.clean(); err != nil {
		return Ruling{}, err
	}
	if err := a.checkForm(ans); err != nil {
		return Ruling{}, err
	}
	d := Decision{
		By: ans.By.Name, Roles: roles, OnBehalfOf: behalf, Act: ans.Act, Option: ans.Option, Changes: ans.Changes,
		Data: ans.Data, Comment: ans.Comment, To: ans.To, Role: ans.Role, At: now, Version: a.Version,
		Via: ans.Via,
	}
	switch ans.Act {
	case Escalate:
		return a.ruleEscalate(d)
	case Delegate:
		if ans.By.For != "" {
			return Ruling{}, fault.New(fault.Forbidden,
				fmt.Sprintf("%s decides for %s and can't delegate that", d.By, ans.By.For),
				"decide it, escalate it, or leave it to another approver")
		}
		return a.ruleDelegate(d)
	case Reject:
		return Ruling{d, &Outcome{Status: Rejected, Act: Reject, By: d.By, Comment: d.Comment}}, nil
	case RequestRevision:
		return Ruling{d, &Outcome{Status: RevisionRequested, Act: RequestRevision, By: d.By, Comment: d.Comment}}, nil
	}
	return a.ruleVote(d)
}

// clean drops fields the act does not use and checks that the rest is JSON.
func (ans Answer) clean() (_ Answer, err error) {
	if ans.Act != Modify {
		ans.Changes = nil
	}
	if ans.Act != Submit {
		ans.Data = nil
	}
	if ans.Act != Choose {
		ans.Option = ""
	}
	if ans.Act != Escalate && ans.Act != Delegate {
		ans.To = ""
	}
	if !slices.Contains([]Act{Approve, Modify, Choose, Submit}, ans.Act) {
		ans.Role = ""
	}
	if value.KindOf(ans.Changes) != value.Missing {
		if ans.Changes, err = strict("changes", ans.Changes); err != nil {
			return ans, err
		}
	}
	if value.KindOf(ans.Data) != value.Missing {
		ans.Data, err = strict("data", ans.Data)
	}
	return ans, err
}

// strict rejects JSON that two parsers could read differently, with the position.
func strict(member string, raw json.RawMessage) (json.RawMessage, error) {
	doc, err := value.Strict(raw)
	var f *fault.Error
	if errors.As(err, &f) && len(f.Problems) > 0 {
		p := f.Problems[0]
		p.Path = strings.TrimSuffix(member+"."+p.Path, ".")
		return nil, fault.Of(f.Message, []fault.Problem{p})
	}
	return doc, err
}

func (a *Approval) alreadyDecided() error {
	by, act := "", string(a.Status)
	if a.Outcome != nil {
		by, act = a.Outcome.By, string(a.Outcome.Act)
	}
	how := string(a.Status)
	if by != "" {
		how += " by " + by
	}
	return fault.New(fault.AlreadyDecided, fmt.Sprintf("%s is already settled: %s", a.ID, how),
		"reload the approval to see the outcome").
		With("decided_by", by).With("decided_at", a.SettledAt).With("act", act)
}

// standing returns the roles with which this person may decide, and for whom.
func (a *Approval) standing(p Person) (roles []string, behalf string, err error) {
	t := &a.Terms
	switch {
	case p.Kind != "" && p.Kind != KindPerson && !mutant.Is(mutant.ServicesVote):
		return nil, "", OnlyPeople(p.Kind)
	case Automatic(p.Name) || Automatic(p.For):
		return nil, "", fault.New(fault.Forbidden,
			"schedules, triggers and programs never decide: "+cmp.Or(p.For, p.Name)+" cannot vote", "have a person decide")
	case p.Name == "":
		return nil, "", fault.New(fault.Forbidden, "the approver is missing", "sign in")
	case t.ExcludeRequester && t.Requester != "" && slices.Contains([]string{p.Name, p.For, p.Also}, t.Requester) &&
		!mutant.Is(mutant.RequesterVotes):
		return nil, "", fault.New(fault.Forbidden,
			fmt.Sprintf("%s requested this, so someone else must decide it", t.Requester),
			"ask another approver")
	case t.OnlyOwner != "" && p.Name != t.OnlyOwner && p.For != t.OnlyOwner:
		return nil, "", fault.New(fault.Forbidden, fmt.Sprintf("only the run's owner (%s) can decide this", t.OnlyOwner), "")
	}
	for _, d := range a.Delegations {
		if d.From == p.Name || d.From == p.For && d.To != p.Name {
			return nil, "", fault.New(fault.Forbidden, fmt.Sprintf("%s delegated this to %s", d.From, d.To), "")
		}
	}
	if t.OnlyOwner != "" {
		return p.Roles, p.For, nil
	}
	if a.mayAnswer(p.Name, p.Roles) {
		return p.Roles, p.For, nil
	}
	if p.For != "" && a.mayAnswer(p.For, p.ForRoles) {
		return union(p.Roles, p.ForRoles), p.For, nil
	}
	for _, d := range a.Delegations {
		if d.To == p.Name || roleOf(d.To) != "" && slices.Contains(p.Roles, roleOf(d.To)) {
			return union(p.Roles, d.Roles), d.From, nil
		}
	}
	return nil, "", fault.New(fault.Forbidden, fmt.Sprintf("%s needs %s", a.ID, a.Wanted()),
		"ask an approver with that role, or have it delegated to you")
}

// automatic lists the name prefixes of principals that are not people.
var automatic = []string{"schedule:", "trigger:", "service:", "agent:"}

// Automatic reports whether a name belongs to a schedule, a trigger or a program, which start runs and never
// decide. People's names never have these prefixes.
func Automatic(name string) bool {
	return slices.ContainsFunc(automatic, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// OnlyPeople refuses a decision by a principal of another kind, such as a
// service or an agent.
func OnlyPeople(kind string) error {
	who := "callers of an unknown kind"
	if kind != "" {
		who = kind + "s"
	}
	return fault.New(fault.Forbidden, who+" never decide approvals, whatever their roles",
		"have a person decide: signed in, or with a token of kind person")
}

// Waive returns for whom a person may have this left unanswered, or why they may not. Leaving it out is
// deciding it, so it takes someone who could approve it, and alone.
func (a *Approval) Waive(p Person) (behalf string, err error) {
	roles, behalf, err := a.standing(p)
	if err != nil {
		return "", err
	}
	if q := a.Progress(); q.Needed-q.Given > 1 {
		return "", fault.New(fault.Forbidden, fmt.Sprintf("%d more approvals are needed, so one person can't skip it",
			q.Needed-q.Given), "reject it, or cancel the run")
	}
	me := Decision{By: p.Name, Roles: roles, OnBehalfOf: behalf}
	voted := slices.ContainsFunc(a.votes(positiveOf(a.Kind), ""), func(v Decision) bool { return a.sameVoter(v, me) })
	if a.needed() > 1 && (voted || len(a.Terms.Roles) > 0 && !a.needs(me)) {
		return "", fault.New(fault.Forbidden, "another person must approve it as well, so you can't skip it",
			"have that person skip it")
	}
	return behalf, nil
}

// Positive is the act that approves an approval of a kind.
func (k Kind) Positive() Act { return positiveOf(k)[0] }

func (a *Approval) mayAnswer(name string, roles []string) bool {
	t := &a.Terms
	if slices.Contains(roles, RoleAdmin) || slices.Contains(t.Assignees, name) || slices.Contains(a.Also, name) {
		return true
	}
	if t.Role == "" && len(t.Roles) == 0 && len(t.Assignees) == 0 {
		return true
	}
	for _, r := range roles {
		if r == t.Role || t.Roles[r] > 0 || slices.Contains(a.Also, "role:"+r) || slices.Contains(t.Assignees, "role:"+r) {
			return true
		}
	}
	return false
}

// wanted describes who may decide.
// Wanted names the roles and people who may decide; none: anyone.
func (a *Approval) Wanted() string {
	var who []string
	if a.Terms.Role != "" {
		who = append(who, "the role "+a.Terms.Role)
	}
	for _, r := range sortedKeys(a.Terms.Roles) {
		who = append(who, "the role "+r)
	}
	who = append(who, a.Terms.Assignees...)
	who = append(who, a.Also...)
	return strings.Join(who, " or ")
}

// checkForm rejects an answer that is invalid whatever the votes so far.
func (a *Approval) checkForm(ans Answer) error {
	if !slices.Contains(a.Terms.Acts, ans.Act) {
		return fault.New(fault.Unsupported, fmt.Sprintf("%q is not available for this approval", ans.Act),
			fmt.Sprintf("available: %v", a.Terms.Acts))
	}
	var ps []fault.Problem
	bad := func(path, msg string) { ps = append(ps, fault.Problem{Path: path, Message: msg}) }
	if ans.Version < 1 {
		bad("/version", "set it to the version of the approval that you saw")
	}
	if (ans.Act == Reject || ans.Act == RequestRevision) && strings.TrimSpace(ans.Comment) == "" {
		bad("/comment", "a comment is required: say what should change")
	}
	if TooLong(ans.Comment) {
		bad("/comment", fmt.Sprintf("at most %d characters", CommentMax))
	}
	if ans.Act == Modify {
		switch kind := value.KindOf(ans.Changes); {
		case kind == value.Missing || kind == value.Null:
			bad("/changes", "a merge patch is required; to accept the proposal unchanged, approve")
		case value.KindOf(a.Current) == value.KindObject && kind != value.KindObject:
			bad("/changes", fmt.Sprintf("expected an object, because the proposal is one, got %s", kind))
		}
	}
	if ans.Act == Submit && value.KindOf(ans.Data) == value.Missing {
		bad("/data", "the submitted data is missing")
	}
	if ans.Act == Choose && !slices.ContainsFunc(a.Options, func(o Option) bool { return o.Value == ans.Option }) {
		bad("/option", fmt.Sprintf("%q is not one of the options", ans.Option))
	}
	if ans.Act == Delegate && (ans.To == "" || ans.To == ans.By.Name) {
		bad("/to", "name another person, or role:NAME")
	}
	if len(ps) > 0 {
		return fault.Of("the decision is incomplete", ps)
	}
	if ans.Version != a.Version {
		return fault.New(fault.VersionMismatch,
			fmt.Sprintf("the approval changed: you saw version %d, it is at %d", ans.Version, a.Version),
			"reload it and decide on the current version").With("version", a.Version)
	}
	return nil
}

func (a *Approval) ruleEscalate(d Decision) (Ruling, error) {
	if d.To == "" && a.Rungs < len(a.Terms.Escalate) {
		d.To = a.Terms.Escalate[a.Rungs].To
	}
	if d.To == "" {
		return Ruling{}, fault.Of("the decision is incomplete",
			[]fault.Problem{{Path: "/to", Message: "no further escalation level: name a person or role:NAME"}})
	}
	return Ruling{Decision: d}, nil
}

func (a *Approval) ruleDelegate(d Decision) (Ruling, error) {
	if a.Terms.ExcludeRequester && d.To == a.Terms.Requester {
		return Ruling{}, fault.New(fault.Forbidden, fmt.Sprintf("%s requested this, so someone else must decide it", d.To),
			"delegate to another person")
	}
	if a.Terms.OnlyOwner != "" {
		return Ruling{}, fault.New(fault.Forbidden, "only the run's owner can decide this, so it can't be delegated", "")
	}
	if slices.ContainsFunc(a.Delegations, func(x Delegation) bool { return x.To == d.By && x.From == d.To }) {
		return Ruling{}, fault.New(fault.Conflict, fmt.Sprintf("%s delegated this to you", d.To),
			"decide it, or delegate to another person")
	}
	return Ruling{Decision: d}, nil
}

// ruleVote counts a positive vote and checks whether it completes the quorum.
func (a *Approval) ruleVote(d Decision) (Ruling, error) {
	counted := a.votes(positiveOf(a.Kind), "")
	if d.Act != Modify && slices.ContainsFunc(counted, func(v Decision) bool { return a.sameVoter(v, d) }) &&
		!mutant.Is(mutant.DoubleVote) {
		return Ruling{}, fault.New(fault.Conflict, d.By+" has already voted", "another person must decide")
	}
	switch d.Act {
	case Modify:
		d.Proposed = value.MergePatch(a.Current, d.Changes)
		if err := fits(a.Action.ArgsSchema, d.Proposed, "the changed proposal"); err != nil {
			return Ruling{}, err
		}
	case Submit:
		if err := fits(a.InputSchema, d.Data, "the submitted data"); err != nil {
			return Ruling{}, err
		}
		d.Proposed = Fill(a.Current, d.Data)
	}
	role, err := a.place(d, d.Role)
	if err != nil {
		return Ruling{}, err
	}
	d.Role = role
	// Counted on a copy, so that deciding and recording cannot disagree.
	after := a.Clone()
	after.Record(d)
	if after.given(after.votes(positiveOf(a.Kind), d.Option)) < a.needed() {
		return Ruling{Decision: d}, nil
	}
	return Ruling{d, after.settled(d)}, nil
}

// Fill returns the proposal after people submit data for it.
func Fill(proposed, data json.RawMessage) json.RawMessage {
	if value.KindOf(proposed) == value.KindObject && value.KindOf(data) == value.KindObject {
		return value.Merge(proposed, data)
	}
	return data
}

func (a *Approval) settled(d Decision) *Outcome {
	o := &Outcome{By: d.By, Comment: d.Comment, Option: d.Option, Data: d.Data, Act: d.Act}
	switch d.Act {
	case Choose:
		o.Status = Chosen
	case Submit:
		o.Status, o.Proposed = Submitted, a.Current
	default:
		o.Status, o.Act = Approved, Approve
		if !value.Equal(a.Current, a.Proposed) {
			o.Status, o.Act, o.Proposed = Modified, Modify, a.Current
		}
	}
	return o
}

func fits(raw, v json.RawMessage, what string) error {
	s, err := schema.Compile(raw)
	if err != nil {
		return fmt.Errorf("check %s: %w", what, err)
	}
	if ps := s.Validate(v); len(ps) > 0 {
		return fault.Of(what+" does not match the schema", ps)
	}
	return nil
}

// Allowed lists the acts available to this person now; none if they may not decide, or already have.
func (a *Approval) Allowed(p Person) []Act {
	if a.Status != Pending {
		return nil
	}
	roles, behalf, err := a.standing(p)
	if err != nil {
		return nil
	}
	me := Decision{By: p.Name, Roles: roles, OnBehalfOf: behalf}
	voted := slices.ContainsFunc(a.votes(positiveOf(a.Kind), ""), func(v Decision) bool { return a.sameVoter(v, me) })
	if !voted && len(a.Terms.Roles) > 0 {
		voted = !a.needs(me)
	}
	var acts []Act
	for _, act := range a.Terms.Acts {
		if voted && (act == Approve || act == Choose || act == Submit) ||
			act == Delegate && (a.Terms.OnlyOwner != "" || p.For != "") {
			continue
		}
		acts = append(acts, act)
	}
	return acts
}
