package auth

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Standing is the identity of a person whose decision another program relays, with their current roles. The roles of
// people of an identity provider are known only while they are signed in.
func (s *Service) Standing(ctx context.Context, name string) (port.Identity, error) {
	a, err := s.store.Account(ctx, name)
	if err == nil {
		if a.Disabled {
			return port.Identity{}, fault.New(fault.Forbidden, "the account of "+name+" is disabled", "ask an administrator")
		}
		return port.Identity{Name: a.Name, Kind: run.Person, Roles: a.Roles, Method: port.ByPassword}, nil
	}
	if !fault.Is(err, fault.NotFound) {
		return port.Identity{}, err
	}
	if s.SignInMethods().Local() {
		return port.Identity{Name: name, Kind: run.Person, Method: port.ByNothing}, nil
	}
	open, err := s.Sessions(ctx, name)
	if err != nil {
		return port.Identity{}, err
	}
	i := slices.IndexFunc(open, func(v port.Session) bool { return v.Method == port.ByProvider && s.provider != nil })
	if i < 0 {
		return port.Identity{}, fault.New(fault.Unauthenticated, "you are not signed in to Assent",
			"sign in there: your roles are known only while you are")
	}
	return s.vouched(ctx, identityOf(open[i], open[i].Roles))
}

// WithAddress is the name of the person with a verified e-mail address; fault.NotFound. Addresses count if the identity
// provider names people by them, which it has to have verified, and if administrators gave accounts their names.
func (s *Service) WithAddress(ctx context.Context, address string) (string, error) {
	address = accountName(address)
	missing := fault.New(fault.NotFound, "no person has this verified e-mail address", "")
	if !strings.Contains(address, "@") {
		return "", missing
	}
	if s.provider != nil && s.provider.config.NameClaim == claimEmail {
		all, err := s.store.Subjects(ctx)
		if err != nil {
			return "", err
		}
		found := ""
		for _, v := range all {
			switch {
			case v.Issuer != s.provider.config.Issuer || v.Label != address || v.Released:
			case found != "":
				return "", missing // the provider gave it to another person, and we do not know who has it now
			default:
				found = v.Name
			}
		}
		if found != "" {
			return found, nil
		}
	}
	a, err := s.store.Account(ctx, address)
	if fault.Is(err, fault.NotFound) || err == nil && a.Disabled {
		return "", missing
	}
	return a.Name, err
}

// AddressOf is the verified e-mail address of a person; empty: unknown.
func (s *Service) AddressOf(ctx context.Context, name string) (string, error) {
	if s.provider != nil && s.provider.config.NameClaim == claimEmail {
		held, err := s.store.SubjectNamed(ctx, name)
		switch {
		case err == nil && held.Issuer == s.provider.config.Issuer && !held.Released:
			return held.Label, nil
		case err != nil && !fault.Is(err, fault.NotFound):
			return "", err
		}
	}
	if !strings.Contains(name, "@") {
		return "", nil
	}
	a, err := s.store.Account(ctx, name)
	if fault.Is(err, fault.NotFound) || err == nil && a.Disabled {
		return "", nil
	}
	return a.Name, err
}
