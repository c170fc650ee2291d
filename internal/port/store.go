// Package port holds the interfaces that several packages need, in the core's terms, and the types that they exchange.
//
// An interface here has at most eight methods: one concern of a store (Log, Feed, Lists, Definitions, Sessions …), an
// engine, an agent, a model, tools. A package that needs parts of several declares an interface of its own, out of
// these and single methods:
//
//	type Store interface {
//		port.Log
//		port.Leader
//		Run(ctx context.Context, id string) (port.RunRow, error)
//	}
//
// Nothing here composes them all: package store does that for the adapters, which have to implement everything. The
// contract of each method is in its comment, and one conformance suite per port (storetest, enginetest, agenttest)
// checks it for every adapter.
package port

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
)

// ErrUnavailable is wrapped by errors of the store itself: it is closed, its disk is full, its server is down. Nothing
// is left half done; the same call may work later.
var ErrUnavailable = errors.New("the store is not available")

// ErrSnapshot is wrapped by errors of writes that may succeed without their snapshot. Nothing is stored.
var ErrSnapshot = errors.New("the snapshot cannot be stored")

// Unavailable is ErrUnavailable with a reason that is safe to show to anyone.
func Unavailable(why string, err error) error { return &Away{why, err} }

// Away is the reason why a store is not available.
type Away struct {
	Why string // for people; contains no address, path or name
	err error
}

// WithHeld adds to the reason why a store is not available how many results an engine holds until it is.
func WithHeld(err error, engine Engine) error {
	var away *Away
	e, ok := engine.(interface{ Held() (results, onDisk int) })
	if !ok || !errors.As(err, &away) {
		return err
	}
	results, onDisk := e.Held()
	if results == 0 {
		return err
	}
	why := fmt.Sprintf("%s; results held until it is available: %d, of which on disk: %d", away.Why, results, onDisk)
	return &Away{why, err}
}

func (a *Away) Error() string { return ErrUnavailable.Error() + ": " + a.Why + ": " + a.err.Error() }

// Unwrap exposes ErrUnavailable and the cause to errors.Is.
func (a *Away) Unwrap() []error { return []error{ErrUnavailable, a.err} }

// Log is the append-only log of all runs.
type Log interface {
	// Append stores the effects of one command on one run: all of them, durably, or nothing. Before any other check it
	// refuses a key in w.Answer that was answered before (fault.Duplicate; Answers.Answer has the response). If the
	// run's log does not end at w.After, or w.Epoch is set and is no longer the leader's epoch, it returns
	// fault.Conflict. Rows that do not match the events are fault.Invalid. Calls from many goroutines share commits.
	// It returns the feed number of the last event. After any other error (a broken connection) the write may have
	// been stored: check again.
	Append(ctx context.Context, w Write) (feed int64, err error)
	// Events reads a run's log after a sequence number, oldest first. It may
	// return fewer than limit when they are large; none at all is the end.
	Events(ctx context.Context, run string, after int64, limit int) ([]Record, error)
	// Snapshot is the newest snapshot of a run, with the sequence number it
	// was taken at; none is (0, nil, nil). Five are kept per run.
	Snapshot(ctx context.Context, run string, atMost int64) (seq int64, state json.RawMessage, err error)
}

// Feed is the log of all runs in the order of their commits. Its numbers have no gaps, so
// a reader that saw number n has seen everything before it.
type Feed interface {
	// Feed reads events after a number. It scans a bounded number of events: continue with next, which is also past
	// those that the filter left out. The end is where next equals after.
	Feed(ctx context.Context, after int64, limit int, f FeedFilter) (records []Record, next int64, err error)
	// Moves reads which runs have new events after a number, and up to which
	// sequence number, without the events. The end is where next equals after.
	Moves(ctx context.Context, after int64, limit int) (moves []Move, next int64, err error)
	// Head is the number of the newest event.
	Head(ctx context.Context) (int64, error)
	// Watch sends whenever the feed has grown, by any process, until ctx ends or the
	// store closes; then the channel is closed. Signals may be merged; the last one is
	// never lost.
	Watch(ctx context.Context) <-chan struct{}
}

