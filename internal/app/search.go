package app

import "github.com/assent-run/assent/internal/access"

// seesAll reports whether nothing is masked for the reader.
func (a *App) seesAll(who Who) bool {
	return !a.masking.Any() || a.rules().Decide(a.subject(who), access.Unmasked, access.Object{}).Allowed
}
