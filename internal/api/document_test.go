package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/openapi"
)

// object is a JSON object of the OpenAPI document.
type object = openapi.Object

// openAPI creates the OpenAPI document of all operations. It is the same every time. Programs serve docs/openapi.json,
// which is its copy.
func openAPI() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(describe(operations())); err != nil {
		panic(err) // maps, lists and strings always marshal
	}
	return b.Bytes()
}

// introduction opens the document.
const introduction = `Assent runs workflows of agents and asks people where it matters.

**Conventions.** JSON in snake_case, times in RFC 3339 UTC, ids with a prefix (run_, apr_, dlv_). Values that people and agents sent keep their bytes: large numbers keep their digits.
Values over 64 KiB appear as {"$blob", "size", "preview"} unless full=true.

**Errors** are application/problem+json with a stable code. Unknown body members and query parameters are refused by name. Bodies are at most 16 MiB.

**Lists** take limit and cursor, and answer {items, next_cursor, total}; an empty next_cursor is the end.

**Idempotency.** Whatever changes something takes an Idempotency-Key: the same key gives the same answer, also after a restart.`

// describe creates the document of a table of operations.
func describe(ops []operation) object {
	d := openapi.Document{
		Types: types, Introduction: introduction,
		Parameters: sharedParameters(), SecuritySchemes: securitySchemes(),
		Security: []object{{"bearer": []string{}}, {"cookie": []string{}}, {"localUser": []string{}}, {}},
	}
	for _, c := range chapters {
		d.Tags = append(d.Tags, openapi.Tag{Name: c.Name, Description: c.Doc})
	}
	for i := range ops {
		d.Operations = append(d.Operations, ops[i].described())
	}
	return openapi.Describe(d)
}

// described is an operation for the document.
func (op *operation) described() openapi.Operation {
	out := openapi.Operation{
		Method: op.Method, Path: op.Path, ID: op.ID, Tag: op.Tag, Summary: op.Summary, Description: op.Description,
		Shared: sharedBy(op), Public: op.Public,
		Body: op.Body, Document: op.Takes == contract.TakesDocument,
		Optional: op.Takes == contract.TakesMaybe, Example: op.Example,
		Gives: op.Gives, Status: op.Success(), Also: op.Also, Media: op.Media, Images: op.Images,
		Tagged: op.Tagged, YAML: op.YAML, Problems: problemsOf(op),
	}
	for i := range op.Params {
		out.Parameters = append(out.Parameters, openapi.Parameter(&op.Params[i]))
	}
	if _, ok := op.Body.(contract.Command); ok {
		out.Body, out.Form = nil, commands
	}
	if op.Status == http.StatusSwitchingProtocols {
		out.Sends = contract.Taken{}
	}
	if op.Images != nil {
		cut := object{"description": "Whether there is more than is shown.", "schema": object{"type": "boolean"}}
		out.Headers = object{headerCut: cut}
	}
	return out
}

// securitySchemes are the ways to authenticate.
func securitySchemes() object {
	return object{
		"bearer": object{
			"type": "http", "scheme": "bearer",
			"description": "A token of this server (ast_…), or an access token of its identity provider. In local mode, " +
				"tokens replace the local admin.",
		},
		"cookie": object{
			"type": "apiKey", "in": "cookie", "name": cookieSecure,
			"description": "A person signed in with a browser. Over HTTP on this machine, the name is " + cookiePlain + ".",
		},
		"localUser": object{
			"type": "apiKey", "in": "header", "name": headerUser,
			"description": "In local mode only: the acting user, with " + headerRoles +
				" for their roles. Without it, the local admin acts.",
		},
	}
}

