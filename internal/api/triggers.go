package api

import (
	"encoding/json"
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
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/internal/view"
)

func triggerOperations() []operation {
	all, one := base+"/triggers", base+"/triggers/{name}"
	return []operation{
		{
			method: "POST", path: trigger.PathOf("{name}"), id: "receiveDelivery", tag: "Triggers",
			summary: "Deliver a webhook, which starts a run",
			description: "For other systems. The delivery proves who sent it as the trigger says, and is refused with 401 " +
				"otherwise. A repeated delivery gets 200 with the run that the first one started; a ping of GitHub gets 200 " +
				"without a run. At most 1 MiB of JSON.",
			public: true, hook: true, changes: true, takes: takesJSON, body: map[string]json.RawMessage{},
			gives:  trigger.Receipt{},
			status: http.StatusAccepted, also: http.StatusOK, example: `{"order":{"id":"A-5501"}}`,
			do: (*Server).receiveDelivery,
		},
		{
			method: "GET", path: all, id: "listTriggers", tag: "Triggers", summary: "List the triggers in force, by name",
			description: "Those of workflows that you may see, each with its last delivery.",
			gives:       view.List[trigger.Trigger]{}, params: request.Paging, do: (*Server).listTriggers,
		},
		{
			method: "GET", path: one, id: "getTrigger", tag: "Triggers", summary: "Show a trigger with its last deliveries",
			description: "Secrets are shown as ***; sending that back keeps the secret. With Accept: application/yaml, the " +
				"response is a file.",
			gives: trigger.Trigger{}, tagged: true, yaml: true, do: (*Server).getTrigger,
		},
		{
			method: "PUT", path: one, id: "saveTrigger", tag: "Triggers", summary: "Save a trigger and put it in force",
			description: saves + " It needs permission to start the workflow.",
			takes:       takesDocument, gives: registry.Document{}, params: []request.Param{forced},
			status: http.StatusCreated, also: http.StatusOK, changes: true,
			example: `{"trigger":"new-order","workflow":"hello","verify":"standard","secret":"${env:ORDERS_SECRET}",` +
				`"map":{"name":"order.customer"}}`,
			do: saving(definition.KindTrigger),
		},
		{
			method: "DELETE", path: one, id: "deleteTrigger", tag: "Triggers", summary: "Take a trigger out of force",
			description: "Deliveries to it are no longer found. Runs that it has started continue. The response shows it as " +
				"it was.",
			gives: trigger.Trigger{}, changes: true, do: (*Server).deleteTrigger,
		},
		{
			method: "POST", path: one + "/deliveries/{delivery}/replay", id: "replayDelivery", tag: "Triggers",
			summary: "Start a run with a delivery again",
			description: "As the trigger maps it now, also if the trigger is not enabled. It needs permission to start the " +
				"workflow, and the run belongs to you.",
			gives: view.Run{}, status: http.StatusCreated, changes: true, heads: locateRun,
			do: (*Server).replayDelivery,
		},
	}
}

// receiveDelivery takes a delivery. Until it has proven who sent it, nothing is read but its signature.
func (s *Server) receiveDelivery(c *call) (reply, error) {
	v, err := s.app.Deliver(c, c.path("name"), trigger.Request{Header: c.r.Header, Body: c.body})
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
	s.app.Refused(c, app.Who{Kind: port.Nobody}, "trigger.delivered", "trigger/"+c.path("name"), from)
}

func (s *Server) listTriggers(c *call) (reply, error) {
	all, err := s.app.Triggers(c, c.who)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(v trigger.Trigger) string { return v.Name })
	return reply{body: v}, err
}

func (s *Server) getTrigger(c *call) (reply, error) {
	v, err := s.app.Trigger(c, c.who, c.path("name"))
	if err != nil {
		return reply{}, err
	}
	return document(c, v, v.YAML)
}

func (s *Server) deleteTrigger(c *call) (reply, error) {
	v, err := s.app.DeleteTrigger(c, c.who, c.path("name"))
	return reply{body: v}, err
}

func (s *Server) replayDelivery(c *call) (reply, error) {
	v, err := s.app.ReplayDelivery(c, c.who, c.path("name"), c.path("delivery"), s.keep(c))
	return reply{body: v}, err
}
