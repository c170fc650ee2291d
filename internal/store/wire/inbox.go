package wire

import (
	"encoding/json"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
)

// The inbox is a table of its own: one row per approval and reader. A reader is
// a name, a role, Anybody for approvals that name nobody, and Everything, under
// which each approval is filed once more for those who see all. A page is then
// the merge of a few index ranges, one per reader and status, and costs the
// same among a hundred approvals and a million.
const (
	Anybody    = "*"
	Everything = "**"
)

// Filed is what the inbox knows of an approval. While it stays the same, the
// inbox is left alone.
type Filed struct {
	Run, Status, Asked                string
	Workflow, Agent, Tool, Kind, Risk string
	Priority, Requested, Deadline     int64
}

// FiledAs is how an approval is to be filed.
func FiledAs(a *port.ApprovalRow) Filed {
	return Filed{
		a.Run, a.Status, Names(a.Asked), a.Workflow, a.Agent, a.Tool, a.Kind, a.Risk,
		int64(a.Priority), Nanos(a.RequestedAt), Nanos(a.DeadlineAt),
	}
}

// Fields are where to scan the columns run, status, asked, workflow, agent,
// tool, kind, risk, priority, requested_at and deadline_at.
func (f *Filed) Fields() []any {
	return []any{&f.Run, &f.Status, &f.Asked, &f.Workflow, &f.Agent, &f.Tool, &f.Kind, &f.Risk, &f.Priority, &f.Requested, &f.Deadline}
}

// Readers lists under whom an approval is filed.
func Readers(a *port.ApprovalRow) []string {
	if len(a.Asked) == 0 {
		return []string{Everything, Anybody}
	}
	return Distinct(append([]string{Everything}, a.Asked...))
}

// Looking lists under whom a query looks.
func Looking(q *port.ApprovalQuery) ([]string, error) {
	if len(q.Asked) > AskedMax {
		return nil, fault.Newf(fault.Invalid, "%d names are more than %d", len(q.Asked), AskedMax)
	}
	if len(q.Asked) == 0 {
		return []string{Everything}, nil
	}
	who := []string{Anybody}
	for _, name := range q.Asked {
		if Word(name) && name != Everything {
			who = append(who, name)
		}
	}
	return Distinct(who), nil
}

// ApprovalStatuses lists the statuses a query wants; all of them if it names none.
func ApprovalStatuses(q *port.ApprovalQuery) ([]string, error) {
	if err := CheckStatuses(len(q.Status)); err != nil {
		return nil, err
	}
	if len(q.Status) > 0 {
		return Distinct(slices.DeleteFunc(slices.Clone(q.Status), func(s string) bool { return !Word(s) })), nil
	}
	return slices.Clone(approvalStatuses), nil
}

var approvalStatuses = []string{
	string(gate.Pending), string(gate.Approved), string(gate.Modified), string(gate.Rejected), string(gate.Chosen),
	string(gate.Submitted), string(gate.RevisionRequested), string(gate.TimedOut), string(gate.Cancelled), string(gate.AutoApproved),
}

// Distinct sorts and drops what is there twice.
func Distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// Names writes a list of names as JSON.
func Names(list []string) string {
	if len(list) == 0 {
		return ""
	}
	b, _ := json.Marshal(list) // strings always can be
	return string(b)
}

// ParseNames reads it back.
func ParseNames(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	var list []string
	err := json.Unmarshal([]byte(s), &list)
	return list, err
}

// Labels writes labels as JSON.
func Labels(m map[string]string) string {
	if len(m) == 0 {
		return ""
	}
	b, _ := json.Marshal(m) // strings always can be
	return string(b)
}

// ParseLabels reads them back.
func ParseLabels(s string) (map[string]string, error) {
	if s == "" {
		return nil, nil
	}
	var m map[string]string
	err := json.Unmarshal([]byte(s), &m)
	return m, err
}