// Answers stores responses to requests with an idempotency key.
type Answers interface {
	// Answer is the response to an idempotency key.
	Answer(ctx context.Context, key string) (a Answer, ok bool, err error)
	// SaveAnswer stores the response to a request that changed nothing. If the key has one already, that one stays and
	// is returned.
	SaveAnswer(ctx context.Context, a Answer) (Answer, error)
	// ForgetAnswers drops responses from before a time, a bounded number per call, and returns how many.
	ForgetAnswers(ctx context.Context, before time.Time) (int, error)
}

// Health reports whether a store can be used.
type Health interface {
	// Ready returns why nothing can be read, or why nothing could be stored a
	// moment ago.
	Ready(ctx context.Context) error
}

// Write holds the effects of one command on one run.
type Write struct {
	Run          string
	After        int64 // the sequence number the host knew as the last one
	Epoch        int64 // of the leader; 0: any process may write this
	Events       []run.Event
	Row          RunRow
	Approvals    []ApprovalRow    // those that the events changed
	Deliverables []DeliverableRow // those that the events created
	Marks        []DeliverableMark
	Answer       *Answer
	Snapshot     json.RawMessage // of the state after the events
	Audit        []AuditDraft    // its audit entries
	// Generation is that of the definitions under which a policy approved something in these events; if it is no
	// longer the store's, the write is refused with fault.Outdated. 0: it does not matter.
	Generation int64
	// Uses are uses of limited rules by the events. Exceeding the limit is also fault.Outdated: the decision was made
	// without knowing of the others.
	Uses []Use
	// Counted are acts that begin with these events and count in sums, and TakenBack those that no longer do. Another
	// try of an act replaces it. Family is that of the run.
	Counted   []run.Counted
	TakenBack []string
	Family    string
	// Worked is what agents did and spent in these events. Test runs have none, and neither has copied history of a fork.
	Worked []Worked
	// Taught is what the run teaches, if it ends with these events. A run that is resumed teaches nothing until it ends
	// again: Untaught deletes its row.
	Taught   *run.Experience
	Untaught bool
	// Sums are those on which the decision to begin the acts was based. If one of them has changed, the write is
	// refused with fault.Outdated.
	Sums []SumRead
}

// Use is one approval by a rule that may approve Max times in total.
type Use struct {
	Rule string
	Max  int
}

// Record is an event in stored form.
type Record struct {
	Feed int64
	run.Event
}

// Move reports that a run has events up to a sequence number.
type Move struct {
	Run string
	Seq int64
}

// FeedFilter narrows the feed; empty fields match everything.
type FeedFilter struct {
	Run   string
	Types []string
}

// Answer is the response to a request with an idempotency key.
type Answer struct {
	Key    string    // unique per person and path
	Body   string    // digest of the request, so that another one under the same key is noticed
	Status int       // HTTP status
	Answer []byte    // the response
	At     time.Time // see ForgetAnswers
}

// Lists are the read tables that people see. They are written in the transaction of the events that they derive from.
type Lists interface {
	Run(ctx context.Context, id string) (RunRow, error) // fault.NotFound
	Runs(ctx context.Context, q RunQuery) (Page[RunRow], error)
	Approval(ctx context.Context, id string) (ApprovalRow, error)
	Approvals(ctx context.Context, q ApprovalQuery) (Page[ApprovalRow], error)
	Deliverable(ctx context.Context, id string) (DeliverableRow, error)
	Deliverables(ctx context.Context, q DeliverableQuery) (Page[DeliverableRow], error)
	// Drafts counts the deliverables of runs that are drafts, only the newest version of each name. Runs without one
	// are left out.
	Drafts(ctx context.Context, runs []string) (map[string]int, error)
	// SecondLooks lists results that were used and deserve a second look. The store derives them from the events; test
	// runs have none.
	SecondLooks(ctx context.Context, q SecondLookQuery) (Page[SecondLook], error)
}

