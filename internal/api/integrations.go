package api

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/chat"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// integrations is where other programs send what people do there. Their formats are their own, so that this is not part
// of the OpenAPI document.
const integrations = base + "/integrations/{program}/{what}"

// integrate serves a request of another program. It has no credentials: its signature counts.
func (s *Server) integrate(w http.ResponseWriter, r *http.Request) {
	if rec, ok := w.(*record.Recorder); ok {
		rec.Route = integrations
	}
	if s.drained.Load() {
		s.refuse(w, errDraining)
		return
	}
	leave, err := s.limits.Enter(s.addressKey(r))
	if err != nil {
		s.refuse(w, err)
		return
	}
	defer leave()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, chat.BodyMax))
	var over *http.MaxBytesError
	if errors.As(err, &over) {
		s.refuse(w, fault.New(fault.TooLarge, "the body is larger than 1 MiB", ""))
		return
	}
	if err != nil {
		s.refuse(w, problem.WithStatus(http.StatusBadRequest, fault.New(fault.Invalid, "the body is incomplete", "")))
		return
	}
	arrived(w, r)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), changeMax)
	defer cancel()
	answer, err := s.o.Chat.Serve(ctx, r.PathValue("program")+"/"+r.PathValue("what"), r.Header, body)
	if err != nil {
		s.refuse(w, err)
		return
	}
	if answer.Media != "" {
		w.Header().Set("Content-Type", answer.Media)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body) // a client that disconnected is not an error
}

func linkHandlers() handlers {
	return handlers{
		"listMyLinks":  {do: (*Server).listMyLinks},
		"getLinkOffer": {do: (*Server).getLinkOffer},
		"addMyLink":    {do: (*Server).addMyLink},
		"removeMyLink": {do: (*Server).removeMyLink},
	}
}

func linkView(l port.Link) contract.LinkView {
	return contract.LinkView{ID: l.ID, Program: chat.Program(l.ID), Label: l.Label, CreatedAt: l.CreatedAt}
}

func (s *Server) chats() error {
	if s.o.Chat == nil {
		return fault.New(fault.Unsupported, "decisions in chat are not available here", "")
	}
	return nil
}

func (s *Server) listMyLinks(c *call) (reply, error) {
	if err := s.chats(); err != nil {
		return reply{}, err
	}
	all, err := s.o.Chat.Mine(c, c.how)
	out := []contract.LinkView{}
	for _, l := range all {
		out = append(out, linkView(l))
	}
	return reply{body: view.Whole(out)}, err
}

func (s *Server) getLinkOffer(c *call) (reply, error) {
	if err := s.chats(); err != nil {
		return reply{}, err
	}
	l, err := s.o.Chat.Offered(c, c.path("token"))
	return reply{body: linkView(l)}, err
}

func (s *Server) addMyLink(c *call) (reply, error) {
	if err := s.chats(); err != nil {
		return reply{}, err
	}
	in, err := read[contract.NewLink](c)
	if err != nil {
		return reply{}, err
	}
	l, err := s.o.Chat.Take(c, c.how, in.Token)
	return reply{body: linkView(l)}, err
}

func (s *Server) removeMyLink(c *call) (reply, error) {
	if err := s.chats(); err != nil {
		return reply{}, err
	}
	l, err := s.o.Chat.Remove(c, c.how, c.query.Text("id"))
	return reply{body: linkView(l)}, err
}
