package app

import "github.com/assent-run/assent/internal/guard"

// Who is the caller of a use case.
type Who = guard.Who

// LocalAdmin is the caller where sign-in is not required.
var LocalAdmin = guard.LocalAdmin
