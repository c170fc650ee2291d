package contract

import (
	"net/http"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/rights"
	"github.com/assent-run/assent/internal/view"
)

func roleOperations() []Operation {
	return []Operation{{
		Method: "GET", Path: Base + "/roles", ID: "listRoles", Tag: "Access", Summary: "List the roles, by name",
		Description: "For administrators. Built-in roles, those of documents, which replace built-in ones of the same " +
			"name, and withdrawn ones. Other roles are only names: they let their holders decide the approvals that ask for " +
			"them.",
		Gives: view.List[RoleView]{}, Console: true,
	}, {
		Method: "PUT", Path: Base + "/roles/{name}", ID: "saveRole", Tag: "Access",
		Summary: "Save a role and put it in force",
		Description: "For administrators, never for programs. It takes effect with the next request of its holders. A " +
			"built-in role is replaced by a document of the same name; admin cannot be. 409 if a role of that name was " +
			"withdrawn and still has holders (needed_by), who would have its permissions again: restore accepts that. " +
			overwrites,
		Params: []request.Param{forced, {Name: "restore", Kind: request.Flag, Fallback: false,
			Doc: "Put a withdrawn role in force again although it has holders."}},
		Takes: TakesDocument, Gives: registry.Document{}, Status: http.StatusCreated, Also: http.StatusOK,
		Changes: true,
		Example: `{"role":"finance","description":"Decides about money.","permissions":["view","decide"],"workflows":["refund"]}`,
	}, {
		Method: "DELETE", Path: Base + "/roles/{name}", ID: "withdrawRole", Tag: "Access",
		Summary: "Withdraw a role", Console: true, Gives: registry.Document{}, Changes: true,
		Description: "For administrators, never for programs. From their next request on, it grants its holders nothing; " +
			"its versions are kept. 409 with needed_by if a published document, an account, a token or a " +
			"stand-in needs it. Built-in roles cannot be withdrawn; withdrawing a document that replaces one restores it. " +
			"The response shows the role as it was.",
		Params: []request.Param{{Name: "force", Kind: request.Flag, Fallback: false,
			Doc: "Withdraw it although it is needed. The audit log names what needed it."}},
	}, {
		Method: "GET", Path: Base + "/people/{name}/access", ID: "explainPermissions", Tag: "Access",
		Summary: "Explain what someone may do, and why", Gives: rights.PermissionsView{}, Console: true,
		Description: "For each action: whether it is allowed, and by which role or rule, or what is missing, as requests " +
			"are authorized. It is about runs that others own; those who own a run, or are asked by name, may do more. For " +
			"other people this requires an administrator.",
		Params: []request.Param{
			{Name: "as", Words: Words(run.Person, run.Service, run.Agent), Fallback: string(run.Person),
				Doc: "The kind of principal. For programs, roles are required: those of the token."},
			{Name: "roles", Kind: request.List, Doc: "The roles to check; those of the account if omitted."},
			{Name: "workflow", Doc: "The workflow. Without it, only roles for all workflows count where one is needed."},
			{Name: "kind", Words: Words(gate.Kinds...), Fallback: string(gate.KindApproval),
				Doc: "The kind of approval, for the acts on approvals."},
			{Name: "role", Doc: "The role that the approval asks; anyone if omitted."},
		},
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
	// True for a role whose document was withdrawn: it grants its holders nothing.
	Withdrawn bool `json:"withdrawn"`
	// The version of its document; 0 if none is in force.
	Version int `json:"version"`
	// Who saved that version; empty if none is in force.
	By string `json:"by"`
}
