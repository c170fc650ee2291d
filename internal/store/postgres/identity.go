package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
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
	err = s.transact(ctx, func(tx pgx.Tx) error {
		// Two statements, because ON CONFLICT … DO UPDATE watches one of the table's two
		// keys, and a row written at the same time may collide on the other.
		if _, err := tx.Exec(ctx, sqlNameAccount, a.Name, wire.Nanos(a.CreatedAt)); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sqlKeepAccount, a.Name)
		if err == nil && tag.RowsAffected() > 0 {
			tag, err = tx.Exec(ctx, sqlCreateAccount, a.Name, a.Hash, wire.Roles(a.Roles), a.Disabled, 1, wire.Nanos(a.CreatedAt), wire.Nanos(a.ChangedAt), wire.Nanos(a.SignedInAt))
		}
		if err == nil && tag.RowsAffected() == 0 {
			err = wire.Named(a.Name)
		}
		if err == nil {
			_, err = s.audit(ctx, tx, forms)
		}
		return err
	})
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
	err = s.transact(ctx, func(tx pgx.Tx) error {
		found, err := scanAccount(tx.QueryRow(ctx, sqlLockAccount, name))
		if errors.Is(err, pgx.ErrNoRows) {
			return missing
		}
		if err != nil {
			return err
		}
		a, ends, err := wire.Change(found, c)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, sqlChangeAccount, name, a.Hash, wire.Roles(a.Roles), a.Disabled, a.Epoch, wire.Nanos(a.ChangedAt), wire.Nanos(a.SignedInAt))
		if err == nil && ends {
			_, err = tx.Exec(ctx, sqlEndSessions, name)
		}
		if err == nil {
			err = noted(ctx, s, tx, a, audit)
		}
		out = a
		return err
	})
	if err != nil {
		return port.Account{}, fmt.Errorf("change account %s: %w", name, err)
	}
	return out, nil
}

// RemoveAccount implements port.Accounts.
func (s *Store) RemoveAccount(ctx context.Context, name string, audit ...port.Note[port.Account]) (port.Account, error) {
	return remove(ctx, s, scanAccount, audit, "account", sqlLockAccount, name, sqlRemoveAccount, sqlEndSessions, sqlRemoveTokens, sqlRemoveStandIn, sqlRemoveStandingIn)
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
	_, err := s.change(ctx, "note the use of token "+id, id, sqlTouchToken, wire.Nanos(at))
	return err
}

// RemoveToken implements port.Tokens.
func (s *Store) RemoveToken(ctx context.Context, id string, audit ...port.Note[port.Token]) (port.Token, error) {
	return remove(ctx, s, scanToken, audit, "token", sqlLockToken, id, sqlRemoveToken)
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
	_, err := s.change(ctx, "note the use of a session", id, sqlTouchSession, wire.Nanos(at))
	return err
}

// SessionsOf implements port.Sessions.
func (s *Store) SessionsOf(ctx context.Context, person string) ([]port.Session, error) {
	if !wire.Word(person) {
		return nil, nil
	}
	all, err := list(ctx, s, scanSession, sqlSessionsOf, person, wire.IdentitiesMax)
	if err != nil {
		return nil, fmt.Errorf("list the sessions of a person: %w", err)
	}
	return all, nil
}

// EndSession implements port.Sessions.
func (s *Store) EndSession(ctx context.Context, id string, audit ...port.AuditDraft) error {
	_, err := s.takeAway(ctx, "end a session", id, sqlEndSession, func(int) ([]*port.AuditForm, error) { return wire.Forms(audit) })
	return err
}

// EndSessions implements port.Sessions.
func (s *Store) EndSessions(ctx context.Context, person string, audit ...port.Note[int]) (int, error) {
	return s.takeAway(ctx, "end the sessions of "+person, person, sqlEndSessions, func(n int) ([]*port.AuditForm, error) { return wire.Noted(n, audit) })
}

