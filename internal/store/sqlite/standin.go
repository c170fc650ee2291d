package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// PutStandIn implements port.StandIns.
func (s *Store) PutStandIn(ctx context.Context, p port.StandIn, audit ...port.AuditDraft) error {
	if err := wire.CheckStandIn(&p); err != nil {
		return err
	}
	forms, err := wire.Forms(audit)
	if err != nil {
		return err
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		if err := t.exec(sqlPutStandIn, p.Name, p.To, wire.Nanos(p.From), wire.Nanos(p.Until), p.SetBy, wire.Nanos(p.SetAt)); err != nil {
			return err
		}
		t.audit(forms)
		return nil
	}})
	if err != nil {
		return fmt.Errorf("store the stand-in of %s: %w", p.Name, err)
	}
	return nil
}

// StandIn implements port.StandIns.
func (s *Store) StandIn(ctx context.Context, name string) (port.StandIn, error) {
	return identity(ctx, s, scanStandIn, sqlStandIn, "stand-in of", name)
}

// StandIns implements port.StandIns.
func (s *Store) StandIns(ctx context.Context) ([]port.StandIn, error) {
	return identities(ctx, s, scanStandIn, sqlStandIns, "stand-ins")
}

// StandingIn implements port.StandIns.
func (s *Store) StandingIn(ctx context.Context, to string, at time.Time) ([]port.StandIn, error) {
	if !wire.Word(to) {
		return nil, nil
	}
	q, err := s.prepared(ctx, sqlStandingIn)
	if err != nil {
		return nil, fmt.Errorf("read for whom %s stands in: %w", to, explain(err))
	}
	now := wire.Nanos(at)
	found, err := collect(func(r *sql.Rows) (port.StandIn, error) { return scanStandIn(r) })(q.QueryContext(ctx, to, now, now, wire.StandingMax))
	if err != nil {
		return nil, fmt.Errorf("read for whom %s stands in: %w", to, explain(err))
	}
	return found, nil
}

// RemoveStandIn implements port.StandIns.
func (s *Store) RemoveStandIn(ctx context.Context, name string, audit ...port.AuditDraft) (out port.StandIn, err error) {
	missing := wire.NotFound("stand-in of", name)
	forms, err := wire.Forms(audit)
	if err != nil || !wire.Word(name) {
		return out, errors.Join(err, missing)
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		found, err := one(t, scanStandIn, sqlStandIn, name)
		if errors.Is(err, sql.ErrNoRows) {
			return missing
		}
		if err == nil {
			err = t.exec(sqlRemoveStandIn, name)
		}
		if err == nil {
			t.audit(forms)
		}
		out = found
		return err
	}})
	if err != nil {
		return port.StandIn{}, fmt.Errorf("remove the stand-in of %s: %w", name, err)
	}
	return out, nil
}

func scanStandIn(row scanner) (s port.StandIn, err error) {
	var from, until, set int64
	err = row.Scan(&s.Name, &s.To, &from, &until, &s.SetBy, &set)
	s.From, s.Until, s.SetAt = wire.Time(from), wire.Time(until), wire.Time(set)
	return s, err
}
