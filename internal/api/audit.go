package api

import (
	"context"
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

func auditHandlers() handlers {
	return handlers{
		"listAudit":             {do: (*Server).listAudit},
		"tabulateAudit":         {flow: (*Server).tabulateAudit},
		"exportAudit":           {flow: (*Server).exportAudit},
		"verifyAudit":           {do: (*Server).verifyAudit},
		"getAuditHead":          {do: (*Server).getAuditHead},
		"proveAuditConsistency": {flow: (*Server).proveAuditConsistency},
		"proveRun":              {flow: (*Server).proveRun},
	}
}

func (s *Server) auditQuery(c *call) (q port.AuditQuery, err error) {
	q = port.AuditQuery{
		Actor: run.ActorOf(c.query.Text("actor")).Name, Action: c.query.Text("action"), Target: c.query.Text("target"),
		Outcome: c.query.Text("outcome"),
		Cursor:  c.query.Text("cursor"), Limit: c.query.Limit(),
	}
	q.Since, q.Until, err = s.span(c)
	return q, err
}

// span reads since and until; zero: no limit.
func (s *Server) span(c *call) (since, until time.Time, err error) {
	for name, to := range map[string]*time.Time{"since": &since, "until": &until} {
		if text := c.query.Text(name); text != "" {
			if *to, err = s.moment(name, text, ""); err != nil {
				return since, until, err
			}
		}
	}
	return since, until, nil
}

func (s *Server) listAudit(c *call) (reply, error) {
	q, err := s.auditQuery(c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Audit.Entries(c, c.who, q)
	return reply{body: v}, err
}

func (s *Server) verifyAudit(c *call) (reply, error) {
	after, _ := c.query.Number("after")
	limit, _ := c.query.Number("limit")
	v, err := s.app.Audit.Check(c, c.who, after, int(limit))
	return reply{body: v}, err
}

func (s *Server) getAuditHead(c *call) (reply, error) {
	v, err := s.app.Audit.Head(c, c.who)
	return reply{body: v}, err
}

func (s *Server) tabulateAudit(c *call, w http.ResponseWriter) error {
	q, err := s.auditQuery(c)
	if err != nil {
		return err
	}
	return s.app.Audit.Table(c, c.who, q, &fileWriter{w: patient(w), mime: "text/csv; charset=utf-8", name: "audit.csv"})
}

func (s *Server) exportAudit(c *call, w http.ResponseWriter) error {
	return s.app.Audit.Export(c, c.who, &fileWriter{w: patient(w), mime: "application/jsonl", name: "audit.jsonl"})
}

func (s *Server) proveAuditConsistency(c *call, w http.ResponseWriter) error {
	from, _ := c.query.Number("from")
	to, _ := c.query.Number("to")
	return s.app.Audit.ProveConsistency(c, c.who, from, to,
		&fileWriter{w: patient(w), mime: "application/octet-stream", name: "audit.consistency.json"})
}

func (s *Server) proveRun(c *call, w http.ResponseWriter) error {
	id := c.path("id")
	return s.app.Audit.ProveRun(c, c.who, id, &fileWriter{w: patient(w), mime: "application/octet-stream",
		name: id + ".proof.json"})
}

// fileWriter sends the headers of a file with its first bytes: until then an error can be reported.
type fileWriter struct {
	w          http.ResponseWriter
	mime, name string
	begun      bool
}

func (f *fileWriter) Write(b []byte) (int, error) {
	if !f.begun {
		f.begun = true
		f.w.Header().Set("Content-Type", f.mime)
		f.w.Header().Set("Cache-Control", "no-store")
		attach(f.w.Header(), f.name)
	}
	return f.w.Write(b)
}

// recording sets the actor of changes to accounts and tokens, which are recorded together with them.
func (s *Server) recording(c *call) context.Context {
	return port.WithRecord(c.bare, func(action, target string, detail map[string]any) port.AuditDraft {
		if detail["way"] == nil {
			detail["way"] = c.how.Method
		}
		if action == "session.started" {
			detail["address"] = s.address(c.r)
		}
		return port.AuditDraft{At: s.app.Now(), Actor: c.who.Actor(), Action: action, Target: target, Detail: detail}
	})
}

// noteRefused records refusals from before a use case was called: a caller who failed to authenticate, or who may not
// manage access.
func (s *Server) noteRefused(c *call, err error) {
	who := c.who
	switch code := fault.CodeOf(err); {
	case code == fault.Unauthenticated || code == fault.RateLimited:
		if who.Name == "" {
			who = app.Who{Kind: port.Unauthenticated, Name: s.address(c.r)}
		}
	case code == fault.Forbidden && (c.op.Tag == "Access" || who.Name == ""):
	default:
		return
	}
	if c.op.Hook {
		s.noteRefusedDelivery(c, err)
		return
	}
	s.app.Access.Refused(c, who, "access."+c.op.ID, c.r.Method+" "+c.op.Path, err)
}
