package storekit

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
)

// The inbox is a table with one row per approval and reader. A reader is a name, a role, Anyone for
// approvals without assignees, Everything, under which each approval is filed once more for readers who see
// all, and the approval's Facet for filters. A page is then the merge of a few index ranges, one per reader
// and status, and costs the same among a hundred approvals and a million.
const (
	Anyone     = "*"
	Everything = "**"
)

// Facet is the combination of properties that filters use. There are about as many as there are gates in the
// workflows of a deployment.
type Facet struct{ Workflow, Agent, Tool, Kind, Risk string }

// Reader is the name under which approvals of the facet are filed.
func (f Facet) Reader() string {
	h := sha256.New()
	for _, s := range []string{f.Workflow, f.Agent, f.Tool, f.Kind, f.Risk} {
		fmt.Fprintf(h, "%d %s", len(s), s) // a hash never fails
	}
	return Everything + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:facetBytes])
}

const facetBytes = 15

// FacetOf is the facet of an approval.
func FacetOf(a *port.ApprovalRow) Facet {
	return Facet{a.Workflow, a.Agent, a.Tool, a.Kind, a.Risk}
}

// Filed is the state of an approval in the inbox. As long as it does not change, the inbox is not updated.
type Filed struct {
	Run, Status, Asked string
	Facet
	Priority, Requested, Deadline int64
}

// FiledAs is how an approval is to be filed.
func FiledAs(a *port.ApprovalRow) Filed {
	return Filed{a.Run, a.Status, Names(a.Asked), FacetOf(a), a.Priority, Nanos(a.RequestedAt), Nanos(a.DeadlineAt)}
}

// Fields are the scan targets for the columns run, status, asked, workflow, agent, tool, kind, risk,
// priority, requested_at and deadline_at.
func (f *Filed) Fields() []any {
	return []any{&f.Run, &f.Status, &f.Asked, &f.Workflow, &f.Agent, &f.Tool, &f.Kind, &f.Risk, &f.Priority,
		&f.Requested, &f.Deadline}
}

// Readers lists the readers under whom an approval is filed, in addition to its facet.
func (f *Filed) Readers() ([]string, error) {
	asked, err := ParseNames(f.Asked)
	if len(asked) == 0 {
		asked = []string{Anyone}
	}
	for i, who := range asked {
		if who == port.Anyone {
			asked[i] = Anyone
		}
	}
	return Distinct(append(asked, Everything)), err
}

// Share is a facet of which a reader has approvals. The stores keep a table of shares, so that searching a
// facet that a reader never had takes no time.
type Share struct {
	Who string
	Facet
}

// reserved names belong to no person or role and cannot be assigned.
func reserved(who string) bool {
	if who == Anyone || who == Everything {
		return true
	}
	hash, ok := strings.CutPrefix(who, Everything)
	b, err := base64.RawURLEncoding.DecodeString(hash)
	return ok && err == nil && len(b) == facetBytes
}

// looking lists the readers that a query searches.
func looking(q *port.ApprovalQuery) ([]string, error) {
	if len(q.Asked) > AskedMax {
		return nil, fault.Newf(fault.Invalid, "%d names are more than %d", len(q.Asked), AskedMax)
	}
	if len(q.Asked) == 0 {
		return []string{Everything}, nil
	}
	who := []string{Anyone}
	for _, name := range q.Asked {
		if Word(name) && !reserved(name) {
			who = append(who, name)
		}
	}
	return Distinct(who), nil
}

// wanted lists the statuses of a query; all of them if it has none.
func wanted(q *port.ApprovalQuery) ([]string, error) {
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
	string(gate.Submitted), string(gate.RevisionRequested), string(gate.TimedOut), string(gate.Cancelled),
	string(gate.AutoApproved),
}

// InboxPlan defines how a page of the inbox is read.
type InboxPlan struct {
	Run           string // only approvals of these; empty: any
	Sort          port.ApprovalSort
	List          string // for cursors
	Who, Statuses []string
	From          *Cursor
	Limit         int
	Since, Before int64 // when it was requested; 0: any time
	Facet         Facet // the remaining filters
	Among         []string
	Overlap       bool // an approval may be filed under several of Who
	Empty         bool // no approval can match
	NoTotal       bool
	Few           bool // only a few approvals can match: the search begins with them
	Uncounted     bool // too many contain the search text to be counted
	Search
	costly      bool   // checking one row takes several lookups
	sight       *Sight // of the reader, until it is turned into ranges; nil: everything is visible
	scope, text []Cond
}

// PlanInbox validates a query and plans it.
func PlanInbox(q *port.ApprovalQuery) (p *InboxPlan, err error) {
	p = &InboxPlan{
		Run: q.Run, NoTotal: q.NoTotal, Limit: PageSize(q.Limit), Since: Nanos(q.Since), Before: Nanos(q.OlderThan),
		Facet:  Facet{Text(q.Workflow), Text(q.Agent), Text(q.Tool), Text(q.Kind), Text(q.Risk)},
		Search: SearchFor(q.Text),
	}
	if p.Sort, p.List, err = ApprovalOrder(q.Sort); err != nil {
		return nil, err
	}
	if p.From, err = ParseCursor(q.Cursor, p.List); err != nil {
		return nil, err
	}
	if p.Who, err = looking(q); err != nil {
		return nil, err
	}
	if p.Statuses, err = wanted(q); err != nil {
		return nil, err
	}
	if p.sight, err = See(q.Scope); err != nil {
		return nil, err
	}
	p.sight = p.sight.Within(q.Workflow)
	readers := len(p.Who)
	if p.sight != nil {
		readers += len(p.sight.asks)
	}
	if readers*len(p.Statuses) > BranchesMax {
		return nil, fault.Newf(fault.Invalid, "%d names and %d statuses are too many together", readers,
			len(p.Statuses))
	}
	p.Overlap = len(p.Who) > 1
	return p, nil
}