// Agenda lists the work of the leading process.
type Agenda interface {
	// Due lists runs whose deadline is not after `until`, most overdue first.
	Due(ctx context.Context, until time.Time, limit int) ([]DueRun, error)
	// Busy lists runs with outstanding effects, in the order of their ids.
	Busy(ctx context.Context, after string, limit int) ([]string, error)
}

// Page is a part of a list. Next continues it; empty is the end.
type Page[T any] struct {
	Items []T
	Next  string
	Total int64
	// AtLeast means that counting stopped at Total: a store counts some thousands, not millions.
	AtLeast bool
}

// RunRow is a run as lists show it. Workflow, Owner, Labels, Parent, RetryOf, ForkedFrom and StartedAt are those of
// the run's first write, whatever later ones contain. Text that lists show is stored up to 64 KiB, without NUL bytes.
type RunRow struct {
	ID          string
	Workflow    string
	Version     int
	Definition  string // digest of the bundle it is bound to
	Status      run.Status
	Owner       string
	Labels      map[string]string
	Subject     string // its subject, in a line
	TestMode    bool   // figures leave it out; that of the run's first write
	Seq         int64
	StepsDone   int
	StepsTotal  int
	Pending     int // approvals
	Error       string
	CostUSD     string
	Parent      string
	RetryOf     string
	ForkedFrom  string
	StartedAt   time.Time
	UpdatedAt   time.Time
	EndedAt     time.Time // zero until it ends
	DueAt       time.Time // when the run needs a Tick; zero: never
	Busy        bool      // it waits for something other than time
	Cancelling  bool      // it ends as soon as its active steps have
	SnapshotSeq int64     // of the newest snapshot; set by the store
}

// RunQuery selects runs, newest first.
type RunQuery struct {
	Status   []run.Status
	Workflow string
	Owner    string
	Parent   string
	Label    map[string]string
	Text     string // see ApprovalQuery
	Scope    *Scope // of the reader; nil: everything
	Cursor   string
	Limit    int
}

// ApprovalRow is an approval as the inbox shows it. Body is the whole approval.
type ApprovalRow struct {
	ID          string
	Run         string
	Workflow    string
	Step        string
	Agent       string
	Tool        string
	Kind        string
	Reason      string
	Status      string
	Risk        string
	Title       string
	Asked       []string // assignees: names, and roles as role:NAME; empty, or with Anyone in it: anyone
	Requester   string
	Priority    int64 // greater is more urgent; equal ones are sorted by age
	Version     int
	RequestedAt time.Time
	DeadlineAt  time.Time
	SettledAt   time.Time
	Body        json.RawMessage
}

// ApprovalSort orders the inbox.
type ApprovalSort string

const (
	ByPriority ApprovalSort = "priority" // most urgent first, then oldest
	ByAge      ApprovalSort = "age"      // oldest first
	ByDeadline ApprovalSort = "deadline" // soonest first, none last; for settled ones, when they were settled
	ByNewest   ApprovalSort = "newest"   // newest first
	BySettled  ApprovalSort = "settled"  // by deadline, backwards: of settled ones, the last first
)

// Anyone in Asked, next to assignees by name, means that the approval is open to everyone who may see its workflow,
// and was passed on to a person who may not. It is not a valid name.
const Anyone = ""

// ApprovalQuery selects approvals.
type ApprovalQuery struct {
	Status    []string
	Asked     []string // any of these may answer (names and role:NAME); approvals open to anyone also match
	Workflow  string
	Agent     string
	Risk      string
	Kind      string
	Run       string
	Tool      string
	Since     time.Time // requested at or after
	OlderThan time.Time // requested before
	// Text is a search: each of its SearchWords must begin one of a row's Words. Where values are encrypted, a page
	// may have fewer than Limit rows and still be continued by Next: rows are decrypted, a bounded number at a time.
	Text    string
	Sort    ApprovalSort
	NoTotal bool   // Total is not used: a store need not count
	Scope   *Scope // of the reader; nil: everything
	Cursor  string
	Limit   int
}

