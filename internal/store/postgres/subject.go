package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

const (
	subjectColumns = `name, issuer, subject, bound_at`

	sqlSubject        = `SELECT ` + subjectColumns + ` FROM subjects WHERE issuer = $1 AND subject = $2`
	sqlLockSubject    = `SELECT ` + subjectColumns + ` FROM subjects WHERE name = $1 FOR UPDATE`
	sqlSubjects       = `SELECT ` + subjectColumns + ` FROM subjects ORDER BY name LIMIT $1`
	sqlBindSubject    = `INSERT INTO subjects (` + subjectColumns + `) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
	sqlReleaseSubject = `DELETE FROM subjects WHERE name = $1`
	sqlSessionsOf     = `SELECT ` + sessionColumns + ` FROM sessions WHERE person = $1 ORDER BY created_at DESC, id LIMIT $2`
)

// Subject implements port.Subjects.
func (s *Store) Subject(ctx context.Context, issuer, subject string) (port.Subject, error) {
	missing := wire.NotFound("subject", subject)
	if !wire.Word(issuer) || !wire.Word(subject) {
		return port.Subject{}, missing
	}
	found, err := scanSubject(s.pool.QueryRow(ctx, sqlSubject, issuer, subject))
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return port.Subject{}, missing
	case err != nil:
		return port.Subject{}, fmt.Errorf("read whom a name belongs to: %w", explain(err))
	}
	return found, nil
}

// Subjects implements port.Subjects.
func (s *Store) Subjects(ctx context.Context) ([]port.Subject, error) {
	return identities(ctx, s, scanSubject, sqlSubjects, "names at identity providers")
}

// BindSubject implements port.Subjects.
func (s *Store) BindSubject(ctx context.Context, v port.Subject, entries ...port.AuditDraft) error {
	if err := wire.CheckSubject(&v); err != nil {
		return err
	}
	forms, err := wire.Forms(entries)
	if err != nil {
		return err
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sqlBindSubject, v.Name, v.Issuer, v.Subject, wire.Nanos(v.BoundAt))
		if err == nil && tag.RowsAffected() == 0 {
			err = wire.Bound(v.Name)
		}
		if err == nil {
			_, err = s.audit(ctx, tx, forms)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("bind the name %s: %w", v.Name, err)
	}
	return nil
}

// ReleaseSubject implements port.Subjects.
func (s *Store) ReleaseSubject(ctx context.Context, name string, notes ...port.Note[port.Subject]) (port.Subject, error) {
	return remove(ctx, s, scanSubject, notes, "name at an identity provider", sqlLockSubject, name, sqlReleaseSubject, sqlEndSessions, sqlRemoveTokens)
}

func scanSubject(row pgx.Row) (s port.Subject, err error) {
	var bound int64
	err = row.Scan(&s.Name, &s.Issuer, &s.Subject, &bound)
	s.BoundAt = wire.Time(bound)
	return s, err
}
