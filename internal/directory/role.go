package directory

import (
	"context"
	"slices"
)

// Holders lists who has a role, in words: accounts, tokens that have not expired, and the stand-ins of people whose
// account has it.
func (p *People) Holders(ctx context.Context, role string) (out []string, err error) {
	accounts, err := p.store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	holds := map[string]bool{}
	for _, a := range accounts {
		if slices.Contains(a.Roles, role) {
			holds[a.Name] = true
			out = append(out, "the account "+a.Name)
		}
	}
	tokens, err := p.store.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tokens {
		if slices.Contains(t.Roles, role) && (t.ExpiresAt.IsZero() || t.ExpiresAt.After(p.now())) {
			out = append(out, "the token "+t.ID+" of "+t.Name)
		}
	}
	standIns, err := p.store.StandIns(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range standIns {
		if holds[s.Name] && s.Until.After(p.now()) {
			out = append(out, "the stand-in "+s.To+" of "+s.Name)
		}
	}
	return out, nil
}
