package view

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/assent-run/assent/internal/core/value"
)

const (
	groupApart  = 4  // members needed before one of them can be an outlier
	groupShare  = 4  // a value is an outlier if at most one in this many differs from the rest
	groupFactor = 10 // a number is an outlier if it differs from the median by more than this factor
)

// Alike lists the approvals that a row of a grouped list represents.
type Alike struct {
	Count int      `json:"count"`          // The number of approvals in the row.
	IDs   []string `json:"ids" holds:"id"` // Their ids, in the order of the list; the first is the row's own.
}

// Group keeps the first of each group.
func Group(views []Approval) []Approval {
	groups := map[string][]int{}
	keys := make([]string, len(views))
	for i := range views {
		keys[i] = likeKey(&views[i])
		groups[keys[i]] = append(groups[keys[i]], i)
	}
	out := []Approval{}
	apart := map[int]bool{}
	for key, members := range groups {
		for _, i := range outliers(views, members) {
			apart[i] = true
		}
		groups[key] = slices.DeleteFunc(members, func(i int) bool { return apart[i] })
	}
	for i, v := range views {
		members := groups[keys[i]]
		switch {
		case apart[i] || len(members) == 1:
			out = append(out, v)
		case members[0] == i:
			v.Alike = &Alike{Count: len(members)}
			for _, m := range members {
				v.Alike.IDs = append(v.Alike.IDs, views[m].ID)
			}
			out = append(out, v)
		}
	}
	return out
}

// likeKey identifies the group of an approval.
func likeKey(v *Approval) string {
	// strings always marshal
	b, _ := value.Marshal([]any{v.Run, v.Step, v.Agent, v.Action.Tool, v.Gate, v.Kind, v.Reason,
		v.Risk.Level, v.Acts, v.Masked})
	return string(b)
}

// outliers are the members with an unusual field in their proposal.
func outliers(views []Approval, members []int) (out []int) {
	if len(members) < groupApart {
		return nil
	}
	fields := make([]map[string]json.RawMessage, len(members))
	names := map[string]bool{}
	for n, i := range members {
		if json.Unmarshal(views[i].Proposed, &fields[n]) != nil {
			return nil // not objects
		}
		for name := range fields[n] {
			names[name] = true
		}
	}
	for name := range names {
		for n, i := range members {
			if standsOut(fields, n, name) && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out
}

// standsOut compares a field of one member with the others'.
func standsOut(fields []map[string]json.RawMessage, n int, name string) bool {
	counts := map[string]int{}
	var numbers []float64
	for _, f := range fields {
		counts[string(f[name])]++
		if x, err := strconv.ParseFloat(string(f[name]), 64); err == nil {
			numbers = append(numbers, x)
		}
	}
	own := string(fields[n][name])
	if x, err := strconv.ParseFloat(own, 64); err == nil && len(numbers) == len(fields) {
		slices.Sort(numbers)
		middle := numbers[len(numbers)/2]
		return x > 0 && middle > 0 && (x > middle*groupFactor || x*groupFactor < middle)
	}
	most := 0
	for _, count := range counts {
		most = max(most, count)
	}
	return counts[own] < most && (len(fields)-most)*groupShare <= len(fields)
}
