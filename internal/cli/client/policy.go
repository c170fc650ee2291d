package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// Policy shows the policy in force.
func (c *Client) Policy(ctx context.Context) (v registry.Policy, err error) {
	return v, c.get(ctx, "/policy", nil, &v)
}

// SavePolicy saves a policy and, unless it is a draft, puts it in force.
func (c *Client) SavePolicy(ctx context.Context, yaml []byte, draft bool,
	acceptRisk string) (v registry.Document, err error) {
	q := url.Values{}
	if draft {
		q.Set("draft", "true")
	}
	if acceptRisk != "" {
		q.Set("accept_risk", acceptRisk)
	}
	return v, c.call(ctx, request{method: http.MethodPut, path: "/policy", query: q, raw: yaml, mime: "application/yaml"},
		&v)
}

// PublishPolicy publishes a version.
func (c *Client) PublishPolicy(ctx context.Context, version int, acceptRisk string) (v registry.Document, err error) {
	body := map[string]any{"version": version}
	if acceptRisk != "" {
		body["accept_risk"] = acceptRisk
	}
	return v, c.post(ctx, "/policy/publish", body, &v)
}

// PolicyVersions lists them, newest first.
func (c *Client) PolicyVersions(ctx context.Context, limit int) (v view.List[registry.Revision], err error) {
	return v, c.get(ctx, "/policy/versions", url.Values{"limit": {strconv.Itoa(limit)}}, &v)
}

// PolicyVersion shows one of them.
func (c *Client) PolicyVersion(ctx context.Context, n int) (registry.Document, error) {
	return c.Document(ctx, definition.KindPolicy, "", n)
}

// DiffPolicy compares two versions.
func (c *Client) DiffPolicy(ctx context.Context, from, to int) (v registry.Diff, err error) {
	return v, c.get(ctx, "/policy/versions/"+strconv.Itoa(from)+"/diff", url.Values{"to": {strconv.Itoa(to)}}, &v)
}

// TestPolicy evaluates a policy, or the one in force if none is given, on a subject.
func (c *Client) TestPolicy(ctx context.Context, yaml []byte, subject json.RawMessage) (v insight.Verdict, err error) {
	body := map[string]any{"subject": subject}
	if yaml != nil {
		body["policy"] = string(yaml)
	}
	return v, c.post(ctx, "/policy/test", body, &v)
}

// Backtest evaluates a policy on past decisions.
func (c *Client) Backtest(ctx context.Context, yaml []byte, since, until string) (v insight.Backtest, err error) {
	return v, c.post(ctx, "/policy/backtest", map[string]any{"policy": string(yaml), "since": since, "until": until}, &v)
}

// EmergencyStop turns all automatic approvals off, or on again.
func (c *Client) EmergencyStop(ctx context.Context, on bool, reason string) (v registry.Stop, err error) {
	return v, c.post(ctx, "/policy/emergency_stop", map[string]any{"on": on, "reason": reason}, &v)
}

// Suggestions lists rules suggested by past decisions.
func (c *Client) Suggestions(ctx context.Context, since string) (v view.List[insight.Suggestion], err error) {
	return v, c.get(ctx, "/policy/suggestions", url.Values{"since": {since}}, &v)
}

// Adopt adds a suggestion to a draft of the policy.
func (c *Client) Adopt(ctx context.Context, id, since string) (v registry.Document, err error) {
	return v, c.post(ctx, "/policy/suggestions/"+segment(id)+"/adopt", map[string]string{"since": since}, &v)
}

// Samples lists automatic approvals that people should review.
func (c *Client) Samples(ctx context.Context, since string) (v insight.Samples, err error) {
	return v, c.get(ctx, "/policy/samples", url.Values{"since": {since}}, &v)
}

// Review records whether a rule was right.
func (c *Client) Review(ctx context.Context, id string, agree bool, comment string) (v insight.Review, err error) {
	return v, c.post(ctx, "/policy/samples/"+segment(id), map[string]any{"agree": agree, "comment": comment}, &v)
}

// Lessons lists people's feedback on agents' work, newest first.
func (c *Client) Lessons(ctx context.Context, q url.Values) (v view.List[insight.Lesson], err error) {
	return v, c.get(ctx, "/lessons", q, &v)
}

// Lesson finds a lesson, removed or not; fault.NotFound.
func (c *Client) Lesson(ctx context.Context, id string) (insight.Lesson, error) {
	for _, removed := range []string{"false", "true"} {
		q := url.Values{"removed": {removed}, "limit": {"200"}}
		for {
			list, err := c.Lessons(ctx, q)
			if err != nil {
				return insight.Lesson{}, err
			}
			for _, l := range list.Items {
				if l.ID == id {
					return l, nil
				}
			}
			if list.Next == "" {
				break
			}
			q.Set("cursor", list.Next)
		}
	}
	return insight.Lesson{}, fault.New(fault.NotFound, "lesson "+id+" not found", "see assent lessons")
}

// CorrectLesson replaces the correction of a lesson; an empty one restores it.
func (c *Client) CorrectLesson(ctx context.Context, id string,
	b contract.LessonCorrection) (v insight.Correction, err error) {
	return v, c.call(ctx, request{method: http.MethodPut, path: "/lessons/" + segment(id), body: b}, &v)
}

// ExportLessons writes all of them, one JSON object per line, without keeping them in memory.
func (c *Client) ExportLessons(ctx context.Context, q url.Values, w io.Writer) error {
	return c.download(ctx, "/lessons.jsonl", q, w)
}
