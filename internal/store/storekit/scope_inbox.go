package storekit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/port"
)

// Parts splits a plan for a reader with a limited scope into disjoint plans: approvals visible because of
// their workflow or assignees, and the rest in the reader's own runs. Count runs a counting query.
func (p *InboxPlan) Parts(count func(Cond) (int, error)) ([]*InboxPlan, error) {
	s := p.sight
	switch {
	case s == nil:
		return []*InboxPlan{p}, nil
	case p.ByRun(): // few approvals
		p.scope = []Cond{s.parts("i.workflow", func() Cond { return s.ownRun("a.run") },
			func() Cond { return among(s.asks) })}
		p.sight = nil
		return []*InboxPlan{p}, nil
	case s.Owner == "":
		return []*InboxPlan{p}, nil
	}
	n, err := count(Cond{fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM runs WHERE owner = ? AND owner <> ''
		LIMIT %d) n`, FewMax+1), []any{s.Owner}})
	if err != nil || n == 0 {
		return []*InboxPlan{p}, err
	}
	own := *p
	own.sight = nil
	if own.Few = n <= FewMax; own.Few {
		own.scope = []Cond{{`a.run IN (SELECT id FROM runs WHERE owner = ? AND owner <> '')`, []any{s.Owner}}}
	} else { // among so many, the next match is near
		own.costly = true
		own.scope = []Cond{{`EXISTS (SELECT 1 FROM approvals oa JOIN runs orun ON orun.id = oa.run
			WHERE oa.id = i.approval AND orun.owner = ?)`, []any{s.Owner}}}
	}
	own.scope = append(own.scope, not(among(s.asks)))
	if s.anyWorkflow() {
		own.scope = append(own.scope, not(s.workflows("i.workflow")))
	}
	return []*InboxPlan{p, &own}, nil
}

// Scope are the conditions, on a row i of the inbox, that exclude approvals that are not visible or do not
// contain the text. If ByRun is set, they may refer to its approval a.
func (p *InboxPlan) Scope() []Cond { return slices.Concat(p.scope, p.text) }

// ByRun reports that the search begins with approvals: those of one or a few runs, or those that contain a
// text.
func (p *InboxPlan) ByRun() bool { return p.Run != "" || p.Few }

// Look is how many rows are read to count matches.
func (p *InboxPlan) Look() int {
	if p.costly {
		return FewMax
	}
	return LookMax
}

// Scoped reports that Sharpen has something to do.
func (p *InboxPlan) Scoped() bool { return p.sight != nil }

// Sharpen chooses ranges of the inbox that contain the visible approvals, and little else: those of the
// reader's own name and roles, and those of facets of visible workflows. List runs a query for one column of
// text; size is that of Narrow.
func (p *InboxPlan) Sharpen(list func(Cond) ([]string, error), size func(who []string, most int) (int, error)) error {
	s, looked := p.sight, p.Who
	all := len(looked) == 1 && looked[0] == Everything
	rest := slices.DeleteFunc(slices.Clone(looked), func(who string) bool { return slices.Contains(s.asks, who) })
	facets, err := p.seenFacets(rest, list)
	if err != nil {
		return err
	}
	many := len(facets)*len(p.Statuses) > FacetsMax
	if !all && !many && len(facets) > 0 {
		n, err := size(facets, FewMax+1)
		if err != nil {
			return err
		}
		many = n > FewMax
	}
	switch {
	case many && all:
		p.Who, p.scope = rest, []Cond{anyOf(seenAmong(s)...)}
	case many:
		p.Who = append(slices.Clone(s.asks), rest...)
		p.scope = []Cond{anyOf(append(p.mine(looked), allOf(oneOf("i.who", rest), s.workflows("i.workflow")))...)}
	case all:
		p.Who = append(slices.Clone(s.asks), facets...)
	case len(facets) > 0:
		p.Who = append(slices.Clone(s.asks), facets...)
		p.scope = []Cond{anyOf(append(p.mine(looked), among(looked))...)}
	default:
		p.Who = slices.Clone(s.asks)
		if slices.ContainsFunc(p.Who, func(who string) bool { return !slices.Contains(looked, who) }) {
			p.scope = []Cond{anyOf(p.mine(looked)...)}
		}
	}
	if len(s.asks) == 0 && len(facets) > 0 && !many {
		p.Facet = Facet{} // the ranges contain nothing else
	}
	p.Who = Distinct(p.Who)
	p.Overlap = len(p.Who) > 1 && !(all && len(s.asks) == 0)
	p.Empty = len(p.Who) == 0
	p.sight = nil
	return nil
}

// seenAmong matches visible rows in any range.
func seenAmong(s *Sight) []Cond {
	conds := []Cond{s.workflows("i.workflow")}
	if len(s.asks) > 0 {
		conds = append(conds, among(s.asks))
	}
	return conds
}

// mine matches rows under the reader's own name and roles that are among the requested ones.
func (p *InboxPlan) mine(looked []string) (out []Cond) {
	var direct, other []string
	for _, who := range p.sight.asks {
		if slices.Contains(looked, who) {
			direct = append(direct, who)
		} else {
			other = append(other, who)
		}
	}
	if len(direct) > 0 {
		out = append(out, oneOf("i.who", direct))
	}
	if len(other) > 0 {
		out = append(out, allOf(oneOf("i.who", other), among(looked)))
	}
	return out
}

// seenFacets are facets of visible workflows, of which those in who have a share.
func (p *InboxPlan) seenFacets(who []string, list func(Cond) ([]string, error)) ([]string, error) {
	if len(who) == 0 || !p.sight.anyWorkflow() {
		return nil, nil
	}
	return list(sharedFacets(append(p.facet(""), oneOf("who", who), p.sight.workflows("workflow"))))
}

// Merge merges the pages of the parts.
func (p *InboxPlan) Merge(pages []port.Page[port.ApprovalRow]) port.Page[port.ApprovalRow] {
	if len(pages) == 1 {
		return pages[0]
	}
	var out port.Page[port.ApprovalRow]
	more := false
	for _, page := range pages {
		out.Items = append(out.Items, page.Items...)
		out.Total += page.Total
		out.AtLeast = out.AtLeast || page.AtLeast
		more = more || page.Next != ""
	}
	slices.SortFunc(out.Items, func(x, y port.ApprovalRow) int {
		a, b := p.Place(&x), p.Place(&y)
		c := cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B), strings.Compare(a.ID, b.ID))
		if Backwards(p.Sort) {
			return -c
		}
		return c
	})
	if len(out.Items) > p.Limit || more {
		out.Items = out.Items[:min(p.Limit, len(out.Items))]
		out.Next = p.Place(&out.Items[len(out.Items)-1]).String()
	}
	return out
}

// Place is an approval's position in the list.
func (p *InboxPlan) Place(a *port.ApprovalRow) Cursor {
	c := Cursor{List: p.List, ID: a.ID}
	switch p.Sort {
	case port.ByAge, port.ByNewest:
		c.A = Nanos(a.RequestedAt)
	case port.ByDeadline, port.BySettled:
		c.A = Due(a)
	default:
		c.A, c.B = -a.Priority, Nanos(a.RequestedAt)
	}
	return c
}
