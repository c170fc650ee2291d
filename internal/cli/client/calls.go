package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/deliverables"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

var full = url.Values{"full": {"true"}}

// Health reports whether the server answers, and the clock skew.
func (c *Client) Health(ctx context.Context) (skew time.Duration, err error) {
	resp, err := c.send(ctx, request{method: http.MethodGet, path: "//healthz"}, nil, "", "")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode != http.StatusOK {
		return 0, problemOf(resp, nil)
	}
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		skew = time.Since(at)
	}
	return skew, nil
}

// Ready returns why the server cannot serve requests now.
func (c *Client) Ready(ctx context.Context) error {
	resp, err := c.send(ctx, request{method: http.MethodGet, path: "//readyz"}, nil, "", "")
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode != http.StatusOK {
		return problemOf(resp, nil)
	}
	return nil
}

// MCP sends one message to the server's /mcp and returns the response, which is empty for a notification. It
// is sent once: only its author knows whether it may be repeated.
func (c *Client) MCP(ctx context.Context, message []byte, header http.Header) (answer []byte, err error) {
	_, err = c.once(ctx, request{method: http.MethodPost, path: "//mcp", header: header}, message,
		"application/json", "", &answer)
	return answer, err
}

// Begin starts a run.
func (c *Client) Begin(ctx context.Context, n app.NewRun) (v view.Run, err error) {
	return v, c.post(ctx, "/runs", n, &v)
}

// Runs lists runs, newest first.
func (c *Client) Runs(ctx context.Context, q url.Values) (v view.List[view.RunSummary], err error) {
	return v, c.get(ctx, "/runs", q, &v)
}

// Run returns a run with all its values in full.
func (c *Client) Run(ctx context.Context, id string) (v view.Run, err error) {
	return v, c.get(ctx, "/runs/"+segment(id), full, &v)
}

// RunBriefly returns a run with long values truncated.
func (c *Client) RunBriefly(ctx context.Context, id string) (v view.Run, err error) {
	return v, c.get(ctx, "/runs/"+segment(id), nil, &v)
}

// RunAt returns a run as of an event.
func (c *Client) RunAt(ctx context.Context, id string, seq int64) (v view.Run, err error) {
	return v, c.get(ctx, "/runs/"+segment(id)+"/state",
		url.Values{"at_seq": {strconv.FormatInt(seq, 10)}, "full": {"true"}}, &v)
}

// Events reads a part of a run's log.
func (c *Client) Events(ctx context.Context, id string, after int64, limit int) (v view.List[view.Event], err error) {
	q := url.Values{"after": {strconv.FormatInt(after, 10)}, "limit": {strconv.Itoa(limit)}}
	return v, c.get(ctx, "/runs/"+segment(id)+"/events", q, &v)
}

// Snapshots reads a page of the snapshots of a run.
func (c *Client) Snapshots(ctx context.Context, id, cursor string) (v view.List[view.Snapshot], err error) {
	q := url.Values{"limit": {"1000"}}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	return v, c.get(ctx, "/runs/"+segment(id)+"/snapshots", q, &v)
}

// Command sends a command to a run.
func (c *Client) Command(ctx context.Context, id string, command map[string]any) (v app.Accepted, err error) {
	return v, c.post(ctx, "/runs/"+segment(id)+"/commands", command, &v)
}

// Retry starts a run again.
func (c *Client) Retry(ctx context.Context, id string) (v view.Run, err error) {
	return v, c.post(ctx, "/runs/"+segment(id)+"/retry", struct{}{}, &v)
}

// Resume resumes a run that failed, was paused, or stopped at a limit.
func (c *Client) Resume(ctx context.Context, id string, do run.Resume) (v view.Run, err error) {
	return v, c.post(ctx, "/runs/"+segment(id)+"/resume", do, &v)
}

// Fork starts a run with the history of another.
func (c *Client) Fork(ctx context.Context, id string, f app.Fork) (v view.Run, err error) {
	return v, c.post(ctx, "/runs/"+segment(id)+"/fork", f, &v)
}

// Approvals lists the inbox.
func (c *Client) Approvals(ctx context.Context, q url.Values) (v view.List[view.Approval], err error) {
	return v, c.get(ctx, "/approvals", q, &v)
}

// Approval returns an approval with all its values in full: a decision's subject is never truncated.
func (c *Client) Approval(ctx context.Context, id string) (v view.Approval, err error) {
	return v, c.get(ctx, "/approvals/"+segment(id), full, &v)
}

// Decide decides an approval.
func (c *Client) Decide(ctx context.Context, id string, d app.Decision) (v view.Approval, err error) {
	return v, c.post(ctx, "/approvals/"+segment(id)+"/decisions", d, &v)
}

// PreviewChanges returns the effect of changes on the proposal.
func (c *Client) PreviewChanges(ctx context.Context, id string, changes json.RawMessage) (v app.ChangeView, err error) {
	return v, c.post(ctx, "/approvals/"+segment(id)+"/preview", map[string]json.RawMessage{"changes": changes}, &v)
}

