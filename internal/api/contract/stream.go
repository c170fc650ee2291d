package contract

import (
	"net/http"
	"slices"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
)

// The addresses of streams: server-sent events, and WebSockets.
const (
	PathEvents = Base + "/events"
	PathSocket = Base + "/ws"
)

func streamOperations() []Operation {
	params := []request.Param{
		{Name: "after", Kind: request.Number, Doc: "Start after this number of the feed; 0 is the beginning. By default, " +
			"the stream starts now."},
		{Name: "run", Doc: "Only events of this run."},
		{Name: "types", Kind: request.List, Words: EventTypes, Doc: "Only events of these types."},
		full,
		{Name: "progress", Kind: request.Flag, Fallback: false,
			Doc: "Include progress of agents (step.progress), which has no number and is not stored."},
		{Name: "state", Kind: request.Flag, Fallback: false,
			Doc: "Follow each event that ends a step by state.updated with {step, seq, state}: the run as of that event, as " +
				"GET /runs/{id}/state shows it. It has no number and is not stored. Requires run."},
	}
	return []Operation{
		{
			Method: "GET", Path: PathEvents, ID: "streamEvents", Tag: "Streams",
			Summary: "Stream events (server-sent events)",
			Description: "id is the number in the feed, event the type, data the event on one line. Last-Event-ID resumes " +
				"without gaps or duplicates and overrides after. A comment is sent every 15 seconds. policy.changed, " +
				"definition.changed and trigger.delivered belong to no run and have no id: after a disconnection, reload the " +
				"documents in force.",
			Params: params, Gives: view.Event{}, Media: "text/event-stream",
		},
		{
			Method: "GET", Path: PathSocket, ID: "openSocket", Tag: "Streams",
			Summary: "Stream events and control runs (WebSocket)",
			Description: "The same events as JSON text messages. Send commands as {id, run, command: {type, …}}; they are " +
				"answered in order by {id, ok, seq} or {id, ok: false, error}. Pages of other sites are refused.",
			Params: params, Gives: view.Event{}, Status: http.StatusSwitchingProtocols,
		},
	}
}

// EventTypes are the types of events that streams send.
var EventTypes = slices.Sorted(slices.Values(slices.Concat(run.Types(), app.NewsTypes())))
