// Package storekit is what a store is built from: the parts that must not differ
// between one store and another, so that no SQL is in charge of them.
//
//   - the format of stored events (batch.go, large.go, pieces.go) and of small
//     values: times, texts, lists (storekit.go, inbox.go);
//   - limits, and the checks of everything that is stored (check.go, identity.go);
//   - cursors, and the plans by which lists are read: scope, inbox, search
//     (cursor.go, scope*.go, inbox.go, words.go, figures.go);
//   - encryption of columns: which values, and under which key (vault.go, hide.go,
//     rewrite.go), and removing what a run held (payloads.go);
//   - the queue of the group commit, and who waits for the feed (queue.go, watch.go);
//   - migrations, audit chain, grants and sums, as far as they are not SQL.
//
// Where it has SQL, the text is the same for every dialect, with question marks for
// arguments. Package aggregate has the tables that both SQL stores keep alike.
package storekit

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
)

// Limits. Indexed words stay far below the 2,700 bytes that a PostgreSQL index
// entry may have, several of them together included.
const (
	WordMax      = 255       // bytes of an id, a name, a label
	ValueMax     = 1 << 10   // bytes of a label's value, of an idempotency key
	TextMax      = 64 << 10  // bytes of text that lists show; longer is cut
	LabelsMax    = 64        // of one run
	AskedMax     = 256       // people and roles asked by one approval, or by one query
	EventsMax    = 25_000    // in one write
	BodyMax      = 256 << 20 // bytes of one write's events, of a snapshot, of a document
	InlineMax    = 1 << 20   // larger bodies and blobs live outside of the tables' rows
	PageDefault  = 50
	PageMax      = 1_000
	CountMax     = 10_000 // totals are counted up to here …
	MergedMax    = 1_000  // … and up to here where readers' shares of the inbox overlap
	ReadDefault  = 1_000  // events per read
	ReadMax      = 10_000
	ReadBytes    = 32 << 20 // a read of events ends behind the one that reaches this
	ScanMax      = 50_000   // events that one filtered read of the feed looks at
	SnapshotsMax = 5        // kept per run
	ForgetMax    = 5_000    // answers forgotten per call
	BranchesMax  = 1_000    // readers times statuses in one query of the inbox
	FacetsMax    = 200      // facets times statuses that are read instead of filtering
	FewMax       = 2_000    // approvals that are looked at one by one
	PatternsMax  = 1_000    // workflows and patterns that one reader may see
	LookMax      = 20_000   // places in the inbox that are looked at to count what matches a filter
)

// Never sorts behind every deadline.
const Never = math.MaxInt64

// Nanos is a time as it is stored: nanoseconds since 1970, 0 for none.
func Nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Time is what Nanos stored.
func Time(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// Text makes a text safe for the tables of every dialect: valid UTF-8, no NUL
// (PostgreSQL refuses it), at most TextMax bytes. The log keeps the original.
func Text(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) > TextMax {
		end := TextMax - len("…")
		for !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "…"
	}
	return s
}

// Word reports whether s can be an id, a name or a key. Nothing is ever stored
// under any other, so looking one up finds nothing.
func Word(s string) bool { return word(s, WordMax) }

// Key is Word for idempotency keys, which hold a person and a path.
func Key(s string) bool { return word(s, ValueMax) }

func word(s string, most int) bool {
	return s != "" && len(s) <= most && strings.IndexByte(s, 0) < 0 && utf8.ValidString(s)
}

// PageSize is how many items a page has when limit were asked for.
func PageSize(limit int) int {
	if limit <= 0 {
		return PageDefault
	}
	return min(limit, PageMax)
}

// ReadSize is how many events a read has when limit were asked for.
func ReadSize(limit int) int {
	if limit <= 0 {
		return ReadDefault
	}
	return min(limit, ReadMax)
}

// NotFound says that there is no such thing.
func NotFound(kind, id string) error {
	return fault.Newf(fault.NotFound, "there is no %s %q", kind, shorten(id))
}

// LogConflict says that somebody else wrote first.
func LogConflict(run string, ends, after int64) error {
	return fault.New(fault.Conflict, "the log of run "+run+" has moved on", "read it again and decide anew").
		With("ends_at", ends).With("after", after)
}

// Fenced says that another process leads now.
func Fenced(given, current int64) error {
	return fault.New(fault.Conflict, "this process no longer leads",
		"another process drives the runs now; it continues there").
		With("epoch", given).With("current", current)
}

// Answered says that the idempotency key was used before.
func Answered(key string) error {
	return fault.New(fault.Duplicate, "this request was answered before", "").With("key", key)
}

func shorten(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
