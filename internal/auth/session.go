package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// SignIn implements port.Auth. Whether the account does not exist, the password is wrong or the account is closed: the
// answer is the same, and takes as long.
func (s *Service) SignIn(ctx context.Context, name, password, address string) (port.SignedIn, error) {
	if !s.config.Password {
		return port.SignedIn{}, fault.New(fault.Unsupported, "sign-in with a password is not enabled",
			"see GET /api/v1/sign-in for the available methods")
	}
	done, wait := s.guesses.begin(name, address, s.now())
	if wait > 0 {
		return port.SignedIn{}, tooOften(wait)
	}
	a, err := s.verifyPassword(ctx, accountName(name), password)
	if err != nil {
		return port.SignedIn{}, err
	}
	done(true)
	return s.open(ctx, port.Session{Method: port.ByPassword, Epoch: a.Epoch}, port.Subject{Name: a.Name}, a.Roles)
}

// verifyPassword checks a password.
func (s *Service) verifyPassword(ctx context.Context, name, password string) (port.Account, error) {
	var a port.Account
	var err error
	if goodAccount(name) {
		if a, err = s.store.Account(ctx, name); err != nil && !fault.Is(err, fault.NotFound) {
			return a, err
		}
	}
	ok, outdated, err := s.hasher.check(ctx, password, a.Hash)
	if err != nil {
		return a, fmt.Errorf("check a password: %w", err)
	}
	if !ok || a.Disabled {
		return a, fault.New(fault.Unauthenticated, "wrong name or password",
			"try again; an administrator can set a new password with: assent auth set-password NAME")
	}
	change := port.AccountChange{SignedInAt: s.now().UTC(), At: s.now().UTC()}
	if outdated {
		hash, err := s.hasher.hash(ctx, password)
		if err != nil {
			return a, fmt.Errorf("rehash a password: %w", err)
		}
		change.Hash, change.IfHash = &hash, a.Hash
	}
	changed, err := s.store.ChangeAccount(ctx, name, change)
	if fault.Is(err, fault.Conflict) {
		return a, unknown("the password was changed in the meantime")
	}
	if err == nil && changed.Epoch != a.Epoch {
		err = unknown("the account was changed in the meantime")
	}
	return changed, err
}

// open begins a session. Every sign-in gets a new secret, whatever preceded it.
func (s *Service) open(ctx context.Context, v port.Session, who port.Subject, roles []string) (port.SignedIn, error) {
	now := s.now().UTC()
	// Sign-ins recur sooner or later, so old sessions are deleted here.
	if _, err := s.store.ForgetSessions(ctx, now, now.Add(-s.config.Idle)); err != nil {
		return port.SignedIn{}, err
	}
	proof := secret()
	v.Person = who.Name
	v.ID, v.CreatedAt, v.SeenAt, v.ExpiresAt = digest(proof), now, now, now.Add(s.config.Max)
	if v.Method == port.ByProvider {
		v.Roles = roles
	}
	note := recordedBy(ctx, who, "session.started", map[string]any{"way": v.Method})
	if err := s.store.CreateSession(ctx, v, note...); err != nil {
		return port.SignedIn{}, err
	}
	return port.SignedIn{Identity: identityOf(v, roles).As(who), Secret: proof}, nil
}

func identityOf(v port.Session, roles []string) port.Identity {
	return port.Identity{Name: v.Person, Kind: run.Person, Roles: roles, Method: v.Method, Session: v.ID,
		ExpiresAt: v.ExpiresAt}
}

// Cookie implements port.Auth.
func (s *Service) Cookie(ctx context.Context, proof string) (port.Identity, error) {
	over := unknown("the session has expired")
	if !wellFormed(proof) {
		return port.Identity{}, over
	}
	v, err := s.store.Session(ctx, digest(proof))
	if fault.Is(err, fault.NotFound) {
		return port.Identity{}, over
	}
	if err != nil {
		return port.Identity{}, err
	}
	now := s.now()
	if !now.Before(v.ExpiresAt) || now.Sub(v.SeenAt) >= s.config.Idle {
		return port.Identity{}, over
	}
	roles, ok, err := s.rolesOf(ctx, v)
	if err != nil {
		return port.Identity{}, err
	}
	if !ok {
		return port.Identity{}, over
	}
	if now.Sub(v.SeenAt) > min(touchAfter, s.config.Idle/4) {
		_ = s.store.TouchSession(ctx, v.ID, now.UTC()) // at worst the person has to sign in again
	}
	if v.Method != port.ByProvider {
		return identityOf(v, roles), nil
	}
	return s.vouched(ctx, identityOf(v, roles))
}

