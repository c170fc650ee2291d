package api

import (
	"fmt"
	"mime"
	"net/http"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trigger"
)

func triggerHandlers() handlers {
	return handlers{
		"receiveDelivery": {do: (*Server).receiveDelivery},
		"listTriggers":    {do: (*Server).listTriggers},
		"getTrigger":      {do: (*Server).getTrigger},
		"saveTrigger":     {do: saving(definition.KindTrigger)},
		"deleteTrigger":   {do: (*Server).deleteTrigger},
		"replayDelivery":  {do: (*Server).replayDelivery, heads: locateRun},
	}
}

// receiveDelivery takes a delivery. Until it has proven who sent it, nothing is read but its signature.
func (s *Server) receiveDelivery(c *call) (reply, error) {
	v, err := s.app.Automation.Deliver(c, c.path("name"), trigger.Request{Header: c.r.Header, Body: c.body})
	outcome := string(v.Outcome)
	switch code := fault.CodeOf(err); {
	case v.Repeated:
		outcome = "repeated"
	case code == fault.Unauthenticated:
		outcome = "refused"
		_ = s.limits.Charge(s.addressKey(c.r)) // guesses cost twice
	case err != nil:
		outcome = "failed"
	}
	s.metrics.Deliveries.Of(outcome).Add(1)
	if fault.Is(err, fault.Invalid) && !value.Valid(c.body) {
		return reply{}, notJSON(c)
	}
	if err != nil {
		return reply{}, err
	}
	if v.Repeated || v.Outcome != port.HookStarted {
		return reply{status: http.StatusOK, body: v}, nil
	}
	return reply{body: v}, nil
}

// notJSON is the error about a delivery that can't be read.
func notJSON(c *call) error {
	if media, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err == nil &&
		media == "application/x-www-form-urlencoded" {
		return unsupportedMedia("the body is a form, not JSON", "choose the content type application/json at the sender")
	}
	if len(c.body) == 0 {
		return problem.WithStatus(http.StatusBadRequest, fault.New(fault.Invalid, "the body is missing", "send JSON"))
	}
	return malformed(c.body)
}

// noteRefusedDelivery records a delivery that was refused. Anyone can send those, so they all count as one
// identity: a flood of them leaves a few entries a minute, wherever it comes from.
func (s *Server) noteRefusedDelivery(c *call, err error) {
	from := fault.New(fault.CodeOf(err), fmt.Sprintf("%s; from %s", problem.Of(err).Detail, s.address(c.r)), "")
	s.app.Access.Refused(c, app.Who{Kind: port.Unauthenticated}, "trigger.delivered", "trigger/"+c.path("name"), from)
}

func (s *Server) listTriggers(c *call) (reply, error) {
	all, err := s.app.Automation.Triggers(c, c.who)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(v trigger.Trigger) string { return v.Name })
	return reply{body: v}, err
}

func (s *Server) getTrigger(c *call) (reply, error) {
	v, err := s.app.Automation.Trigger(c, c.who, c.path("name"))
	if err != nil {
		return reply{}, err
	}
	return document(c, v, v.Version, v.YAML)
}

func (s *Server) deleteTrigger(c *call) (reply, error) {
	v, err := s.app.Automation.DeleteTrigger(c, c.who, c.path("name"))
	return reply{body: v}, err
}

func (s *Server) replayDelivery(c *call) (reply, error) {
	v, err := s.app.Automation.ReplayDelivery(c, c.who, c.path("name"), c.path("delivery"), s.keep(c))
	return reply{body: v}, err
}
