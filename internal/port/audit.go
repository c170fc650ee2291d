package port

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// AuditLog records who did what, permanently and in one order. Entries are numbered from 1 without gaps, and each
// contains the hash of the previous one, so no entry can be changed, removed or inserted unnoticed.
//
// Every change appends its entries in its own transaction: see Write.Audit, and SaveVersion, Publish, Expire and
// CollectBlobs, which write theirs by themselves.
type AuditLog interface {
	// AppendAudit adds entries in a transaction of their own and returns the
	// number of the last one.
	AppendAudit(ctx context.Context, entries ...AuditDraft) (n int64, err error)
	// AuditEntries lists entries, newest first.
	AuditEntries(ctx context.Context, q AuditQuery) (Page[AuditRow], error)
	// AuditRows reads entries after a number, oldest first. It may return
	// fewer than limit when they are large; none at all is the end.
	AuditRows(ctx context.Context, after int64, limit int) ([]AuditRow, error)
	// AuditEnd is the number and hash of the newest entry; 0 if there is none.
	AuditEnd(ctx context.Context) (n int64, hash string, err error)
	// Strays describes rows of the log, of its heads and of the events of runs with impossible numbers; empty: there
	// are none. A reader that follows the numbers from 1 to the end would never see them.
	Strays(ctx context.Context) (what string, err error)
}

// Salts stores the salts of the digests of events in the audit log, by run.
type Salts interface {
	// EventSalts are the salts of runs. A run whose payloads were deleted has none.
	EventSalts(ctx context.Context, runs []string) (map[string]string, error)
	// MakeEventSalts also creates a salt for every run that has none and whose payloads were not deleted.
	MakeEventSalts(ctx context.Context, runs []string) (map[string]string, error)
}

// AuditHeads stores the signed heads of the audit log.
type AuditHeads interface {
	// PutAuditHead stores a signed head. It has to begin after the newest stored one and to end at an entry with that
	// hash: fault.Conflict.
	PutAuditHead(ctx context.Context, h AuditHead) error
	// AuditHeads reads heads that end at a number or after it, oldest first.
	AuditHeads(ctx context.Context, from int64, limit int) ([]AuditHead, error)
	// LastAuditHead is the newest head; N is 0 if there is none.
	LastAuditHead(ctx context.Context) (AuditHead, error)
}

// AuditDraft is an entry before it has its place in the chain.
type AuditDraft struct {
	At      time.Time
	Actor   run.Actor
	Action  string // dotted: approval.decided, run.started, token.created …
	Target  string // the id of its subject, or KIND/NAME
	Run     string // the run it belongs to, if any
	Outcome AuditOutcome
	// Detail consists of text, numbers and digests that may be stored permanently. A json.RawMessage has to be in
	// canonical form already.
	Detail any
	// Sealed are values that may have to be deleted one day: the chain contains salted digests of them, and the values
	// are stored next to it.
	Sealed []Sealed
}

// AuditOutcome is the outcome of an attempt.
type AuditOutcome string

const (
	AuditDone    AuditOutcome = "done"
	AuditRefused AuditOutcome = "refused"
)

// Unauthenticated is the kind of an unauthenticated actor.
const Unauthenticated run.ActorKind = "nobody"

// Sealed is a value of an entry. Beside means that the entry stores only the salt, because the value is in the run's
// log.
type Sealed struct {
	Name   string
	Value  json.RawMessage
	Beside bool
}

// AlwaysAudited are the types of events that have an entry, in the same transaction.
var AlwaysAudited = []string{
	"run.started", "run.forked", "run.paused", "run.unpaused", "run.reopened", "run.cancelling", "run.cancelled",
	"payloads.removed", "approval.decided", "approval.resolved", "approval.auto_approved", "approval.timed_out",
	"approval.escalated", "step.args_changed", "call.args_changed", "plan.changed", "replan.requested", "limit.granted",
	"limit.raised", "deliverable.marked",
}

