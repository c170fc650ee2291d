package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// Account implements port.Accounts.
func (s *Store) Account(ctx context.Context, name string) (port.Account, error) {
	return identity(ctx, s, scanAccount, sqlAccount, "account", name)
}

// Accounts implements port.Accounts.
func (s *Store) Accounts(ctx context.Context) ([]port.Account, error) {
	return identities(ctx, s, scanAccount, sqlAccounts, "accounts")
}

// CreateAccount implements port.Accounts.
func (s *Store) CreateAccount(ctx context.Context, a port.Account, audit ...port.AuditDraft) error {
	if err := wire.CheckAccount(&a); err != nil {
		return err
	}
	forms, err := wire.Forms(audit)
	if err != nil {
		return err
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		n, err := t.execN(sqlNameAccount, a.Name, a.Name, wire.Nanos(a.CreatedAt), a.Name)
		if err == nil && n > 0 {
			n, err = t.execN(sqlCreateAccount, a.Name, a.Hash, wire.Roles(a.Roles), number(a.Disabled), int64(1), wire.Nanos(a.CreatedAt), wire.Nanos(a.ChangedAt), wire.Nanos(a.SignedInAt))
		}
		switch {
		case err == nil && n == 0:
			err = wire.Named(a.Name)
		case err == nil:
			t.audit(forms)
		}
		return err
	}})
	if err != nil {
		return fmt.Errorf("store account %s: %w", a.Name, err)
	}
	return nil
}

// ChangeAccount implements port.Accounts.
func (s *Store) ChangeAccount(ctx context.Context, name string, c port.AccountChange, audit ...port.Note[port.Account]) (out port.Account, err error) {
	missing := wire.NotFound("account", name)
	if !wire.Word(name) {
		return out, missing
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		found, err := one(t, scanAccount, sqlAccount, name)
		if errors.Is(err, sql.ErrNoRows) {
			return missing
		}
		if err != nil {
			return err
		}
		a, ends, err := wire.Change(found, c)
		if err != nil {
			return err
		}
		err = t.exec(sqlChangeAccount, a.Hash, wire.Roles(a.Roles), number(a.Disabled), a.Epoch, wire.Nanos(a.ChangedAt), wire.Nanos(a.SignedInAt), name)
		if err == nil && ends {
			err = t.exec(sqlEndSessions, name)
		}
		if err == nil {
			err = noted(t, a, audit)
		}
		out = a
		return err
	}})
	if err != nil {
		return port.Account{}, fmt.Errorf("change account %s: %w", name, err)
	}
	return out, nil
}

// RemoveAccount implements port.Accounts.
func (s *Store) RemoveAccount(ctx context.Context, name string, audit ...port.Note[port.Account]) (port.Account, error) {
	return remove(ctx, s, scanAccount, audit, "account", sqlAccount, name, sqlRemoveAccount, sqlEndSessions, sqlRemoveTokens, sqlRemoveStandIn, sqlRemoveStandingIn)
}

// CreateToken implements port.Tokens.
func (s *Store) CreateToken(ctx context.Context, t port.Token, audit ...port.AuditDraft) error {
	if err := wire.CheckToken(&t); err != nil {
		return err
	}
	return s.insert(ctx, audit, "token", t.ID, sqlCreateToken, t.ID, t.Name, string(t.Kind), wire.Roles(t.Roles), t.Hash, t.CreatedBy, wire.Nanos(t.CreatedAt), wire.Nanos(t.ExpiresAt), wire.Nanos(t.UsedAt))
}

// Token implements port.Tokens.
func (s *Store) Token(ctx context.Context, id string) (port.Token, error) {
	return identity(ctx, s, scanToken, sqlToken, "token", id)
}

// Tokens implements port.Tokens.
func (s *Store) Tokens(ctx context.Context) ([]port.Token, error) {
	return identities(ctx, s, scanToken, sqlTokens, "tokens")
}

// TouchToken implements port.Tokens.
func (s *Store) TouchToken(ctx context.Context, id string, at time.Time) error {
	return s.change(ctx, "note the use of token "+id, id, sqlTouchToken, wire.Nanos(at), id)
}

