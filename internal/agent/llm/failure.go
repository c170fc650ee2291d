package llm

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// broken is the failure of a request without a complete answer. Nothing of it counts, except its cost.
func (m *Model) broken(ctx, within context.Context, err error, q *request, r *reply, v answer.Veil) error {
	var (
		no     *refused
		failed *port.Failed
		call   *url.Error
		cert   *tls.CertificateVerificationError
		event  *brokeOff
		host   = m.base.Host
	)
	err = answer.Failed(err) // a guarded transport uses package outbound's errors
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ask %s: %w", host, ctx.Err())
	case within.Err() != nil:
		return m.failure(run.Failure{Code: "timeout", Message: host + " did not finish in time", Transient: true}, q, r)
	case errors.As(err, &no):
		return &port.Failed{Failure: m.said(no, q, v)}
	case errors.As(err, &failed):
		f := failed.Failure
		f.Message, f.Body = v.Hide(f.Message), v.Hide(f.Body) // a redirect may lead to a name that repeats a header
		return m.failure(f, q, r)
	case errors.As(err, &event):
		return m.failure(m.complained(event.said, q, v), q, r)
	case errors.Is(err, bufio.ErrTooLong):
		return m.broken(ctx, within, tooLarge(), q, r, v)
	case errors.As(err, &cert):
		return permanent("tls", v.Hide(fmt.Sprintf("%s has no valid certificate: %v", host, cert)))
	case errors.As(err, &call):
		err = call.Err // without the address, which may contain a secret
	}
	f := run.Failure{Code: "unreachable", Message: fmt.Sprintf("%s did not respond: %v", host, err), Transient: true}
	if r.begun {
		f = run.Failure{Code: "broken_stream",
			Message: fmt.Sprintf("%s disconnected in the middle of an answer: %v", host, err), Transient: true}
	}
	f.Message = v.Hide(line(f.Message, 1000))
	return m.failure(f, q, r)
}

// complaint is a provider's error.
type complaint struct{ code, kind, message string }

// complaintOf parses the known error formats:
//
//	{"error":{"message":…,"type":…,"code":…}}    OpenAI, Anthropic and most
//	{"error":"…"}                                Ollama
//	{"message":…,"type":…,"code":…}, {"detail":…}  vLLM and others behind FastAPI
func complaintOf(body string) complaint {
	raw := json.RawMessage(body)
	if !value.Valid(raw) {
		return complaint{message: line(body, 300)}
	}
	inner, ok := value.Get(raw, "error")
	if text, is := value.Text(inner); is {
		return complaint{message: text}
	}
	if !ok || value.KindOf(inner) != value.KindObject {
		inner = raw
	}
	get := func(name string) string {
		v, _ := value.Get(inner, name)
		s, isText := value.Text(v)
		if !isText && value.KindOf(v) == value.Number {
			s = string(v)
		}
		return s
	}
	c := complaint{get("code"), get("type"), get("message")}
	if c.message == "" {
		c.message = get("detail")
	}
	return c
}

var (
	tooLong = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)context[ _](length|window)|maximum context|` +
			`prompt is too long|input is too long|` +
			`too many (input )?tokens|exceeds? the (available|maximum) context`)
	})
	// windowSaid extracts the window size from "maximum context length is 8192 tokens", "210000 tokens >
	// 200000 maximum" and "context size (4096 tokens)".
	windowSaid = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:context (?:length|window|size)[a-z (]{0,12}|> )(\d{4,})`)
	})
	// hopeless are kinds of errors that recur however often one retries.
	hopeless = []string{
		"invalid_request_error", "authentication_error", "permission_error", "not_found_error",
		"request_too_large", "billing_error",
		"insufficient_quota", "invalid_api_key", "model_not_found", "content_filter", "content_policy_violation",
	}
)

func (c complaint) tooLong() bool {
	return c.code == "context_length_exceeded" || c.kind == "exceed_context_size_error" || tooLong().MatchString(c.message)
}

func (c complaint) hopeless() bool {
	return slices.Contains(hopeless, c.code) || slices.Contains(hopeless, c.kind)
}

