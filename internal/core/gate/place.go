package gate

// Place is a spot where people were asked.
type Place struct {
	Content string `json:"content"` // digest of what is proposed now
	Asks    []Ask  `json:"asks"`
	Passed  bool   `json:"passed,omitempty"`
	// Implementation is what was shown to those who were asked before a step, and
	// Changed how it differs from what was approved there earlier.
	Implementation []Implementation `json:"implementation,omitempty"`
	Changed        []VersionChange  `json:"changed,omitempty"`
}

// Ask is one thing that had to be asked at a place.
type Ask struct {
	Want     string `json:"want"`
	Approval int    `json:"approval"`           // position among those of the run
	Content  string `json:"content"`            // digest of what was shown
	Accepted string `json:"accepted,omitempty"` // digest of what was accepted
	Pending  bool   `json:"pending,omitempty"`
}
