// Package storekit contains the building blocks of a store: the parts that must not differ between stores and
// are therefore not written in SQL.
//
//   - the format of stored events (batch.go, large.go, pieces.go) and of small
//     values: times, texts, lists (storekit.go, inbox.go);
//   - limits, and the checks of everything that is stored (check.go, identity.go);
//   - cursors, and the plans by which lists are read: scope, inbox, search
//     (cursor.go, scope*.go, inbox.go, words.go, figures.go);
//   - encryption of columns: which values, and under which key (vault.go, hide.go,
//     rewrite.go), and removing what a run held (payloads.go);
//   - migrations, audit chain, grants and sums, as far as they are not SQL.
//
// The queue of the group commit and the watchers of the feed are in package commit, the tables that are the same
// in both SQL stores in package aggregate. Where storekit has SQL, the text is the same for every dialect, with
// question marks for arguments.
package storekit

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
)

// Limits. Indexed words stay far below the 2,700 bytes of a PostgreSQL index entry, even several of them
// together.
const (
	WordMax      = 255       // bytes of an id, a name, a label
	ValueMax     = 1 << 10   // bytes of a label's value, of an idempotency key
	TextMax      = 64 << 10  // bytes of text that lists show; longer text is truncated
	LabelsMax    = 64        // of one run
	AskedMax     = 256       // assignees of one approval, or in one query
	EventsMax    = 25_000    // in one write
	BodyMax      = 256 << 20 // bytes of one write's events, of a snapshot, of a document
	InlineMax    = 1 << 20   // larger bodies and blobs are stored outside of the tables' rows
	PageDefault  = 50
	PageMax      = 1_000
	CountMax     = 10_000 // totals are counted up to this …
	MergedMax    = 1_000  // … and up to this if readers' shares of the inbox overlap
	ReadDefault  = 1_000  // events per read
	ReadMax      = 10_000
	ReadBytes    = 32 << 20 // a read of events ends after the one that reaches this
	ScanMax      = 50_000   // events that one filtered read of the feed visits
	SnapshotsMax = 5        // kept per run
	ForgetMax    = 5_000    // answers deleted per call
	BranchesMax  = 1_000    // readers times statuses in one query of the inbox
	FacetsMax    = 200      // facets times statuses that are read instead of filtering
	FewMax       = 2_000    // approvals that are checked one by one
	PatternsMax  = 1_000    // workflows and patterns visible to one reader
	LookMax      = 20_000   // inbox rows that are read to count the matches of a filter
)

// Never sorts after every deadline.
const Never = math.MaxInt64

// Nanos is a time as stored: nanoseconds since 1970, 0 for none.
func Nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Time is the inverse of Nanos.
func Time(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// Text makes a text safe for the tables of every dialect: valid UTF-8, no NUL (PostgreSQL rejects it), at
// most TextMax bytes. The log keeps the original.
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

// Word reports whether s is a valid id, name or key. Nothing else is ever stored as one, so looking it up
// finds nothing.
func Word(s string) bool { return word(s, WordMax) }

// Key is Word for idempotency keys, which contain a person and a path.
func Key(s string) bool { return word(s, ValueMax) }

func word(s string, most int) bool {
	return s != "" && len(s) <= most && strings.IndexByte(s, 0) < 0 && utf8.ValidString(s)
}

// PageSize is the number of items of a page for a requested limit.
func PageSize(limit int) int {
	if limit <= 0 {
		return PageDefault
	}
	return min(limit, PageMax)
}

// ReadSize is the number of events of a read for a requested limit.
func ReadSize(limit int) int {
	if limit <= 0 {
		return ReadDefault
	}
	return min(limit, ReadMax)
}

// NotFound reports that something does not exist.
func NotFound(kind, id string) error {
	return fault.Newf(fault.NotFound, "%s %q not found", kind, shorten(id))
}

// LogConflict reports that another writer was first.
func LogConflict(run string, ends, after int64) error {
	return fault.New(fault.Conflict, "the log of run "+run+" has newer events", "read it again and decide again").
		With("ends_at", ends).With("after", after)
}

// Fenced reports that another process leads now.
func Fenced(given, current int64) error {
	return fault.New(fault.Conflict, "this process no longer leads",
		"another process drives the runs now; it continues there").
		With("epoch", given).With("current", current)
}

// Answered reports that the idempotency key was used before.
func Answered(key string) error {
	return fault.New(fault.Duplicate, "this request was answered before", "").With("key", key)
}

func shorten(s string) string { return phrase.ClipValid(s, 80) }
