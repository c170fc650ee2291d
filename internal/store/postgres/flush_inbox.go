package postgres

import (
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// inboxChange collects rows to delete from the inbox and rows to insert.
type inboxChange struct {
	old, now placeArrays
	due      []int64
	copies   facetArrays // of each new row
	shares   facetArrays
	who      []string // whose shares
	facet    []string
	seen     map[storekit.Share]bool
}

// placeArrays are the keys of many places in the inbox.
type placeArrays struct {
	who, status, approval []string
	rank, requested       []int64
}

func (a *placeArrays) add(who, id string, f *storekit.Filed) {
	a.who, a.status, a.approval = append(a.who, who), append(a.status, f.Status), append(a.approval, id)
	a.rank, a.requested = append(a.rank, -f.Priority), append(a.requested, f.Requested)
}

type facetArrays struct{ workflow, agent, tool, kind, risk []string }

func (a *facetArrays) add(f storekit.Facet) {
	a.workflow, a.agent, a.tool = append(a.workflow, f.Workflow), append(a.agent, f.Agent), append(a.tool, f.Tool)
	a.kind, a.risk = append(a.kind, f.Kind), append(a.risk, f.Risk)
}

func (c *inboxChange) add(r *port.ApprovalRow, old, now storekit.Filed) error {
	if old.Run != "" {
		readers, err := old.Readers()
		if err != nil {
			return err
		}
		for _, who := range append(readers, old.Facet.Reader()) {
			c.old.add(who, r.ID, &old)
		}
	}
	readers, err := now.Readers()
	if err != nil {
		return err
	}
	facet := now.Facet.Reader()
	for _, who := range readers {
		c.share(storekit.Share{Who: who, Facet: now.Facet}, facet)
	}
	for _, who := range append(readers, facet) {
		c.now.add(who, r.ID, &now)
		c.due = append(c.due, storekit.Due(r))
		c.copies.add(now.Facet)
	}
	return nil
}

func (c *inboxChange) share(s storekit.Share, facet string) {
	if c.seen[s] {
		return
	}
	if c.seen == nil {
		c.seen = map[storekit.Share]bool{}
	}
	c.seen[s] = true
	c.who, c.facet = append(c.who, s.Who), append(c.facet, facet)
	c.shares.add(s.Facet)
}

func (c *inboxChange) flush(b *pgx.Batch) {
	if o := &c.old; len(o.who) > 0 {
		queueRows(b, sqlUnfileMany, o.who, o.status, o.rank, o.requested, o.approval)
	}
	if n, f := &c.now, &c.copies; len(n.who) > 0 {
		queueRows(b, sqlFileMany, n.who, n.status, n.rank, n.requested, c.due, n.approval, f.workflow, f.agent, f.tool,
			f.kind, f.risk)
	}
	if f := &c.shares; len(c.who) > 0 {
		queueRows(b, sqlAddShareMany, c.who, c.facet, f.workflow, f.agent, f.tool, f.kind, f.risk)
	}
}