// SealedPaths are the paths of an entry's sealed values in the data of its event, by the action and the name of the
// value.
var SealedPaths = map[string]map[string][]string{
	"run.started": {"input": {"input"}},
	"run.forked":  {"edits": {"edits"}},
	"approval.decided": {"comment": {"decision", "comment"}, "changes": {"decision", "changes"},
		"data": {"decision", "data"}, "modified": {"decision", "proposed"}},
	"approval.resolved": {"comment": {"outcome", "comment"}, "data": {"outcome", "data"},
		"modified": {"outcome", "proposed"}, "content": {"content"}},
	"approval.auto_approved": {"proposed": {"request", "proposed"}, "content": {"content"}},
	"step.args_changed":      {"changes": {"changes"}},
	"call.args_changed":      {"args": {"args"}},
	"message.added":          {"text": {"text"}},
	"run.cancelling":         {"reason": {"reason"}},
	"run.cancelled":          {"reason": {"reason"}},
}

// AuditRow is an entry in stored form. Body is its canonical form without its hash; the other columns are copies for
// searching.
type AuditRow struct {
	N       int64
	At      time.Time
	Actor   string
	Action  string
	Target  string
	Run     string
	Outcome string
	Body    []byte
	Hash    string
	Open    []byte // JSON: the sealed values that still exist, with their salts
}

// AuditQuery selects entries; empty fields match everything.
type AuditQuery struct {
	Actor   string // name
	Action  string
	Target  string // of a run: everything that belongs to it
	Outcome string
	Since   time.Time // at or after
	Until   time.Time // before
	Cursor  string
	Limit   int
}

// AuditHead is the signed state of the chain at an entry. Root is that of the Merkle tree over the hashes of the
// entries From to N, so that the inclusion of one can be proven without the others.
type AuditHead struct {
	N    int64     `json:"n"`    // The entry it ends at.
	From int64     `json:"from"` // The first entry that root covers.
	Hash string    `json:"hash"` // The hash of entry n.
	Root string    `json:"root"` // The root of the Merkle tree over the hashes of the entries from to n.
	At   time.Time `json:"at"`
	Key  string    `json:"key"` // The id of the key.
	Sig  string    `json:"sig"` // The signature, in base64.
}

// Audit signs and verifies the audit log.
type Audit interface {
	// Cut signs the end of the log, if it has grown since.
	Cut(ctx context.Context) (AuditHead, error)
	// Keys lists the public keys that heads were signed with, oldest first.
	Keys(ctx context.Context) ([]AuditKey, error)
	// Check verifies the entries after a number, at most limit (0: all).
	Check(ctx context.Context, after int64, limit int) (AuditCheck, error)
	// Export writes the whole log so that it can be verified elsewhere.
	Export(ctx context.Context, w io.Writer) error
	// Prove writes everything about a run so that it can be verified on its own.
	Prove(ctx context.Context, run string, by run.Actor, w io.Writer) error
	// Follow writes a proof that the head signed at one entry is followed by the one
	// signed at another; 0: by the newest.
	Follow(ctx context.Context, from, to int64, w io.Writer) error
	// Entry reads a row.
	Entry(row AuditRow) (AuditEntry, error)
}

// AuditOperation is for the operator of a server.
type AuditOperation interface {
	// Check verifies the entries after a number, at most limit (0: all).
	Check(ctx context.Context, after int64, limit int) (AuditCheck, error)
	// Accept accepts the log as it is, although it does not continue from the heads signed here, and records the
	// reason. It returns the newest head, after which signing continues.
	Accept(ctx context.Context, by run.Actor, reason string) (AuditHead, error)
	// Rotate replaces the signing key. The old and the new one sign each other, so anyone who trusts one of them can
	// verify the signatures of the other.
	Rotate(ctx context.Context, by run.Actor) (AuditKey, error)
}

