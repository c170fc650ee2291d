package port

import (
	"context"
	"time"
)

// Links stores which users of other programs, such as Slack, are people here.
type Links interface {
	// OfferLink lets a person link a user, and replaces an earlier offer to the same user. A user who is linked is
	// fault.Conflict.
	OfferLink(ctx context.Context, l Link) error
	// OfferedLink is the link with an offer that has not expired; fault.NotFound.
	OfferedLink(ctx context.Context, offer string, at time.Time) (Link, error)
	// TakeLink makes a user a person. It takes the offer, so that it is valid once; fault.NotFound.
	TakeLink(ctx context.Context, offer, person string, at time.Time, audit ...Note[Link]) (Link, error)
	// Link is that of a user; fault.NotFound. A link that is only offered has no person.
	Link(ctx context.Context, id string) (Link, error)
	// LinksOf lists those of a person, by id.
	LinksOf(ctx context.Context, person string) ([]Link, error)
	RemoveLink(ctx context.Context, id string, audit ...Note[Link]) (Link, error)
}

// LinksMax is the most links of a person.
const LinksMax = 50

// Link says that a user of another program is a person here. Removing the account, or releasing the name, removes it.
type Link struct {
	ID     string // PROGRAM/WORKSPACE/USER
	Person string // empty: it is only offered
	Label  string // the name of the user there, for people
	// Offer is the digest of the secret that takes the offer; empty: it was taken.
	Offer     string
	ExpiresAt time.Time // of the offer
	CreatedAt time.Time // when it was offered, or else taken
}

// LinkID is the id of the link of a user.
func LinkID(program, workspace, user string) string { return program + "/" + workspace + "/" + user }
