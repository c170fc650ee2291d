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
	subjectColumns = `name, issuer, subject, bound_at, label, released`

	sqlSubject      = `SELECT ` + subjectColumns + ` FROM subjects WHERE issuer = ? AND subject = ?`
	sqlSubjectNamed = `SELECT ` + subjectColumns + ` FROM subjects WHERE name = ?`
	sqlSubjects     = `SELECT ` + subjectColumns + ` FROM subjects WHERE issuer <> '' AND released = 0 ORDER BY name LIMIT ?`
	sqlBindSubject  = `INSERT INTO subjects (` + subjectColumns + `) VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING`
	sqlLabelSubject = `UPDATE subjects SET label = ?, released = 0 WHERE issuer = ? AND subject = ?`
	sqlNameAccount  = `INSERT INTO subjects (` + subjectColumns + `) VALUES (?, '', ?, ?, ?, 0)
		ON CONFLICT (name) DO UPDATE SET released = 0 WHERE subjects.issuer = ''`
	sqlSubjectHeld    = sqlSubjectNamed + ` AND issuer <> '' AND released = 0`
	sqlReleaseSubject = `UPDATE subjects SET released = 1 WHERE name = ?`
	sqlSubjectLeft    = sqlSubjectNamed + ` AND (issuer <> '' OR NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.name = subjects.name))`
	sqlHandOver       = `DELETE FROM subjects WHERE name = ?`
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

// SubjectNamed implements port.Subjects.
func (s *Store) SubjectNamed(ctx context.Context, name string) (port.Subject, error) {
	return identity(ctx, s, scanSubject, sqlSubjectNamed, "name", name)
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
		n, err := t.execN(sqlBindSubject, v.Name, v.Issuer, v.Subject, wire.Nanos(v.BoundAt), v.Label)
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

// LabelSubject implements port.Subjects.
func (s *Store) LabelSubject(ctx context.Context, issuer, subject, label string, audit ...port.AuditDraft) error {
	v := port.Subject{Issuer: issuer, Subject: subject, Name: label, Label: label}
	if err := wire.CheckSubject(&v); err != nil {
		return err
	}
	forms, err := wire.Forms(audit)
	if err != nil {
		return err
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		n, err := t.execN(sqlLabelSubject, label, issuer, subject)
		switch {
		case err == nil && n == 0:
			err = wire.NotFound("subject", subject)
		case err == nil:
			t.audit(forms)
		}
		return err
	}})
	if err != nil {
		return fmt.Errorf("call somebody %s: %w", label, err)
	}
	return nil
}

// ReleaseSubject implements port.Subjects.
func (s *Store) ReleaseSubject(ctx context.Context, name string, handOver bool, audit ...port.Note[port.Subject]) (port.Subject, error) {
	find, release := sqlSubjectHeld, sqlReleaseSubject
	if handOver {
		find, release = sqlSubjectLeft, sqlHandOver
	}
	return remove(ctx, s, scanSubject, audit, "name at an identity provider", find, name, release, sqlEndSessions, sqlRemoveTokens)
}

func scanSubject(row scanner) (s port.Subject, err error) {
	var bound int64
	err = row.Scan(&s.Name, &s.Issuer, &s.Subject, &bound, &s.Label, &s.Released)
	s.BoundAt = wire.Time(bound)
	return s, err
}
