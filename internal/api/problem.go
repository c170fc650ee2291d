package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/core/value"
)

// defaultRetryAfter is how many seconds to wait otherwise.
const defaultRetryAfter = "2"

// refuse answers with an error.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	p := problem.Of(err)
	if rec, ok := w.(*recorder); ok {
		rec.err = err
	}
	if errors.Is(err, context.Canceled) {
		p.Status = statusGone // nobody reads this any more
	}
	if wait, ok := p.RetryAfter(); ok {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	body, merr := value.Marshal(p)
	if merr != nil {
		body = []byte(`{"status":500,"code":"internal"}`)
	}
	send(w, p.Status, body)
}

// statusGone is what logs show when the client went away before the answer.
const statusGone = 499

// send writes a JSON answer; from 400 on it is a problem.
func send(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if status >= http.StatusBadRequest {
		h.Set("Content-Type", "application/problem+json")
	}
	switch status {
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", defaultRetryAfter)
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	}
	if h.Get("ETag") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away is no error of ours
	_, _ = w.Write([]byte{'\n'})
}
