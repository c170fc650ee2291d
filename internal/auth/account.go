package auth

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
)

// accountName is the stored form of account names: Ann and ann are one person.
func accountName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// goodAccount reports whether an account may have this name. It is stricter than
// goodName: people type it, and others have to recognise it.
func goodAccount(name string) bool {
	if !directory.GoodName(name) || name != accountName(name) {
		return false
	}
	for i, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (i == 0 || !strings.ContainsRune("._@+-", r)) {
			return false
		}
	}
	return true
}

// Accounts implements port.Access.
func (s *Service) Accounts(ctx context.Context) ([]port.Account, error) { return s.store.Accounts(ctx) }

// PutAccount implements port.Access.
func (s *Service) PutAccount(ctx context.Context, p port.PutAccount) (port.Account, bool, error) {
	p.Name = accountName(p.Name)
	if err := checkAccount(p); err != nil {
		return port.Account{}, false, err
	}
	_, err := s.store.Account(ctx, p.Name)
	there := err == nil
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		return port.Account{}, false, err
	case there && p.Only == port.OnlyCreate:
		return port.Account{}, false,
			fault.New(fault.Conflict, "account "+p.Name+" already exists",
				"change it with: assent auth set-password "+p.Name)
	case !there && p.Only == port.OnlyChange:
		return port.Account{}, false,
			fault.New(fault.NotFound, "account "+p.Name+" not found", "create it with: assent auth add "+p.Name)
	case !there && p.Password == nil:
		return port.Account{}, false,
			fault.Of("the account is not valid", []fault.Problem{{Path: "password", Message: "required for a new account"}})
	}
	hash, err := s.newHash(ctx, p.Password)
	if err != nil {
		return port.Account{}, false, err
	}
	now := s.now().UTC()
	said := func(a port.Account) map[string]any {
		return map[string]any{"roles": a.Roles, "disabled": a.Disabled, "password_changed": p.Password != nil}
	}
	if there {
		note := port.RecordedOf(ctx, func(a port.Account) (string, string, map[string]any) {
			return "account.changed", "account/" + a.Name, said(a)
		})
		a, err := s.store.ChangeAccount(ctx, p.Name,
			port.AccountChange{Hash: hash, Roles: p.Roles, Disabled: p.Disabled, At: now}, note...)
		return a, false, err
	}
	a := port.Account{Name: p.Name, Hash: *hash, CreatedAt: now, ChangedAt: now}
	if p.Roles != nil {
		a.Roles = *p.Roles
	}
	if p.Disabled != nil {
		a.Disabled = *p.Disabled
	}
	err = s.store.CreateAccount(ctx, a, port.Recorded(ctx, "account.created", "account/"+a.Name, said(a))...)
	if fault.Is(err, fault.Conflict) {
		err = fault.New(fault.Conflict, "the name "+a.Name+" belongs to a person at the identity provider",
			"choose another; if it is the same person, hand the name over with: assent auth subject release "+a.Name+
				" --hand-over")
	}
	return a, true, err
}

// checkAccount validates a request to change an account.
func checkAccount(p port.PutAccount) error {
	var problems []fault.Problem
	if !goodAccount(p.Name) {
		problems = append(problems,
			fault.Problem{Path: "name",
				Message: "expected 1 to 128 letters, digits and . _ @ + -, starting with a letter or digit"})
	}
	if p.Password != nil {
		problems = append(problems, checkPassword(*p.Password, p.Name)...)
	}
	if p.Roles != nil {
		problems = append(problems, checkRoles(*p.Roles)...)
	}
	if len(problems) > 0 {
		return fault.Of("the account is not valid", problems)
	}
	return nil
}

func (s *Service) newHash(ctx context.Context, password *string) (*string, error) {
	if password == nil {
		return nil, nil
	}
	hash, err := s.hasher.hash(ctx, *password)
	if err != nil {
		return nil, fmt.Errorf("hash the password: %w", err)
	}
	return &hash, nil
}

// RemoveAccount implements port.Access.
func (s *Service) RemoveAccount(ctx context.Context, name string) (port.Account, error) {
	return s.store.RemoveAccount(ctx, accountName(name),
		port.RecordedOf(ctx, func(a port.Account) (string, string, map[string]any) {
			return "account.removed", "account/" + a.Name, map[string]any{}
		})...)
}