// DeliverableRow is a result for people; its bytes are a blob or a link.
type DeliverableRow struct {
	ID          string
	Run         string
	Workflow    string
	Step        string
	Agent       string
	Name        string
	Type        string
	Status      string
	MIME        string
	Description string
	Blob        string // id of its bytes, or empty
	URL         string
	Size        int64
	Version     int
	Newest      bool // of its name in this run
	CreatedAt   time.Time
	UpdatedAt   time.Time // when it was created or marked
}

// DeliverableMark changes a stored deliverable. One that is no longer stored is skipped.
type DeliverableMark struct {
	ID       string
	Status   string // empty: unchanged
	Outdated bool   // there is a newer version of it
	At       time.Time
}

// DeliverableQuery selects deliverables, newest first. Of each name in a run
// only the newest version is listed, unless All is set.
type DeliverableQuery struct {
	Run, Agent, Type, Status, Name string
	Since, Until                   time.Time // when it was created; zero: any time
	All                            bool
	Scope                          *Scope // of the reader; nil: everything
	Cursor                         string
	Limit                          int
}

// SecondLook is a result that passed with a confidence at which a second look is suggested. It records where the
// result is, and none of its content. It disappears when the result is replaced or its step fails.
type SecondLook struct {
	ID         string
	Run        string
	Workflow   string
	Step       string
	Index      *int // of the element of a map
	Agent      string
	Confidence float64
	At         time.Time
}

// SecondLookQuery selects results that deserve a second look, newest first.
type SecondLookQuery struct {
	Run, Workflow, Agent string
	Scope                *Scope // of the reader; nil: everything
	Cursor               string
	Limit                int
}

// DueRun is a run that needs a Tick.
type DueRun struct {
	Run string
	At  time.Time
}

// Definitions stores every version of every document.
type Definitions interface {
	// SaveVersion stores a document under the next number of its kind and
	// name. If its digest is that of the newest version, that one is returned.
	// v.Number and v.Published are ignored.
	// If it is new, the audit entries are stored with it.
	SaveVersion(ctx context.Context, v Version, audit ...AuditDraft) (saved Version, created bool, err error)
	// Publish makes a version the one in force; fault.NotFound if there is none.
	Publish(ctx context.Context, kind, name string, number int, by string, at time.Time, audit ...AuditDraft) error
	// PublishOver is Publish if the version in force is that one (0: there is none); otherwise
	// fault.VersionMismatch, and nothing changes.
	PublishOver(
		ctx context.Context, kind, name string, number, over int, by string, at time.Time, audit ...AuditDraft,
	) error
	// Withdraw takes a document out of force; its versions stay. Nothing in
	// force under that name is fault.NotFound.
	Withdraw(ctx context.Context, kind, name string, audit ...AuditDraft) error
	// Version reads one; number 0 is the one in force, -1 the newest.
	Version(ctx context.Context, kind, name string, number int) (Version, error)
	// Versions lists all of one document, newest first, without their bodies and sources.
	Versions(ctx context.Context, kind, name string) ([]Version, error)
	// InForce lists the published versions of a kind, by name.
	InForce(ctx context.Context, kind string) ([]Version, error)
	// Latest lists the newest version of every document of a kind, published
	// or not, by name.
	Latest(ctx context.Context, kind string) ([]Version, error)
}

// Sources stores documents as people wrote them.
type Sources interface {
	// SetSource replaces the source of a version, and stores the audit entries with it; fault.NotFound. If it is the same,
	// nothing changes. The source of a version in force increments the generation.
	SetSource(ctx context.Context, kind, name string, number int, source []byte, audit ...AuditDraft) (
		changed bool, err error)
}

