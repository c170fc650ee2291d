package app

import (
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
)

// MayGiveAccess refuses whoever may not look after accounts and tokens. Agents
// never may, whatever their roles: a token of their own making could decide.
func (a *App) MayGiveAccess(w Who) error {
	if w.Kind == run.Agent {
		return fault.New(fault.Forbidden, "agents give nobody access", "ask a person")
	}
	return a.may(w, Admin, "")
}
