package port

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Outbox stores which messages should exist. It contains nothing of what they say: that is composed when they are sent.
type Outbox interface {
	// OutboxMark is the number up to which the feed was expanded; not set: never.
	OutboxMark(ctx context.Context) (feed int64, set bool, err error)
	// ExpandOutbox stores messages and moves the mark, all or nothing. If the mark is not e.From, another process has
	// moved it: fault.Conflict. Messages that exist already stay as they are.
	ExpandOutbox(ctx context.Context, e Expansion) error
	// ClaimDeliveries returns messages of a channel that are due, most overdue first, and counts an attempt at each.
	// They are due again when the claim ends, unless the attempt is settled. Claims of earlier epochs end sooner: the
	// process that made them no longer leads. Those come first.
	ClaimDeliveries(ctx context.Context, c DeliveryClaim) ([]Delivery, error)
	// SettleDelivery stores the result of an attempt. If there was another attempt since, it is fault.Conflict.
	SettleDelivery(ctx context.Context, r DeliveryResult) error
	// SumUpDeliveries stores a summary in place of all messages of its class to its recipient that have not been sent,
	// and returns how many those are.
	SumUpDeliveries(ctx context.Context, summary Delivery) (int, error)
	// DueDeliveries lists the channels with messages that are due at c.Now or earlier; its other fields are as in
	// ClaimDeliveries.
	DueDeliveries(ctx context.Context, c DeliveryClaim) ([]DueChannel, error)
	// DeliveriesSent counts the messages of a class that were sent to a recipient since a time, and returns when the
	// first was.
	DeliveriesSent(ctx context.Context, channel, recipient string, c DeliveryClass, since time.Time) (n int,
		first time.Time, err error)
}

// TraceMarks stores how much of the feed was turned into spans.
type TraceMarks interface {
	// TraceMark is the number up to which spans were sent; not set: never.
	TraceMark(ctx context.Context) (feed int64, set bool, err error)
	// MoveTraceMark moves it. If it is not from, another process has moved it: fault.Conflict. One that is not set is 0.
	MoveTraceMark(ctx context.Context, from, to int64) error
}

// DeliveryLog lists messages with their status.
type DeliveryLog interface {
	Delivery(ctx context.Context, id string) (Delivery, error) // fault.NotFound
	// Deliveries lists messages, newest first.
	Deliveries(ctx context.Context, q DeliveryQuery) (Page[Delivery], error)
	// RetryDelivery makes a message due now, as if it had never been tried. One that is being sent stays claimed. One
	// that arrived as it should be is fault.Conflict.
	RetryDelivery(ctx context.Context, id string, at time.Time, audit ...AuditDraft) (Delivery, error)
	// ForgetDeliveries deletes messages that have not changed since a time, a bounded number per call, and returns how
	// many. Those that are due stay, and those about pending approvals: they will be replaced.
	ForgetDeliveries(ctx context.Context, before time.Time) (int, error)
}

// Notices stores notification preferences and disabled channels.
type Notices interface {
	// Preferences are those of a person; nil: none.
	Preferences(ctx context.Context, person string) (json.RawMessage, error)
	PutPreferences(ctx context.Context, person string, prefs json.RawMessage, at time.Time, audit ...AuditDraft) error
	// DisableChannel records that a channel no longer accepts messages.
	DisableChannel(ctx context.Context, c DisabledChannel) error
	// EnableChannel has a channel take messages again, if it was disabled, and makes those due that failed on it:
	// messages that show the past, and those about a pending approval that never arrived, unless a fallback did. It
	// returns how many those are.
	EnableChannel(ctx context.Context, name string, at time.Time) (int, error)
	DisabledChannels(ctx context.Context) ([]DisabledChannel, error)
}

// Delivery is a message that should exist.
type Delivery struct {
	ID        string // follows from the event, the channel and the recipient
	Channel   string
	Event     string
	Run       string
	Workflow  string
	Seq       int64     // of the event in its run
	At        time.Time // of the event
	Approval  string    // empty: it is about the run
	Person    string    // who gets it; empty: an address
	Recipient string    // digest of who gets it
	Address   string    // of a recipient who is not a person here
	// Once means that there is none if the recipient has another message about the approval on the channel.
	Once     bool
	Edits    bool   // the channel can replace it
	Urgent   bool   // quiet hours and summaries do not delay it
	Summary  bool   // it stands for others
	In       string // the summary that stands for it
	Fallback string // the message that could not be delivered

	Status   DeliveryStatus
	Wanted   int64 // feed number of the last event that concerns it
	Shown    int64 // feed number that what is there shows; 0: nothing is there
	Ref      string
	Attempts int
	Failures int // since it last arrived
	// FailsSince is when the first of those was. It says nothing unless there are Failures.
	FailsSince time.Time
	Unknown    bool // the result of the last attempt is not known
	Why        string
	DueAt      time.Time // zero: there is nothing to do
	CreatedAt  time.Time
	UpdatedAt  time.Time
	SentAt     time.Time // zero: never
}

// DeliveryClass is a class of messages that are combined with each other.
type DeliveryClass struct {
	Asks   bool // they ask for decisions; the others say what happened
	Urgent bool
}

// Class is the class of a message.
func (d *Delivery) Class() DeliveryClass {
	return DeliveryClass{slices.Contains(AskingEvents, d.Event), d.Urgent}
}

// AskingEvents ask for decisions.
var AskingEvents = []string{"approval.needed", "approval.reminder", "approval.escalated"}

// DeliveryStatus is the status of a message.
type DeliveryStatus string

const (
	DeliveryQueued     DeliveryStatus = "queued"     // it is to be sent
	DeliverySent       DeliveryStatus = "sent"       // it arrived
	DeliveryUpdated    DeliveryStatus = "updated"    // it was replaced after it had arrived
	DeliveryFailed     DeliveryStatus = "failed"     // it could not be delivered
	DeliverySuppressed DeliveryStatus = "suppressed" // it is not needed
)

// DeliveryStatuses lists them all.
var DeliveryStatuses = []DeliveryStatus{DeliveryQueued, DeliverySent, DeliveryUpdated, DeliveryFailed,
	DeliverySuppressed}

// Expansion is what follows from a part of the feed.
type Expansion struct {
	From, To int64 // the mark
	First    bool  // there is no mark yet
	New      []Delivery
	Raised   []RaisedApproval
	At       time.Time
}

// RaisedApproval is an approval whose state has changed, so that messages about it are outdated.
type RaisedApproval struct {
	Approval string
	Feed     int64
}

// DeliveryClaim selects messages to send.
type DeliveryClaim struct {
	Channel string
	Now     time.Time
	Until   time.Time // when they are due again
	Limit   int
	Epoch   int64         // of the leader that claims them
	Early   time.Duration // how much sooner claims of earlier epochs end
}

// DeliveryResult is the result of an attempt.
type DeliveryResult struct {
	Delivery             // as claimed, with what changed
	Fallbacks []Delivery // sent instead
}

// DueChannel is a channel with messages to send.
type DueChannel struct {
	Channel string
	At      time.Time // of the most overdue one
}

// DeliveryQuery selects messages.
type DeliveryQuery struct {
	Status   []DeliveryStatus
	Approval string
	Run      string
	Channel  string
	Person   string
	In       string // a summary
	Cursor   string
	Limit    int
}

// DisabledChannel is a channel that no longer takes messages: until its document changes.
type DisabledChannel struct {
	Name   string
	Digest string // of the document
	Why    string
	At     time.Time
}
