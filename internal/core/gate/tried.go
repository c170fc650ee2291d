package gate

import "strings"

// AsTried turns a question into whether an attempt may be repeated: the proposal cannot be changed, and
// earlier input from people stays.
func (q *Request) AsTried() {
	if q.Kind == KindApproval || q.Kind == KindEscalation {
		q.Terms.Acts = actsOnTried(q.Terms.Acts)
		return
	}
	if q.Kind != KindInput || q.Gate == "" {
		return
	}
	q.Kind, q.InputSchema = KindApproval, nil
	q.Terms.Acts = actsOnTried(q.Terms.Acts)
	q.Description = strings.TrimSpace(q.Description +
		"\n\nIt was attempted with the submitted values and may have taken effect.")
	if q.Terms.Then == ThenDefault {
		q.Terms.Then, q.Terms.Default = ThenPause, nil
	}
}

// actsOnTried are the acts available if nothing can be changed.
func actsOnTried(acts []Act) []Act {
	left := []Act{Approve}
	for _, act := range acts {
		if act != Approve && act != Submit && act != Modify {
			left = append(left, act)
		}
	}
	return left
}