// Read reads the page of a plan: it uses the index, splits the plan into parts and merges their pages. Count
// runs a counting query; page reads one part.
func (p *InboxPlan) Read(
	x Index, count func(Cond) (int, error), page func(*InboxPlan) (port.Page[port.ApprovalRow], error),
) (out port.Page[port.ApprovalRow], err error) {
	if err := p.Find(x); err != nil {
		return out, err
	}
	parts, err := p.Parts(count)
	if err != nil {
		return out, err
	}
	pages := make([]port.Page[port.ApprovalRow], len(parts))
	for i, part := range parts {
		if pages[i], err = page(part); err != nil {
			return out, err
		}
	}
	out = p.Merge(pages)
	if p.Uncounted {
		AtLeast(&out, p.From == nil)
	}
	return out, nil
}

// Choose looks up which facets match the filter, or are visible. List runs a query for one column of text,
// count one that counts.
func (p *InboxPlan) Choose(list func(Cond) ([]string, error), count func(Cond) (int, error)) error {
	size := func(who []string, most int) (int, error) {
		c := allOf(oneOf("who", who), oneOf("status", p.Statuses))
		c.SQL = fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM inbox WHERE %s LIMIT %d) n`, c.SQL, most)
		return count(c)
	}
	if p.Scoped() {
		return p.Sharpen(list, size)
	}
	if !p.Filtered() {
		return nil
	}
	facets, err := list(sharedFacets(append(p.facet(""), oneOf("who", p.Who))))
	if err != nil {
		return err
	}
	return p.Narrow(facets, size)
}

// sharedFacets lists facets of which a reader has a share.
func sharedFacets(conds []Cond) Cond {
	c := allOf(conds...)
	c.SQL = fmt.Sprintf(`SELECT DISTINCT facet FROM shares WHERE %s LIMIT %d`, c.SQL, FacetsMax+1)
	return c
}

// facet are conditions on the properties of a facet.
func (p *InboxPlan) facet(prefix string) []Cond {
	var w Where
	w.Eq(prefix+"workflow", p.Facet.Workflow)
	w.Eq(prefix+"agent", p.Facet.Agent)
	w.Eq(prefix+"tool", p.Facet.Tool)
	w.Eq(prefix+"kind", p.Facet.Kind)
	w.Eq(prefix+"risk", p.Facet.Risk)
	return w.conds
}

// Filter matches the requested rows i of the inbox. If ByRun is set, it may refer to their approval a.
func (p *InboxPlan) Filter() *Where {
	w := &Where{}
	w.Eq("a.run", p.Run)
	w.conds = append(w.conds, p.facet("i.")...)
	if p.Since != 0 {
		w.Add("i.requested_at >= ?", p.Since)
	}
	if p.Before != 0 {
		w.Add("i.requested_at < ?", p.Before)
	}
	if len(p.Among) > 0 {
		w.conds = append(w.conds, among(p.Among))
	}
	w.conds = append(w.conds, p.Scope()...)
	return w
}

// Filtered reports whether it is worth looking up the matching facets. A few approvals, such as those of a
// run, are simply scanned.
func (p *InboxPlan) Filtered() bool { return p.Facet != Facet{} && !p.ByRun() }

// Narrow takes the facets that match the filter and of which the readers have a share. If they are few,
// reading them is better than reading everything and discarding most of it. Assignees are not part of a
// facet: with an assignee, facets are read only if they contain few approvals, which are then checked one by
// one. Size counts approvals of the plan's statuses up to a limit.
func (p *InboxPlan) Narrow(facets []string, size func(who []string, most int) (int, error)) error {
	all := len(p.Who) == 1 && p.Who[0] == Everything
	switch {
	case len(facets) == 0:
		p.Empty = true
		return nil
	case len(facets)*len(p.Statuses) > FacetsMax:
		return nil
	case !all:
		n, err := size(facets, FewMax+1)
		if err != nil || n > FewMax {
			return err
		}
		p.Among = p.Who
	}
	p.Who, p.Overlap, p.Facet = facets, false, Facet{}
	return nil
}

// Distinct sorts and removes duplicates.
func Distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// Names encodes a list of names as JSON.
func Names(list []string) string {
	if len(list) == 0 {
		return ""
	}
	b, _ := json.Marshal(list) // strings can always be encoded
	return string(b)
}

// ParseNames decodes it.
func ParseNames(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	var list []string
	err := json.Unmarshal([]byte(s), &list)
	return list, err
}

// Labels encodes labels as JSON.
func Labels(m map[string]string) string {
	if len(m) == 0 {
		return ""
	}
	b, _ := json.Marshal(m) // strings can always be encoded
	return string(b)
}

// ParseLabels decodes them.
func ParseLabels(s string) (map[string]string, error) {
	if s == "" {
		return nil, nil
	}
	var m map[string]string
	err := json.Unmarshal([]byte(s), &m)
	return m, err
}
