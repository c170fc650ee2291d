package postgres

import (
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

func (g *state) flushRuns(b *pgx.Batch) {
	var in, up runArrays
	var labels labelArrays
	var due dueArrays
	for _, r := range g.runs {
		due.add(r)
		switch {
		case r.row == nil:
		case r.isNew:
			in.add(r)
			labels.add(r)
		default:
			up.add(r)
		}
	}
	if len(in.id) > 0 {
		queueRows(b, sqlInsertRunMany, in.id, in.workflow, in.version, in.definition, in.status, in.owner, in.labels,
			in.seq, in.done, in.total, in.pending, in.err, in.cost, in.parent, in.retry, in.fork, in.started, in.updated,
			in.ended, in.due, in.busy, in.snapshot, in.cancelling, in.subject, in.test, in.words)
	}
	if len(up.id) > 0 {
		queueRows(b, sqlUpdateRunMany, up.id, up.version, up.definition, up.status, up.seq, up.done, up.total, up.pending,
			up.err, up.cost, up.updated, up.ended, up.due, up.busy, up.snapshot, up.cancelling, up.subject, up.words)
	}
	if len(labels.run) > 0 {
		b.Queue(sqlInsertLabelMany, labels.name, labels.value, labels.started, labels.run)
	}
	if len(due.run) > 0 {
		queueRows(b, sqlSetDueMany, due.run, due.at)
	}
	if len(due.never) > 0 {
		b.Queue(sqlDropDueMany, due.never)
	}
}

// runArrays are the columns of many runs.
type runArrays struct {
	id, workflow, definition, status, owner, labels, err, cost, parent, retry, fork, subject, words []string
	version, seq, done, total, pending, started, updated, ended, due, snapshot, test                []int64
	busy, cancelling                                                                                []bool
}

func (a *runArrays) add(s *runState) {
	r := s.row
	a.id, a.workflow = append(a.id, r.ID), append(a.workflow, r.Workflow)
	a.definition = append(a.definition, r.Definition)
	a.status, a.owner = append(a.status, string(r.Status)), append(a.owner, r.Owner)
	a.labels = append(a.labels, storekit.Labels(r.Labels))
	a.err, a.cost, a.parent = append(a.err, r.Error), append(a.cost, r.CostUSD), append(a.parent, r.Parent)
	a.retry, a.fork = append(a.retry, r.RetryOf), append(a.fork, r.ForkedFrom)
	a.version, a.seq = append(a.version, int64(r.Version)), append(a.seq, r.Seq)
	a.done = append(a.done, int64(r.StepsDone))
	a.total, a.pending = append(a.total, int64(r.StepsTotal)), append(a.pending, int64(r.Pending))
	a.started = append(a.started, storekit.Nanos(r.StartedAt))
	a.updated = append(a.updated, storekit.Nanos(r.UpdatedAt))
	a.ended, a.due = append(a.ended, storekit.Nanos(r.EndedAt)), append(a.due, storekit.Nanos(r.DueAt))
	a.busy, a.snapshot = append(a.busy, r.Busy), append(a.snapshot, s.snapshot)
	a.cancelling = append(a.cancelling, r.Cancelling)
	a.subject, a.words = append(a.subject, r.Subject), append(a.words, s.words)
	test := int64(0)
	if r.TestMode {
		test = 1
	}
	a.test = append(a.test, test)
}

// dueArrays are the runs whose wake-up time changed.
type dueArrays struct {
	run   []string
	at    []int64
	never []string
}

func (a *dueArrays) add(s *runState) {
	if s.row == nil {
		return
	}
	switch at := storekit.Nanos(s.row.DueAt); {
	case at == s.due:
	case at == 0:
		a.never = append(a.never, s.row.ID)
	default:
		a.run, a.at = append(a.run, s.row.ID), append(a.at, at)
	}
}

type labelArrays struct {
	name, value, run []string
	started          []int64
}

func (a *labelArrays) add(s *runState) {
	for name, value := range s.row.Labels {
		a.name, a.value = append(a.name, name), append(a.value, value)
		a.run, a.started = append(a.run, s.row.ID), append(a.started, storekit.Nanos(s.row.StartedAt))
	}
}

func (g *state) flushLog(b *pgx.Batch) {
	g.flushBatches(b)
	g.flushSnapshots(b)
	if n := len(g.newAnswers); n > 0 {
		key, body, answer := make([]string, n), make([]string, n), make([][]byte, n)
		status, at := make([]int64, n), make([]int64, n)
		for i, a := range g.newAnswers {
			key[i], body[i], answer[i] = a.Key, a.Body, notNil(a.Answer)
			status[i], at[i] = int64(a.Status), storekit.Nanos(a.At)
		}
		b.Queue(sqlInsertAnswerMany, key, body, status, at, answer)
	}
}

func (g *state) flushBatches(b *pgx.Batch) {
	var feed, last, count []int64
	var run []string
	var body [][]byte
	for _, j := range g.batches {
		if len(j.body) >= wholeMin {
			b.Queue(sqlInsertBatch, j.feed, j.Run, j.last, int64(len(j.Events)), whole(j.body))
			continue
		}
		feed, run, last = append(feed, j.feed), append(run, j.Run), append(last, j.last)
		count, body = append(count, int64(len(j.Events))), append(body, j.body)
	}
	if len(feed) > 0 {
		queueRows(b, sqlInsertBatchMany, feed, run, last, count, body)
	}
}

func (g *state) flushSnapshots(b *pgx.Batch) {
	if len(g.snapshots) == 0 {
		return
	}
	var run, of []string
	var seq []int64
	var body [][]byte
	for _, j := range g.snapshots {
		of = append(of, j.Run)
		if len(j.Snapshot) >= wholeMin {
			b.Queue(sqlInsertSnapshot, j.Run, j.last, whole(j.Snapshot))
			continue
		}
		run, seq, body = append(run, j.Run), append(seq, j.last), append(body, j.Snapshot)
	}
	if len(run) > 0 {
		b.Queue(sqlInsertSnapshotMany, run, seq, body)
	}
	b.Queue(sqlDropSnapshots, of, storekit.SnapshotsMax)
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// approvalArrays are the columns of many approvals.
type approvalArrays struct {
	id, run, workflow, step, agent, tool, kind, reason, status, risk, title, asked, requester, words []string
	priority, version, requested, deadline, settled                                                  []int64
	body                                                                                             [][]byte
}

func (g *state) flushApprovals(b *pgx.Batch) error {
	var many approvalArrays
	var in inboxChange
	for _, s := range g.approvals {
		r := s.row
		if r == nil {
			continue
		}
		now := storekit.FiledAs(r)
		if len(r.Body) >= wholeMin {
			var one approvalArrays
			one.add(s, now)
			one.queue(b, sqlPutApproval, whole(r.Body))
		} else {
			many.add(s, now)
		}
		if s.old == now {
			continue
		}
		if err := in.add(r, s.old, now); err != nil {
			return err
		}
	}
	if len(many.id) > 0 {
		many.queue(b, sqlPutApprovalMany, many.body)
	}
	in.flush(b)
	return nil
}

func (a *approvalArrays) add(s *approvalState, now storekit.Filed) {
	r := s.row
	a.id, a.run = append(a.id, r.ID), append(a.run, r.Run)
	a.workflow, a.step = append(a.workflow, r.Workflow), append(a.step, r.Step)
	a.agent, a.tool, a.kind = append(a.agent, r.Agent), append(a.tool, r.Tool), append(a.kind, r.Kind)
	a.reason, a.status, a.risk = append(a.reason, r.Reason), append(a.status, r.Status), append(a.risk, r.Risk)
	a.title, a.asked = append(a.title, r.Title), append(a.asked, now.Asked)
	a.requester = append(a.requester, r.Requester)
	a.priority, a.version = append(a.priority, now.Priority), append(a.version, int64(r.Version))
	a.requested, a.deadline = append(a.requested, now.Requested), append(a.deadline, now.Deadline)
	a.settled, a.body = append(a.settled, storekit.Nanos(r.SettledAt)), append(a.body, notNil(r.Body))
	a.words = append(a.words, s.words)
}

// queue stores the approvals, with their bodies as the statement takes them.
func (a *approvalArrays) queue(b *pgx.Batch, sql string, body any) {
	queueRows(b, sql, a.id, a.run, a.workflow, a.step, a.agent, a.tool, a.kind, a.reason, a.status, a.risk, a.title,
		a.asked, a.requester, a.priority, a.version, a.requested, a.deadline, a.settled, body, a.words)
}

func (g *state) flushDeliverables(b *pgx.Batch) {
	if len(g.deliverables) == 0 {
		return
	}
	var id, run, workflow, step, agent, name, typ, status, mime, description, blob, url []string
	var size, version, created, updated []int64
	var newest []bool
	for _, d := range g.deliverables {
		id, run = append(id, d.ID), append(run, d.Run)
		workflow, step = append(workflow, d.Workflow), append(step, d.Step)
		agent, name = append(agent, d.Agent), append(name, d.Name)
		typ, status = append(typ, d.Type), append(status, d.Status)
		mime, description = append(mime, d.MIME), append(description, d.Description)
		blob, url = append(blob, d.Blob), append(url, d.URL)
		size, version = append(size, d.Size), append(version, int64(d.Version))
		created = append(created, storekit.Nanos(d.CreatedAt))
		newest, updated = append(newest, d.Newest), append(updated, storekit.Nanos(d.UpdatedAt))
	}
	b.Queue(sqlPutDeliverableMany, id, run, workflow, step, agent, name, typ, status, mime, description, blob, url,
		size, version, newest, created, updated)
}

func (g *state) flushUses(b *pgx.Batch) {
	if !g.used {
		return
	}
	rules, counts := make([]string, 0, len(g.uses)), make([]int64, 0, len(g.uses))
	for rule, n := range g.uses {
		rules, counts = append(rules, rule), append(counts, int64(n))
	}
	b.Queue(sqlSetUsesMany, rules, counts)
}
