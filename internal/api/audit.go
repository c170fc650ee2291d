package api

import (
	"context"
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

var auditFilters = []request.Param{
	{Name: "actor", Doc: "Only actions of a person or program with this name; service:nightly means the name " +
		"nightly, as in a run's owner."},
	{Name: "action", Doc: "Only this action, such as approval.decided."},
	{Name: "target", Doc: "Only entries about this id; for a run, everything that belongs to it."},
	{Name: "outcome", Words: []string{string(port.AuditDone), string(port.AuditRefused)},
		Doc: "Only actions that were done, or that were refused."},
	{Name: "since", Doc: "Only since then: a duration such as 30d, or a time."},
	{Name: "until", Doc: "Only until then: a duration such as 1h, or a time."},
}

func auditOperations() []operation {
	all := base + "/audit"
	return []operation{
		{
			method: "GET", path: all, id: "listAudit", tag: "Audit", summary: "List audit entries, newest first",
			description: "Decisions, changes, starts and refused requests. For administrators, and roles with the permission " +
				"audit. Values that can be deleted are in values; the chain contains their salted digests.",
			params: append(append([]request.Param{}, auditFilters...), request.Paging...),
			gives:  view.List[app.AuditView]{}, do: (*Server).listAudit,
		},
		{
			method: "GET", path: all + ".csv", id: "tabulateAudit", tag: "Audit",
			summary: "Download audit entries as a table, newest first",
			description: "For spreadsheets: text that a spreadsheet would read as a formula is prefixed with '. To verify the " +
				"log, download it as audit.jsonl.",
			params: auditFilters, media: "text/csv", flow: (*Server).tabulateAudit,
		},
		{
			method: "GET", path: all + ".jsonl", id: "exportAudit", tag: "Audit",
			summary: "Download the whole audit log, for verification elsewhere",
			description: "One entry per line, oldest first; the last line is the signed head. Verify it with: " +
				"assent audit verify FILE.",
			media: "application/jsonl", flow: (*Server).exportAudit,
		},
		{
			method: "GET", path: all + "/verify", id: "verifyAudit", tag: "Audit",
			summary: "Verify the audit log",
			params: []request.Param{
				{Name: "after", Kind: request.Number, Min: 0, Fallback: 0, Doc: "Start after this entry."},
				{Name: "limit", Kind: request.Number, Min: 1, Max: 1 << 40, Doc: "Check this many entries (default: all)."},
			},
			gives: port.AuditCheck{}, do: (*Server).verifyAudit,
		},
		{
			method: "GET", path: all + "/head", id: "getAuditHead", tag: "Audit",
			summary:     "Sign the head of the audit log, and show it with the public keys",
			description: "Store head elsewhere: it reveals a truncated or rewritten log.",
			gives:       app.AuditEndView{}, do: (*Server).getAuditHead,
		},
		{
			method: "GET", path: all + "/consistency", id: "proveAuditConsistency", tag: "Audit",
			summary: "Download a proof that one signed head of the audit log continues another",
			description: "Heads are identified by their last entry, as in N:HASH. Verify it with: assent audit " +
				"verify FILE --head N:HASH.",
			params: []request.Param{
				{Name: "from", Kind: request.Number, Min: 1, Fallback: 1, Doc: "The entry at which the earlier head ends."},
				{Name: "to", Kind: request.Number, Min: 0, Fallback: 0,
					Doc: "The entry at which the later head ends (default: the newest)."},
			},
			media: "application/octet-stream", flow: (*Server).proveAuditConsistency,
		},
		{
			method: "GET", path: base + "/runs/{id}/proof", id: "proveRun", tag: "Audit",
			summary: "Download a self-contained proof of a run",
			description: "Its events, the audit entries about it with their inclusion proofs, and the " +
				"public keys. The export is recorded in the audit log. Verify it with: assent audit verify FILE.",
			media: "application/octet-stream", flow: (*Server).proveRun,
		},
	}
}

func (s *Server) auditQuery(c *call) (q port.AuditQuery, err error) {
	q = port.AuditQuery{
		Actor: run.ActorOf(c.query.Text("actor")).Name, Action: c.query.Text("action"), Target: c.query.Text("target"),
		Outcome: c.query.Text("outcome"),
		Cursor:  c.query.Text("cursor"), Limit: c.query.Limit(),
	}
	for name, to := range map[string]*time.Time{"since": &q.Since, "until": &q.Until} {
		if text := c.query.Text(name); text != "" {
			if *to, err = s.moment(name, text, ""); err != nil {
				return q, err
			}
		}
	}
	return q, nil
}

func (s *Server) listAudit(c *call) (reply, error) {
	q, err := s.auditQuery(c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.AuditEntries(c, c.who, q)
	return reply{body: v}, err
}

func (s *Server) verifyAudit(c *call) (reply, error) {
	after, _ := c.query.Number("after")
	limit, _ := c.query.Number("limit")
	v, err := s.app.CheckAudit(c, c.who, after, int(limit))
	return reply{body: v}, err
}

func (s *Server) getAuditHead(c *call) (reply, error) {
	v, err := s.app.AuditHead(c, c.who)
	return reply{body: v}, err
}

func (s *Server) tabulateAudit(c *call, w http.ResponseWriter) error {
	q, err := s.auditQuery(c)
	if err != nil {
		return err
	}
	return s.app.AuditTable(c, c.who, q, &fileWriter{w: patient(w), mime: "text/csv; charset=utf-8", name: "audit.csv"})
}

func (s *Server) exportAudit(c *call, w http.ResponseWriter) error {
	return s.app.ExportAudit(c, c.who, &fileWriter{w: patient(w), mime: "application/jsonl", name: "audit.jsonl"})
}

func (s *Server) proveAuditConsistency(c *call, w http.ResponseWriter) error {
	from, _ := c.query.Number("from")
	to, _ := c.query.Number("to")
	return s.app.ProveAuditConsistency(c, c.who, from, to,
		&fileWriter{w: patient(w), mime: "application/octet-stream", name: "audit.consistency.json"})
}

func (s *Server) proveRun(c *call, w http.ResponseWriter) error {
	id := c.path("id")
	return s.app.ProveRun(c, c.who, id, &fileWriter{w: patient(w), mime: "application/octet-stream",
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
			who = app.Who{Kind: port.Nobody, Name: s.address(c.r)}
		}
	case code == fault.Forbidden && (c.op.tag == "Access" || who.Name == ""):
	default:
		return
	}
	if c.op.hook {
		s.noteRefusedDelivery(c, err)
		return
	}
	s.app.Refused(c, who, "access."+c.op.id, c.r.Method+" "+c.op.path, err)
}
