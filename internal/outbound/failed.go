package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

// Codes of failures.
const (
	Forbidden   = "forbidden_address"
	Redirected  = "redirect"
	Unreachable = "unreachable"
	Invalid     = "invalid_answer" // the response is not a valid answer
	TooLarge    = "too_large"      // a response exceeds a limit
	NoSecret    = "secret"         // a secret is missing or cannot be sent
)

// Failed is an error with the details that the core records.
type Failed struct{ run.Failure }

func (f *Failed) Error() string { return f.Message }

// Permanent is a failure that a retry cannot fix.
func Permanent(code, message string) error {
	return &Failed{run.Failure{Code: code, Message: message}}
}

// Broken is the failure of a request without a complete response. It names only the host, because the rest of
// an address may contain secrets.
func Broken(ctx context.Context, host string, err error, v Veil) error {
	var (
		failed *Failed
		call   *url.Error
		cert   *tls.CertificateVerificationError
	)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ask %s: %w", host, ctx.Err())
	case errors.As(err, &failed):
		out := *failed
		out.Message = v.Hide(out.Message) // a redirect may lead to a name that contains a header
		return &out
	case errors.As(err, &call):
		err = call.Err
	}
	if errors.As(err, &cert) {
		return Permanent("tls", v.Hide(fmt.Sprintf("%s has no valid certificate: %v", host, cert)))
	}
	return &Failed{run.Failure{Code: Unreachable,
		Message: v.Hide(fmt.Sprintf("%s did not respond: %v", host, err)), Transient: true}}
}

// Refused is the failure of a response other than 200.
func (c *Client) Refused(ctx context.Context, host string, res *http.Response, v Veil) error {
	limit := int64(16*SaidMax + v.Longest())
	said, err := io.ReadAll(io.LimitReader(res.Body, limit))
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("ask %s: %w", host, ctx.Err())
	}
	f := run.Failure{
		Code:    "http_" + strconv.Itoa(res.StatusCode),
		Message: fmt.Sprintf("%s responded %s", host, Status(res.StatusCode)),
		Body:    v.Said(string(said), err != nil || int64(len(said)) == limit),
	}
	switch {
	case Transient(res.StatusCode):
		f.Transient = true
		f.RetryAfter = quantity.Duration(RetryAfter(res.Header.Get("Retry-After"), c.now()))
	case res.StatusCode < 300:
		f.Message += "; expected 200 with an output"
	}
	return &Failed{f}
}

// Status formats a status, such as 404 Not Found.
func Status(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// Transient reports whether a retry may lead to another status.
func Transient(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// retryMax is the longest accepted Retry-After.
const retryMax = 24 * time.Hour

// RetryAfter parses a number of seconds or a date. Anything else, and a time in the past, means no wait.
func RetryAfter(s string, now time.Time) time.Duration {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseUint(s, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(n, uint64(retryMax/time.Second))) * time.Second
	}
	at, err := http.ParseTime(s)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), retryMax)
}
