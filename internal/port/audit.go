package port

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// AuditLog keeps who did what, for ever and in one order. Entries are numbered
// from 1 without gaps, and each holds the hash of the one before, so nothing can
// be changed, taken out or put in without somebody noticing.
//
// Whatever changes something appends its entries in its own transaction: see
// Write.Audit, and SaveVersion, Publish, Expire and CollectBlobs, which write
// theirs by themselves.
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
	// Strays describes rows of the log, of its heads and of the events of runs
	// with impossible numbers; empty: there are none. Nothing that goes through the
	// numbers from 1 to the end would come across them.
	Strays(ctx context.Context) (what string, err error)
}

// Salts keeps the salts of the digests of events in the audit log, by run.
type Salts interface {
	// EventSalts are the salts of runs. A run whose payloads were removed has none.
	EventSalts(ctx context.Context, runs []string) (map[string]string, error)
	// MakeEventSalts also makes a salt for every run that has none and whose
	// payloads were not removed.
	MakeEventSalts(ctx context.Context, runs []string) (map[string]string, error)
}

// AuditHeads keeps the signed heads of the audit log.
type AuditHeads interface {
	// PutAuditHead keeps a signed head. It has to begin after the newest one
	// that is kept and to end at an entry with that hash: fault.Conflict.
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
	Target  string // the id of what it is about, or KIND/NAME
	Run     string // the run it belongs to, if any
	Outcome AuditOutcome
	// Detail is of text, numbers and digests: what may be kept for ever. A
	// json.RawMessage has to be in canonical form already.
	Detail any
	// Sealed are values that may have to be removed one day: the chain holds
	// salted digests of them, and the values stand beside it.
	Sealed []Sealed
}

// AuditOutcome says what became of what somebody tried.
type AuditOutcome string

const (
	AuditDone    AuditOutcome = "done"
	AuditRefused AuditOutcome = "refused"
)

// Nobody is the kind of an actor who could not say who they are.
const Nobody run.ActorKind = "nobody"

// Sealed is a value of an entry. Beside says that the entry keeps the salt
// alone, because the value is in the run's log.
type Sealed struct {
	Name   string
	Value  json.RawMessage
	Beside bool
}

// SealedPaths says where in the data of the event that an entry is about the
// sealed values of that entry are, by the action and the name of the value.
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

// AuditRow is an entry as it is stored. Body is its canonical form without its
// hash; the other columns are copies for searching.
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
	Open    []byte // JSON: the sealed values that are still kept, with their salts
}

// AuditQuery selects entries; empty fields let everything through.
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

// AuditHead says what the chain was at an entry, signed. Root is that of the
// Merkle tree over the hashes of the entries From to N, so that one of them can
// be shown to belong without the others.
type AuditHead struct {
	N    int64     `json:"n"`
	From int64     `json:"from"`
	Hash string    `json:"hash"` // of entry N
	Root string    `json:"root"`
	At   time.Time `json:"at"`
	Key  string    `json:"key"` // id of the key it is signed with
	Sig  string    `json:"sig"`
}

// Audit looks after the audit log: it signs and checks.
type Audit interface {
	// Cut signs the end of the log, if it has grown since.
	Cut(ctx context.Context) (AuditHead, error)
	// Keys lists the public keys that heads were signed with, oldest first.
	Keys(ctx context.Context) ([]AuditKey, error)
	// Check looks at the entries behind a number, at most limit (0: all).
	Check(ctx context.Context, after int64, limit int) (AuditCheck, error)
	// Export writes the whole log so that it can be checked elsewhere.
	Export(ctx context.Context, w io.Writer) error
	// Prove writes all there is about a run so that it can be checked alone.
	Prove(ctx context.Context, run string, by run.Actor, w io.Writer) error
	// Follow writes a proof that the head signed at one entry is followed by the one
	// signed at another; 0: by the newest.
	Follow(ctx context.Context, from, to int64, w io.Writer) error
	// Entry reads a row.
	Entry(row AuditRow) (AuditEntry, error)
}

// AuditOperation is what the operator of a server does with the audit log.
type AuditOperation interface {
	// Check looks at the entries after a number, at most limit (0: all).
	Check(ctx context.Context, after int64, limit int) (AuditCheck, error)
	// Accept takes the log as it is, although it does not continue what was
	// signed here before, and records the reason. It returns the newest
	// head, after which signing continues.
	Accept(ctx context.Context, by run.Actor, reason string) (AuditHead, error)
	// Rotate replaces the key that signs. The old and the new one sign each other,
	// so anyone who trusts one of them can check what the other signed.
	Rotate(ctx context.Context, by run.Actor) (AuditKey, error)
}

// AuditKey is a key that heads are signed with.
type AuditKey struct {
	ID     string    `json:"id"`
	Public string    `json:"public"`
	Since  time.Time `json:"since"`
	InUse  bool      `json:"in_use"`
	// Link ties it to the key that it replaced.
	Link *AuditLink `json:"link,omitempty"`
}

// AuditLink ties two keys together that follow one another: both signed both
// public keys and the time.
type AuditLink struct {
	From    string    `json:"from"` // public keys
	To      string    `json:"to"`
	At      time.Time `json:"at"`
	FromSig string    `json:"from_sig"`
	ToSig   string    `json:"to_sig"`
}

// AuditCheck is what Check found.
type AuditCheck struct {
	OK       bool   `json:"ok"`
	Entries  int64  `json:"entries"`   // that were looked at
	FirstBad *int64 `json:"first_bad"` // number of the first entry that is not as it was
	Why      string `json:"why"`
	Next     int64  `json:"next"`   // up to where it looked
	Total    int64  `json:"total"`  // entries in the log
	Signed   int64  `json:"signed"` // up to which entry a good signature reaches
	Head     string `json:"head"`   // hash of the entry Next: keep it to notice a cut
	Missing  int64  `json:"missing"`
	// Events of runs that were compared with the entries that bind them, and
	// the newest ones, which no entry binds yet.
	Events  int64 `json:"events"`
	Unbound int64 `json:"events_unbound"`
	// HeadsMissing: the log says that it was signed, and no signed head is left.
	HeadsMissing bool `json:"heads_missing"`
	// Warnings say what the check does not vouch for. They are about the whole
	// log: a check that ends before it has none.
	Warnings []string `json:"warnings"`
}

// AuditEntry is an entry as people see it.
type AuditEntry struct {
	N       int64                      `json:"n"`
	At      time.Time                  `json:"at"`
	Actor   run.Actor                  `json:"actor"`
	Action  string                     `json:"action" holds:"id"`
	Target  string                     `json:"target" holds:"id"`
	Run     string                     `json:"run,omitempty" holds:"id"`
	Outcome AuditOutcome               `json:"outcome" holds:"id"`
	Detail  json.RawMessage            `json:"detail" holds:"payload"`
	Sealed  map[string]string          `json:"sealed,omitempty" holds:"id"`      // salted digests, by name
	Values  map[string]json.RawMessage `json:"values,omitempty" holds:"payload"` // those that are still kept
	Prev    string                     `json:"prev" holds:"id"`
	Hash    string                     `json:"hash" holds:"id"`
	// Whether something is hidden from whoever it is shown to, and where.
	Masked bool     `json:"masked,omitempty"`
	Paths  []string `json:"masked_paths,omitempty" holds:"id"`
}
