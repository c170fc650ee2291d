// Package risk rates how dangerous an action is and whether an agent may take it without approval.
//
// Three types build on each other. A Level orders risks from low to critical. A Class is the risk declared
// for a tool: a level, or just "safe" or "approval_required". An Autonomy is how much an agent may do without
// asking:
//
//	t := risk.Tool{Name: "email_send"}
//	risk.Classify(t)                               // approval_required
//	ask, level, why := risk.Ask(risk.Full, t, nil) // false, high, ["sends or publishes data to others"]
//
// Unknown is never safe: a tool without a class, an operation or a recognisable name has to ask.
package risk

import "slices"

// Level orders risks. The empty level is below all others: unknown.
type Level string

const (
	Low      Level = "low"
	Medium   Level = "medium"
	High     Level = "high"
	Critical Level = "critical"
)

// Levels lists all levels, lowest first.
var Levels = []Level{Low, Medium, High, Critical}

// Rank is 1 for low up to 4 for critical, and 0 for anything else.
func (l Level) Rank() int { return slices.Index(Levels, l) + 1 }

// Valid reports whether l is one of Levels.
func (l Level) Valid() bool { return l.Rank() > 0 }

// Autonomy is how much an agent may do without asking.
type Autonomy string

const (
	Full              Autonomy = "full"               // only critical tools and those named in its settings ask
	ApproveHighRisk   Autonomy = "approve_high_risk"  // risky tools ask; the default
	ApproveMilestones Autonomy = "approve_milestones" // like full, and the milestone tool asks
	ApproveAll        Autonomy = "approve_all"        // every tool asks
)

// Autonomies lists all of them, least strict first.
var Autonomies = []Autonomy{Full, ApproveMilestones, ApproveHighRisk, ApproveAll}

// Valid reports whether a is one of Autonomies, or empty and thus the default.
func (a Autonomy) Valid() bool { return a == "" || slices.Contains(Autonomies, a) }

// OrDefault fills in the default, and replaces an unknown value with the strictest.
func (a Autonomy) OrDefault() Autonomy {
	switch {
	case a == "":
		return ApproveHighRisk
	case !a.Valid():
		return ApproveAll
	}
	return a
}

// Class is the risk of a tool as declared in files: "safe", "approval_required" or the name of a Level.
type Class string

const (
	Safe             Class = "safe"
	ApprovalRequired Class = "approval_required"
)

// Classes lists every valid class.
var Classes = []Class{Safe, ApprovalRequired, Class(Low), Class(Medium), Class(High), Class(Critical)}

// Valid reports whether c is one of Classes.
func (c Class) Valid() bool { return slices.Contains(Classes, c) }

// Level converts a class: safe is low, approval_required is high, and so is an unknown word.
func (c Class) Level() Level {
	switch l := Level(c); {
	case l.Valid():
		return l
	case c == Safe:
		return Low
	}
	return High
}

// Asks reports whether this class needs approval under approve_high_risk.
func (c Class) Asks() bool { return c.Level().Rank() >= High.Rank() }
