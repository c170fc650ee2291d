// Package storetest says what it means to be a store.Store. Every adapter runs
// the whole of it:
//
//	storetest.Run(t, open, storetest.Hooks{Again: again, Child: child})
//
// Nothing here sleeps to wait, and nothing is mocked.
package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

// Hooks are what an adapter can do besides opening an empty store.
type Hooks struct {
	// Again opens the data behind a store once more. Stores of one process are
	// closed before; shared ones may still be open.
	Again func(t *testing.T, s store.Store) store.Store
	// Sealed says that the store seals values. It is the same store, so the one
	// check that takes by far the longest is left out, and a process is killed
	// once, unless the variable ASSENT_STORETEST is "all", as in make soak.
	Sealed bool
	// Shared says that several processes may have the data open at once.
	Shared bool
	// Child starts the test binary anew so that it calls Child with a store on
	// the same data. The store given is closed unless stores are shared.
	Child func(t *testing.T, s store.Store) *exec.Cmd
}

func (h *Hooks) brief() bool { return h.Sealed && os.Getenv("ASSENT_STORETEST") != "all" }

// Run runs the conformance suite. open makes an empty store that is closed
// when the test ends; closing it before is fine.
func Run(t *testing.T, open func(t *testing.T) store.Store, hooks Hooks) {
	type check struct {
		name string
		run  func(t *testing.T, s store.Store)
	}
	for _, c := range []check{
		{"AppendAndRead", appendAndRead},
		{"AppendGuards", appendGuards},
		{"AppendRace", appendRace},
		{"AppendAtomic", appendAtomic},
		{"AppendNeighbours", appendNeighbours},
		{"AppendCancelled", appendCancelled},
		{"Bytes", eventBytes},
		{"LargeOutputs", largeOutputs},
		{"ReadBounds", readBounds},
		{"FeedOrder", feedOrder},
		{"FeedFilter", feedFilter},
		{"Moves", moves},
		{"Watch", watch},
		{"Snapshots", snapshots},
		{"Answers", answers},
		{"AnswerWithAppend", answerWithAppend},
		{"RunRow", runRow},
		{"RunList", runList},
		{"RunCursorStable", runCursorStable},
		{"Totals", totals},
		{"DueAndBusy", dueAndBusy},
		{"ApprovalRow", approvalRow},
		{"ApprovalFilters", approvalFilters},
		{"ApprovalSorts", approvalSorts},
		{"ApprovalModel", approvalModel},
		{"NewestFirst", newestFirst},
		{"SearchWords", searchWords},
		{"SearchChanges", searchChanges},
		{"SearchRemoved", searchRemoved},
		{"SearchScope", searchScope},
		{"SearchMany", searchMany},
		{"Figures", figures},
		{"ScopeRuns", scopeRuns},
		{"ScopeApprovals", scopeApprovals},
		{"ScopeDeliverables", scopeDeliverables},
		{"ScopeSecondLooks", scopeSecondLooks},
		{"ScopeFigures", scopeFigures},
		{"ScopeMany", scopeMany},
		{"ScopeLimits", scopeLimits},
		{"Deliverables", deliverables},
		{"DeliverableMarks", deliverableMarks},
		{"SecondLooks", secondLooks},
		{"Expire", expire},
		{"ExpireArchived", expireArchived},
		{"CollectBlobs", collectBlobs},
		{"CollectRace", collectRace},
		{"RemovePayloads", removePayloads},
		{"RemovalGuards", removalGuards},
		{"Versions", versions},
		{"VersionsRace", versionsRace},
		{"Generation", generation},
		{"Grants", grants},
		{"Sums", sums},
		{"SumsRace", sumsRace},
		{"SumsForgotten", sumsForgotten},
		{"Bundles", bundles},
		{"Blobs", blobs},
		{"BlobFailures", blobFailures},
		{"Accounts", accounts},
		{"AccountRace", accountRace},
		{"Tokens", tokens},
		{"Sessions", sessions},
		{"StandIns", standIns},
		{"HostileIdentities", hostileIdentities},
		{"Subjects", subjects},
		{"NamesOfAccounts", namesOfAccounts},
		{"AuditedIdentities", auditedIdentities},
		{"AuditEntries", auditEntries},
		{"AuditPages", auditPages},
		{"CountBound", countBound},
		{"AuditWithWrite", auditWithWrite},
		{"AuditRace", auditRace},
		{"AuditHeads", auditHeads},
		{"EventSalts", eventSalts},
		{"Lead", leadAlone},
		{"Hostile", hostile},
		{"Limits", limits},
		{"Closed", closed},
		{"ClosedToAll", closedToAll},
	} {
		t.Run(c.name, func(t *testing.T) {
			if hooks.brief() && (c.name == "ScopeMany" || c.name == "SearchMany") {
				t.Skip("what is asked of many rows looks at columns that are never sealed")
			}
			c.run(t, open(t))
		})
	}
	t.Run("Reopen", func(t *testing.T) { reopen(t, open(t), hooks) })
	t.Run("LeadHandover", func(t *testing.T) { leadHandover(t, open(t), hooks) })
	if hooks.Shared {
		t.Run("TwoHandles", func(t *testing.T) { twoHandles(t, open(t), hooks) })
	}
	if hooks.Child != nil {
		t.Run("Kill", func(t *testing.T) { kill(t, open(t), hooks) })
	}
}

