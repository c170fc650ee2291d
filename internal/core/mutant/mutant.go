// Package mutant names bugs that can be planted on purpose, to prove that the
// tests would notice them. In an ordinary build Is is the constant false and
// every planted branch is compiled away; with `-tags mutant` a test activates
// one bug at a time and the simulator or the scenarios must catch it.
package mutant

// Bug is one planted fault.
type Bug string

const (
	DoubleVote         Bug = "one person's vote counts twice"
	RequesterVotes     Bug = "an excluded requester's vote counts"
	SecondGateSkipped  Bug = "a gate is skipped when two open at once"
	ByPosition         Bug = "decisions are matched by position"
	EarlyCompletion    Bug = "a run completes while a branch waits"
	EffectsOnce        Bug = "effects are sent once instead of derived"
	DeadlineWins       Bug = "a deadline wins over an earlier decision"
	DeniedCallRuns     Bug = "a denied call is executed"
	StaleAppend        Bug = "a stale host's append is accepted"
	AnsweredTwice      Bug = "a command id is answered twice"
	ForkReissues       Bug = "a recorded effect is re-issued after a fork"
	ChangedArgsPass    Bug = "changed arguments need no new approval"
	SnapshotIncomplete Bug = "a snapshot is taken before the fold was complete"

	ServicesVote      Bug = "the decision of a program counts"
	OverrideIgnored   Bug = "an agent's setting for a tool is ignored under full autonomy"
	CriticalIgnored   Bug = "a critical tool does not ask under full autonomy or milestones"
	HandOffLoosens    Bug = "after a hand-off only the new agent's autonomy holds"
	HandOffAnywhere   Bug = "an agent hands over to one that is not listed"
	HoursIgnored      Bug = "a rule approves outside business hours"
	StopIgnored       Bug = "a rule approves while the emergency stop is on"
	MissingIsFalse    Bug = "a rule takes a field that is left out for one that does not match"
	NotAskedOnceMore  Bug = "a rule published while people decide is ignored"
	RolloutIgnored    Bug = "a rule approves cases that it is not rolled out to"
	ConfidenceUnseen  Bug = "an act is judged as if its sources were certain"
	ChangeUnnoticed   Bug = "the action has changed since it was approved, and nobody is asked"
	RejectedIsUsed    Bug = "a rejected result is passed on where the run continues"
	SilenceDuringStop Bug = "silence approves while the emergency stop is on"
	DefaultDuringStop Bug = "a default is used while the emergency stop is on"
	SumForgetsThis    Bug = "a sum leaves out the act that is judged"
	SumForgetsOthers  Bug = "a sum leaves out what the run has begun or asks about"
	SumForgetsRuns    Bug = "a sum leaves out what other runs have begun"
	VotesMatchedAnew  Bug = "votes are matched to roles again after each vote"
	NoRole            Bug = "a question that names no role is answered by anyone"
	TestModeCalls     Bug = "a test run calls what may do harm"
	UsesIgnored       Bug = "a rule approves more often than it may"
	CallUnbound       Bug = "a call is made with another version of its tool than was approved"
	OldVersionCounts  Bug = "a call runs on the approval of an earlier version of its tool"
	OldRevisionCounts Bug = "a call runs on the approval of a call in an earlier revision of its step"
	KeysTwice         Bug = "text with a key twice is taken"
	RuleSparesNothing Bug = "a rule approves what cannot be undone without saying so"
	SilenceSparesNone Bug = "silence approves what cannot be undone without saying so"
	ReplanUnasked     Bug = "steps that were found are added where people should be asked"
	ReplanRejected    Bug = "steps that were found are added although people rejected them"
	ReplanOvertaken   Bug = "a step starts before people decided about those in front of it"
	ReplanUnset       Bug = "a step that lacks an argument is added and shown to nobody"
	ReplaceUngated    Bug = "a step that replaces another does not inherit its gates"
	ReplacedReturns   Bug = "a step that failed and was replaced is done again"
	ToolStepEarly     Bug = "a step that calls a tool starts before its gate is passed"
	ProgramsAreSure   Bug = "what a program writes into a run counts as certain"
	AnswersForged     Bug = "an output may stand for the answer at a gate"
	ForkKeepsAnswers  Bug = "a fork keeps answers that its edits may have changed"
	ForkUnasked       Bug = "a fork counts as done what would have asked about its edits"
	ForkOwned         Bug = "a program that forks a run becomes its requester"
	SkippedUnasked    Bug = "a step that people have to answer is skipped by anyone"
	ToolStepUnasked   Bug = "the call of a step is made without asking, whatever its tool's gates and risk"

	AheadAnyway   Bug = "a step that ran ahead is used although the decision was another"
	AheadKeyKept  Bug = "a step that ran ahead in vain runs again under the same key"
	AheadDelivers Bug = "a step that runs ahead delivers before it is used"
	AheadCosts    Bug = "a step that ran ahead in vain counts in the cost of the run"
	HarmAhead     Bug = "a step that may do harm runs ahead"
	AheadPastGate Bug = "a step runs ahead of an approval of its own"
)