// takeAway ends sessions away, if there are any, and puts that on record.
func (s *Store) takeAway(ctx context.Context, what, id, query string, entries func(int) ([]*port.AuditForm, error)) (n int, err error) {
	if !wire.Word(id) {
		return 0, nil
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, query, id)
		if n = int(tag.RowsAffected()); err != nil || n == 0 {
			return err
		}
		forms, err := entries(n)
		if err == nil {
			_, err = s.audit(ctx, tx, forms)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	return n, nil
}

// noted puts on record what became of something.
func noted[T any](ctx context.Context, s *Store, tx pgx.Tx, v T, notes []port.Note[T]) error {
	forms, err := wire.Noted(v, notes)
	if err == nil {
		_, err = s.audit(ctx, tx, forms)
	}
	return err
}

// ForgetSessions implements port.Sessions.
func (s *Store) ForgetSessions(ctx context.Context, expired, idle time.Time) (n int, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) error {
		n = 0
		for _, q := range []struct {
			sql    string
			before time.Time
		}{{sqlForgetExpired, expired}, {sqlForgetIdle, idle}} {
			tag, err := tx.Exec(ctx, q.sql, wire.Nanos(q.before), wire.ForgetSessions)
			if err != nil {
				return err
			}
			n += int(tag.RowsAffected())
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("forget old sessions: %w", err)
	}
	return n, nil
}

// insert stores a row whose key must be free.
func (s *Store) insert(ctx context.Context, entries []port.AuditDraft, what, id, query string, args ...any) error {
	forms, err := wire.Forms(entries)
	if err != nil {
		return err
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, query, args...)
		if err == nil && tag.RowsAffected() == 0 {
			err = fault.Newf(fault.Conflict, "there is a %s %s already", what, id)
		}
		if err == nil {
			_, err = s.audit(ctx, tx, forms)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("store %s %s: %w", what, id, err)
	}
	return nil
}

// change changes rows that may be gone, and says how many there were.
func (s *Store) change(ctx context.Context, what, id, query string, args ...any) (int, error) {
	if !wire.Word(id) {
		return 0, nil
	}
	tag, err := s.pool.Exec(ctx, query, append([]any{id}, args...)...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, explain(err))
	}
	return int(tag.RowsAffected()), nil
}

// remove takes a row away, and what hangs on it.
func remove[T any](ctx context.Context, s *Store, scan func(pgx.Row) (T, error), notes []port.Note[T], what, find, id string, queries ...string) (out T, err error) {
	missing := wire.NotFound(what, id)
	if !wire.Word(id) {
		return out, missing
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		found, err := scan(tx.QueryRow(ctx, find, id))
		if errors.Is(err, pgx.ErrNoRows) {
			return missing
		}
		out = found
		for _, q := range queries {
			if err == nil {
				_, err = tx.Exec(ctx, q, id)
			}
		}
		if err == nil {
			err = noted(ctx, s, tx, found, notes)
		}
		return err
	})
	if err != nil {
		var none T
		return none, fmt.Errorf("remove %s %s: %w", what, id, err)
	}
	return out, nil
}

func identity[T any](ctx context.Context, s *Store, scan func(pgx.Row) (T, error), query, what, id string) (out T, err error) {
	if !wire.Word(id) {
		return out, wire.NotFound(what, id)
	}
	out, err = scan(s.pool.QueryRow(ctx, query, id))
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return out, wire.NotFound(what, id)
	case err != nil:
		return out, fmt.Errorf("read a %s: %w", what, explain(err))
	}
	return out, nil
}

func identities[T any](ctx context.Context, s *Store, scan func(pgx.Row) (T, error), query, what string) ([]T, error) {
	all, err := list(ctx, s, scan, query, wire.IdentitiesMax)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", what, err)
	}
	return all, nil
}

func scanAccount(row pgx.Row) (a port.Account, err error) {
	var roles string
	var created, changed, signedIn int64
	if err = row.Scan(&a.Name, &a.Hash, &roles, &a.Disabled, &a.Epoch, &created, &changed, &signedIn); err != nil {
		return a, err
	}
	a.CreatedAt, a.ChangedAt, a.SignedInAt = wire.Time(created), wire.Time(changed), wire.Time(signedIn)
	a.Roles, err = wire.ReadRoles(roles)
	return a, err
}

func scanToken(row pgx.Row) (t port.Token, err error) {
	var roles string
	var created, expires, used int64
	if err = row.Scan(&t.ID, &t.Name, &t.Kind, &roles, &t.Hash, &t.CreatedBy, &created, &expires, &used); err != nil {
		return t, err
	}
	t.CreatedAt, t.ExpiresAt, t.UsedAt = wire.Time(created), wire.Time(expires), wire.Time(used)
	t.Roles, err = wire.ReadRoles(roles)
	return t, err
}

func scanSession(row pgx.Row) (s port.Session, err error) {
	var roles string
	var created, seen, expires int64
	if err = row.Scan(&s.ID, &s.Person, &s.Way, &roles, &s.Epoch, &created, &seen, &expires); err != nil {
		return s, err
	}
	s.CreatedAt, s.SeenAt, s.ExpiresAt = wire.Time(created), wire.Time(seen), wire.Time(expires)
	s.Roles, err = wire.ReadRoles(roles)
	return s, err
}
