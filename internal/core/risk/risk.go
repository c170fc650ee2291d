// Package risk says how dangerous something is and whether an agent may do it
// on its own.
//
// Three words build on each other. A Level orders dangers, from low to
// critical. A Class is what people write next to a tool: a level, or just
// "safe" and "approval_required". An Autonomy is how much an agent may do
// without asking:
//
//	t := risk.Tool{Name: "email_send"}
//	risk.Classify(t)                               // approval_required
//	ask, level, why := risk.Ask(risk.Full, t, nil) // false, high, ["sends or publishes data to others"]
//
// What nobody knows is never safe: a tool without a class, an operation or a
// telling name has to ask.
package risk

import "slices"

// Level orders dangers. The empty level is below all others: not known.
type Level string

const (
	Low      Level = "low"
	Medium   Level = "medium"
	High     Level = "high"
	Critical Level = "critical"
)

// Levels lists them from the least to the most dangerous.
var Levels = []Level{Low, Medium, High, Critical}

// Rank is 1 for low up to 4 for critical, and 0 for anything else.
func (l Level) Rank() int { return slices.Index(Levels, l) + 1 }

// Valid reports whether l is one of Levels.
func (l Level) Valid() bool { return l.Rank() > 0 }

// Autonomy is how much an agent may do without asking.
type Autonomy string

const (
	Full              Autonomy = "full"               // nothing asks but critical tools and those its settings name
	ApproveHighRisk   Autonomy = "approve_high_risk"  // risky tools ask; the default
	ApproveMilestones Autonomy = "approve_milestones" // as full, and the milestone tool asks
	ApproveAll        Autonomy = "approve_all"        // every tool asks
)

// Autonomies lists them from the freest to the strictest.
var Autonomies = []Autonomy{Full, ApproveMilestones, ApproveHighRisk, ApproveAll}

// Valid reports whether a is one of Autonomies, or empty and so the default.
func (a Autonomy) Valid() bool { return a == "" || slices.Contains(Autonomies, a) }

// OrDefault fills in what an agent gets that says nothing, and takes the
// strictest for a word that means nothing.
func (a Autonomy) OrDefault() Autonomy {
	switch {
	case a == "":
		return ApproveHighRisk
	case !a.Valid():
		return ApproveAll
	}
	return a
}

// Class is the danger of a tool as written in files: "safe",
// "approval_required" or the name of a Level.
type Class string

const (
	Safe             Class = "safe"
	ApprovalRequired Class = "approval_required"
)

// Classes lists every word a file may use.
var Classes = []Class{Safe, ApprovalRequired, Class(Low), Class(Medium), Class(High), Class(Critical)}

// Valid reports whether c is one of Classes.
func (c Class) Valid() bool { return slices.Contains(Classes, c) }

// Level translates: safe is low, approval_required is high, and so is a word
// that means nothing.
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
