package api

import (
	"net/http"
	"strings"

	"github.com/assent-run/assent/internal/api/page"
)

// index introduces the server, if there is no other web interface.
func (s *Server) index(w http.ResponseWriter) { page.Index(w, s.o.Version) }

// chapters are the chapters of the documentation, in their order.
var chapters = []page.Chapter{
	{Name: "Workflows", Doc: "Workflows: versions, drafts, publishing, and previews of the data " +
		"before anything runs."},
	{Name: "Runs", Doc: "Start, follow and control runs; retry, resume and fork them."},
	{Name: "Approvals", Doc: "The inbox: pending approvals and decisions."},
	{Name: "Agents and tools", Doc: "Agents and their tools."},
	{Name: "Policy", Doc: "The approval rules."},
	{Name: "Schedules", Doc: "Runs that start at certain times."},
	{Name: "Notifications", Doc: "Notifications to people and programs."},
	{Name: "Triggers", Doc: "Runs that other systems start."},
	{Name: "Deliverables", Doc: "Results for people."},
	{Name: "Audit", Doc: "The audit log and proofs of it."},
	{Name: "Streams", Doc: "Events as they happen."},
	{Name: "Access", Doc: "Sign-in, accounts and tokens."},
	{Name: "People", Doc: "Stand-ins for people who are away."},
	{Name: "System", Doc: "The caller's identity, health, metrics, and this document."},
}

// docs lists all operations.
func (s *Server) docs(_ *call, w http.ResponseWriter) error {
	var out []page.Chapter
	ops := operations()
	for _, c := range chapters {
		for i := range ops {
			if ops[i].Tag == c.Name {
				c.Operations = append(c.Operations, ops[i].line())
			}
		}
		out = append(out, c)
	}
	page.Docs(w, out)
	return nil
}

func (op *operation) line() page.Line {
	l := page.Line{Method: op.Method, Path: op.Path, Summary: op.Summary, Description: op.Description, ID: op.ID,
		Example: op.Example, Changes: op.Changes}
	for _, p := range op.Params {
		doc := p.Doc
		if p.Words != nil && len(p.Words) <= 12 {
			doc += " One of " + strings.Join(p.Words, ", ") + "."
		}
		l.Parameters = append(l.Parameters, page.Hint{Name: p.Name, Doc: doc})
	}
	return l
}