// sharedBy names the headers that an operation understands.
func sharedBy(op *operation) []string {
	var out []string
	if op.Keyed() {
		out = append(out, "IdempotencyKey")
	}
	if op.Tagged {
		out = append(out, "IfNoneMatch")
	}
	if replacesVersion(op) {
		out = append(out, "IfVersionMatch")
	}
	switch op.ID {
	case "decide":
		out = append(out, "IfMatch")
	case "correctLesson":
		out = append(out, "IfLessonMatch")
	case "streamEvents":
		out = append(out, "LastEventID")
	}
	return out
}

// replacesVersion reports whether an operation puts another version of a document in force.
func replacesVersion(op *operation) bool {
	return op.Takes == contract.TakesDocument && op.Changes || op.ID == "publishPolicy" || op.ID == "publishWorkflow"
}

func sharedParameters() object {
	header := func(name, doc string, schema object) object {
		return object{"name": name, "in": "header", "description": doc, "schema": schema}
	}
	return object{
		"IdempotencyKey": header("Idempotency-Key",
			"Identifies a request: the same key with the same request returns the same response, even after a restart; "+
				"with another request, 409. Kept for a week, per person and path.",
			object{"type": "string", "minLength": 1, "maxLength": keyMax}),
		"IfNoneMatch": header("If-None-Match", "The ETag you have: if nothing changed, the response is 304 without a body.",
			object{"type": "string"}),
		"IfMatch": header("If-Match", "The ETag of the approval you saw, instead of version in the body.",
			object{"type": "string"}),
		"IfVersionMatch": header("If-Match",
			"The ETag of the version in force that you saw, or its number in quotes, \"0\" if there was none; 412 if another "+
				"one is in force.",
			object{"type": "string"}),
		"IfLessonMatch": header("If-Match",
			"The ETag of the correction you saw, or the version of the lesson in quotes; 412 if it was corrected since.",
			object{"type": "string"}),
		"LastEventID": header("Last-Event-ID", "The number of the last event you received; the stream continues after it.",
			object{"type": "integer", "minimum": 0}),
	}
}

// namesInBody are the operations whose body or query names something that may not exist.
var namesInBody = map[string]bool{"addMyLink": true, "removeMyLink": true, "startRun": true, "cancelRuns": true,
	"proveAuditConsistency": true, "publishPolicy": true}

// signs are the operations that sign the audit log, which a server refuses when the log does not continue from the
// head it signed last.
var signs = map[string]bool{"exportAudit": true, "getAuditHead": true, "proveAuditConsistency": true, "proveRun": true}

// problemsOf lists the errors that an operation may answer with.
func problemsOf(op *operation) []int {
	out := []int{http.StatusForbidden, http.StatusInternalServerError, http.StatusUnprocessableEntity}
	if !op.Public || op.Forgets || op.Hook || op.Status == http.StatusSeeOther {
		out = append(out, http.StatusUnauthorized)
	}
	if !probes[op.ID] {
		out = append(out, http.StatusTooManyRequests)
	}
	if strings.Contains(op.Path, "{") || namesInBody[op.ID] || op.Streams() || op.ID == "getNotifications" {
		out = append(out, http.StatusNotFound)
	}
	if op.Takes != contract.TakesNothing {
		out = append(out, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if op.Changes || signs[op.ID] {
		out = append(out, http.StatusConflict)
	}
	if op.ID == "proveAuditConsistency" { // if more heads than fit into one
		out = append(out, http.StatusRequestEntityTooLarge)
	}
	if op.ID == "previewDeliverable" {
		out = append(out, http.StatusUnsupportedMediaType)
	}
	if op.Path == contract.PathSocket {
		out = append(out, http.StatusUpgradeRequired)
	}
	if replacesVersion(op) || op.ID == "correctLesson" {
		out = append(out, http.StatusPreconditionFailed)
	}
	if op.Also == http.StatusPartialContent {
		out = append(out, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable)
	}
	if !op.Public || op.ID == "getReadiness" || op.Forgets || op.Hook || op.Status == http.StatusSeeOther {
		out = append(out, http.StatusServiceUnavailable)
	}
	return out
}
