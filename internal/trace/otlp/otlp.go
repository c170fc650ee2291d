// Package otlp sends spans and metrics to a collector, in the protocol of OpenTelemetry (OTLP over HTTP, protocol
// buffers):
//
//	settings, err := otlp.Environment(os.Getenv, version) // nil: OTEL_EXPORTER_OTLP_ENDPOINT is not set
//	sender := otlp.New(settings.Target)
//	err = sender.Send(ctx, spans)
//
// It has no queue: its caller decides what to do about what could not be sent.
package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/metrics"
)

// Sender sends one signal.
type Sender struct {
	to     Target
	client *http.Client
}

// New creates a sender.
func New(to Target) *Sender {
	return &Sender{to: to, client: &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: to.Timeout, MaxResponseHeaderBytes: 64 << 10},
		// A redirect would carry the headers, which are secrets, to another place.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close closes idle connections.
func (s *Sender) Close() { s.client.CloseIdleConnections() }

// Refused is an answer of the collector other than success.
type Refused struct {
	signal string
	Status int
	After  time.Duration // how long to wait, if it said so
}

func (r *Refused) Error() string {
	return "the collector of " + r.signal + " answered " + strconv.Itoa(r.Status) + " " + http.StatusText(r.Status)
}

// Temporary reports whether the same may be accepted later.
func (r *Refused) Temporary() bool {
	switch r.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// scope is the name of what observes.
const scope = "github.com/assent-run/assent"

// Send sends spans in one request. The error is a *Refused if the collector answered. It never contains headers.
func (s *Sender) Send(ctx context.Context, spans []Span) error {
	return s.post(ctx, encode(s.to.Resource, spans))
}

// SendMetrics sends numbers in one request; they were counted from start on. Its error is like that of Send.
func (s *Sender) SendMetrics(ctx context.Context, all []metrics.Metric, start, now time.Time) error {
	return s.post(ctx, encodeMetrics(s.to.Resource, all, start, now))
}

func (s *Sender) post(ctx context.Context, body []byte) error {
	if s.to.Gzip {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(body); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	ctx, cancel := context.WithTimeout(ctx, s.to.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.to.Endpoint, bytes.NewReader(body))
	if err != nil {
		return errors.New("the request to the collector of " + s.to.signal + " cannot be sent")
	}
	for name, value := range s.to.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("User-Agent", "assent")
	if s.to.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := s.client.Do(req)
	if err != nil {
		var named interface{ Unwrap() error }
		if errors.As(err, &named) { // a *url.Error repeats the address, which may contain a password
			err = named.Unwrap()
		}
		return fmt.Errorf("reach the collector of %s: %w", s.to.signal, err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return nil
	}
	r := &Refused{signal: s.to.signal, Status: res.StatusCode}
	if n, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && n > 0 {
		r.After = min(time.Duration(n)*time.Second, time.Hour)
	}
	return r
}