// complained is the failure of a stream that ended in an error.
func (m *Model) complained(event string, q *request, v answer.Veil) run.Failure {
	c := complaintOf(event)
	f := run.Failure{Code: "broken_stream", Message: m.base.Host + " broke off: " + line(c.text(), 500),
		Body: v.Said(event, false), Transient: !c.hopeless()}
	if c.tooLong() {
		m.tooMuch(&f, c, q)
	}
	f.Message = v.Hide(f.Message)
	return f
}

// text is the message for people.
func (c complaint) text() string {
	for _, s := range []string{c.message, c.code, c.kind} {
		if s != "" {
			return s
		}
	}
	return "no reason was given"
}

// said is the failure of a response that is not a stream.
func (m *Model) said(no *refused, q *request, v answer.Veil) run.Failure {
	c := complaintOf(no.body)
	status := strings.TrimSpace(fmt.Sprintf("%d %s", no.status, http.StatusText(no.status)))
	if no.status == 529 {
		status = "529 overloaded"
	}
	f := run.Failure{
		Code:    "http_" + strconv.Itoa(no.status),
		Message: fmt.Sprintf("%s responded %s", m.base.Host, status),
		Body:    v.Said(no.body, no.cut),
	}
	if no.status == http.StatusOK {
		f.Code = "no_stream"
		f.Message = m.base.Host + " did not respond with a stream; check base_url, and whether the server supports streaming"
	}
	if c.message != "" {
		f.Message += ": " + line(c.message, 500)
	}
	switch no.status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		f.Transient = !c.hopeless()
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		if c.tooLong() {
			m.tooMuch(&f, c, q)
		}
	default:
		f.Transient = no.status >= 500
	}
	if f.Transient {
		f.Busy = no.status >= 500 || no.status == http.StatusTooManyRequests
		f.RetryAfter = quantity.Duration(retryAfter(no.header, m.o.Now()))
	}
	f.Message = v.Hide(f.Message)
	return f
}

// tooMuch makes the next attempt shorter, if anything can be left out.
func (m *Model) tooMuch(f *run.Failure, c complaint, q *request) {
	f.Code, f.Transient = "context_length", m.learn(q, c.message)
}

// learn records that a request was too long. If the provider named its window, that is used, but never more
// than three quarters of what was too much: the error of the estimate is unknown. If that would leave next to
// nothing of the window, something else is wrong, such as max_tokens.
func (m *Model) learn(q *request, message string) bool {
	window := m.window()
	if found := windowSaid().FindStringSubmatch(message); found != nil {
		if n, err := strconv.Atoi(found[1]); err == nil {
			window = min(window, n)
		}
	}
	limit := min(q.size()*3/4, window*85/100)
	if limit < window/8 {
		return false
	}
	m.learned.Store(int64(limit))
	return true
}

// retryMax is the longest accepted delay.
const retryMax = 24 * time.Hour

// retryAfter determines a provider's requested delay: from one of the common headers, or until the exceeded
// limit is reset.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return bounds(ms * float64(time.Millisecond))
	}
	after := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(after, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return bounds(s * float64(time.Second))
	}
	if at, err := http.ParseTime(after); err == nil {
		return bounds(float64(at.Sub(now)))
	}
	wait := time.Duration(0)
	for _, kind := range []string{"requests", "tokens", "input-tokens", "output-tokens"} {
		if h.Get("X-Ratelimit-Remaining-"+kind) == "0" {
			d, _ := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + kind)) // 1s, 6m0s
			wait = max(wait, bounds(float64(d)))
		}
		if h.Get("Anthropic-Ratelimit-"+kind+"-Remaining") == "0" {
			if at, err := time.Parse(time.RFC3339, h.Get("Anthropic-Ratelimit-"+kind+"-Reset")); err == nil {
				wait = max(wait, bounds(float64(at.Sub(now))))
			}
		}
	}
	return wait
}

func bounds(d float64) time.Duration {
	switch {
	case !(d > 0): // also if it is not a number
		return 0
	case d > float64(retryMax):
		return retryMax
	}
	return time.Duration(d)
}
