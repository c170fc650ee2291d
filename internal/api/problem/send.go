package problem

import (
	"net/http"
	"strconv"
)

// defaultRetryAfter is the default number of seconds to wait.
const defaultRetryAfter = "2"

// Send writes a JSON response; from 400 on it is a problem.
func Send(w http.ResponseWriter, status int, body []byte) {
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
	_, _ = w.Write(body) // a client that disconnected is not an error
	_, _ = w.Write([]byte{'\n'})
}
