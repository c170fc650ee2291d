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
	accountColumns = `name, hash, roles, disabled, epoch, created_at, changed_at, signed_in_at`
	tokenColumns   = `id, name, kind, roles, hash, created_by, created_at, expires_at, used_at`
	sessionColumns = `id, person, way, roles, epoch, created_at, seen_at, expires_at`
)

const (
	sqlAccount       = `SELECT ` + accountColumns + ` FROM accounts WHERE name = ?`
	sqlAccounts      = `SELECT ` + accountColumns + ` FROM accounts ORDER BY name LIMIT ?`
	sqlCreateAccount = `INSERT INTO accounts (` + accountColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO NOTHING`
	sqlChangeAccount = `UPDATE accounts SET hash = ?, roles = ?, disabled = ?, epoch = ?, changed_at = ?,
		signed_in_at = ?
		WHERE name = ?`
	sqlRemoveAccount = `DELETE FROM accounts WHERE name = ?`

	sqlToken       = `SELECT ` + tokenColumns + ` FROM tokens WHERE id = ?`
	sqlTokens      = `SELECT ` + tokenColumns + ` FROM tokens ORDER BY created_at, id LIMIT ?`
	sqlCreateToken = `INSERT INTO tokens (` + tokenColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`
	sqlTouchToken   = `UPDATE tokens SET used_at = ? WHERE id = ? AND used_at < ?`
	sqlRemoveToken  = `DELETE FROM tokens WHERE id = ?`
	sqlRemoveTokens = `DELETE FROM tokens WHERE name = ? AND kind = 'person'`

	sqlSession    = `SELECT ` + sessionColumns + ` FROM sessions WHERE id = ?`
	sqlSessionsOf = `SELECT ` + sessionColumns + ` FROM sessions WHERE person = ?
		ORDER BY created_at DESC, id LIMIT ?`
	sqlCreateSession = `INSERT INTO sessions (` + sessionColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`
	sqlTouchSession  = `UPDATE sessions SET seen_at = ? WHERE id = ? AND seen_at < ?`
	sqlEndSession    = `DELETE FROM sessions WHERE id = ?`
	sqlEndSessions   = `DELETE FROM sessions WHERE person = ?`
	sqlForgetExpired = `DELETE FROM sessions WHERE id IN
		(SELECT id FROM sessions WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`
	sqlForgetIdle = `DELETE FROM sessions WHERE id IN
		(SELECT id FROM sessions WHERE seen_at < ? ORDER BY seen_at LIMIT ?)`
)

// Account implements port.Accounts.
func (a *Aggregates) Account(ctx context.Context, name string) (port.Account, error) {
	return one(ctx, a, scanAccount, nil, sqlAccount, "account", name)
}

// Accounts implements port.Accounts.
func (a *Aggregates) Accounts(ctx context.Context) ([]port.Account, error) {
	return identities(ctx, a, scanAccount, "accounts", sqlAccounts, storekit.IdentitiesMax)
}

// CreateAccount implements port.Accounts.
func (a *Aggregates) CreateAccount(ctx context.Context, v port.Account, audit ...port.AuditDraft) error {
	if err := storekit.CheckAccount(&v); err != nil {
		return err
	}
	forms, err := storekit.Forms(audit)
	if err != nil {
		return err
	}
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		created := storekit.Nanos(v.CreatedAt)
		// Two statements for the name, because ON CONFLICT … DO UPDATE covers one of the table's two keys,
		// and a concurrent row may collide on the other.
		if err := tx.Exec(sqlNameAccount, v.Name, v.Name, created, v.Name); err != nil {
			return err
		}
		n, err := tx.Changed(sqlKeepAccount, v.Name)
		if err == nil && n > 0 {
			n, err = tx.Changed(sqlCreateAccount, v.Name, v.Hash, storekit.Roles(v.Roles), v.Disabled, 1,
				created, storekit.Nanos(v.ChangedAt), storekit.Nanos(v.SignedInAt))
		}
		switch {
		case err != nil:
			return err
		case n == 0:
			return storekit.Named(v.Name)
		}
		return tx.Audit(forms)
	})
	if err != nil {
		return fmt.Errorf("store account %s: %w", v.Name, err)
	}
	return nil
}

// ChangeAccount implements port.Accounts.
func (a *Aggregates) ChangeAccount(
	ctx context.Context, name string, c port.AccountChange, audit ...port.Note[port.Account],
) (out port.Account, err error) {
	missing := storekit.NotFound("account", name)
	if !storekit.Word(name) {
		return out, missing
	}
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		found, err := scanAccount(tx.RowForUpdate(sqlAccount, name))
		if errors.Is(err, sql.ErrNoRows) {
			return missing
		}
		if err != nil {
			return err
		}
		v, ends, err := storekit.Change(found, c)
		if err != nil {
			return err
		}
		err = tx.Exec(sqlChangeAccount, v.Hash, storekit.Roles(v.Roles), v.Disabled, v.Epoch,
			storekit.Nanos(v.ChangedAt), storekit.Nanos(v.SignedInAt), name)
		if err == nil && ends {
			err = tx.Exec(sqlEndSessions, name)
		}
		if err == nil && ends {
			err = tx.Exec(sqlEndPushes, name)
		}
		if err == nil {
			err = record(tx, v, audit)
		}
		out = v
		return err
	})
	if err != nil {
		return port.Account{}, fmt.Errorf("change account %s: %w", name, err)
	}
	return out, nil
}

var accountRemoval = removal[port.Account]{"account", scanAccount, sqlAccount,
	[]string{sqlRemoveAccount, sqlEndSessions, sqlEndPushes, sqlRemoveTokens, sqlRemoveStandIn,
		sqlRemoveStandingIn, sqlRemoveLinks}}

// RemoveAccount implements port.Accounts.
func (a *Aggregates) RemoveAccount(
	ctx context.Context, name string, audit ...port.Note[port.Account],
) (port.Account, error) {
	return remove(ctx, a, accountRemoval, name, audit)
}

// CreateToken implements port.Tokens.
func (a *Aggregates) CreateToken(ctx context.Context, t port.Token, audit ...port.AuditDraft) error {
	if err := storekit.CheckToken(&t); err != nil {
		return err
	}
	return a.insert(ctx, audit, "token", t.ID, sqlCreateToken, t.ID, t.Name, string(t.Kind), storekit.Roles(t.Roles),
		t.Hash, t.CreatedBy, storekit.Nanos(t.CreatedAt), storekit.Nanos(t.ExpiresAt), storekit.Nanos(t.UsedAt))
}

// Token implements port.Tokens.
func (a *Aggregates) Token(ctx context.Context, id string) (port.Token, error) {
	return one(ctx, a, scanToken, nil, sqlToken, "token", id)
}

// Tokens implements port.Tokens.
func (a *Aggregates) Tokens(ctx context.Context) ([]port.Token, error) {
	return identities(ctx, a, scanToken, "tokens", sqlTokens, storekit.IdentitiesMax)
}

// TouchToken implements port.Tokens.
func (a *Aggregates) TouchToken(ctx context.Context, id string, at time.Time) error {
	now := storekit.Nanos(at)
	return a.touch(ctx, "record the use of token "+id, id, sqlTouchToken, now, id, now)
}

var tokenRemoval = removal[port.Token]{"token", scanToken, sqlToken, []string{sqlRemoveToken}}

// RemoveToken implements port.Tokens.
func (a *Aggregates) RemoveToken(
	ctx context.Context, id string, audit ...port.Note[port.Token],
) (port.Token, error) {
	return remove(ctx, a, tokenRemoval, id, audit)
}

// CreateSession implements port.Sessions.
func (a *Aggregates) CreateSession(ctx context.Context, v port.Session, audit ...port.AuditDraft) error {
	if err := storekit.CheckSession(&v); err != nil {
		return err
	}
	return a.insert(ctx, audit, "session", "", sqlCreateSession, v.ID, v.Person, string(v.Method), storekit.Roles(v.Roles),
		v.Epoch, storekit.Nanos(v.CreatedAt), storekit.Nanos(v.SeenAt), storekit.Nanos(v.ExpiresAt))
}

// Session implements port.Sessions.
func (a *Aggregates) Session(ctx context.Context, id string) (port.Session, error) {
	return one(ctx, a, scanSession, nil, sqlSession, "session", id)
}

// TouchSession implements port.Sessions.
func (a *Aggregates) TouchSession(ctx context.Context, id string, at time.Time) error {
	now := storekit.Nanos(at)
	return a.touch(ctx, "record the use of a session", id, sqlTouchSession, now, id, now)
}

// SessionsOf implements port.Sessions.
func (a *Aggregates) SessionsOf(ctx context.Context, person string) ([]port.Session, error) {
	if !storekit.Word(person) {
		return nil, nil
	}
	return identities(ctx, a, scanSession, "the sessions of a person", sqlSessionsOf, person, storekit.IdentitiesMax)
}

// EndSession implements port.Sessions.
func (a *Aggregates) EndSession(ctx context.Context, id string, audit ...port.AuditDraft) error {
	forms, err := storekit.Forms(audit)
	if err != nil {
		return err
	}
	_, err = a.endSessions(ctx, "end a session", id, sqlEndSession, sqlEndSessionPushes,
		func(tx Tx, _ int) error { return tx.Audit(forms) })
	return err
}

// EndSessions implements port.Sessions.
func (a *Aggregates) EndSessions(ctx context.Context, person string, audit ...port.Note[int]) (int, error) {
	return a.endSessions(ctx, "end the sessions of "+person, person, sqlEndSessions, sqlEndPushes,
		func(tx Tx, n int) error { return record(tx, n, audit) })
}

// endSessions deletes sessions with their subscriptions to push messages and, if there were any, records it in the
// audit log.
func (a *Aggregates) endSessions(
	ctx context.Context, what, id, query, pushes string, record func(tx Tx, n int) error,
) (n int, err error) {
	if !storekit.Word(id) {
		return 0, nil
	}
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		if err := tx.Exec(pushes, id); err != nil { // also those of sessions that have expired
			return err
		}
		ended, err := tx.Changed(query, id)
		if n = int(ended); err != nil || n == 0 {
			return err
		}
		return record(tx, n)
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	return n, nil
}

// ForgetSessions implements port.Sessions.
func (a *Aggregates) ForgetSessions(ctx context.Context, expired, idle time.Time) (n int, err error) {
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		first, err := tx.Changed(sqlForgetExpired, storekit.Nanos(expired), storekit.ForgetSessions)
		if err != nil {
			return err
		}
		second, err := tx.Changed(sqlForgetIdle, storekit.Nanos(idle), storekit.ForgetSessions)
		n = int(first + second)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("forget old sessions: %w", err)
	}
	return n, nil
}

// identities lists a person's identities.
func identities[T any](
	ctx context.Context, a *Aggregates, scan scanner[T], what, query string, args ...any,
) ([]T, error) {
	all, err := list(ctx, a, scan, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", what, err)
	}
	return all, nil
}

func scanAccount(row storekit.Row) (a port.Account, err error) {
	var roles string
	var created, changed, signedIn int64
	err = row.Scan(&a.Name, &a.Hash, &roles, &a.Disabled, &a.Epoch, &created, &changed, &signedIn)
	if err != nil {
		return a, err
	}
	a.CreatedAt, a.ChangedAt, a.SignedInAt = storekit.Time(created), storekit.Time(changed), storekit.Time(signedIn)
	a.Roles, err = storekit.ReadRoles(roles)
	return a, err
}

func scanToken(row storekit.Row) (t port.Token, err error) {
	var roles string
	var created, expires, used int64
	err = row.Scan(&t.ID, &t.Name, &t.Kind, &roles, &t.Hash, &t.CreatedBy, &created, &expires, &used)
	if err != nil {
		return t, err
	}
	t.CreatedAt, t.ExpiresAt, t.UsedAt = storekit.Time(created), storekit.Time(expires), storekit.Time(used)
	t.Roles, err = storekit.ReadRoles(roles)
	return t, err
}

func scanSession(row storekit.Row) (s port.Session, err error) {
	var roles string
	var created, seen, expires int64
	err = row.Scan(&s.ID, &s.Person, &s.Method, &roles, &s.Epoch, &created, &seen, &expires)
	if err != nil {
		return s, err
	}
	s.CreatedAt, s.SeenAt, s.ExpiresAt = storekit.Time(created), storekit.Time(seen), storekit.Time(expires)
	s.Roles, err = storekit.ReadRoles(roles)
	return s, err
}
