package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/insight"
)

func policyHandlers() handlers {
	kind := definition.KindPolicy
	return handlers{
		"getPolicy":          {do: (*Server).getPolicy},
		"savePolicy":         {do: saving(kind)},
		"listPolicyVersions": {do: versions(kind)},
		"getPolicyVersion":   {do: version(kind)},
		"validatePolicy":     {do: validating(kind)},
		"publishPolicy":      {do: (*Server).publishPolicy},
		"diffPolicyVersions": {do: (*Server).diffPolicy},
		"testPolicy":         {do: (*Server).testPolicy},
		"backtestPolicy":     {do: (*Server).backtestPolicy},
		"stopAutoApproval":   {do: (*Server).emergencyStop},
		"listSuggestions":    {do: (*Server).listSuggestions},
		"adoptSuggestion":    {do: (*Server).adoptSuggestion},
		"listSamples":        {do: (*Server).listSamples},
		"reviewSample":       {do: (*Server).reviewSample},
		"listLessons":        {do: (*Server).listLessons},
		"correctLesson":      {do: (*Server).correctLesson},
		"exportLessons":      {flow: (*Server).exportLessons},
	}
}

func (s *Server) publishPolicy(c *call) (reply, error) {
	b, err := read[contract.PolicyPublishing](c)
	if err != nil {
		return reply{}, err
	}
	if b.Version < 1 {
		return reply{}, problem.Invalid("version", "a version of 1 or more is required")
	}
	over, err := versionMatch(c.r.Header)
	if err != nil {
		return reply{}, err
	}
	kind := definition.KindPolicy
	v, err := s.app.Documents.Publish(c, c.who, kind, slot(c, kind), b.Version,
		documents.Saving{AcceptRisk: b.AcceptRisk, Over: over})
	return reply{body: v}, unmatched(err)
}

func (s *Server) diffPolicy(c *call) (reply, error) {
	n, err := strconv.Atoi(c.path("n"))
	if err != nil || n < 1 {
		return reply{}, fault.New(fault.NotFound, "not the number of a version", "versions count from 1")
	}
	to, _ := c.query.Number("to")
	kind := definition.KindPolicy
	v, err := s.app.Documents.Diff(c, c.who, kind, slot(c, kind), n, int(to))
	return reply{body: v}, err
}

func (s *Server) testPolicy(c *call) (reply, error) {
	b, err := read[contract.PolicyTest](c)
	if err != nil {
		return reply{}, err
	}
	format, body := written(b.Policy)
	v, err := s.app.Hindsight.TestPolicy(c, c.who, format, body, b.Subject)
	return reply{body: v}, err
}

// written distinguishes a document as an object from one as a text in YAML.
func written(doc json.RawMessage) (definition.Format, []byte) {
	if text, ok := value.Text(doc); ok {
		return definition.YAML, []byte(text)
	}
	return definition.JSON, doc
}

func (s *Server) backtestPolicy(c *call) (reply, error) {
	b, err := read[contract.BacktestRequest](c)
	if err != nil {
		return reply{}, err
	}
	from, err := s.moment("since", b.Since, "30d")
	if err != nil {
		return reply{}, err
	}
	until, err := s.moment("until", b.Until, "0s")
	if err != nil {
		return reply{}, err
	}
	format, body := written(b.Policy)
	v, err := s.app.Hindsight.BacktestDocument(c, c.who, format, body, from, until)
	return reply{body: v}, err
}

// moment reads a time, or a duration that counts back from now.
func (s *Server) moment(name, text, otherwise string) (time.Time, error) {
	if text == "" {
		text = otherwise
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), nil
	}
	d, err := quantity.ParseDuration(text)
	if err != nil || d < 0 {
		return time.Time{}, problem.Invalid(name, "expected a duration such as 30d, or a time such as 2026-01-31T09:00:00Z")
	}
	return s.app.Now().UTC().Add(-time.Duration(d)), nil
}

func (s *Server) emergencyStop(c *call) (reply, error) {
	b, err := read[contract.EmergencyStop](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Documents.EmergencyStop(c, c.who, b.On, b.Reason)
	return reply{body: v}, err
}

func (s *Server) listSuggestions(c *call) (reply, error) {
	from, err := s.moment("since", c.query.Text("since"), "30d")
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Hindsight.Suggest(c, c.who, from)
	return reply{body: v}, err
}

func (s *Server) adoptSuggestion(c *call) (reply, error) {
	b, err := read[contract.Adoption](c)
	if err != nil {
		return reply{}, err
	}
	from, err := s.moment("since", b.Since, "30d")
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Hindsight.Adopt(c, c.who, c.path("id"), from)
	return reply{body: v}, err
}

func (s *Server) listSamples(c *call) (reply, error) {
	from, err := s.moment("since", c.query.Text("since"), "30d")
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Hindsight.Samples(c, c.who, from)
	return reply{body: v}, err
}

func (s *Server) reviewSample(c *call) (reply, error) {
	b, err := read[contract.SampleReview](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Hindsight.Review(c, c.who, c.path("id"), b.Agree, b.Comment)
	return reply{body: v}, err
}

func lessonQuery(c *call) insight.LessonQuery {
	return insight.LessonQuery{Agent: c.query.Text("agent"), Workflow: c.query.Text("workflow"),
		Tool: c.query.Text("tool"), Cursor: c.query.Text("cursor"), Removed: c.query.Flag("removed"),
		Limit: c.query.Limit()}
}

func (s *Server) correctLesson(c *call) (reply, error) {
	b, err := read[contract.LessonCorrection](c)
	if err != nil {
		return reply{}, err
	}
	matched, err := lessonMatch(c.r.Header, b.Version)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Hindsight.CorrectLesson(c, c.who, c.path("id"),
		insight.Correction{Text: b.Text, Removed: b.Removed, Reason: b.Reason}, cmp.Or(matched, b.Version))
	if matched != nil {
		err = unmatched(err)
	}
	return reply{body: v, etag: `"` + strconv.Itoa(v.Version) + `"`}, err
}

// lessonMatch reads the version of a lesson from If-Match; nil without one.
func lessonMatch(h http.Header, version *int) (*int, error) {
	tag := h.Get("If-Match")
	if tag == "" {
		return nil, nil
	}
	n, ok := request.TagNumber(tag)
	switch {
	case !ok || n < 1:
		return nil, problem.Invalid("If-Match", "expected the ETag of the lesson")
	case version != nil && *version != n:
		return nil, problem.Invalid("version", "it differs from If-Match")
	}
	return &n, nil
}

func (s *Server) listLessons(c *call) (reply, error) {
	v, err := s.app.Hindsight.Lessons(c, c.who, lessonQuery(c))
	return reply{body: v}, err
}

func (s *Server) exportLessons(c *call, w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("Content-Disposition", `attachment; filename="lessons.jsonl"`)
	return s.app.Hindsight.ExportLessons(c, c.who, lessonQuery(c), w)
}
