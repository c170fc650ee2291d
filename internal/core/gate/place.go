package gate

// Place is a point in a run where people were asked.
type Place struct {
	Content string `json:"content"` // digest of the current proposal
	Asks    []Ask  `json:"asks"`
	Passed  bool   `json:"passed,omitempty"`
	// Implementation is what was shown to the people asked before a step, and Changed is how it differs from
	// the version approved there earlier.
	Implementation []Implementation `json:"implementation,omitempty"`
	Changed        []VersionChange  `json:"changed,omitempty"`
}

// Ask is one question that a place raised.
type Ask struct {
	Want     string `json:"want"`
	Approval int    `json:"approval"`           // position among the run's questions
	Content  string `json:"content"`            // digest of what was shown
	Accepted string `json:"accepted,omitempty"` // digest of what was accepted
	Pending  bool   `json:"pending,omitempty"`
}
