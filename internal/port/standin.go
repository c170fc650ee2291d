package port

import (
	"context"
	"time"
)

// StandIns keeps who decides for whom while they are away. A person has one
// stand-in at most: whatever is put replaces what was there.
type StandIns interface {
	// PutStandIn stores the audit entries with it.
	PutStandIn(ctx context.Context, s StandIn, audit ...AuditDraft) error
	// StandIn is who stands in for somebody, whether it counts now or not;
	// fault.NotFound.
	StandIn(ctx context.Context, name string) (StandIn, error)
	// StandIns lists all, by name.
	StandIns(ctx context.Context) ([]StandIn, error)
	// StandingIn lists for whom somebody stands in at a time, by name.
	StandingIn(ctx context.Context, to string, at time.Time) ([]StandIn, error)
	// RemoveStandIn is fault.NotFound if there is none. It stores the audit
	// entries with it.
	RemoveStandIn(ctx context.Context, name string, audit ...AuditDraft) (StandIn, error)
}

// StandIn says that To may decide for Name from a time on and before another.
// Removing the account of either removes it.
type StandIn struct {
	Name  string
	To    string
	From  time.Time
	Until time.Time // not part of it
	SetBy string
	SetAt time.Time
}

// Counts reports whether To may decide for Name at a time.
func (s StandIn) Counts(at time.Time) bool { return !at.Before(s.From) && at.Before(s.Until) }
