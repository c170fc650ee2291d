package postgres

import (
	"context"
	"fmt"
	"maps"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// state is the data that a group of jobs reads and changes. The lock on the row of head excludes all other
// writers, so decisions are made here, in memory.
type state struct {
	group []*job
	vault *storekit.Vault

	feed, epoch int64
	generation  int64
	xid         string
	committing  bool
	grew        bool

	runs         map[string]*runState
	approvals    map[string]*approvalState
	deliverables map[string]*port.DeliverableRow
	owners       map[string]string // of deliverables
	answers      map[string]port.Answer
	chain        storekit.Chain // the end of the audit log
	audit        auditArrays
	uses         map[string]int // of limited rules
	used         bool           // some of them grew
	counting     counting

	batches    []*job
	snapshots  []*job
	marking    []*job // in the order they were taken
	newAnswers []port.Answer
}

type runState struct {
	seq      int64
	due      int64 // original
	snapshot int64
	isNew    bool
	row      *port.RunRow // to be stored; nil: unchanged
	words    string       // of the row
}

type approvalState struct {
	old   storekit.Filed
	row   *port.ApprovalRow
	words string // of the row
}

func newState(vault *storekit.Vault, group []*job) *state {
	return &state{
		group: group, vault: vault, runs: map[string]*runState{}, approvals: map[string]*approvalState{},
		deliverables: map[string]*port.DeliverableRow{}, owners: map[string]string{},
		answers: map[string]port.Answer{}, uses: map[string]int{},
		counting: counting{newest: map[run.Elsewhere]int64{}},
	}
}

// load locks the head and reads the data the jobs need, in one round trip.
func (g *state) load(ctx context.Context, c *pgx.Conn) error {
	var runs, approvals, deliverables, keys, rules []string
	for _, j := range g.group {
		if j.answer != nil {
			keys = append(keys, j.answer.Key)
			continue
		}
		if j.entriesOnly {
			continue
		}
		runs = append(runs, j.Run)
		for _, u := range j.Uses {
			rules = append(rules, u.Rule)
		}
		if j.Answer != nil {
			keys = append(keys, j.Answer.Key)
		}
		for i := range j.Approvals {
			approvals = append(approvals, j.Approvals[i].ID)
		}
		for i := range j.Deliverables {
			deliverables = append(deliverables, j.Deliverables[i].ID)
		}
	}
	b := &pgx.Batch{}
	b.Queue(`BEGIN`)
	b.Queue(sqlLockHead).QueryRow(func(r pgx.Row) error {
		return r.Scan(&g.feed, &g.epoch, &g.generation, &g.xid, &g.chain.N, &g.chain.Hash)
	})
	g.queue(b, sqlRunSeqMany, runs, func(r pgx.Rows) error {
		var id string
		s := &runState{}
		err := r.Scan(&id, &s.seq, &s.due)
		g.runs[id] = s
		return err
	})
	g.queue(b, sqlUsesMany, rules, func(r pgx.Rows) error {
		var rule string
		var n int
		err := r.Scan(&rule, &n)
		g.uses[rule] = n
		return err
	})
	g.loadSums(b)
	g.queue(b, sqlAnswerMany, keys, func(r pgx.Rows) error {
		a, err := aggregate.ScanAnswer(r)
		g.answers[a.Key] = a
		return err
	})
	g.queue(b, sqlFiledMany, approvals, func(r pgx.Rows) error {
		var id string
		a := &approvalState{}
		err := r.Scan(append([]any{&id}, a.old.Fields()...)...)
		g.approvals[id] = a
		return err
	})
	g.queue(b, sqlDeliverableRunMany, deliverables, func(r pgx.Rows) error {
		var id, run string
		err := r.Scan(&id, &run)
		g.owners[id] = run
		return err
	})
	if err := c.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("read before writing: %w", err)
	}
	return nil
}

