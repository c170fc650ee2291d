package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// withdrawn lists the roles that were in force once and are not in a set: deleted, their file gone, or not readable by
// this release.
func (r *Registry) withdrawn(ctx context.Context, set *definition.Set) (out []string, err error) {
	latest, err := r.Store.Latest(ctx, string(definition.KindRole))
	if err != nil {
		return nil, err
	}
	for _, v := range latest {
		if set.Roles[v.Name] != nil {
			continue
		}
		was := v.Published || v.Replaced
		if !was { // a newer version was saved, and never put in force
			all, err := r.Store.Versions(ctx, v.Kind, v.Name)
			if err != nil {
				return nil, err
			}
			was = slices.ContainsFunc(all, func(v port.Version) bool { return v.Published || v.Replaced })
		}
		if was {
			out = append(out, v.Name)
		}
	}
	return out, nil
}

// NeedsRole lists the places in documents in force that refer to a role.
func (r *Registry) NeedsRole(role string) (out []string) {
	for _, doc := range r.Current().set.Documents() {
		kind, name := doc.Ident()
		if kind == definition.KindRole && name == role {
			continue
		}
		var body any
		if err := json.Unmarshal(doc.JSON(), &body); err != nil {
			continue // it was written by this process
		}
		if at := refersTo(role, "", body); at != "" {
			out = append(out, fmt.Sprintf("the %s %s (%s)", kind, name, at))
		}
	}
	return out
}

// refersTo is the first place in a document that refers to a role: as role, in roles or can_act_as, or as role:NAME.
// What is not a reference but looks like one counts as well: a role that may be needed is not withdrawn unasked.
func refersTo(role, at string, body any) string {
	switch v := body.(type) {
	case string:
		if v == "role:"+role {
			return at
		}
	case []any:
		for i, one := range v {
			if found := refersTo(role, fmt.Sprintf("%s[%d]", at, i), one); found != "" {
				return found
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			here := key
			if at != "" {
				here = at + "." + key
			}
			if (key == "role" || key == "roles" || key == "can_act_as") && names(role, v[key]) {
				return here
			}
			if found := refersTo(role, here, v[key]); found != "" {
				return found
			}
		}
	}
	return ""
}

// names reports whether a value is a role, or contains it as an element or a key.
func names(role string, body any) bool {
	switch v := body.(type) {
	case string:
		return v == role
	case []any:
		return slices.Contains(v, any(role))
	case map[string]any:
		return v[role] != nil
	}
	return false
}

// OrBuiltIn explains why a role without a document cannot be withdrawn, if it is built in.
func OrBuiltIn(err error, name string) error {
	if !fault.Is(err, fault.NotFound) || !slices.ContainsFunc(definition.BuiltInRoles,
		func(r definition.Role) bool { return r.Name == name }) {
		return err
	}
	return fault.New(fault.Conflict, fmt.Sprintf("the role %q is built in and cannot be withdrawn", name),
		"save a document of that name to restrict it")
}

// RoleNeeded refuses to withdraw a role that is needed.
func RoleNeeded(name string, by []string) error {
	return fault.New(fault.Conflict, fmt.Sprintf("the role %q is needed by %s", name, several(by)),
		"change those first, or withdraw it anyway with force=true (--force)").With("needed_by", by)
}

// RoleHeld refuses to put a withdrawn role in force again while it has holders.
func RoleHeld(name string, holders []string) error {
	return fault.New(fault.Conflict,
		fmt.Sprintf("the role %q was withdrawn and would have holders again: %s", name, several(holders)),
		"remove it from these holders first, or confirm with restore=true").With("needed_by", holders)
}

// several lists names in a sentence, the first few of many.
func several(names []string) string {
	if len(names) <= breakagesTold {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:breakagesTold], ", "), len(names)-breakagesTold)
}
