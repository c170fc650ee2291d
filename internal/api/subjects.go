package api

import (
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/port"
)

// subjectOperations are about whom names of an identity provider belong to.
func subjectOperations() []operation {
	all := base + "/subjects"
	return []operation{
		{
			method: "GET", path: all, id: "listSubjects", tag: "Access", summary: "List whom at the identity provider names belong to",
			description: "For administrators. Whoever first signed in under a name keeps it, whatever people are called at the provider later.",
			console:     true, gives: app.ListView[BoundNameView]{}, do: (*Server).listSubjects,
		},
		{
			method: "DELETE", path: all + "/{name}", id: "releaseSubject", tag: "Access", summary: "Let a name of the identity provider go",
			description: "For administrators. Whoever signs in under it next has it. Sessions under the name end, and tokens of kind person that act under it are withdrawn.",
			console:     true, changes: true, gives: BoundNameView{}, do: (*Server).releaseSubject,
		},
	}
}

// BoundNameView is whom a name belongs to.
type BoundNameView struct {
	Name    string    `json:"name"`
	Issuer  string    `json:"issuer"`
	Subject string    `json:"subject"`
	BoundAt time.Time `json:"bound_at"`
}

func viewBoundName(s port.Subject) BoundNameView {
	return BoundNameView{Name: s.Name, Issuer: s.Issuer, Subject: s.Subject, BoundAt: s.BoundAt}
}

func (s *Server) listSubjects(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	all, err := access.Subjects(c)
	out := app.ListView[BoundNameView]{Items: []BoundNameView{}, Total: int64(len(all))}
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
	v, err := access.ReleaseSubject(c, c.path("name"))
	return reply{body: viewBoundName(v)}, err
}
