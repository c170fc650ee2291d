package httpagent

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

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// broken is the failure of a call that brought no whole answer.
func (a *Agent) broken(ctx context.Context, err error, v answer.Veil) error {
	var (
		failed *port.Failed
		call   *url.Error
		cert   *tls.CertificateVerificationError
	)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ask %s: %w", a.host, ctx.Err())
	case errors.As(err, &failed):
		failed.Message = v.Hide(failed.Message) // a redirect may lead to a name that repeats a header
		return failed
	case errors.As(err, &call):
		err = call.Err // without the address, which may hold a secret
	}
	if errors.As(err, &cert) {
		return permanent("tls", v.Hide(fmt.Sprintf("%s cannot prove who it is: %v", a.host, cert)))
	}
	return &port.Failed{Failure: run.Failure{Code: "unreachable", Message: v.Hide(fmt.Sprintf("%s did not answer: %v", a.host, err)), Transient: true}}
}

// refused is the failure of an answer that is not 200.
func (a *Agent) refused(ctx context.Context, res *http.Response, v answer.Veil) error {
	limit := int64(16*answer.SaidMax + v.Longest())
	said, err := io.ReadAll(io.LimitReader(res.Body, limit))
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("ask %s: %w", a.host, ctx.Err())
	}
	status := strings.TrimSpace(fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode)))
	f := run.Failure{
		Code:    "http_" + strconv.Itoa(res.StatusCode),
		Message: fmt.Sprintf("%s answered %s", a.host, status),
		Body:    v.Said(string(said), err != nil || int64(len(said)) == limit),
	}
	switch {
	case res.StatusCode == http.StatusRequestTimeout, res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= 500:
		f.Transient = true
		f.RetryAfter = quantity.Duration(retryAfter(res.Header.Get("Retry-After"), a.caller.now()))
	case res.StatusCode < 300:
		f.Message += "; an agent answers 200 with an output"
	}
	return &port.Failed{Failure: f}
}

// retryMax is the longest wait that is believed.
const retryMax = 24 * time.Hour

// retryAfter reads a number of seconds or a date. What is neither, or is over,
// means no wait.
func retryAfter(s string, now time.Time) time.Duration {
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