// Deliverables lists deliverables.
func (c *Client) Deliverables(ctx context.Context, q url.Values) (v view.List[view.Deliverable], err error) {
	return v, c.get(ctx, "/deliverables", q, &v)
}

// Deliverable returns one.
func (c *Client) Deliverable(ctx context.Context, id string) (v view.Deliverable, err error) {
	return v, c.get(ctx, "/deliverables/"+segment(id), nil, &v)
}

// Content is the bytes of a deliverable.
func (c *Client) Content(ctx context.Context, id string) (b []byte, err error) {
	return b, c.get(ctx, "/deliverables/"+segment(id)+"/content", nil, &b)
}

// DeliverableVersions lists the versions of one, newest first.
func (c *Client) DeliverableVersions(ctx context.Context, id string) (v view.List[view.Deliverable], err error) {
	return v, c.get(ctx, "/deliverables/"+segment(id)+"/versions", nil, &v)
}

// Mark sets a deliverable's status.
func (c *Client) Mark(ctx context.Context, id string, m deliverables.Mark) (v view.Deliverable, err error) {
	return v, c.post(ctx, "/deliverables/"+segment(id)+"/status", m, &v)
}

// Download streams the bytes of a deliverable.
func (c *Client) Download(ctx context.Context, id string, w io.Writer) error {
	resp, err := c.send(ctx, request{method: http.MethodGet, path: "/deliverables/" + segment(id) + "/content"},
		nil, "", "")
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode >= 300 {
		b, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
		if err != nil {
			return fmt.Errorf("read the response: %w", err)
		}
		return problemOf(resp, b)
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("read the content: %w", err)
	}
	return nil
}

// Kinds are the documents that the API returns and accepts, except for tools, which it only lists.
var Kinds = []definition.Kind{definition.KindWorkflow, definition.KindAgent, definition.KindPolicy, definition.KindTool}

// places are the addresses of documents, by the kinds that the API accepts; those that end in a slash need a name.
var places = map[definition.Kind]string{
	definition.KindWorkflow: "/workflows/", definition.KindAgent: "/agents/", definition.KindPolicy: "/policy",
	definition.KindRole: "/roles/", definition.KindSchedule: "/schedules/", definition.KindTrigger: "/triggers/",
	definition.KindChannel: "/channels/", definition.KindNotifications: "/notifications",
}

// Accepts reports whether the API accepts documents of a kind. Tools, MCP servers and prices are in files on the
// server only.
func Accepts(kind definition.Kind) bool { return places[kind] != "" }

func placeOf(kind definition.Kind, name string) string {
	place := places[kind]
	if strings.HasSuffix(place, "/") {
		place += segment(name)
	}
	return place
}

// Document returns a version of a document; 0 is the one in force.
func (c *Client) Document(ctx context.Context, kind definition.Kind, name string,
	version int) (v registry.Document, err error) {
	if kind == definition.KindTool {
		return c.tool(ctx, name)
	}
	path := placeOf(kind, name)
	if version > 0 {
		path += "/versions/" + strconv.Itoa(version)
	}
	return v, c.get(ctx, path, nil, &v)
}

func (c *Client) tool(ctx context.Context, name string) (registry.Document, error) {
	var list view.List[registry.Document]
	if err := c.get(ctx, "/tools", url.Values{"q": {name}}, &list); err != nil {
		return registry.Document{}, err
	}
	for _, v := range list.Items {
		if v.Name == name {
			return v, nil
		}
	}
	return registry.Document{}, &Problem{Status: http.StatusNotFound, Code: "not_found",
		Detail: fmt.Sprintf("tool %q not found", name)}
}

// Workflows lists the workflows in force.
func (c *Client) Workflows(ctx context.Context) (v view.List[registry.Document], err error) {
	return v, c.get(ctx, "/workflows", url.Values{"status": {"published"}}, &v)
}

// Publish saves a document and puts it in force.
func (c *Client) Publish(ctx context.Context, doc definition.Document, force bool) (v registry.Document, err error) {
	kind, name := doc.Ident()
	if !Accepts(kind) {
		return v, fmt.Errorf("the API does not accept documents of kind %s", kind)
	}
	format, body := definition.Sent(doc)
	r := request{method: http.MethodPut, path: placeOf(kind, name), raw: body, mime: "application/json"}
	if format == definition.YAML {
		r.mime = "application/yaml"
	}
	r.query = url.Values{}
	if kind == definition.KindWorkflow { // all others are in force once they are saved
		r.query.Set("publish", "true")
	}
	if force && kind != definition.KindPolicy {
		r.query.Set("force", "true")
	}
	return v, c.call(ctx, r, &v)
}

// Admin requests a task from a server on this machine. The token is in its data directory.
func (c *Client) Admin(ctx context.Context, path, header, token string, ask, out any) error {
	return c.call(ctx, request{method: http.MethodPost, path: "/" + path, body: ask,
		header: http.Header{header: {token}}}, out)
}