// RemoveToken implements port.Tokens.
func (s *Store) RemoveToken(ctx context.Context, id string, audit ...port.Note[port.Token]) (port.Token, error) {
	return remove(ctx, s, scanToken, audit, "token", sqlToken, id, sqlRemoveToken)
}

// CreateSession implements port.Sessions.
func (s *Store) CreateSession(ctx context.Context, v port.Session, audit ...port.AuditDraft) error {
	if err := wire.CheckSession(&v); err != nil {
		return err
	}
	return s.insert(ctx, audit, "session", "", sqlCreateSession, v.ID, v.Person, string(v.Way), wire.Roles(v.Roles), v.Epoch, wire.Nanos(v.CreatedAt), wire.Nanos(v.SeenAt), wire.Nanos(v.ExpiresAt))
}

// Session implements port.Sessions.
func (s *Store) Session(ctx context.Context, id string) (port.Session, error) {
	return identity(ctx, s, scanSession, sqlSession, "session", id)
}

// TouchSession implements port.Sessions.
func (s *Store) TouchSession(ctx context.Context, id string, at time.Time) error {
	return s.change(ctx, "note the use of a session", id, sqlTouchSession, wire.Nanos(at), id)
}

// SessionsOf implements port.Sessions.
func (s *Store) SessionsOf(ctx context.Context, person string) ([]port.Session, error) {
	if !wire.Word(person) {
		return nil, nil
	}
	all, err := collect(func(r *sql.Rows) (port.Session, error) { return scanSession(r) })(s.read.QueryContext(ctx, sqlSessionsOf, person, wire.IdentitiesMax))
	if err != nil {
		return nil, fmt.Errorf("list the sessions of a person: %w", explain(err))
	}
	return all, nil
}

// EndSession implements port.Sessions.
func (s *Store) EndSession(ctx context.Context, id string, audit ...port.AuditDraft) error {
	if !wire.Word(id) {
		return nil
	}
	forms, err := wire.Forms(audit)
	if err != nil {
		return err
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		n, err := t.execN(sqlEndSession, id)
		if err == nil && n > 0 {
			t.audit(forms)
		}
		return err
	}})
	if err != nil {
		return fmt.Errorf("end a session: %w", err)
	}
	return nil
}

// EndSessions implements port.Sessions.
func (s *Store) EndSessions(ctx context.Context, person string, audit ...port.Note[int]) (n int, err error) {
	if !wire.Word(person) {
		return 0, nil
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		ended, err := t.execN(sqlEndSessions, person)
		if n = int(ended); err == nil && n > 0 {
			err = noted(t, n, audit)
		}
		return err
	}})
	if err != nil {
		return 0, fmt.Errorf("end the sessions of %s: %w", person, err)
	}
	return n, nil
}

// ForgetSessions implements port.Sessions.
func (s *Store) ForgetSessions(ctx context.Context, expired, idle time.Time) (n int, err error) {
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		n = 0
		for _, q := range []struct {
			sql    string
			before time.Time
		}{{sqlForgetExpired, expired}, {sqlForgetIdle, idle}} {
			dropped, err := t.execN(q.sql, wire.Nanos(q.before), wire.ForgetSessions)
			if err != nil {
				return err
			}
			n += int(dropped)
		}
		return nil
	}})
	if err != nil {
		return 0, fmt.Errorf("forget old sessions: %w", err)
	}
	return n, nil
}

// noted puts on record what became of something. It comes last: a job that
// refuses must not have changed anything.
func noted[T any](t *tx, v T, notes []port.Note[T]) error {
	forms, err := wire.Noted(v, notes)
	if err != nil {
		return fmt.Errorf("make an audit entry: %v", err) // no fault: what was changed must go back
	}
	t.audit(forms)
	return nil
}

