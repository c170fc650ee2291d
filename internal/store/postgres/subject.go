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
	subjectColumns = `name, issuer, subject, bound_at, label, released`

	sqlSubject        = `SELECT ` + subjectColumns + ` FROM subjects WHERE issuer = $1 AND subject = $2`
	sqlSubjectNamed   = `SELECT ` + subjectColumns + ` FROM subjects WHERE name = $1`
	sqlSubjects       = `SELECT ` + subjectColumns + ` FROM subjects WHERE issuer <> '' AND released = 0 ORDER BY name LIMIT $1`
	sqlBindSubject    = `INSERT INTO subjects (` + subjectColumns + `) VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT DO NOTHING`
	sqlLabelSubject   = `UPDATE subjects SET label = $1, released = 0 WHERE issuer = $2 AND subject = $3`
	sqlNameAccount    = `INSERT INTO subjects (` + subjectColumns + `) VALUES ($1, '', $1, $2, $1, 0) ON CONFLICT DO NOTHING`
	sqlKeepAccount    = `UPDATE subjects SET released = 0 WHERE name = $1 AND issuer = ''`
	sqlLockHeld       = sqlSubjectNamed + ` AND issuer <> '' AND released = 0 FOR UPDATE`
	sqlReleaseSubject = `UPDATE subjects SET released = 1 WHERE name = $1`
	sqlLockLeft       = sqlSubjectNamed + ` AND (issuer <> '' OR NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.name = subjects.name)) FOR UPDATE`
	sqlHandOver       = `DELETE FROM subjects WHERE name = $1`
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

// SubjectNamed implements port.Subjects.
func (s *Store) SubjectNamed(ctx context.Context, name string) (port.Subject, error) {
	return identity(ctx, s, scanSubject, sqlSubjectNamed, "name", name)
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
		tag, err := tx.Exec(ctx, sqlBindSubject, v.Name, v.Issuer, v.Subject, wire.Nanos(v.BoundAt), v.Label)
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

// LabelSubject implements port.Subjects.
func (s *Store) LabelSubject(ctx context.Context, issuer, subject, label string, entries ...port.AuditDraft) error {
	v := port.Subject{Issuer: issuer, Subject: subject, Name: label, Label: label}
	if err := wire.CheckSubject(&v); err != nil {
		return err
	}
	forms, err := wire.Forms(entries)
	if err != nil {
		return err
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sqlLabelSubject, label, issuer, subject)
		if err == nil && tag.RowsAffected() == 0 {
			err = wire.NotFound("subject", subject)
		}
		if err == nil {
			_, err = s.audit(ctx, tx, forms)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("call somebody %s: %w", label, err)
	}
	return nil
}

// ReleaseSubject implements port.Subjects.
func (s *Store) ReleaseSubject(ctx context.Context, name string, handOver bool, notes ...port.Note[port.Subject]) (port.Subject, error) {
	find, release := sqlLockHeld, sqlReleaseSubject
	if handOver {
		find, release = sqlLockLeft, sqlHandOver
	}
	return remove(ctx, s, scanSubject, notes, "name at an identity provider", find, name, release, sqlEndSessions, sqlRemoveTokens)
}

func scanSubject(row pgx.Row) (s port.Subject, err error) {
	var bound, released int64
	err = row.Scan(&s.Name, &s.Issuer, &s.Subject, &bound, &s.Label, &released)
	s.BoundAt, s.Released = wire.Time(bound), released != 0
	return s, err
}
