package contract

import (
	"encoding/json"
	"net/http"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/internal/view"
)

func triggerOperations() []Operation {
	all, one := Base+"/triggers", Base+"/triggers/{name}"
	return []Operation{
		{
			Method: "POST", Path: trigger.PathOf("{name}"), ID: "receiveDelivery", Tag: "Triggers",
			Summary: "Deliver a webhook, which starts a run",
			Description: "For other systems. A delivery that is not authenticated as the trigger requires is refused with 401." +
				" A repeated delivery gets 200 with the run that the first one started; a ping from GitHub gets 200 " +
				"without a run. At most 1 MiB of JSON.",
			Public: true, Hook: true, Changes: true, Takes: TakesJSON, Body: map[string]json.RawMessage{},
			Gives:  trigger.Receipt{},
			Status: http.StatusAccepted, Also: http.StatusOK, Example: `{"order":{"id":"A-5501"}}`,
		},
		{
			Method: "GET", Path: all, ID: "listTriggers", Tag: "Triggers", Summary: "List the triggers in force, by name",
			Description: "Those of workflows that you may see, each with its last delivery.",
			Gives:       view.List[trigger.Trigger]{}, Params: request.Paging,
		},
		{
			Method: "GET", Path: one, ID: "getTrigger", Tag: "Triggers", Summary: "Show a trigger with its last deliveries",
			Description: "Secrets are shown as ***; sending that back keeps the secret. With Accept: application/yaml, the " +
				"response is a file.",
			Gives: trigger.Trigger{}, Tagged: true, YAML: true,
		},
		{
			Method: "PUT", Path: one, ID: "saveTrigger", Tag: "Triggers", Summary: "Save a trigger and put it in force",
			Description: saves + " Requires permission to start the workflow.",
			Takes:       TakesDocument, Gives: registry.Document{}, Params: []request.Param{forced},
			Status: http.StatusCreated, Also: http.StatusOK, Changes: true,
			Example: `{"trigger":"new-order","workflow":"hello","verify":"standard","secret":"${env:ORDERS_SECRET}",` +
				`"map":{"name":"order.customer"}}`,
		},
		{
			Method: "DELETE", Path: one, ID: "deleteTrigger", Tag: "Triggers", Summary: "Delete a trigger",
			Description: "Deliveries to it get 404. Runs that it has started continue, and its versions are kept. The " +
				"response shows it as it was.",
			Gives: trigger.Trigger{}, Changes: true,
		},
		{
			Method: "POST", Path: one + "/deliveries/{delivery}/replay", ID: "replayDelivery", Tag: "Triggers",
			Summary: "Start another run from a delivery",
			Description: "With the trigger's current mapping, even if the trigger is disabled. Requires permission to start " +
				"the workflow. You own the run.",
			Gives: view.Run{}, Status: http.StatusCreated, Changes: true,
		},
	}
}
