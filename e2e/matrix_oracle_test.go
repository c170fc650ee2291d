package e2e

import (
	"slices"
	"strings"
)

// The oracle defines who may do what in the simplest way: it knows the rules (docs/access.md) and nothing of
// the code. If the two differ, one is wrong.

// roleRule is a role definition; nil kinds and workflows are all.
type roleRule struct {
	kinds, workflows, permissions, actAs []string
	builtIn                              bool
}

// roleRules are the built-in roles, and those of the tests. Every other role is undefined.
var roleRules = map[string]roleRule{
	"reviewer": {builtIn: true, kinds: words("approval input"),
		permissions: words("view comment approve reject request_revision escalate delegate")},
	"approver": {builtIn: true, permissions: words("view comment start command decide")},
	"claims_adjuster": {builtIn: true, kinds: words("approval input"),
		permissions: words("view comment approve modify reject submit request_revision escalate delegate")},
	"fraud_investigator": {builtIn: true, kinds: words("choice escalation"), permissions: words("view comment decide")},
	"admin":              {builtIn: true, permissions: words("*")},

	"clerk":   {kinds: words("approval"), workflows: words("claims-a"), permissions: words("view comment approve reject")},
	"lead":    {workflows: words("claims-*"), permissions: words("view comment decide start command")},
	"chooser": {kinds: words("choice input"), permissions: words("view approve")},
	"watcher": {workflows: words("claims-*"), permissions: words("view")},
	"starter": {workflows: words("claims-a"), permissions: words("view start")},
	"steerer": {workflows: words("claims-a"), permissions: words("view command")},
	"auditor": {permissions: words("audit")},
	"blind":   {workflows: words("claims-a"), permissions: words("decide")},
	"deputy": {kinds: words("approval choice"), workflows: words("claims-*"),
		permissions: words("view approve delegate"), actAs: words("approver")},
	"oldie":   {workflows: words("claims-a loans"), permissions: words("view edit_data request_more_info add_comments")},
	"boss":    {permissions: words("admin")},
	"star":    {permissions: words("*")},
	"cleared": {workflows: words("claims-*"), permissions: words("view sensitive")},
	"pusher":  {workflows: words("claims-a"), permissions: words("command sensitive")},
}

// roleSets are the sets of roles that an actor may hold. outsider is undefined.
var roleSets = []string{
	"", "outsider", "reviewer", "approver", "claims_adjuster", "fraud_investigator", "admin",
	"clerk", "lead", "chooser", "watcher", "starter", "steerer", "auditor", "blind", "deputy", "oldie", "boss", "star",
	"clerk chooser", "watcher starter", "outsider lead",
}

var allActs = words("approve modify reject choose submit escalate request_revision delegate")

// actsOfKind are the possible acts for a kind of approval.
var actsOfKind = map[string][]string{
	"approval":   words("approve modify reject escalate request_revision delegate"),
	"escalation": words("approve modify reject escalate request_revision delegate"),
	"choice":     words("choose reject escalate request_revision delegate"),
	"input":      words("submit approve reject escalate request_revision delegate"),
}

// actor is the caller.
type actor struct {
	name, kind string // person, service, agent, or client: of an identity provider
	roles      []string
}

// key identifies an actor: a program with a person's name is not that person.
func (a actor) key() string {
	if a.kind == "person" {
		return a.name
	}
	return a.kind + ":" + a.name
}

// asking is an approval, and its run, as far as permissions go.
type asking struct {
	workflow, kind, owner string
	roles, names          []string // whom it asks; neither: everyone
	settled               bool
	excluded              bool     // who started the run may not decide
	ownerOnly             bool     // it asks only the person who started the run
	voted                 []string // who has said yes, and more are needed
	handedOn              []string // who delegated their vote
}

func words(s string) []string { return strings.Fields(s) }

// permits reports whether a defined role has a permission.
func (r roleRule) permits(p string) bool {
	spec003 := map[string]string{"edit_data": "modify", "request_more_info": "request_revision", "add_comments": "comment"}
	for _, have := range r.permissions {
		switch {
		case have == p, have == "*", have == "admin", spec003[have] == p:
			return true
		case have == "decide" && slices.Contains(allActs, p):
			return true
		case have == "approve" && (p == "choose" || p == "submit"):
			return true
		}
	}
	return false
}

func (r roleRule) covers(workflow string) bool {
	return r.workflows == nil || slices.ContainsFunc(r.workflows, func(w string) bool {
		stem, pattern := strings.CutSuffix(w, "*")
		return w == workflow || pattern && strings.HasPrefix(workflow, stem)
	})
}

// may reports whether a role permits an action on a workflow.
func (a actor) may(permission, workflow string) bool {
	return slices.ContainsFunc(a.roles, func(role string) bool {
		r, written := roleRules[role]
		return written && r.permits(permission) && r.covers(workflow)
	})
}

// mayAnywhere is may on any workflow.
func (a actor) mayAnywhere(permission string) bool {
	return slices.ContainsFunc(a.roles, func(role string) bool { return roleRules[role].permits(permission) })
}

