package api

import (
	"net/http"
	"strings"
)

// problemNames are the names of the error responses in the document.
var problemNames = map[int]string{
	http.StatusBadRequest:                   "Malformed",
	http.StatusUnauthorized:                 "Unauthenticated",
	http.StatusForbidden:                    "Forbidden",
	http.StatusNotFound:                     "NotFound",
	http.StatusConflict:                     "Conflict",
	http.StatusRequestEntityTooLarge:        "TooLarge",
	http.StatusUnsupportedMediaType:         "UnsupportedMediaType",
	http.StatusUnprocessableEntity:          "Invalid",
	http.StatusPreconditionFailed:           "PreconditionFailed",
	http.StatusRequestedRangeNotSatisfiable: "NoSuchRange",
	http.StatusUpgradeRequired:              "UpgradeRequired",
	http.StatusTooManyRequests:              "TooManyRequests",
	http.StatusInternalServerError:          "Internal",
	http.StatusServiceUnavailable:           "Unavailable",
}

var problemWords = map[int]string{
	http.StatusBadRequest:                   "The body is not valid JSON, or is incomplete.",
	http.StatusUnauthorized:                 "Authentication required; sign_in lists the ways to sign in.",
	http.StatusTooManyRequests:              "Too many requests, or attempts to sign in. Retry-After says when to try again.",
	http.StatusForbidden:                    "Permission denied, or the request comes from a page of another site.",
	http.StatusNotFound:                     "Not found.",
	http.StatusConflict:                     "Not possible in the current state: already_decided (with decided_by, decided_at and act), version_mismatch, or conflict.",
	http.StatusRequestEntityTooLarge:        "The body is larger than 16 MiB, or a value or the result is over a limit.",
	http.StatusUnsupportedMediaType:         "The media type of the body is not accepted.",
	http.StatusUnprocessableEntity:          "Well-formed but not valid; errors lists every problem with its path.",
	http.StatusPreconditionFailed:           "It has changed since you loaded it.",
	http.StatusRequestedRangeNotSatisfiable: "The range is not available.",
	http.StatusUpgradeRequired:              "This endpoint requires a WebSocket.",
	http.StatusInternalServerError:          "Internal error; the server log has the details under the X-Request-Id of the response.",
	http.StatusServiceUnavailable:           "The server is starting, stopping, or cannot reach its store. Retry-After says when to try again.",
}

// problemExamples show problems that need more than words.
var problemExamples = map[int]object{
	http.StatusConflict: {
		"type": "/problems/already_decided", "title": "Already decided", "status": 409, "code": "already_decided",
		"detail": "apr_06gxvtrwwaw1r3q5ba22ztf96w_2 is already settled: approved by ann", "hint": "reload the approval to see the outcome", "errors": []object{},
		"decided_by": "ann", "decided_at": "2026-01-05T09:00:02Z", "act": "approve",
	},
	http.StatusUnprocessableEntity: {
		"type": "/problems/invalid", "title": "The request is not valid", "status": 422, "code": "invalid",
		"detail": "the body is not valid", "hint": "", "errors": []object{{"path": "commment", "message": `there is no key "commment"; did you mean "comment"?`}},
	},
}

// problemResponses are the error responses that operations refer to.
func problemResponses() object {
	out := object{}
	for status, name := range problemNames {
		media := object{"schema": object{"$ref": "#/components/schemas/Problem"}}
		if example, ok := problemExamples[status]; ok {
			media["example"] = example
		}
		response := object{"description": problemWords[status], "content": object{"application/problem+json": media}}
		if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
			response["headers"] = object{"Retry-After": object{"description": "Seconds to wait.", "schema": object{"type": "integer"}}}
		}
		out[name] = response
	}
	return out
}

// namesInBody are the operations whose body or query names something that may not be there.
var namesInBody = map[string]bool{"startRun": true, "cancelRuns": true, "proveAuditConsistency": true, "publishPolicy": true}

// signs are the operations that sign the audit log, which a server does not do when
// the log does not follow what it signed before.
var signs = map[string]bool{"exportAudit": true, "getAuditHead": true, "proveAuditConsistency": true, "proveRun": true}

// problemsOf lists the errors that an operation may answer with.
func problemsOf(op *operation) []int {
	out := []int{http.StatusForbidden, http.StatusInternalServerError, http.StatusUnprocessableEntity}
	if !op.public || op.forgets || op.status == http.StatusSeeOther {
		out = append(out, http.StatusUnauthorized)
	}
	if !probes[op.id] {
		out = append(out, http.StatusTooManyRequests)
	}
	if strings.Contains(op.path, "{") || namesInBody[op.id] || streams(op.path) {
		out = append(out, http.StatusNotFound)
	}
	if op.takes != takesNothing {
		out = append(out, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if op.changes || signs[op.id] {
		out = append(out, http.StatusConflict)
	}
	if op.id == "proveAuditConsistency" { // of more heads than fit into one
		out = append(out, http.StatusRequestEntityTooLarge)
	}
	if op.id == "previewDeliverable" {
		out = append(out, http.StatusUnsupportedMediaType)
	}
	if op.path == pathSocket {
		out = append(out, http.StatusUpgradeRequired)
	}
	if op.also == http.StatusPartialContent {
		out = append(out, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable)
	}
	if !op.public || op.id == "getReadiness" || op.forgets || op.status == http.StatusSeeOther {
		out = append(out, http.StatusServiceUnavailable)
	}
	return out
}
