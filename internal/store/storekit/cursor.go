package storekit

import (
	"encoding/base64"
	"encoding/json"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// Cursor is the position in a list after which the next page begins: the sort keys and the id of the last
// item. Unlike page numbers, it is not affected by items that are added or removed.
type Cursor struct {
	List string `json:"l"` // list and order: a cursor of another one is rejected
	A    int64  `json:"a"`
	B    int64  `json:"b,omitempty"`
	ID   string `json:"i"`
}

// String is the form that clients use.
func (c Cursor) String() string {
	b, _ := json.Marshal(c) // strings and numbers can always be encoded
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor parses the output of String for the same list.
func ParseCursor(s, list string) (*Cursor, error) {
	if s == "" {
		return nil, nil
	}
	bad := fault.New(fault.Invalid, "the cursor is not valid for this list", "remove it to start at the beginning")
	if len(s) > 4*WordMax {
		return nil, bad
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return nil, bad
	}
	var c Cursor
	if json.Unmarshal(b, &c) != nil || c.List != list || !Word(c.ID) {
		return nil, bad
	}
	return &c, nil
}

// The lists and their orders.
const (
	RunList         = "runs"
	DeliverableList = "deliverables"
	SecondLookList  = "second-looks"
	approvalList    = "approvals-by-"
)

// ApprovalOrder validates a sort order and names the list in that order; the default order of the inbox is by
// urgency.
func ApprovalOrder(s port.ApprovalSort) (port.ApprovalSort, string, error) {
	switch s {
	case "":
		s = port.ByPriority
	case port.ByPriority, port.ByAge, port.ByDeadline, port.ByNewest, port.BySettled:
	default:
		return "", "", fault.Newf(fault.Invalid, "approvals cannot be sorted by %q", shorten(string(s)))
	}
	return s, approvalList + string(s), nil
}

// Due is when an approval is due, in a form that sorts "never" last. For a settled one it is when it was
// settled: one index serves both pending and settled approvals.
func Due(a *port.ApprovalRow) int64 {
	switch {
	case !a.SettledAt.IsZero():
		return Nanos(a.SettledAt)
	case a.DeadlineAt.IsZero():
		return Never
	}
	return Nanos(a.DeadlineAt)
}

// Backwards reports whether an order is descending.
func Backwards(s port.ApprovalSort) bool { return s == port.ByNewest || s == port.BySettled }
