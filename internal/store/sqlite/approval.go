package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

func storeApproval(t *tx, a *port.ApprovalRow, old storekit.Filed, words string) error {
	now := storekit.FiledAs(a)
	body := []byte(a.Body)
	if body == nil {
		body = []byte{}
	}
	var err error
	if old.Run == "" {
		t.tails[1]++
		err = t.exec(sqlInsertApproval, a.ID, a.Run, a.Workflow, a.Step, a.Agent, a.Tool, a.Kind, a.Reason, a.Status,
			a.Risk, a.Title, now.Asked, a.Requester, a.Priority, a.Version, now.Requested, now.Deadline,
			storekit.Nanos(a.SettledAt), body, words)
	} else {
		err = t.exec(sqlUpdateApproval, a.Workflow, a.Step, a.Agent, a.Tool, a.Kind, a.Reason, a.Status, a.Risk,
			a.Title, now.Asked, a.Requester, a.Priority, a.Version, now.Requested, now.Deadline,
			storekit.Nanos(a.SettledAt), body, words, a.ID)
	}
	if err != nil || old == now {
		return err
	}
	return refile(t, a, old, now)
}

// refile moves an approval to its position in the inbox.
func refile(t *tx, a *port.ApprovalRow, old, now storekit.Filed) error {
	if old.Run != "" {
		readers, err := old.Readers()
		if err != nil {
			return err
		}
		for _, who := range append(readers, old.Facet.Reader()) {
			if err := t.exec(sqlUnfile, who, old.Status, -old.Priority, old.Requested, a.ID); err != nil {
				return err
			}
		}
	}
	readers, err := now.Readers()
	if err != nil {
		return err
	}
	facet := now.Facet.Reader()
	for _, who := range readers {
		if err := t.addShare(storekit.Share{Who: who, Facet: now.Facet}, facet); err != nil {
			return err
		}
	}
	for _, who := range append(readers, facet) {
		if err := t.exec(sqlFile, who, a.Status, -now.Priority, now.Requested, storekit.Due(a), a.ID, a.Workflow,
			a.Agent, a.Tool, a.Kind, a.Risk); err != nil {
			return err
		}
	}
	return nil
}

// sharesKnown limits how many stored shares the writer remembers.
const sharesKnown = 8192

// addShare adds a share.
func (t *tx) addShare(s storekit.Share, facet string) error {
	if t.shares[s] {
		return nil
	}
	if len(t.shares) >= sharesKnown {
		clear(t.shares)
	}
	t.shares[s] = true
	return t.exec(sqlAddShare, s.Who, facet, s.Workflow, s.Agent, s.Tool, s.Kind, s.Risk)
}

func approvalsAt(ctx context.Context, tx *sql.Tx, spots []spot) ([]port.ApprovalRow, error) {
	if len(spots) == 0 {
		return nil, nil
	}
	ids, place := make([]any, len(spots)), make(map[string]int, len(spots))
	for i, x := range spots {
		ids[i], place[x.id] = x.id, i
	}
	rows, err := collect(aggregate.ScanApproval)(tx.QueryContext(ctx, sqlApprovalsIn+in(len(ids)), ids...))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b port.ApprovalRow) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	return rows, nil
}