// queue adds a query by ids, unless there are none.
func (g *state) queue(b *pgx.Batch, sql string, ids []string, each func(pgx.Rows) error) {
	if len(ids) == 0 {
		return
	}
	b.Queue(sql, ids).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := each(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// decide rejects or accepts a job. Jobs of a group see each other's changes.
func (g *state) decide(j *job) error {
	if j.entriesOnly {
		g.record(j)
		return nil
	}
	if j.answer != nil {
		if old, ok := g.answers[j.answer.Key]; ok {
			j.kept = old
			return nil
		}
		j.kept = *j.answer
		g.takeAnswer(*j.answer)
		return nil
	}
	if j.Answer != nil {
		if _, ok := g.answers[j.Answer.Key]; ok {
			return storekit.Answered(j.Answer.Key)
		}
	}
	if j.Epoch != 0 && j.Epoch != g.epoch {
		return storekit.Fenced(j.Epoch, g.epoch)
	}
	if j.Generation != 0 && j.Generation != g.generation {
		return storekit.Outdated(j.Generation, g.generation)
	}
	uses, err := storekit.Grants(j.Uses, func(rule string) (int, error) { return g.uses[rule], nil })
	if err != nil {
		return err
	}
	if err := g.checkSums(j); err != nil {
		return err
	}
	for i := range j.Approvals {
		if a := g.approvals[j.Approvals[i].ID]; a != nil && a.owner() != j.Run {
			return fault.Newf(fault.Invalid, "approval %s belongs to run %s", j.Approvals[i].ID, a.owner())
		}
	}
	for i := range j.Deliverables {
		if run, ok := g.owners[j.Deliverables[i].ID]; ok && run != j.Run {
			return fault.Newf(fault.Invalid, "deliverable %s belongs to run %s", j.Deliverables[i].ID, run)
		}
	}
	r := g.runs[j.Run]
	if r == nil {
		r = &runState{isNew: true}
	}
	if r.seq != j.After {
		return storekit.LogConflict(j.Run, r.seq, j.After)
	}
	g.runs[j.Run] = r
	maps.Copy(g.uses, uses)
	g.used = g.used || len(uses) > 0
	g.takeCounted(j)
	g.take(j, r)
	return nil
}

func (a *approvalState) owner() string {
	if a.row != nil {
		return a.row.Run
	}
	return a.old.Run
}

// record assigns the entries of a job their positions.
func (g *state) record(j *job) {
	for _, f := range j.forms {
		g.audit.add(g.vault.HideAudit(g.chain.Next(f)))
	}
	j.entry = g.chain.N
}

func (g *state) takeAnswer(a port.Answer) {
	g.answers[a.Key] = a
	g.newAnswers = append(g.newAnswers, a)
}

// take applies a job's changes.
func (g *state) take(j *job, r *runState) {
	row := j.Row
	if r.isNew && r.row != nil { // its first write is in this group
		f := r.row
		row.Workflow, row.Owner, row.Labels, row.StartedAt = f.Workflow, f.Owner, f.Labels, f.StartedAt
		row.Parent, row.RetryOf, row.ForkedFrom = f.Parent, f.RetryOf, f.ForkedFrom
	}
	r.seq, r.row, r.words = j.last, &row, j.found.Run
	if len(j.Events) > 0 {
		g.feed += int64(len(j.Events))
		g.grew = true
		g.batches = append(g.batches, j)
	}
	j.feed = g.feed
	g.record(j)
	if j.Snapshot != nil {
		r.snapshot = j.last
		g.snapshots = append(g.snapshots, j)
	}
	for i := range j.Approvals {
		a := g.approvals[j.Approvals[i].ID]
		if a == nil {
			a = &approvalState{}
			g.approvals[j.Approvals[i].ID] = a
		}
		a.row, a.words = &j.Approvals[i], j.found.Approvals[i]
	}
	if len(j.Marks) > 0 {
		g.marking = append(g.marking, j)
	}
	for i := range j.Deliverables {
		g.deliverables[j.Deliverables[i].ID] = &j.Deliverables[i]
		g.owners[j.Deliverables[i].ID] = j.Run
	}
	if j.Answer != nil {
		g.takeAnswer(*j.Answer)
	}
}

// flush stores all changes and commits, in one round trip.
func (g *state) flush(ctx context.Context, c *pgx.Conn) error {
	b := &pgx.Batch{}
	g.flushRuns(b)
	g.flushLog(b)
	if err := g.flushApprovals(b); err != nil {
		return err
	}
	g.flushDeliverables(b)
	g.flushMarks(b)
	g.flushRefs(b)
	g.flushFailures(b)
	g.flushWork(b)
	g.flushLooks(b)
	g.flushTaught(b)
	g.flushUses(b)
	g.flushCounted(b)
	g.flushAudit(b)
	switch {
	case g.grew:
		b.Queue(sqlSetHead, g.feed, g.chain.N, g.chain.Hash)
	case len(g.audit.n) > 0:
		b.Queue(sqlSetAudit, g.chain.N, g.chain.Hash)
	}
	b.Queue(`COMMIT`)
	g.committing = true
	if err := send(ctx, c, b); err != nil {
		return fmt.Errorf("store and commit: %w", err)
	}
	return nil
}
