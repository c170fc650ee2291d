// Package storetest is the conformance suite for store.Store. Every adapter runs all of it:
//
//	storetest.Run(t, open, storetest.Hooks{Again: again, Child: child})
//
// Nothing here sleeps to wait, and nothing is mocked. The checks of lists and of search are in package list,
// shared helpers in package fixture.
package storetest

import (
	"os"
	"os/exec"
	"testing"

	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/hook"
	"github.com/assent-run/assent/internal/store/storetest/list"
	"github.com/assent-run/assent/internal/store/storetest/notice"
	"github.com/assent-run/assent/internal/store/storetest/published"
	"github.com/assent-run/assent/internal/store/storetest/workingcopy"
)

// Hooks are what an adapter can do in addition to opening an empty store.
type Hooks struct {
	// Again reopens the data of a store. Single-process stores are closed before; shared ones may still be
	// open.
	Again func(t *testing.T, s store.Store) store.Store
	// Sealed means that the store encrypts values. It is the same store, so by far the longest check is
	// skipped, and a process is killed once, unless the variable ASSENT_STORETEST is "all", as in make soak.
	Sealed bool
	// Shared means that several processes may have the data open at once.
	Shared bool
	// Child restarts the test binary so that it calls Child with a store on the same data. The given store is
	// closed unless stores are shared.
	Child func(t *testing.T, s store.Store) *exec.Cmd
}

func (h *Hooks) brief() bool { return h.Sealed && os.Getenv("ASSENT_STORETEST") != "all" }

// Run runs the conformance suite. open creates an empty store that is closed when the test ends; closing it
// earlier is fine.
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
		{"RunRow", list.RunRow},
		{"RunList", list.Runs},
		{"RunCursorStable", list.RunCursorStable},
		{"Totals", list.Totals},
		{"DueAndBusy", list.DueAndBusy},
		{"ApprovalRow", list.ApprovalRow},
		{"ApprovalFilters", list.ApprovalFilters},
		{"ApprovalSorts", list.ApprovalSorts},
		{"ApprovalModel", list.ApprovalModel},
		{"NewestFirst", list.NewestFirst},
		{"SearchWords", list.SearchWords},
		{"SearchChanges", list.SearchChanges},
		{"SearchRemoved", list.SearchRemoved},
		{"SearchScope", list.SearchScope},
		{"SearchMany", list.SearchMany},
		{"Figures", list.Figures},
		{"Backlog", list.Backlog},
		{"ScopeRuns", list.ScopeRuns},
		{"ScopeApprovals", list.ScopeApprovals},
		{"ScopeDeliverables", list.ScopeDeliverables},
		{"ScopeSecondLooks", list.ScopeSecondLooks},
		{"ScopeFigures", list.ScopeFigures},
		{"AgentWork", list.AgentWork},
		{"WorkGuards", list.WorkGuards},
		{"ScopeAgentWork", list.ScopeAgentWork},
		{"ScopeMany", list.ScopeMany},
		{"ScopeLimits", list.ScopeLimits},
		{"Deliverables", deliverables},
		{"DeliverableMarks", deliverableMarks},
		{"SecondLooks", list.SecondLooks},
		{"Expire", expire},
		{"ExpireArchived", expireArchived},
		{"CollectBlobs", collectBlobs},
		{"CollectRace", collectRace},
		{"RemovePayloads", removePayloads},
		{"RemovalGuards", removalGuards},
		{"Experiences", experiences},
		{"Unlearned", unlearned},
		{"ExperiencesBounded", experiencesBounded},
		{"ExperienceRemoved", experienceRemoved},
		{"ExperienceUndeclared", undeclared},
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
		{"Firings", firings},
		{"Links", notice.Links},
		{"LinksEnd", notice.LinksEnd},
		{"LinkRace", notice.LinkRace},
		{"Pushes", notice.Pushes},
		{"PushesEnd", notice.PushesEnd},
		{"PushKey", notice.PushKey},
		{"Outbox", notice.Outbox},
		{"TraceMarks", notice.TraceMarks},
		{"Claims", notice.Claims},
		{"Takeover", notice.Takeover},
		{"DeliveryLog", notice.DeliveryLog},
		{"Notices", notice.Notices},
		{"HookDeliveries", hook.Deliveries},
		{"HookDeliveriesRemoved", hook.Removed},
		{"PublishedOver", published.Over},
		{"Sources", published.Sources},
		{"SavedOver", published.After},
		{"WorkingCopies", workingcopy.Copies},
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
				t.Skip("queries of many rows read columns that are never sealed")
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