// askedAs reports whether an approval asks for an undefined role that the actor holds.
func (a actor) askedAs(q asking) bool {
	return slices.ContainsFunc(a.roles, func(role string) bool {
		_, written := roleRules[role]
		return !written && slices.Contains(q.roles, role)
	})
}

func (a actor) sees(q asking) bool {
	return a.may("view", q.workflow) || q.owner == a.key() || slices.Contains(q.names, a.key()) || a.askedAs(q)
}

// answers reports whether an approval asks an actor who may take an act.
func (a actor) answers(act string, q asking) bool {
	if slices.Contains(q.names, a.key()) || a.askedAs(q) {
		return true
	}
	for _, role := range a.roles {
		r, written := roleRules[role]
		if !written || !r.permits(act) || !r.covers(q.workflow) || r.kinds != nil && !slices.Contains(r.kinds, q.kind) {
			continue
		}
		open := len(q.roles) == 0 && len(q.names) == 0
		asked := slices.Contains(q.roles, role) ||
			slices.ContainsFunc(r.actAs, func(other string) bool { return slices.Contains(q.roles, other) })
		if role == "admin" || open || asked {
			return true
		}
	}
	return false
}

// decide is the expected status for an act on an approval.
func (a actor) decide(act string, q asking) int {
	positive := act == "approve" || act == "choose" || act == "submit"
	switch {
	case !a.sees(q):
		return 404
	case q.settled:
		return 409
	case a.kind != "person",
		q.excluded && a.key() == q.owner,
		q.ownerOnly && a.key() != q.owner,
		slices.Contains(q.handedOn, a.key()),
		act == "delegate" && q.ownerOnly,
		!a.answers(act, q):
		return 403
	case !slices.Contains(actsOfKind[q.kind], act):
		return 422
	case positive && slices.Contains(q.voted, a.key()):
		return 409
	}
	return 200
}

// acts are the acts that an approval's response offers.
func (a actor) acts(q asking) []string {
	return slices.DeleteFunc(slices.Clone(allActs), func(act string) bool { return a.decide(act, q) != 200 })
}

// comment is the expected status for a comment.
func (a actor) comment(q asking) int {
	switch {
	case !a.sees(q):
		return 404
	case a.kind == "agent":
		return 403
	case a.may("comment", q.workflow), slices.Contains(q.names, a.key()), a.askedAs(q):
		return 200
	}
	return 403
}

// steer is the expected status for a command to a run; 200 is yes.
func (a actor) steer(command string, q asking) int {
	switch {
	case !a.sees(q):
		return 404
	case command == "fork" && !a.may("start", q.workflow):
		return 403
	case command == "skip_step" && a.may("command", q.workflow): // it is the keeper's to answer
		return a.decide("approve", asking{workflow: q.workflow, kind: "approval", owner: q.owner, names: words("keeper")})
	case a.may("command", q.workflow):
		return 200
	case a.key() == q.owner && slices.Contains(words("pause resume cancel"), command):
		return 200
	}
	return 403
}

// start is the expected status for a new run; 200 is yes.
func (a actor) start(workflow string) int {
	switch {
	case !a.may("view", workflow):
		return 404
	case a.may("start", workflow):
		return 200
	}
	return 403
}

// admit is for granting the power to decide, or settling unanswered approvals: an administrator who is a
// person.
func (a actor) admit() int {
	if a.kind == "person" && a.mayAnywhere("admin") {
		return 200
	}
	return 403
}

// govern is for requests that need an administrator: never an agent, whatever it holds.
func (a actor) govern() int {
	if a.kind != "agent" && a.mayAnywhere("admin") {
		return 200
	}
	return 403
}

// read is for requests that need a permission on any workflow: audit, or view for definitions.
func (a actor) read(permission string) int {
	if a.mayAnywhere(permission) {
		return 200
	}
	return 403
}

// definition is for a workflow's definition. An actor who may see no definitions gets the same error whether
// or not one exists.
func (a actor) definition(workflow string) int {
	switch {
	case a.may("view", workflow):
		return 200
	case a.mayAnywhere("view"):
		return 404
	}
	return 403
}

// standIn is for setting a stand-in: people for themselves, and administrators for anyone. A program is not a
// person.
func (a actor) standIn(whose string) int {
	if a.kind == "person" && whose == a.name {
		return 200
	}
	return a.admit()
}

// mark is the expected status for setting a deliverable's status: a way to control a run, but not one that
// owners have.
func (a actor) mark(q asking) int { return a.steer("mark", q) }

// review is the expected status for a review of an automatic approval. It decides nothing, but requires a
// person.
func (a actor) review(q asking) int {
	switch {
	case !a.sees(q):
		return 404
	case a.kind == "person" && a.may("approve", q.workflow):
		return 200
	}
	return 403
}

// unmasked reports whether an actor who sees a run sees its sensitive values.
func (a actor) unmasked(q asking) bool {
	return a.sees(q) && (a.may("sensitive", q.workflow) || a.key() == q.owner)
}

// unmaskedApproval is the same for an approval, which its approvers see in full.
func (a actor) unmaskedApproval(q asking) bool {
	return a.unmasked(q) || len(a.acts(q)) > 0
}
