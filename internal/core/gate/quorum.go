package gate

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
)

// positiveOf lists the acts that are votes to continue.
func positiveOf(k Kind) []Act {
	switch k {
	case KindChoice:
		return []Act{Choose}
	case KindInput:
		return []Act{Submit, Approve, Modify}
	}
	return []Act{Approve, Modify}
}

// votes are the decisions that count towards the quorum: those on the current proposal (a change voids
// earlier votes) and, for choices, those for this option.
func (a *Approval) votes(positive []Act, option string) []Decision {
	var out []Decision
	for _, d := range a.Decisions {
		if !slices.Contains(positive, d.Act) || option != "" && d.Option != option {
			continue
		}
		if d.Proposed != nil {
			out = nil
		}
		out = append(out, d)
	}
	return out
}

// sameVoter reports whether two decisions are one person's, directly or through stand-ins and delegates:
// delegating does not multiply authority, however often and to however many.
func (a *Approval) sameVoter(v, w Decision) bool {
	mine, theirs := a.principals(v), a.principals(w)
	return slices.ContainsFunc(mine, func(name string) bool { return slices.Contains(theirs, name) })
}

// principals lists who decided, on whose behalf, and on whose behalf those had the vote in turn.
func (a *Approval) principals(d Decision) []string {
	out := []string{d.By}
	for next := d.OnBehalfOf; next != "" && !slices.Contains(out, next); {
		out = append(out, next)
		handed := slices.IndexFunc(a.Decisions, func(x Decision) bool { return x.Act == Delegate && x.By == next })
		if handed < 0 {
			break
		}
		next = a.Decisions[handed].OnBehalfOf
	}
	return out
}

// RoleNone marks a vote that took no role's seat because all seats its roles could take were taken. It counts
// if more people are needed than roles.
const RoleNone = "*"

// place returns the role whose seat a vote takes. A vote keeps its seat: later votes never move it, so a role
// that was missing after it stays missing until that role votes. Of several free seats, the requested one is
// taken, else one of a role that the voter holds before one that only admin opens, then the role with the
// most free seats, then the first by name.
func (a *Approval) place(d Decision, asked string) (string, error) {
	if len(a.Terms.Roles) == 0 {
		if asked != "" {
			return "", fault.Of("the decision is incomplete",
				[]fault.Problem{{Path: "/role", Message: "this approval does not count votes by role; leave role out"}})
		}
		return "", nil
	}
	var before []Decision
	if d.Proposed == nil { // a change voids earlier votes
		before = a.votes(positiveOf(a.Kind), d.Option)
	}
	open := map[string]int{}
	for _, role := range a.unfilled(before) {
		open[role]++
	}
	if asked != "" {
		return asked, a.checkPlace(d, asked, open)
	}
	best := RoleNone
	for _, role := range sortedKeys(open) {
		held, most := slices.Contains(d.Roles, role), open[role] > open[best]
		switch {
		case !held && !slices.Contains(d.Roles, RoleAdmin):
		case best == RoleNone, held && !slices.Contains(d.Roles, best), most && held == slices.Contains(d.Roles, best):
			best = role
		}
	}
	if d.Role = RoleNone; best == RoleNone && d.Act != Modify &&
		a.given(append(slices.Clip(before), d)) == a.given(before) {
		return "", fault.New(fault.Conflict, "your roles have already approved; still needed: "+
			strings.Join(sortedKeys(open), ", "), "ask someone with that role to decide")
	}
	return best, nil
}

// needs reports whether a person's vote would count, for a choice towards at least one option.
func (a *Approval) needs(me Decision) bool {
	if me.Act = Approve; a.Kind != KindChoice {
		_, err := a.place(me, "")
		return err == nil
	}
	return slices.ContainsFunc(a.Options, func(o Option) bool {
		me.Option = o.Value
		_, err := a.place(me, "")
		return err == nil
	})
}

// Seats lists the roles whose free seats a person's vote can take, the one it takes by default first; none if votes
// are not counted by role. For a choice, a seat that is free for one of the options is listed.
func (a *Approval) Seats(p Person) (out []string) {
	roles, behalf, err := a.standing(p)
	if err != nil || len(a.Terms.Roles) == 0 {
		return nil
	}
	me := Decision{By: p.Name, Roles: roles, OnBehalfOf: behalf, Act: Approve}
	options := []Option{{}}
	if a.Kind == KindChoice {
		options = a.Options
	}
	for _, o := range options {
		me.Option = o.Value
		for _, asked := range append([]string{""}, sortedKeys(a.Terms.Roles)...) {
			role, err := a.place(me, asked)
			if err == nil && role != RoleNone && !slices.Contains(out, role) {
				out = append(out, role)
			}
		}
	}
	return out
}

// checkPlace explains why a vote cannot take the seat it asks for.
func (a *Approval) checkPlace(d Decision, asked string, open map[string]int) error {
	switch {
	case a.Terms.Roles[asked] == 0:
		return fault.Of("the decision is incomplete",
			[]fault.Problem{{Path: "/role", Message: fmt.Sprintf("%q is not one of the roles asked: %s", asked,
				strings.Join(sortedKeys(a.Terms.Roles), ", "))}})
	case !slices.Contains(d.Roles, asked) && !slices.Contains(d.Roles, RoleAdmin):
		return fault.New(fault.Forbidden, fmt.Sprintf("%s does not have the role %s", d.By, asked),
			"leave role out, or use one of your roles")
	case open[asked] == 0:
		return fault.New(fault.Conflict, fmt.Sprintf("%s has already voted", asked),
			"still needed: "+strings.Join(sortedKeys(open), ", "))
	}
	return nil
}

// given counts how many of the required people have voted. A vote without a seat counts only if more people
// are needed than roles, so the count is at most all but the free seats.
func (a *Approval) given(votes []Decision) int {
	return min(len(votes), a.needed()-len(a.unfilled(votes)))
}

// unfilled lists the seats that the votes do not fill. A vote keeps the seat it took. Votes without one (from
// before seats were recorded, or cast under other terms) are matched: a person fills one seat, whatever roles
// they hold.
func (a *Approval) unfilled(votes []Decision) []string {
	left := map[string]int{}
	for role, n := range a.Terms.Roles {
		left[role] = n
	}
	var free []Decision
	for _, v := range votes {
		if v.Role == "" || mutant.Is(mutant.VotesMatchedAnew) {
			free = append(free, v)
		} else if left[v.Role] > 0 {
			left[v.Role]--
		}
	}
	var slots []string
	for _, role := range sortedKeys(left) {
		for range left[role] {
			slots = append(slots, role)
		}
	}
	filledBy := make([]int, len(free)) // vote → slot
	for i := range filledBy {
		filledBy[i] = -1
	}
	var open []string
	for s := range slots {
		if !assign(s, slots, free, filledBy, make([]bool, len(free))) {
			open = append(open, slots[s])
		}
	}
	return open
}

// assign finds a vote for slot s, moving earlier votes to other slots if necessary.
func assign(s int, slots []string, votes []Decision, filledBy []int, seen []bool) bool {
	for v := range votes {
		if seen[v] || !slices.Contains(votes[v].Roles, slots[s]) && !slices.Contains(votes[v].Roles, RoleAdmin) {
			continue
		}
		seen[v] = true
		if filledBy[v] < 0 || assign(filledBy[v], slots, votes, filledBy, seen) {
			filledBy[v] = s
			return true
		}
	}
	return false
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