// Bugs of the engine that drives runs.
const (
	StateKept          Bug = "what could not be stored is remembered"
	NoSnapshots        Bug = "no snapshot is ever taken"
	SilenceUnguarded   Bug = "an approval by silence is not guarded by the generation"
	GenerationDropped  Bug = "an automatic approval is not guarded by the generation"
	UsesDropped        Bug = "uses of limited rules are not counted"
	NeverCancelled     Bug = "work is not stopped when it is not owed any more"
	ManyNotCancelled   Bug = "of more than 16 pieces of work none is stopped"
	FencingOff         Bug = "what only a leader may write carries no epoch"
	Unconfirmed        Bug = "work starts without asking who leads"
	NotHeld            Bug = "finished work is thrown away while the store is away"
	CancelledIsFailure Bug = "stopped work is reported as failed"
	ChildForgotten     Bug = "a sub-run that never began stays owed"
	OutageFails        Bug = "a step fails because a sub-run could not be stored"
	BlobInterrupted    Bug = "an agent is blamed for a deliverable that could not be stored"
	NoSweep            Bug = "what is owed is not looked at again"
)

// Bugs of notifications.
const (
	ButtonsStay       Bug = "a message keeps its buttons after the decision"
	NotLookedUp       Bug = "a message is sent again without asking whether it arrived"
	ClaimsStay        Bug = "the claims of a killed leader last as long as its own"
	DigestDropped     Bug = "messages that wait for a summary are never sent"
	QuietIgnored      Bug = "people are told during their quiet hours"
	ToldWithoutRight  Bug = "people are told of an approval that they may not see"
	FallbackForgotten Bug = "the fallback channel is not used"
	MaskedShown       Bug = "a message shows and decides what is masked"
	ToldAgain         Bug = "people who were asked are asked again when others are"
)

// Notifications lists the bugs of notifications, which their tests must catch.
var Notifications = []Bug{ButtonsStay, NotLookedUp, ClaimsStay, DigestDropped, QuietIgnored, ToldWithoutRight,
	FallbackForgotten, MaskedShown, ToldAgain}

// Engine lists the bugs of the engine, which simulations of it must catch.
var Engine = []Bug{
	StateKept, NoSnapshots, SilenceUnguarded, GenerationDropped, UsesDropped, NeverCancelled, ManyNotCancelled,
	FencingOff, Unconfirmed,
	NotHeld, CancelledIsFailure, ChildForgotten, OutageFails, BlobInterrupted, NoSweep,
}

// All lists every bug that must be caught.
var All = []Bug{
	DoubleVote, RequesterVotes, SecondGateSkipped, ByPosition, EarlyCompletion, EffectsOnce, DeadlineWins,
	DeniedCallRuns, StaleAppend, AnsweredTwice, ForkReissues, ChangedArgsPass, SnapshotIncomplete,
	ServicesVote, OverrideIgnored, CriticalIgnored, HandOffLoosens, HandOffAnywhere,
	HoursIgnored, StopIgnored, SilenceDuringStop, DefaultDuringStop,
	MissingIsFalse, NotAskedOnceMore, RolloutIgnored, ConfidenceUnseen, ChangeUnnoticed, RejectedIsUsed,
	VotesMatchedAnew,
	NoRole, TestModeCalls, UsesIgnored, CallUnbound, OldVersionCounts, OldRevisionCounts, KeysTwice,
	SumForgetsThis, SumForgetsOthers, SumForgetsRuns,
	RuleSparesNothing, SilenceSparesNone,
	ReplanUnasked, ReplanRejected, ReplanOvertaken, ReplanUnset, ReplaceUngated, ReplacedReturns,
	ToolStepEarly, ToolStepUnasked, SkippedUnasked, ForkKeepsAnswers, ForkUnasked, ForkOwned,
	AnswersForged, ProgramsAreSure,
	AheadAnyway, AheadKeyKept, AheadDelivers, AheadCosts, HarmAhead, AheadPastGate,
}
