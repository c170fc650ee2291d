package api

import (
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// subjectOperations manage the owners of names from an identity provider.
func subjectOperations() []operation {
	all := base + "/subjects"
	return []operation{
		{
			method: "GET", path: all, id: "listSubjects", tag: "Access", summary: "List names from the identity provider",
			description: "For administrators. A name belongs to one person permanently; label is their current name at the " +
				"provider. Documents, delegations and stand-ins refer to people by name.",
			console: true, gives: view.List[BoundNameView]{}, do: (*Server).listSubjects,
		},
		{
			method: "DELETE", path: all + "/{name}", id: "releaseSubject", tag: "Access",
			summary: "Release a name of the identity provider",
			description: "For administrators. Sessions under the name end, and tokens of kind person that act under it are " +
				"revoked. Other people with that name can then sign in, under names of their own: everything " +
				"under the name stays with its owner. " +
				"With hand_over, the next person who signs in under the name gets it with everything under it: runs, " +
				"assignments, votes. Use it when the provider now knows the same person under another subject; it also " +
				"works for names of removed accounts.",
			params: []request.Param{{Name: "hand_over", Kind: request.Flag, Fallback: false,
				Doc: "Hand everything under the name to the next person who signs in with it."}},
			console: true, changes: true, gives: BoundNameView{}, do: (*Server).releaseSubject,
		},
	}
}

// BoundNameView is the owner of a name.
type BoundNameView struct {
	Name    string    `json:"name"`
	Label   string    `json:"label"`    // The person's current name at the provider.
	Issuer  string    `json:"issuer"`   // The identity provider.
	Subject string    `json:"subject"`  // The person's permanent id at the provider.
	BoundAt time.Time `json:"bound_at"` // When the person first signed in with this name.
}

func viewBoundName(s port.Subject) BoundNameView {
	return BoundNameView{Name: s.Name, Label: s.Label, Issuer: s.Issuer, Subject: s.Subject, BoundAt: s.BoundAt}
}

func (s *Server) listSubjects(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	all, err := access.Subjects(c)
	out := view.List[BoundNameView]{Items: []BoundNameView{}, Total: int64(len(all))}
	for _, v := range all {
		out.Items = append(out.Items, viewBoundName(v))
	}
	return reply{body: out}, err
}

func (s *Server) releaseSubject(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	v, err := access.ReleaseSubject(c, c.path("name"), c.query.Flag("hand_over"))
	return reply{body: viewBoundName(v)}, err
}
