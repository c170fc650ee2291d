package aggregate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	subjectKeys    = `name, issuer, subject, bound_at, label, released`
	subjectColumns = subjectKeys + `, roles, roles_at`

	sqlSubject      = `SELECT ` + subjectColumns + ` FROM subjects WHERE issuer = ? AND subject = ?`
	sqlSubjectNamed = `SELECT ` + subjectColumns + ` FROM subjects WHERE name = ?`
	sqlSubjects     = `SELECT ` + subjectColumns + ` FROM subjects WHERE issuer <> '' AND released = 0
		ORDER BY name LIMIT ?`
	sqlBindSubject = `INSERT INTO subjects (` + subjectKeys + `) VALUES (?, ?, ?, ?, ?, 0)
		ON CONFLICT DO NOTHING`
	sqlLabelSubject = `UPDATE subjects SET label = ?, released = 0 WHERE issuer = ? AND subject = ?`

	sqlSubjectHeld = sqlSubjectNamed + ` AND issuer <> '' AND released = 0`
	sqlSubjectLeft = sqlSubjectNamed + ` AND (issuer <> '' OR NOT EXISTS
		(SELECT 1 FROM accounts WHERE accounts.name = subjects.name))`
	sqlReleaseSubject = `UPDATE subjects SET released = 1, roles = '', roles_at = 0 WHERE name = ?`
	sqlReportRoles    = `UPDATE subjects SET roles = ?, roles_at = ? WHERE issuer = ? AND subject = ? AND released = 0`
	sqlHandOver       = `DELETE FROM subjects WHERE name = ?`

	// The name of an account is that of a subject without an issuer.
	sqlNameAccount = `INSERT INTO subjects (` + subjectKeys + `) VALUES (?, '', ?, ?, ?, 0)
		ON CONFLICT DO NOTHING`
	sqlKeepAccount = `UPDATE subjects SET released = 0 WHERE name = ? AND issuer = ''`
)

// Subject implements port.Subjects.
func (a *Aggregates) Subject(ctx context.Context, issuer, subject string) (port.Subject, error) {
	missing := storekit.NotFound("subject", subject)
	if !storekit.Word(issuer) || !storekit.Word(subject) {
		return port.Subject{}, missing
	}
	found, err := scanSubject(a.db.Row(ctx, sqlSubject, issuer, subject))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return port.Subject{}, missing
	case err != nil:
		return port.Subject{}, fmt.Errorf("read whom a name belongs to: %w", err)
	}
	return found, nil
}

// SubjectNamed implements port.Subjects.
func (a *Aggregates) SubjectNamed(ctx context.Context, name string) (port.Subject, error) {
	return one(ctx, a, scanSubject, nil, sqlSubjectNamed, "name", name)
}

// Subjects implements port.Subjects.
func (a *Aggregates) Subjects(ctx context.Context) ([]port.Subject, error) {
	return identities(ctx, a, scanSubject, "names at identity providers", sqlSubjects, storekit.IdentitiesMax)
}

// BindSubject implements port.Subjects.
func (a *Aggregates) BindSubject(ctx context.Context, v port.Subject, audit ...port.AuditDraft) error {
	if err := storekit.CheckSubject(&v); err != nil {
		return err
	}
	err := a.put(ctx, audit, storekit.Bound(v.Name), sqlBindSubject,
		v.Name, v.Issuer, v.Subject, storekit.Nanos(v.BoundAt), v.Label)
	if err != nil {
		return fmt.Errorf("bind the name %s: %w", v.Name, err)
	}
	return nil
}

// LabelSubject implements port.Subjects.
func (a *Aggregates) LabelSubject(
	ctx context.Context, issuer, subject, label string, audit ...port.AuditDraft,
) error {
	v := port.Subject{Issuer: issuer, Subject: subject, Name: label, Label: label}
	if err := storekit.CheckSubject(&v); err != nil {
		return err
	}
	err := a.put(ctx, audit, storekit.NotFound("subject", subject), sqlLabelSubject, label, issuer, subject)
	if err != nil {
		return fmt.Errorf("label a subject %s: %w", label, err)
	}
	return nil
}

// ReportRoles implements port.Subjects.
func (a *Aggregates) ReportRoles(ctx context.Context, issuer, subject string, roles []string, at time.Time) error {
	if !storekit.Word(issuer) || !storekit.Word(subject) {
		return nil
	}
	err := storekit.CheckRoles(roles)
	if err == nil {
		_, err = a.db.Exec(ctx, sqlReportRoles, storekit.Roles(roles), storekit.Nanos(at), issuer, subject)
	}
	if err != nil {
		return fmt.Errorf("store the roles of a person at an identity provider: %w", err)
	}
	return nil
}

const atProvider = "name at an identity provider"

var (
	subjectRelease = removal[port.Subject]{atProvider, scanSubject, sqlSubjectHeld,
		[]string{sqlReleaseSubject, sqlEndSessions, sqlEndPushes, sqlRemoveTokens, sqlRemoveLinks}}
	subjectHandOver = removal[port.Subject]{atProvider, scanSubject, sqlSubjectLeft,
		[]string{sqlHandOver, sqlEndSessions, sqlEndPushes, sqlRemoveTokens, sqlRemoveLinks}}
)

// ReleaseSubject implements port.Subjects.
func (a *Aggregates) ReleaseSubject(
	ctx context.Context, name string, handOver bool, audit ...port.Note[port.Subject],
) (port.Subject, error) {
	if handOver {
		return remove(ctx, a, subjectHandOver, name, audit)
	}
	return remove(ctx, a, subjectRelease, name, audit)
}

func scanSubject(row storekit.Row) (s port.Subject, err error) {
	var bound, released, reported int64
	var roles string
	err = row.Scan(&s.Name, &s.Issuer, &s.Subject, &bound, &s.Label, &released, &roles, &reported)
	s.BoundAt, s.Released, s.RolesAt = storekit.Time(bound), released != 0, storekit.Time(reported)
	if err == nil && roles != "" {
		s.Roles, err = storekit.ReadRoles(roles)
	}
	return s, err
}