// Amendments are changes that must not overwrite one another.
type Amendments interface {
	// SaveVersionOver is Definitions.SaveVersion if the newest version is that one (0: there is none); otherwise
	// fault.VersionMismatch, and nothing changes.
	SaveVersionOver(ctx context.Context, v Version, over int, audit ...AuditDraft) (saved Version, created bool, err error)
}

// SourceMax is the largest source of a version, in bytes.
const SourceMax = 2 << 20

// Usage counts changes and uses of documents, across all processes.
type Usage interface {
	// Generation grows with every Publish and Withdraw, and with the source of a version in force.
	Generation(ctx context.Context) (int64, error)
	// Uses counts the approvals of each rule with a limited number of uses.
	Uses(ctx context.Context) (map[string]int, error)
}

// Bundles stores the definitions that runs are bound to.
type Bundles interface {
	// PutBundle stores a definition under its digest; repeating it is fine.
	PutBundle(ctx context.Context, digest string, bundle json.RawMessage) error
	Bundle(ctx context.Context, digest string) (json.RawMessage, error)
}

// Version is one saved version of a document.
type Version struct {
	ID        string // wfv_…, pol_…
	Kind      string // workflow, agent, tool, policy, role …
	Name      string
	Number    int
	Published bool // the one in force
	Replaced  bool // it was in force once and no longer is
	Digest    string
	Body      json.RawMessage
	// Source is the document as people wrote it, with its comments; empty if that is not known. It says the same as Body
	// and is not part of the digest.
	Source []byte
	By     string
	At     time.Time
	// PublishedBy put it in force last, at PublishedAt; zero: never.
	PublishedBy string
	PublishedAt time.Time
}

// Blobs stores bytes by their content.
type Blobs interface {
	// PutBlob reads r to its end, at most max bytes (fault.TooLarge), and
	// returns the id of the content. It is durable when PutBlob returns.
	PutBlob(ctx context.Context, r io.Reader, max int64) (id string, size int64, err error)
	// OpenBlob reads a blob, as long as ctx lasts; fault.NotFound.
	OpenBlob(ctx context.Context, id string) (io.ReadSeekCloser, int64, error)
}

// Retention deletes data whose retention has expired. The log of events always stays; runs that have not ended, and
// sub-runs of those, are never touched.
type Retention interface {
	// Expire deletes deliverables and their runs' references to their bytes, a bounded number of runs or names per
	// call, and returns how many it deleted.
	Expire(ctx context.Context, e Expiry) (int, error)
	// CollectBlobs deletes blobs that no run refers to and that were last stored, or stored again, before a time: a
	// bounded number per call. A writer that stores a blob first and then refers to it is safe as long as it does so
	// within the time that before leaves. It does nothing during a backup.
	CollectBlobs(ctx context.Context, before time.Time, limit int) (int, error)
}

// Expiry selects the data whose retention has expired; the zero time keeps everything.
type Expiry struct {
	Ended    time.Time // all deliverables and blobs of runs that ended before
	Archived time.Time // all versions of deliverables that were archived before
	Limit    int       // of runs and names
}

// Leader elects the process that drives effects. There is one at a time; its epoch fences off the previous one.
type Leader interface {
	// Lead waits until this process leads, or ctx ends. Lost is closed when it no longer does. A process that already
	// leads gets the same answer again. Epochs grow.
	Lead(ctx context.Context) (epoch int64, lost <-chan struct{}, err error)
	// Epoch is the current one, whichever process leads. It is read from where Append compares it, so a process that
	// lost the lead without noticing finds out here. 0, or a number that no process was given: none leads.
	Epoch(ctx context.Context) (int64, error)
	// Resign gives up the lead.
	Resign(ctx context.Context) error
}

// Fenced reports whether a write was refused because its epoch is no longer the leader's: the process that sent it
// does not lead.
func Fenced(err error) bool {
	return fault.Is(err, fault.Conflict) && fault.DetailOf(err)["epoch"] != nil
}
