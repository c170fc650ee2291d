package contract

import (
	"net/http"
	"slices"

	"github.com/assent-run/assent/internal/api/request"
)

// Base is where the API begins.
const Base = "/api/v1"

// Operation is one endpoint: its address, request and response, and its description in the OpenAPI document.
type Operation struct {
	Method, Path string
	ID, Tag      string // operationId
	Summary      string // one line
	Description  string // more, or nothing
	Params       []request.Param
	Takes        Takes
	Body         any // an empty value of the body; nil: see Takes
	Example      string
	Gives        any      // an empty value of the response
	Status       int      // of a response without an error; 0: 200
	Also         int      // a second success status, or 0
	Media        string   // of a response that is not JSON
	Images       []string // other media of a response
	Tagged       bool     // responses carry an ETag
	YAML         bool     // responses are also available as YAML
	Changes      bool     // state: then it may carry an Idempotency-Key, and is refused while draining
	Public       bool     // no authentication needed
	Named        bool     // an id in the body also serves as a key
	Console      bool     // callers who can read the server's data directory may also use it
	Paced        bool     // it waits for its turn itself, once it knows how long it takes
	Hook         bool     // other systems call it; their deliveries are verified before they are read
	Forgets      bool     // it contains passwords: nothing of it is stored, so it takes no Idempotency-Key
}

// Keyed reports whether requests may carry an Idempotency-Key. Deliveries to triggers are told apart by their content,
// and nothing is answered before they are verified.
func (op *Operation) Keyed() bool { return op.Changes && !op.Forgets && !op.Hook }

// Streams reports whether responses last until the client disconnects.
func (op *Operation) Streams() bool { return op.Path == PathEvents || op.Path == PathSocket }

// Success is the status of a response without an error.
func (op *Operation) Success() int {
	if op.Status != 0 {
		return op.Status
	}
	return http.StatusOK
}

// Takes is the kind of request body.
type Takes int

// The kinds of request bodies.
const (
	TakesNothing  Takes = iota
	TakesJSON           // an object
	TakesMaybe          // an object, or nothing
	TakesDocument       // YAML or JSON, read by definition
)

// Operations are all endpoints, in the order of the OpenAPI document.
func Operations() []Operation {
	return slices.Concat(
		workflowOperations(), runOperations(), payloadOperations(), approvalOperations(), searchOperations(),
		workbenchOperations(), agentOperations(), graphOperations(), policyOperations(), scheduleOperations(),
		triggerOperations(), notificationOperations(), deliverableOperations(), auditOperations(), streamOperations(),
		accessOperations(), systemOperations(), settingOperations(),
	)
}

// Words are the members of a vocabulary as text.
func Words[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
