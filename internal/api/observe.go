package api

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/record"
)

// fail sends an error to the client, or cuts the connection if part of another response was sent.
func (s *Server) fail(w http.ResponseWriter, err error) {
	rec, ok := w.(*record.Recorder)
	if ok && rec.Status != 0 {
		rec.Err = err
		panic(http.ErrAbortHandler)
	}
	s.refuse(w, err)
}

// finish counts and logs a request, including one that panicked.
func (s *Server) finish(rec *record.Recorder, r *http.Request) {
	crash := recover()
	aborted := crash == http.ErrAbortHandler //nolint:errorlint // net/http compares it the same way
	if crash != nil && !aborted {
		s.o.Log.Error("a request crashed", "request_id", rec.ID, "route", rec.Route, "panic", crash,
			"stack", string(debug.Stack()))
		aborted = rec.Status != 0
		if !aborted {
			s.refuse(rec, errors.New("panic"))
		}
	}
	if rec.Status == 0 {
		rec.Status = http.StatusOK
	}
	took := time.Since(rec.Began)
	s.metrics.Count(rec, r.Method, took)
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("method", problem.Printable(r.Method)), slog.String("route", rec.Route), slog.Int("status", rec.Status),
		slog.Duration("took", took), slog.Int64("bytes", rec.Bytes), slog.String("who", rec.Who),
		slog.String("request_id", rec.ID),
	}
	if rec.Err != nil && rec.Status >= http.StatusInternalServerError {
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", rec.Err.Error()))
	}
	s.o.Log.LogAttrs(r.Context(), level, "request", attrs...)
	if aborted {
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
}
