package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// PutStandIn implements port.StandIns.
func (s *Store) PutStandIn(ctx context.Context, p port.StandIn, entries ...port.AuditDraft) error {
	if err := wire.CheckStandIn(&p); err != nil {
		return err
	}
	forms, err := wire.Forms(entries)
	if err != nil {
		return err
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlPutStandIn, p.Name, p.To, wire.Nanos(p.From), wire.Nanos(p.Until), p.SetBy, wire.Nanos(p.SetAt))
		if err == nil {
			_, err = s.audit(ctx, tx, forms)
		}
		return err
	})
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
	found, err := list(ctx, s, scanStandIn, sqlStandingIn, to, wire.Nanos(at), wire.StandingMax)
	if err != nil {
		return nil, fmt.Errorf("read for whom %s stands in: %w", to, err)
	}
	return found, nil
}

// RemoveStandIn implements port.StandIns.
func (s *Store) RemoveStandIn(ctx context.Context, name string, entries ...port.AuditDraft) (out port.StandIn, err error) {
	missing := wire.NotFound("stand-in of", name)
	forms, err := wire.Forms(entries)
	if err != nil || !wire.Word(name) {
		return out, errors.Join(err, missing)
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		found, err := scanStandIn(tx.QueryRow(ctx, sqlLockStandIn, name))
		if errors.Is(err, pgx.ErrNoRows) {
			return missing
		}
		if err == nil {
			_, err = tx.Exec(ctx, sqlRemoveStandIn, name)
		}
		if err == nil {
			_, err = s.audit(ctx, tx, forms)
		}
		out = found
		return err
	})
	if err != nil {
		return port.StandIn{}, fmt.Errorf("remove the stand-in of %s: %w", name, err)
	}
	return out, nil
}

func scanStandIn(row pgx.Row) (s port.StandIn, err error) {
	var from, until, set int64
	err = row.Scan(&s.Name, &s.To, &from, &until, &s.SetBy, &set)
	s.From, s.Until, s.SetAt = wire.Time(from), wire.Time(until), wire.Time(set)
	return s, err
}
