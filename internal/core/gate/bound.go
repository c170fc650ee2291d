package gate

import (
	"slices"
	"strconv"
)

// Implementation is a document, or another thing with versions, that would be
// used if people say yes. An approval is bound to all of them.
type Implementation struct {
	Kind    string `json:"kind" holds:"id"` // tool | agent | mcp_server | mcp_tool | workflow | builtin
	Name    string `json:"name" holds:"text"`
	Version int    `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty" holds:"digest"`
}

// VersionChange is an implementation that is not the one that people approved. From and
// To are version numbers where both have one, digests otherwise; empty means
// that it was not used then, or is not used now.
type VersionChange struct {
	Kind string `json:"kind" holds:"id"`
	Name string `json:"name" holds:"text"`
	From string `json:"from" holds:"id"`
	To   string `json:"to" holds:"id"`
}

// Same reports whether two lists of implementations are the same things in the
// same versions.
func Same(a, b []Implementation) bool { return slices.Equal(a, b) }

// Changes lists what differs between what was approved and what would be used.
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

// word is the version as people read it.
func (i Implementation) word(digest bool) string {
	if i.Version > 0 && !digest {
		return strconv.Itoa(i.Version)
	}
	return i.Digest
}

// Meets reports whether the people who said yes to a would be enough under other
// terms, too: as many, with the roles that are asked for. What a rule or silence
// answered meets nothing.
func (a *Approval) Meets(t Terms) bool {
	if a.Outcome == nil || !a.Outcome.Positive() || a.Status == AutoApproved || a.Status == TimedOut {
		return false
	}
	other := Approval{Request: Request{Kind: a.Kind, Terms: t}} // to whom the old question was escalated does not matter
	votes := slices.DeleteFunc(a.votes(positiveOf(a.Kind), a.Outcome.Option), func(d Decision) bool {
		excluded := t.ExcludeRequester && t.Requester != "" && (d.By == t.Requester || d.OnBehalfOf == t.Requester)
		wrongOwner := t.OnlyOwner != "" && d.By != t.OnlyOwner && d.OnBehalfOf != t.OnlyOwner
		return excluded || wrongOwner || t.OnlyOwner == "" && !other.mayAnswer(d.By, d.Roles) &&
			!other.mayAnswer(d.OnBehalfOf, nil)
	})
	for i := range votes { // a place that was taken is kept; other votes fill what their roles can
		if votes[i].Role == RoleNone {
			votes[i].Role = ""
		}
	}
	return other.given(votes) >= other.needed()
}
