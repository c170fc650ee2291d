// Package store defines the interface of a store adapter: every port of a store.
//
// Adapters are in the packages sqlite and postgres, the conformance suite that both run is in storetest, and
// the shared formats are in storekit. Only code that opens or closes a store needs this interface; everything
// else declares the few methods it uses (see package port).
package store

import (
	"io"

	"github.com/assent-run/assent/internal/port"
)

// Store is everything that outlives the process. The event log is the source of truth; the read tables
// contain the same data in a form that lists can use, and are written in the same transaction.
type Store interface {
	port.Log
	port.Feed
	port.Lists
	port.Agenda
	port.Counts
	port.Sums
	port.Works
	port.Answers
	port.Health

	port.Definitions
	port.Sources
	port.Amendments
	port.Usage
	port.Bundles
	port.Blobs
	port.Retention
	port.Payloads
	port.Experiences

	port.Accounts
	port.Tokens
	port.Sessions
	port.Subjects
	port.StandIns
	port.Firings
	port.Outbox
	port.TraceMarks
	port.DeliveryLog
	port.Notices
	port.Pushes
	port.Links
	port.HookDeliveries
	port.WorkingCopies

	port.AuditLog
	port.AuditHeads
	port.Salts
	port.Leader
	io.Closer
}
