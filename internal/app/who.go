package app

import (
	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/guard"
)

// Who is the caller of a use case.
type Who = guard.Who

// LocalAdmin is the caller where sign-in is not required.
var LocalAdmin = guard.LocalAdmin

// MayWrite refuses callers that may not change documents. MayLook refuses those that may not see them.
func (a *App) MayWrite(w Who) error { return a.guard.May(w, access.Write) }
func (a *App) MayLook(w Who) error  { return a.guard.May(w, access.Look) }