var began = time.Date(2026, 3, 1, 9, 0, 0, 123456789, time.UTC)

// author writes to one run.
type author struct {
	id  string
	seq int64
	row port.RunRow
}

func newAuthor(id string) *author {
	return &author{id: id, row: port.RunRow{
		ID: id, Workflow: "refund", Version: 3, Definition: "sha256:abc", Status: run.Running, Owner: "ann",
		StepsTotal: 3, CostUSD: "0.10",
		StartedAt: began, UpdatedAt: began,
	}}
}

// write makes the next write out of facts; it is not stored yet.
func (a *author) write(facts ...run.Fact) port.Write {
	w := port.Write{Run: a.id, After: a.seq, Row: a.row}
	for i, f := range facts {
		w.Events = append(w.Events, run.Event{
			Run: a.id, Seq: a.seq + 1 + int64(i), At: began.Add(time.Duration(a.seq) * time.Millisecond),
			Actor: run.Actor{Kind: run.Person, Name: "ann"}, Cause: "cmd_1", Fact: f,
		})
	}
	w.Row.Seq = a.seq + int64(len(facts))
	return w
}

// did stores the next write and moves on.
func (a *author) did(t *testing.T, s store.Store, facts ...run.Fact) int64 {
	t.Helper()
	return a.store(t, s, a.write(facts...))
}

func (a *author) store(t *testing.T, s store.Store, w port.Write) int64 {
	t.Helper()
	feed, err := s.Append(t.Context(), w)
	must(t, err)
	a.seq = w.Row.Seq
	return feed
}

func started(input string) run.Fact {
	return &run.RunStarted{Workflow: "refund", Version: 3, Definition: "sha256:abc",
		Input: json.RawMessage(input), Owner: "ann"}
}

func said(text string) run.Fact {
	return &run.MessageAdded{Message: run.Message{From: run.Actor{Kind: run.Person, Name: "ann"}, Text: text, At: began}}
}

func returned(output string) run.Fact {
	return &run.StepCompleted{Step: "draft", Result: &run.Result{Output: json.RawMessage(output)}}
}

func runID(i int) string { return fmt.Sprintf("run_%06d", i) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("got error %v, want one with code %s", err, code)
	}
}

func wantEqual[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	g, err := json.Marshal(got)
	must(t, err)
	w, err := json.Marshal(want)
	must(t, err)
	if string(g) != string(w) {
		t.Fatalf("%s:\n got %.2000s\nwant %.2000s", what, g, w)
	}
}

// readFeed reads the feed to its end.
func readFeed(t *testing.T, s store.Store, after int64, limit int, f port.FeedFilter) (all []port.Record, end int64) {
	t.Helper()
	for {
		records, next, err := s.Feed(t.Context(), after, limit, f)
		must(t, err)
		all = append(all, records...)
		if next == after {
			return all, after
		}
		after = next
	}
}

// readRun reads a run's log to its end.
func readRun(ctx context.Context, s store.Store, id string, limit int) (all []port.Record, err error) {
	after := int64(0)
	for {
		records, err := s.Events(ctx, id, after, limit)
		if err != nil || len(records) == 0 {
			return all, err
		}
		all = append(all, records...)
		after = records[len(records)-1].Seq
	}
}

// wantDense checks that a run's log is complete and in order.
func wantDense(t *testing.T, s store.Store, id string, last int64) {
	t.Helper()
	records, err := readRun(t.Context(), s, id, 7)
	must(t, err)
	for i, r := range records {
		if r.Seq != int64(i)+1 || r.Run != id {
			t.Fatalf("event %d of %s is number %d of %s", i+1, id, r.Seq, r.Run)
		}
	}
	if int64(len(records)) != last {
		t.Fatalf("the log of %s has %d events, want %d", id, len(records), last)
	}
}
