package gate

import (
	"slices"
	"sort"
)

// positiveOf lists the acts that are votes for going on.
func positiveOf(k Kind) []Act {
	switch k {
	case KindChoice:
		return []Act{Choose}
	case KindInput:
		return []Act{Submit, Approve, Modify}
	}
	return []Act{Approve, Modify}
}

// votes are the answers that count towards the quorum: for what is proposed
// now (a change voids what was said before it) and, for choices, for this option.
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

// sameVoter reports whether two answers are one person's, directly or through
// stand-ins and delegates: authority is not multiplied by handing it on, however
// often and to however many.
func (a *Approval) sameVoter(v, w Decision) bool {
	mine, theirs := a.principals(v), a.principals(w)
	return slices.ContainsFunc(mine, func(name string) bool { return slices.Contains(theirs, name) })
}

// principals are who answered, for whom, and for whom those had it in turn.
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

// unfilled lists the role slots that the votes do not fill. A person fills one
// slot whatever roles they hold, so this is a matching, not a count.
func (a *Approval) unfilled(votes []Decision) []string {
	var slots []string
	for _, role := range sortedKeys(a.Terms.Roles) {
		for range a.Terms.Roles[role] {
			slots = append(slots, role)
		}
	}
	filledBy := make([]int, len(votes)) // vote → slot
	for i := range filledBy {
		filledBy[i] = -1
	}
	var open []string
	for s := range slots {
		if !assign(s, slots, votes, filledBy, make([]bool, len(votes))) {
			open = append(open, slots[s])
		}
	}
	return open
}

// assign finds a vote for slot s, moving earlier votes to other slots if need be.
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
