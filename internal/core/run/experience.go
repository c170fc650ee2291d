package run

import "slices"

// AgentPrefix begins the name of an agent where tools are named as well.
const AgentPrefix = "agent:"

// Limits of what one run teaches. Each is tested at and over.
const (
	ExperienceTools = 20    // tools
	ExperiencePairs = 100   // pairs of tools, of each kind
	ServedMax       = 10    // requests
	RequestMax      = 1_000 // bytes of a request
)

// Experience is what a run that has ended teaches about tools. It names tools and repeats requests; no input,
// output or argument is in it.
type Experience struct {
	// Tools are those that worked, in plan order. An agent is agent:NAME.
	Tools []string `json:"tools,omitempty" holds:"id"`
	// Then are pairs of Tools, by position: a step with the second needed one with the first.
	Then [][2]int `json:"then,omitempty"`
	// Fits are pairs of Tools: the second was given a result of the first.
	Fits [][2]int `json:"fits,omitempty"`
	// Served are requests, and the tools that served them or did not.
	Served []Served `json:"served,omitempty"`
}

// Served is a request, with the tools that served it and those that did not.
type Served struct {
	Request string `json:"request" holds:"text,blank"`
	// Said is true for words of people and agents; the others are those of a document.
	Said bool `json:"said,omitempty"`
	// Declared is true if the workflow declares that such words are not sensitive. Without it they are not kept.
	Declared bool     `json:"declared,omitempty"`
	Tools    []string `json:"tools,omitempty" holds:"id"`
	// Not are tools that failed, or that people rejected.
	Not []string `json:"not,omitempty" holds:"id"`
}

// Empty reports whether there is nothing to learn: a tool on its own is no experience.
func (e *Experience) Empty() bool {
	return e == nil || len(e.Tools) < 2 && len(e.Served) == 0
}

// DropUndeclared removes words of people and agents that no workflow declared not to be sensitive, and reports whether
// there were any: earlier releases stored them.
func (e *Experience) DropUndeclared() bool {
	before := len(e.Served)
	e.Served = slices.DeleteFunc(e.Served, func(s Served) bool { return s.Said && !s.Declared })
	return len(e.Served) < before
}
