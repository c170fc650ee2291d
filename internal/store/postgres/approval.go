package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// Approval implements port.Lists.
func (s *Store) Approval(ctx context.Context, id string) (port.ApprovalRow, error) {
	if !wire.Word(id) {
		return port.ApprovalRow{}, wire.NotFound("approval", id)
	}
	a, err := scanApproval(s.pool.QueryRow(ctx, sqlApproval, id))
	if errors.Is(err, pgx.ErrNoRows) {
		return port.ApprovalRow{}, wire.NotFound("approval", id)
	}
	if err == nil {
		err = s.vault.ShowApproval(&a)
	}
	if err != nil {
		return port.ApprovalRow{}, fmt.Errorf("read approval %s: %w", id, explain(err))
	}
	return a, nil
}

func scanApproval(row pgx.Row) (a port.ApprovalRow, err error) {
	var asked string
	var requested, deadline, settled int64
	if err := row.Scan(&a.ID, &a.Run, &a.Workflow, &a.Step, &a.Agent, &a.Tool, &a.Kind, &a.Reason, &a.Status, &a.Risk, &a.Title, &asked,
		&a.Requester, &a.Priority, &a.Version, &requested, &deadline, &settled, (*[]byte)(&a.Body)); err != nil {
		return a, err
	}
	a.RequestedAt, a.DeadlineAt, a.SettledAt = wire.Time(requested), wire.Time(deadline), wire.Time(settled)
	if len(a.Body) == 0 {
		a.Body = nil
	}
	a.Asked, err = wire.ParseNames(asked)
	return a, err
}
