package notify

import (
	"context"
	"fmt"
	"time"
)

// Channel sends messages through another system. It keeps nothing: whatever it needs to find a message again is in the
// reference it returns. All methods may be called at once.
type Channel interface {
	// Room is how much fits into a message.
	Room() Room
	// Send delivers a message. Errors are Failures; any other error counts as one that may pass.
	Send(ctx context.Context, to Recipient, m Message) (Ref, error)
}

// Editor is a Channel that can replace a message it has sent. Messages of other channels stay as they are, so they
// never offer acts.
type Editor interface {
	Channel
	Edit(ctx context.Context, to Recipient, ref Ref, m Message) (Ref, error)
}

// Finder is a Channel that can look up whether a message arrived, after an attempt whose result is unknown.
type Finder interface {
	Channel
	// Find returns the reference of the message with a key, or an empty one. No attempt was made before since.
	Find(ctx context.Context, to Recipient, key string, since time.Time) (Ref, error)
}

// Reacher is a Channel that knows whether it could reach a person, without sending anything.
type Reacher interface {
	Channel
	// Reaches returns why a person cannot be reached; empty: they can, as far as is known here.
	Reaches(ctx context.Context, person string) (why string)
}

// Ref is how a channel refers to a message it has sent; only the channel reads it.
type Ref string

// Recipient is who gets a message.
type Recipient struct {
	Person string // a name here; empty: an address alone, such as a mailbox or chat room of a team
	// Address is where the channel reaches them: an e-mail address, the id of a chat room. Empty: the channel knows.
	Address string
	Zone    *time.Location // for times in messages; nil: UTC
}

// Room is how much fits into a message of a channel. Sizes are those of the rendered message.
type Room struct {
	// Acts reports whether decisions can be taken in the channel at all.
	Acts bool
	// Edits reports whether the channel has a dialog for changes to a proposal; see Editable.
	Edits bool
	// Details is the most bytes of text in all details together; 0: no details are shown.
	Details int
	// Part is the most bytes of text in one detail; 0: as Details.
	Part int
	// Parts is the most details; 0: no limit.
	Parts int
}

// Failure is why a message could not be delivered.
type Failure struct {
	// Why is for administrators; it contains no secret.
	Why string
	// Permanent means that another attempt would fail as well.
	Permanent bool
	// Gone means that the recipient or the whole channel no longer wants messages: a revoked token, status 410.
	Gone bool
	// Unreachable means that the recipient has nothing on this channel where a message could go: no linked user, no
	// browser. It is no fault of the channel, and nothing was sent.
	Unreachable bool
	// After is how long to wait before the next attempt; 0: as usual.
	After time.Duration
	// Unknown means that the message may have arrived.
	Unknown bool
}

func (f *Failure) Error() string { return f.Why }

// Failed is a failure that may pass.
func Failed(format string, args ...any) *Failure { return &Failure{Why: fmt.Sprintf(format, args...)} }
