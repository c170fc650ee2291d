package gate

import (
	"slices"
	"strconv"
)

// Implementation is a document, or anything else with versions, that would be used if the approval is
// granted. An approval is bound to all of them.
type Implementation struct {
	Kind    string `json:"kind" holds:"id"` // tool, agent, mcp_server, mcp_tool, workflow or builtin.
	Name    string `json:"name" holds:"text"`
	Version int    `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty" holds:"digest"` // Names the content: sha256:…
}

// VersionChange is an implementation that differs from the approved one. From and To are version numbers if
// both have one, digests otherwise; empty means that it was not used then, or is not used now.
type VersionChange struct {
	// tool, agent, mcp_server, mcp_tool, workflow or builtin.
	Kind string `json:"kind" holds:"id"`
	Name string `json:"name" holds:"text"`
	// The approved version: its number, or a digest if it has none; empty if it was not used.
	From string `json:"from" holds:"id"`
	// The version that would be used now.
	To string `json:"to" holds:"id"`
}

// Same reports whether two lists contain the same implementations in the same versions.
func Same(a, b []Implementation) bool { return slices.Equal(a, b) }

// Changes lists the differences between the approved implementations and those that would be used now.
func Changes(approved, now []Implementation) []VersionChange {
	var out []VersionChange
	for _, was := range approved {
		is, ok := find(now, was)
		switch {
		case !ok:
			out = append(out, VersionChange{was.Kind, was.Name, was.word(false), ""})
		case is != was:
			byNumber := was.Version > 0 && is.Version > 0 && was.Version != is.Version
			out = append(out, VersionChange{was.Kind, was.Name, was.word(!byNumber), is.word(!byNumber)})
		}
	}
	for _, is := range now {
		if _, ok := find(approved, is); !ok {
			out = append(out, VersionChange{is.Kind, is.Name, "", is.word(false)})
		}
	}
	return out
}

func find(list []Implementation, like Implementation) (Implementation, bool) {
	at := slices.IndexFunc(list, func(i Implementation) bool { return i.Kind == like.Kind && i.Name == like.Name })
	if at < 0 {
		return Implementation{}, false
	}
	return list[at], true
}

// word formats the version for people.
func (i Implementation) word(digest bool) string {
	if i.Version > 0 && !digest {
		return strconv.Itoa(i.Version)
	}
	return i.Digest
}

// Meets reports whether the approvers of a would also be enough under other terms: as many, with the required
// roles. An approval by a rule or by timeout meets no terms.
func (a *Approval) Meets(t Terms) bool {
	if a.Outcome == nil || !a.Outcome.Positive() || a.Status == AutoApproved || a.Status == TimedOut {
		return false
	}
	other := Approval{Request: Request{Kind: a.Kind, Terms: t}} // escalations of the old question do not matter
	votes := slices.DeleteFunc(a.votes(positiveOf(a.Kind), a.Outcome.Option), func(d Decision) bool {
		excluded := t.ExcludeRequester && t.Requester != "" && (d.By == t.Requester || d.OnBehalfOf == t.Requester)
		wrongOwner := t.OnlyOwner != "" && d.By != t.OnlyOwner && d.OnBehalfOf != t.OnlyOwner
		return excluded || wrongOwner || t.OnlyOwner == "" && !other.mayAnswer(d.By, d.Roles) &&
			!other.mayAnswer(d.OnBehalfOf, nil)
	})
	for i := range votes { // a seat that was taken is kept; other votes fill the seats their roles allow
		if votes[i].Role == RoleNone {
			votes[i].Role = ""
		}
	}
	return other.given(votes) >= other.needed()
}
