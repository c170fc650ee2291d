package api

import (
	"context"
	"net/http"

	"github.com/assent-run/assent/internal/api/page"
	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/outbox"
	"github.com/assent-run/assent/internal/port"
)

// unsubscribing is where the link in a summary by e-mail leads. It is for mail programs and people, so that it is not
// part of the OpenAPI document.
const unsubscribing = outbox.UnsubscribePath + "{token}"

// unsubscribe serves it. Opening the link changes nothing, because scanners of mail do that: it shows a page with a
// button. A POST, by that button or by the mail program (RFC 8058), turns summaries off. The token is the credential.
func (s *Server) unsubscribe(w http.ResponseWriter, r *http.Request) {
	if rec, ok := w.(*record.Recorder); ok {
		rec.Route = unsubscribing
	}
	leave, err := s.limits.Enter(s.addressKey(r))
	if err != nil {
		s.refuse(w, err)
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeMax)
	defer cancel()
	token := r.PathValue("token")
	if r.Method != http.MethodPost {
		if _, err := s.o.Outbox.Subscriber(ctx, token); err != nil {
			s.refuse(w, err)
			return
		}
		page.Unsubscribe(w, false)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<10)
	switch {
	case s.drained.Load():
		err = errDraining
	case r.PostFormValue(page.OneClick[0]) != page.OneClick[1]:
		err = fault.New(fault.Invalid, "the body must be "+page.OneClick[0]+"="+page.OneClick[1], "see RFC 8058")
	default:
		err = s.o.Outbox.Unsubscribe(ctx, token)
		if fault.Is(err, fault.NotFound) {
			s.app.Access.Refused(ctx, app.Who{Kind: port.Unauthenticated}, "notifications.unsubscribe", "notifications",
				fault.New(fault.Unauthenticated, err.Error(), ""))
		}
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	page.Unsubscribe(w, true)
}