// insert stores a row whose key must be free.
func (s *Store) insert(ctx context.Context, audit []port.AuditDraft, what, id, query string, args ...any) error {
	forms, err := wire.Forms(audit)
	if err != nil {
		return err
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		n, err := t.execN(query, args...)
		switch {
		case err == nil && n == 0:
			err = fault.Newf(fault.Conflict, "there is a %s %s already", what, id)
		case err == nil:
			t.audit(forms)
		}
		return err
	}})
	if err != nil {
		return fmt.Errorf("store %s %s: %w", what, id, err)
	}
	return nil
}

// change changes a row that may be gone.
func (s *Store) change(ctx context.Context, what, id, query string, args ...any) error {
	if !wire.Word(id) {
		return nil
	}
	if err := s.writer.queue.Do(ctx, &job{do: func(t *tx) error { return t.exec(query, args...) }}); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// remove takes a row away, and what hangs on it.
func remove[T any](ctx context.Context, s *Store, scan func(scanner) (T, error), audit []port.Note[T], what, find, id string, queries ...string) (out T, err error) {
	missing := wire.NotFound(what, id)
	if !wire.Word(id) {
		return out, missing
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		found, err := one(t, scan, find, id)
		if errors.Is(err, sql.ErrNoRows) {
			return missing
		}
		out = found
		for _, q := range queries {
			if err == nil {
				err = t.exec(q, id)
			}
		}
		if err == nil {
			err = noted(t, found, audit)
		}
		return err
	}})
	if err != nil {
		var none T
		return none, fmt.Errorf("remove %s %s: %w", what, id, err)
	}
	return out, nil
}

// one reads a row inside a transaction.
func one[T any](t *tx, scan func(scanner) (T, error), query, id string) (T, error) {
	q, err := t.stmt(query)
	if err != nil {
		var none T
		return none, err
	}
	return scan(q.QueryRowContext(context.Background(), id))
}

func identity[T any](ctx context.Context, s *Store, scan func(scanner) (T, error), query, what, id string) (T, error) {
	var none T
	if !wire.Word(id) {
		return none, wire.NotFound(what, id)
	}
	q, err := s.prepared(ctx, query)
	if err == nil {
		none, err = scan(q.QueryRowContext(ctx, id))
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return none, wire.NotFound(what, id)
	case err != nil:
		return none, fmt.Errorf("read a %s: %w", what, explain(err))
	}
	return none, nil
}

func identities[T any](ctx context.Context, s *Store, scan func(scanner) (T, error), query, what string) ([]T, error) {
	var all []T
	q, err := s.prepared(ctx, query)
	if err == nil {
		all, err = collect(func(r *sql.Rows) (T, error) { return scan(r) })(q.QueryContext(ctx, wire.IdentitiesMax))
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", what, explain(err))
	}
	return all, nil
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func scanAccount(row scanner) (a port.Account, err error) {
	var roles string
	var created, changed, signedIn int64
	if err = row.Scan(&a.Name, &a.Hash, &roles, &a.Disabled, &a.Epoch, &created, &changed, &signedIn); err != nil {
		return a, err
	}
	a.CreatedAt, a.ChangedAt, a.SignedInAt = wire.Time(created), wire.Time(changed), wire.Time(signedIn)
	a.Roles, err = wire.ReadRoles(roles)
	return a, err
}

func scanToken(row scanner) (t port.Token, err error) {
	var roles string
	var created, expires, used int64
	if err = row.Scan(&t.ID, &t.Name, &t.Kind, &roles, &t.Hash, &t.CreatedBy, &created, &expires, &used); err != nil {
		return t, err
	}
	t.CreatedAt, t.ExpiresAt, t.UsedAt = wire.Time(created), wire.Time(expires), wire.Time(used)
	t.Roles, err = wire.ReadRoles(roles)
	return t, err
}

func scanSession(row scanner) (s port.Session, err error) {
	var roles string
	var created, seen, expires int64
	if err = row.Scan(&s.ID, &s.Person, &s.Way, &roles, &s.Epoch, &created, &seen, &expires); err != nil {
		return s, err
	}
	s.CreatedAt, s.SeenAt, s.ExpiresAt = wire.Time(created), wire.Time(seen), wire.Time(expires)
	s.Roles, err = wire.ReadRoles(roles)
	return s, err
}
