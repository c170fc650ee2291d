package api

import (
	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func subjectHandlers() handlers {
	return handlers{
		"listSubjects":   {do: (*Server).listSubjects},
		"releaseSubject": {do: (*Server).releaseSubject},
	}
}

func viewBoundName(s port.Subject) contract.BoundNameView {
	return contract.BoundNameView{Name: s.Name, Label: s.Label, Issuer: s.Issuer, Subject: s.Subject, BoundAt: s.BoundAt}
}

func (s *Server) listSubjects(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	all, err := access.Subjects(c)
	out := view.List[contract.BoundNameView]{Items: []contract.BoundNameView{}, Total: int64(len(all))}
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
