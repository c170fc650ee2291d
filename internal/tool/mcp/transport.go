package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/outbound"
)

// roundTripper adds the headers of a server's document to every request, limits responses, and reports the
// outcome to the exchange of the request.
type roundTripper struct {
	next    http.RoundTripper
	headers http.Header
	now     func() time.Time
}

// exchange is the HTTP outcome of one call: the library's errors keep neither the status nor the cause.
type exchange struct {
	mu     sync.Mutex
	err    error
	status int
	said   []byte
	wait   time.Duration
}

type exchangeKey struct{}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, values := range t.headers {
		req.Header[name] = values
	}
	res, err := t.send(req)
	seen, _ := req.Context().Value(exchangeKey{}).(*exchange)
	if err != nil {
		seen.broke(err)
		return nil, err
	}
	if res.StatusCode >= 400 {
		said, _ := io.ReadAll(io.LimitReader(res.Body, 16*outbound.SaidMax))
		_ = res.Body.Close()
		res.Body = io.NopCloser(bytes.NewReader(said))
		if req.Method != http.MethodGet { // a stream that is not offered is not a failure
			seen.refused(res.StatusCode, said, outbound.RetryAfter(res.Header.Get("Retry-After"), t.now()))
		}
		return res, nil
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") { // whose events are limited individually
		res.Body = &boundedBody{res.Body, messageMax}
	}
	return res, nil
}

// redirect never follows to another host, and reports that to the exchange.
func redirect(to *http.Request, via []*http.Request) error {
	err := outbound.SameHost(to, via)
	if seen, _ := to.Context().Value(exchangeKey{}).(*exchange); err != nil {
		seen.broke(err)
	}
	return err
}

// send waits for the response to a GET, which opens the notification stream, for a limited time: the library
// waits for its headers without a deadline. A server that does not send them is treated as one without such a
// stream.
func (t *roundTripper) send(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return t.next.RoundTrip(req)
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	late := errors.New("no stream in time")
	timer := time.AfterFunc(streamsWithin, func() { cancel(late) })
	res, err := t.next.RoundTrip(req.WithContext(ctx))
	timer.Stop()
	switch {
	case err == nil:
		res.Body = &cancelledBody{res.Body, cancel}
		return res, nil
	case errors.Is(context.Cause(ctx), late):
		cancel(nil)
		return &http.Response{
			StatusCode: http.StatusMethodNotAllowed, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: http.NoBody, Request: req,
		}, nil
	}
	cancel(nil)
	return nil, err
}

// cancelledBody cancels its context when it is closed.
type cancelledBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *cancelledBody) Close() error {
	b.cancel(nil)
	return b.ReadCloser.Close()
}

// boundedBody fails when a response is too long.
type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, outbound.OverLimit()
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, outbound.OverLimit()
	}
	return n, err
}

func (e *exchange) broke(err error) {
	if e != nil {
		e.mu.Lock()
		e.err = err
		e.mu.Unlock()
	}
}

func (e *exchange) refused(status int, said []byte, wait time.Duration) {
	if e != nil {
		e.mu.Lock()
		e.status, e.said, e.wait = status, said, wait
		e.mu.Unlock()
	}
}

// failure is the HTTP failure of a call, or nil.
func (e *exchange) failure(ctx context.Context, l *session) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.status > 0:
		f := run.Failure{
			Code: "http", Message: l.host + " answered " + outbound.Status(e.status),
			Body:      l.veil.Said(string(e.said), len(e.said) == 16*outbound.SaidMax),
			Transient: outbound.Transient(e.status), RetryAfter: quantity.Duration(e.wait),
		}
		return &outbound.Failed{Failure: f}
	case e.err != nil:
		return outbound.Broken(ctx, l.host, e.err, l.veil)
	}
	return nil
}
