package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trail"
	"github.com/assent-run/assent/internal/view"
)

// Audit lists audit entries, newest first.
func (c *Client) Audit(ctx context.Context, q url.Values) (v view.List[port.AuditEntry], err error) {
	return v, c.get(ctx, "/audit", q, &v)
}

// VerifyAudit checks a part of the audit log in the store.
func (c *Client) VerifyAudit(ctx context.Context, after, limit int64) (v port.AuditCheck, err error) {
	return v, c.get(ctx, "/audit/verify", url.Values{"after": {strconv.FormatInt(after, 10)},
		"limit": {strconv.FormatInt(limit, 10)}}, &v)
}

// AuditHead signs the end of the audit log.
func (c *Client) AuditHead(ctx context.Context) (v trail.AuditEndView, err error) {
	return v, c.get(ctx, "/audit/head", nil, &v)
}

// ExportAudit exports the whole audit log.
func (c *Client) ExportAudit(ctx context.Context, w io.Writer) error {
	return c.download(ctx, "/audit.jsonl", nil, w)
}

// TabulateAudit exports entries as CSV.
func (c *Client) TabulateAudit(ctx context.Context, q url.Values, w io.Writer) error {
	return c.download(ctx, "/audit.csv", q, w)
}

// ProveRun writes the proof of a run.
func (c *Client) ProveRun(ctx context.Context, id string, w io.Writer) error {
	return c.download(ctx, "/runs/"+segment(id)+"/proof", nil, w)
}

// ProveAuditConsistency writes a consistency proof between two signed heads.
func (c *Client) ProveAuditConsistency(ctx context.Context, from, to int64, w io.Writer) error {
	return c.download(ctx, "/audit/consistency",
		url.Values{"from": {strconv.FormatInt(from, 10)}, "to": {strconv.FormatInt(to, 10)}}, w)
}

// download copies a response that may be long.
func (c *Client) download(ctx context.Context, path string, q url.Values, w io.Writer) error {
	resp, err := c.send(ctx, request{method: http.MethodGet, path: path, query: q}, nil, "", "")
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode >= 300 {
		b, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
		return errors.Join(problemOf(resp, b), err)
	}
	_, err = io.Copy(w, resp.Body)
	return err
}
