package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// SignIn implements port.Auth. Whether there is no such account, the password is
// another one or the account is closed: the answer is the same, and takes as long.
func (s *Service) SignIn(ctx context.Context, name, password, address string) (port.SignedIn, error) {
	if !s.config.Password {
		return port.SignedIn{}, fault.New(fault.Unsupported, "nobody signs in with a password here", "see GET /api/v1/sign-in for the ways there are")
	}
	done, wait := s.guesses.begin(name, address, s.now())
	if wait > 0 {
		return port.SignedIn{}, tooOften(wait)
	}
	a, err := s.convince(ctx, accountName(name), password)
	if err != nil {
		return port.SignedIn{}, err
	}
	done(true)
	return s.open(ctx, port.Session{Person: a.Name, Way: port.ByPassword, Epoch: a.Epoch}, a.Roles)
}

// convince checks a password.
func (s *Service) convince(ctx context.Context, name, password string) (port.Account, error) {
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
		return a, fault.New(fault.Unauthenticated, "the name or the password is not right", "try again; an administrator can set a new password with: assent auth set-password NAME")
	}
	change := port.AccountChange{SignedInAt: s.now().UTC(), At: s.now().UTC()}
	if outdated {
		hash, err := s.hasher.hash(ctx, password)
		if err != nil {
			return a, fmt.Errorf("hash a password anew: %w", err)
		}
		change.Hash, change.IfHash = &hash, a.Hash
	}
	changed, err := s.store.ChangeAccount(ctx, name, change)
	if fault.Is(err, fault.Conflict) {
		return a, unknown("the password was changed meanwhile")
	}
	if err == nil && changed.Epoch != a.Epoch {
		err = unknown("the account was changed meanwhile")
	}
	return changed, err
}

// open begins a session. Every sign-in has a new secret, whatever was before.
func (s *Service) open(ctx context.Context, v port.Session, roles []string) (port.SignedIn, error) {
	now := s.now().UTC()
	// Sooner or later somebody signs in: that is when old sessions go.
	if _, err := s.store.ForgetSessions(ctx, now, now.Add(-s.config.Idle)); err != nil {
		return port.SignedIn{}, err
	}
	proof := secret()
	v.ID, v.CreatedAt, v.SeenAt, v.ExpiresAt = digest(proof), now, now, now.Add(s.config.Max)
	if v.Way == port.ByProvider {
		v.Roles = roles
	}
	if err := s.store.CreateSession(ctx, v); err != nil {
		return port.SignedIn{}, err
	}
	return port.SignedIn{Identity: identityOf(v, roles), Secret: proof}, nil
}

func identityOf(v port.Session, roles []string) port.Identity {
	return port.Identity{Name: v.Person, Kind: run.Person, Roles: roles, Way: v.Way, Session: v.ID, ExpiresAt: v.ExpiresAt}
}

// Cookie implements port.Auth.
func (s *Service) Cookie(ctx context.Context, proof string) (port.Identity, error) {
	over := unknown("nobody is signed in any more")
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
		_ = s.store.TouchSession(ctx, v.ID, now.UTC()) // at worst somebody has to sign in again
	}
	return identityOf(v, roles), nil
}

// rolesOf are those of a session's person now. Ok is false if the way they came in
// is closed.
func (s *Service) rolesOf(ctx context.Context, v port.Session) (roles []string, ok bool, err error) {
	if v.Way == port.ByProvider {
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
		return s.store.EndSessions(ctx, who.Name)
	}
	if who.Session == "" {
		return 0, nil
	}
	return 1, s.store.EndSession(ctx, who.Session)
}

// clockSkew is how far the clock of an identity provider may be off.
const clockSkew = time.Minute
