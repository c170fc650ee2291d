package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/core/value"
)

// refuse responds with an error.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	p := problem.Of(err)
	if rec, ok := w.(*record.Recorder); ok {
		rec.Err = err
	}
	if errors.Is(err, context.Canceled) {
		p.Status = statusGone // the client is gone
	}
	if wait, ok := p.RetryAfter(); ok {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	body, merr := value.Marshal(p)
	if merr != nil {
		body = []byte(`{"status":500,"code":"internal"}`)
	}
	problem.Send(w, p.Status, body)
}

// statusGone is logged when the client disconnected before the response.
const statusGone = 499
