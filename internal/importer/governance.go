package importer

import (
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/definition/tree"
)

const rolesFile = "roles.yaml"

// limits are a governance policy's limits for timeouts. Imported gates beyond them get a warning: they were valid in
// the source.
type limits struct {
	least, most, usual quantity.Duration
	at                 place
}

// kindOf translates checkpoint types.
var kindOf = map[string]gate.Kind{
	"approval": gate.KindApproval, "decision": gate.KindChoice, "choice": gate.KindChoice, "input": gate.KindInput,
	"escalation": gate.KindEscalation,
}

var checkpointTypes = []string{"approval", "decision", "input", "escalation"}

// permissionOf translates permissions with other names.
var permissionOf = map[string]string{"edit_data": "modify", "request_more_info": "request_revision",
	"add_comments": "comment"}

// governance reads the policies first, because roles and timeouts are compared with the checkpoints of every file.
func (im *imported) governance() {
	for _, doc := range im.governs {
		inner := doc
		if doc.node.Get("policies") != nil {
			var ok bool
			if inner, ok = doc.object("policies"); !ok {
				continue
			}
		}
		access, ok := inner.object("hitl_access_control")
		if ok {
			im.accessControl(access)
		} else if inner.node.Get("hitl_access_control") == nil {
			im.notes.warn(inner.at, "only hitl_access_control is imported, and this policy has none")
		}
		for _, o := range []*object{inner, doc} {
			o.rest()
			if inner == doc {
				break
			}
		}
	}
}

func (im *imported) accessControl(o *object) {
	if word, e, ok := o.text("enforcement_level"); ok {
		if word == "strict" {
			im.notes.mapped(e.at, target{}, "roles are always enforced")
		} else {
			im.notes.dropped(e.at, "roles are always enforced: there is nothing but strict")
		}
	}
	if l, ok := o.object("checkpoint_timeout_limits"); ok {
		im.timeoutLimits(l)
	}
	roles, _, _ := o.list("roles")
	for _, e := range roles {
		if e.node.Kind != tree.Map {
			im.notes.bad(e.at, "expected a role, got %s", kindWord(e.node))
			continue
		}
		im.role(o.within(e))
	}
	o.rest()
}

func (im *imported) timeoutLimits(o *object) {
	if im.limits.at.file != "" {
		im.notes.bad(o.at, "the timeout limits are given twice: the others are in %s", im.limits.at)
	}
	im.limits.at = o.at
	read := func(key, note string, into *quantity.Duration) {
		if d, e, ok := o.seconds(key); ok {
			*into = d
			im.notes.mapped(e.at, target{}, "%s", note)
		}
	}
	const compared = "imported checkpoints are compared with it; it does not limit later ones"
	read("min_timeout_seconds", compared, &im.limits.least)
	read("max_timeout_seconds", compared, &im.limits.most)
	read("default_timeout_seconds", "default for timeouts without a duration", &im.limits.usual)
	o.rest()
}

// over explains how a timeout exceeds the limits, or is empty.
func (l limits) over(d quantity.Duration) string {
	switch {
	case l.least > 0 && d < l.least:
		return "shorter than the " + written(l.least) + " that " + l.at.String() + " asks for at least"
	case l.most > 0 && d > l.most:
		return "longer than the " + written(l.most) + " that " + l.at.String() + " allows"
	}
	return ""
}

func written(d quantity.Duration) string { return d.Std().Round(time.Millisecond).String() }

// role reads one role. Permissions are never widened: unknown ones are dropped.
func (im *imported) role(o *object) {
	id, e, ok := o.need("role_id", "name the role")
	if !ok {
		return
	}
	r := &definition.Role{Name: im.roleNames.name(&im.notes, e, id)}
	if r.Name == gate.RoleAdmin {
		im.builtInAdmin(o)
		return
	}
	if i := slices.IndexFunc(im.roles, func(x *definition.Role) bool { return x.Name == r.Name }); i >= 0 {
		im.notes.bad(e.at, "the role %q is defined twice", clip(id))
		return
	}
	im.roles = append(im.roles, r)
	to := target{rolesFile, "role " + r.Name + ": "}
	im.notes.mapped(o.at, target{rolesFile, "role " + r.Name}, "")
	im.notes.mapped(e.at, to.in("role"), "")
	if text, e, ok := o.text("role_name"); ok {
		r.Description = text
		im.notes.mapped(e.at, to.in("description"), "")
	}
	if text, e, ok := o.text("description"); ok {
		r.Description = joined(r.Description, text)
		im.notes.mapped(e.at, to.in("description"), "")
	}
	im.roleKinds(o, r, to)
	im.roleWorkflows(o, r, to)
	im.rolePermissions(o, r, to)
	if others, e, ok := o.texts("can_act_as"); ok {
		for _, other := range others {
			r.CanActAs = append(r.CanActAs, im.roleNames.name(&im.notes, other, other.node.Text))
		}
		im.notes.mapped(e.at, to.in("can_act_as"), "")
	}
	o.rest()
}