// rolesOf are the current roles of a session's person. Ok is false if their sign-in method is closed.
func (s *Service) rolesOf(ctx context.Context, v port.Session) (roles []string, ok bool, err error) {
	if v.Method == port.ByProvider {
		return v.Roles, s.provider != nil, nil
	}
	a, err := s.store.Account(ctx, v.Person)
	if fault.Is(err, fault.NotFound) {
		return nil, false, nil
	}
	return a.Roles, s.config.Password && !a.Disabled && a.Epoch == v.Epoch, err
}

// SignOut implements port.Auth.
func (s *Service) SignOut(ctx context.Context, who port.Identity, everywhere bool) (int, error) {
	if everywhere && who.Kind == run.Person {
		return s.store.EndSessions(ctx, who.Name, port.RecordedOf(ctx, func(n int) (string, string, map[string]any) {
			return "session.ended", "account/" + who.Name, map[string]any{"sessions": n}
		})...)
	}
	if who.Session == "" {
		return 0, nil
	}
	return 1, s.end(ctx, who.Session, who.Name)
}

func (s *Service) end(ctx context.Context, id, person string) error {
	return s.store.EndSession(ctx, id,
		port.Recorded(ctx, "session.ended", "account/"+person, map[string]any{"sessions": 1})...)
}

// Sessions implements port.Auth.
func (s *Service) Sessions(ctx context.Context, person string) ([]port.Session, error) {
	all, err := s.store.SessionsOf(ctx, person)
	now := s.now()
	return slices.DeleteFunc(all, func(v port.Session) bool {
		return !now.Before(v.ExpiresAt) || now.Sub(v.SeenAt) >= s.config.Idle
	}), err
}

// EndSession implements port.Auth.
func (s *Service) EndSession(ctx context.Context, person, handle string) (port.Session, error) {
	missing := fault.New(fault.NotFound, "session not found", "it may have ended already")
	if len(handle) < port.HandleLength {
		return port.Session{}, missing
	}
	all, err := s.Sessions(ctx, person)
	if err != nil {
		return port.Session{}, err
	}
	i := slices.IndexFunc(all, func(v port.Session) bool { return strings.HasPrefix(v.ID, handle) })
	if i < 0 {
		return port.Session{}, missing
	}
	return all[i], s.end(ctx, all[i].ID, person)
}

// ChangePassword implements port.Auth. Attempts at the old password count as guesses, as at sign-in.
func (s *Service) ChangePassword(
	ctx context.Context, who port.Identity, before, after, address string,
) (port.SignedIn, error) {
	if who.Method != port.ByPassword {
		return port.SignedIn{}, fault.New(fault.Forbidden, "you can change your password only after signing in with it",
			"sign in with it; an administrator can set another one with: assent auth set-password NAME")
	}
	if problems := checkPassword(after, who.Name); len(problems) > 0 {
		problems[0].Path = "new"
		return port.SignedIn{}, fault.Of("the new password is too weak", problems)
	}
	done, wait := s.guesses.begin(who.Name, address, s.now())
	if wait > 0 {
		return port.SignedIn{}, tooOften(wait)
	}
	a, err := s.store.Account(ctx, who.Name)
	if err != nil {
		return port.SignedIn{}, err
	}
	ok, _, err := s.hasher.check(ctx, before, a.Hash)
	if err != nil {
		return port.SignedIn{}, fmt.Errorf("check a password: %w", err)
	}
	if !ok || a.Disabled {
		return port.SignedIn{}, fault.New(fault.Forbidden, "the old password is wrong",
			"try again; an administrator can set another one with: assent auth set-password "+a.Name)
	}
	done(true)
	hash, err := s.hasher.hash(ctx, after)
	if err != nil {
		return port.SignedIn{}, fmt.Errorf("hash the password: %w", err)
	}
	note := port.RecordedOf(ctx, func(a port.Account) (string, string, map[string]any) {
		return "account.changed", "account/" + a.Name,
			map[string]any{"roles": a.Roles, "disabled": a.Disabled, "password_changed": true}
	})
	changed, err := s.store.ChangeAccount(ctx, a.Name, port.AccountChange{Hash: &hash, At: s.now().UTC()}, note...)
	if err != nil {
		return port.SignedIn{}, err
	}
	return s.open(ctx, port.Session{Method: port.ByPassword, Epoch: changed.Epoch}, port.Subject{Name: changed.Name},
		changed.Roles)
}

// clockSkew is how far the clock of an identity provider may be off.
const clockSkew = time.Minute
