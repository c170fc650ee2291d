package contract

import (
	"net/http"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

func roleOperations() []Operation {
	return []Operation{{
		Method: "GET", Path: Base + "/roles", ID: "listRoles", Tag: "Access", Summary: "List the roles in force, by name",
		Description: "For administrators. Built-in roles, and those of documents, which replace built-in ones of the same " +
			"name. Other roles are only names: they let their holders decide the approvals that ask for them.",
		Gives: view.List[RoleView]{},
	}, {
		Method: "PUT", Path: Base + "/roles/{name}", ID: "saveRole", Tag: "Access",
		Summary: "Save a role and put it in force",
		Description: "For administrators, never for programs. It takes effect with the next request of its holders. A " +
			"built-in role is replaced by a document of the same name; admin cannot be.",
		Takes: TakesDocument, Gives: registry.Document{}, Status: http.StatusCreated, Also: http.StatusOK, Changes: true,
		Example: `{"role":"finance","description":"Decides about money.","permissions":["view","decide"],"workflows":["refund"]}`,
	}}
}

// RoleView is a role in force.
type RoleView struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// What it permits: view, comment, start, command, audit, sensitive, admin, the acts on approvals; decide covers
	// every act, * everything.
	Permissions []string `json:"permissions"`
	// The kinds of approvals it covers; empty: all.
	Kinds []gate.Kind `json:"kinds"`
	// The workflows it covers; a name may end in *. Empty: see every.
	Workflows []string `json:"workflows"`
	// True if it covers every workflow.
	Every bool `json:"every_workflow"`
	// The roles that its holders may act as.
	CanActAs []string `json:"can_act_as"`
	// True for a role that needs no document.
	BuiltIn bool `json:"built_in"`
}
