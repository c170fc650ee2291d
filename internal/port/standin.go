package port

import (
	"context"
	"time"
)

// StandIns stores who decides for people who are away. A person has at most one stand-in: putting one replaces the
// previous one.
type StandIns interface {
	// PutStandIn stores the audit entries with it.
	PutStandIn(ctx context.Context, s StandIn, audit ...AuditDraft) error
	// StandIn is the stand-in of a person, whether it counts now or not; fault.NotFound.
	StandIn(ctx context.Context, name string) (StandIn, error)
	// StandIns lists all, by name.
	StandIns(ctx context.Context) ([]StandIn, error)
	// StandingIn lists the people whom a person stands in for at a time, by name.
	StandingIn(ctx context.Context, to string, at time.Time) ([]StandIn, error)
	// RemoveStandIn returns fault.NotFound if there is none. It stores the audit entries with it.
	RemoveStandIn(ctx context.Context, name string, audit ...AuditDraft) (StandIn, error)
}

// StandIn lets To decide for Name in a period. Removing the account of either removes it.
type StandIn struct {
	Name  string
	To    string
	From  time.Time
	Until time.Time // exclusive
	SetBy string
	SetAt time.Time
}

// Counts reports whether To may decide for Name at a time.
func (s StandIn) Counts(at time.Time) bool { return !at.Before(s.From) && at.Before(s.Until) }
