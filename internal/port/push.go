package port

import (
	"context"
	"time"
)

// Pushes stores the browsers that asked for push messages, and the key that signs requests to their services.
type Pushes interface {
	// PutPush adds a subscription, or renews the one with the same id, which then belongs to p.Person. Of a person's
	// subscriptions the PushesMax renewed last remain. Entries are recorded only if p is new to the person.
	PutPush(ctx context.Context, p Push, audit ...AuditDraft) (created bool, err error)
	// PushesOf lists those of a person, renewed last first.
	PushesOf(ctx context.Context, person string) ([]Push, error)
	// RemovePush removes one of a person's; a missing one is accepted, and then nothing is recorded.
	RemovePush(ctx context.Context, person, id string, audit ...AuditDraft) (removed bool, err error)
	// PushKey is the key of this installation. If there is none, fresh becomes the key.
	PushKey(ctx context.Context, fresh []byte) ([]byte, error)
}

// PushesMax is the most subscriptions of a person.
const PushesMax = 20

// Push is a browser's subscription to push messages. Ending its session or all sessions of the person removes it;
// a session that merely expires does not, because a person who is not looking is the one to be told.
type Push struct {
	ID      string // digest of the endpoint
	Person  string
	Session string // the session that subscribed; empty: none
	Browser string // such as Firefox on Android; for people
	// Endpoint is the address for messages at the browser's push service, P256DH the browser's public key and Auth the
	// secret it shares with this server: RFC 8291.
	Endpoint     string
	P256DH, Auth []byte
	CreatedAt    time.Time
	RenewedAt    time.Time
}

// PushService lets people subscribe their browsers to push messages.
type PushService interface {
	// PublicKey is what browsers subscribe with: an uncompressed point of P-256 in base64url.
	PublicKey(ctx context.Context) (string, error)
	// Subscribe adds or renews a browser of p.Person. ID and the times of p are ignored. fault.Invalid
	Subscribe(ctx context.Context, p Push) (Push, error)
	// Subscriptions lists those of a person, renewed last first.
	Subscriptions(ctx context.Context, person string) ([]Push, error)
	// Unsubscribe removes one of a person's; a missing one is accepted.
	Unsubscribe(ctx context.Context, person, id string) (removed bool, err error)
	// TestPush sends a test message to one of a person's browsers. fault.NotFound, or fault.Conflict if it was not
	// accepted.
	TestPush(ctx context.Context, person, id string) error
}
