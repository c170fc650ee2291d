package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

const (
	subjectColumns = `name, issuer, subject, bound_at`

	sqlSubject        = `SELECT ` + subjectColumns + ` FROM subjects WHERE issuer = ? AND subject = ?`
	sqlSubjectNamed   = `SELECT ` + subjectColumns + ` FROM subjects WHERE name = ?`
	sqlSubjects       = `SELECT ` + subjectColumns + ` FROM subjects ORDER BY name LIMIT ?`
	sqlBindSubject    = `INSERT INTO subjects (` + subjectColumns + `) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`
	sqlReleaseSubject = `DELETE FROM subjects WHERE name = ?`
	sqlSessionsOf     = `SELECT ` + sessionColumns + ` FROM sessions WHERE person = ? ORDER BY created_at DESC, id LIMIT ?`
)

// Subject implements port.Subjects.
func (s *Store) Subject(ctx context.Context, issuer, subject string) (port.Subject, error) {
	missing := wire.NotFound("subject", subject)
	if !wire.Word(issuer) || !wire.Word(subject) {
		return port.Subject{}, missing
	}
	found, err := scanSubject(s.read.QueryRowContext(ctx, sqlSubject, issuer, subject))
	switch {
	case errors.Is(err, sql.ErrNoRows):
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
func (s *Store) BindSubject(ctx context.Context, v port.Subject, audit ...port.AuditDraft) error {
	if err := wire.CheckSubject(&v); err != nil {
		return err
	}
	forms, err := wire.Forms(audit)
	if err != nil {
		return err
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		n, err := t.execN(sqlBindSubject, v.Name, v.Issuer, v.Subject, wire.Nanos(v.BoundAt))
		switch {
		case err == nil && n == 0:
			err = wire.Bound(v.Name)
		case err == nil:
			t.audit(forms)
		}
		return err
	}})
	if err != nil {
		return fmt.Errorf("bind the name %s: %w", v.Name, err)
	}
	return nil
}

// ReleaseSubject implements port.Subjects.
func (s *Store) ReleaseSubject(ctx context.Context, name string, audit ...port.Note[port.Subject]) (port.Subject, error) {
	return remove(ctx, s, scanSubject, audit, "name at an identity provider", sqlSubjectNamed, name, sqlReleaseSubject, sqlEndSessions, sqlRemoveTokens)
}

func scanSubject(row scanner) (s port.Subject, err error) {
	var bound int64
	err = row.Scan(&s.Name, &s.Issuer, &s.Subject, &bound)
	s.BoundAt = wire.Time(bound)
	return s, err
}