// builtInAdmin reports a role that needs no document, and cannot have one.
func (im *imported) builtInAdmin(o *object) {
	im.notes.mapped(o.at, target{}, "admin is built in")
	for _, key := range []string{"role_id", "role_name", "description", "allowed_checkpoint_types", "allowed_workflows",
		"permissions", "can_act_as"} {
		if e, ok := o.take(key); ok {
			im.notes.mapped(e.at, target{}, "built in")
		}
	}
	o.rest()
	words, e, ok := o.texts("permissions")
	if !ok {
		e.at = o.at
	}
	if !slices.ContainsFunc(words, func(w entry) bool { return w.node.Text == "*" }) {
		im.notes.warn(e.at, "admin is built in and may do everything, including actions not listed here")
	}
}

func (im *imported) roleKinds(o *object, r *definition.Role, to target) {
	types, e, ok := o.texts("allowed_checkpoint_types")
	if !ok {
		im.notes.defaulted(o.at, to.in("kinds"), "no allowed_checkpoint_types: all kinds")
		return
	}
	r.Kinds = []gate.Kind{}
	for _, t := range types {
		k, known := kindOf[t.node.Text]
		switch {
		case t.node.Text == "*":
			r.Kinds = nil
			im.notes.mapped(e.at, to.in("kinds"), "* is every kind, which is what leaving it out means")
			return
		case !known:
			im.notes.bad(t.at, "%q is not a checkpoint type: use %s", clip(t.node.Text), phrase.Or(checkpointTypes))
		case !slices.Contains(r.Kinds, k):
			r.Kinds = append(r.Kinds, k)
		}
	}
	note := ""
	if slices.Contains(r.Kinds, gate.KindChoice) {
		note = "decision is called choice"
	}
	im.notes.mapped(e.at, to.in("kinds"), "%s", note)
}

func (im *imported) roleWorkflows(o *object, r *definition.Role, to target) {
	flows, e, ok := o.texts("allowed_workflows")
	if !ok {
		im.notes.defaulted(o.at, to.in("workflows"), "no allowed_workflows: all")
		return
	}
	r.Workflows = []string{}
	for _, f := range flows {
		prefix, wild := strings.CutSuffix(f.node.Text, "*")
		if wild && (prefix == "" || isWorkflowName(prefix)) {
			r.Workflows = append(r.Workflows, f.node.Text)
			continue
		}
		r.Workflows = append(r.Workflows, im.flowNames.name(&im.notes, f, f.node.Text))
	}
	im.notes.mapped(e.at, to.in("workflows"), "")
}

func (im *imported) rolePermissions(o *object, r *definition.Role, to target) {
	words, e, ok := o.texts("permissions")
	if !ok {
		im.notes.defaulted(o.at, to.in("permissions"), "no permissions: none")
		return
	}
	im.notes.mapped(e.at, to.in("permissions"), "")
	r.Permissions = []string{}
	for _, w := range words {
		word := w.node.Text
		if ours, renamed := permissionOf[word]; renamed {
			im.notes.mapped(w.at, to.in("permissions"), "%s is called %s", word, ours)
			word = ours
		}
		switch {
		case !slices.Contains(definition.Permissions, word):
			im.notes.dropped(w.at, "%q is not a permission here: use %s", clip(word), phrase.Or(definition.Permissions))
		case !slices.Contains(r.Permissions, word):
			r.Permissions = append(r.Permissions, word)
		}
	}
}

// covers explains why the holders of a role could not answer a gate, or is empty. Roles without a definition are not
// restricted.
func (im *imported) covers(role, flow string, kind gate.Kind) string {
	if len(im.roles) == 0 || role == gate.RoleAdmin {
		return ""
	}
	i := slices.IndexFunc(im.roles, func(r *definition.Role) bool { return r.Name == role })
	if i < 0 {
		return "no governance policy here defines this role: everyone who holds it may decide"
	}
	r := im.roles[i]
	switch {
	case r.Kinds != nil && !slices.Contains(r.Kinds, kind):
		return "the governance policy does not allow this role to answer a checkpoint of this type: only " +
			"an administrator could"
	case r.Workflows != nil && !slices.ContainsFunc(r.Workflows, func(w string) bool {
		prefix, wild := strings.CutSuffix(w, "*")
		return w == flow || wild && strings.HasPrefix(flow, prefix)
	}):
		return "the governance policy does not allow this role in this workflow: only an administrator could answer"
	}
	return ""
}

// joined combines a name and a description.
func joined(name, text string) string {
	if name == "" || text == "" || name == text {
		return name + strings.TrimPrefix(text, name)
	}
	return name + ": " + text
}