// AuditKey is a key that heads are signed with.
type AuditKey struct {
	ID     string     `json:"id"`
	Public string     `json:"public"`         // The public key: ed25519:…
	Since  time.Time  `json:"since"`          // When it was first used.
	InUse  bool       `json:"in_use"`         // True for the key that this server signs with.
	Link   *AuditLink `json:"link,omitempty"` // Links it to the key it replaced; omitted for the first one.
}

// AuditLink connects two consecutive keys: both signed both public keys and the time.
type AuditLink struct {
	From    string    `json:"from"` // The public key that was replaced.
	To      string    `json:"to"`   // The public key that replaced it.
	At      time.Time `json:"at"`
	FromSig string    `json:"from_sig"` // The signature of the replaced key over both keys and the time.
	ToSig   string    `json:"to_sig"`   // The signature of the new key over the same.
}

// AuditCheck is the result of Check.
type AuditCheck struct {
	// True if everything verifies.
	OK bool `json:"ok"`
	// The number of entries checked.
	Entries int64 `json:"entries"`
	// The first entry that does not verify; null if all do.
	FirstBad *int64 `json:"first_bad"`
	// The problem.
	Why string `json:"why"`
	// The last verified entry; continue after it.
	Next int64 `json:"next"`
	// The number of entries in the log.
	Total int64 `json:"total"`
	// The last entry covered by a valid signature; 0 if there is none.
	Signed int64 `json:"signed"`
	// The hash of the entry next.
	Head string `json:"head"`
	// The number of deleted values; their digests remain in the chain.
	Missing int64 `json:"missing"`
	// The number of events compared with the entries that bind them.
	Events int64 `json:"events"`
	// The newest events, which are not bound to an entry yet. Set by a check that reaches the end.
	Unbound int64 `json:"events_unbound"`
	// True if the log was signed once, but no signed head is left.
	HeadsMissing bool `json:"heads_missing"`
	// What the check cannot guarantee, such as a log without signed heads. Set by a check that reaches the end.
	Warnings []string `json:"warnings"`
}

// AuditEntry is an entry as people see it.
type AuditEntry struct {
	// Its number; there are no gaps.
	N  int64     `json:"n"`
	At time.Time `json:"at"`
	// Who did it.
	Actor run.Actor `json:"actor"`
	// The action, such as approval.decided.
	Action string `json:"action" holds:"id"`
	// The target: an id, or KIND/NAME.
	Target string `json:"target" holds:"id"`
	Run    string `json:"run,omitempty" holds:"id"`
	// Whether it was done or refused.
	Outcome AuditOutcome `json:"outcome" holds:"id"`
	// Details, as JSON.
	Detail json.RawMessage `json:"detail" holds:"payload"`
	// Salted digests of values that can be deleted, by name.
	Sealed map[string]string `json:"sealed,omitempty" holds:"id"`
	// The values that are still stored.
	Values map[string]json.RawMessage `json:"values,omitempty" holds:"payload"`
	// The hash of the entry before.
	Prev string `json:"prev" holds:"id"`
	// Its hash: SHA-256 of prev and its canonical form.
	Hash string `json:"hash" holds:"id"`
	// Whether values are masked for you; they are shown as •••.
	Masked bool `json:"masked,omitempty"`
	// The masked values, as JSON pointers; the first 200.
	Paths []string `json:"masked_paths,omitempty" holds:"id"`
}

// Entry is the audit entry of a version that is a note: a review, a correction, an accepted risk. A comment may have to
// be deleted one day.
func (v Version) Entry(action, target string, detail map[string]any, comment string) AuditDraft {
	d := AuditDraft{At: v.At, Actor: run.ActorOf(v.By), Action: action, Target: target, Detail: detail}
	if raw, err := value.Marshal(comment); err == nil && comment != "" {
		d.Sealed = []Sealed{{Name: "comment", Value: raw}}
	}
	return d
}
