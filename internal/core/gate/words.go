package gate

// Kind is the kind of decision an approval asks for.
type Kind string

const (
	KindApproval   Kind = "approval"
	KindChoice     Kind = "choice"
	KindInput      Kind = "input"
	KindEscalation Kind = "escalation"
)

// Kinds lists all kinds, in the order people meet them.
var Kinds = []Kind{KindApproval, KindChoice, KindInput, KindEscalation}

// Act is an act on an open approval.
type Act string

const (
	Approve         Act = "approve"
	Modify          Act = "modify"
	Reject          Act = "reject"
	Choose          Act = "choose"
	Submit          Act = "submit"
	Escalate        Act = "escalate"
	RequestRevision Act = "request_revision"
	Delegate        Act = "delegate"
)

// Acts lists all acts.
var Acts = []Act{Approve, Modify, Reject, Choose, Submit, Escalate, RequestRevision, Delegate}

// Via is where a person decided, if not here: a program that relays people's decisions.
type Via string

const (
	ViaSlack Via = "slack"
	ViaTeams Via = "teams"
)

// Product is its name for people.
func (v Via) Product() string {
	switch v {
	case ViaSlack:
		return "Slack"
	case ViaTeams:
		return "Microsoft Teams"
	}
	return string(v)
}

// Vias lists them all.
var Vias = []Via{ViaSlack, ViaTeams}

// Status is the status of an approval.
type Status string

const (
	Pending           Status = "pending"
	Approved          Status = "approved"
	Modified          Status = "modified"
	Rejected          Status = "rejected"
	Chosen            Status = "chosen"
	Submitted         Status = "submitted"
	RevisionRequested Status = "revision_requested"
	TimedOut          Status = "timed_out"
	Cancelled         Status = "cancelled"
	AutoApproved      Status = "auto_approved"
)

// Reason is why people are asked.
type Reason string

const (
	ReasonGate          Reason = "gate"
	ReasonRule          Reason = "rule"
	ReasonLowConfidence Reason = "low_confidence"
	ReasonCall          Reason = "call"
	ReasonMilestone     Reason = "milestone"
	ReasonLimit         Reason = "limit"
	ReasonLoop          Reason = "loop"
	// ReasonSuggested marks a result that has already been used; people may review it later.
	ReasonSuggested Reason = "review_suggested"
)

// Then is what happens on timeout.
type Then string

const (
	ThenApprove  Then = "approve"
	ThenReject   Then = "reject"
	ThenCancel   Then = "cancel"
	ThenDefault  Then = "default"
	ThenPause    Then = "pause"
	ThenEscalate Then = "escalate"
)

// Proceeds reports whether a timeout lets the work continue without a person: a default is an answer as well.
func (t Then) Proceeds() bool { return t == ThenApprove || t == ThenDefault }

// Thens lists all of them.
var Thens = []Then{ThenApprove, ThenReject, ThenCancel, ThenDefault, ThenPause, ThenEscalate}

// OnReject is a rejection's effect on the run.
type OnReject string

const (
	RejectFails   OnReject = "fail"
	RejectCancels OnReject = "cancel"
	RejectRevises OnReject = "revise"
	RejectTells   OnReject = "tell"
)

// OnRejects lists all of them.
var OnRejects = []OnReject{RejectFails, RejectCancels, RejectRevises, RejectTells}
