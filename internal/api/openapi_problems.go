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
	http.StatusBadRequest:                   "The body is no JSON, or did not arrive whole.",
	http.StatusUnauthorized:                 "It is not clear who asks; sign_in tells the ways to say so.",
	http.StatusTooManyRequests:              "Too many requests, or attempts to sign in. Retry-After says when to try again.",
	http.StatusForbidden:                    "You may not do this, or the request comes from a page of another site.",
	http.StatusNotFound:                     "There is no such thing.",
	http.StatusConflict:                     "It is not possible now: already_decided (with decided_by, decided_at and act), version_mismatch, or conflict.",
	http.StatusRequestEntityTooLarge:        "The body is larger than 16 MiB, or something in it or asked for is over a limit.",
	http.StatusUnsupportedMediaType:         "The body is of a type that is not taken here.",
	http.StatusUnprocessableEntity:          "Well-formed but not valid; errors lists all that is wrong, with paths.",
	http.StatusPreconditionFailed:           "It changed meanwhile.",
	http.StatusRequestedRangeNotSatisfiable: "It has no such range.",
	http.StatusUpgradeRequired:              "This address speaks WebSocket.",
	http.StatusInternalServerError:          "The server made a mistake; its log says more under the X-Request-Id of the answer.",
	http.StatusServiceUnavailable:           "The server starts, stops or cannot reach its store. Retry-After says when to try again.",
}

// problemExamples show problems that need more than words.
var problemExamples = map[int]object{
	http.StatusConflict: {
		"type": "/problems/already_decided", "title": "Somebody decided before", "status": 409, "code": "already_decided",
		"detail": "apr_06gxvtrwwaw1r3q5ba22ztf96w_2 was settled before: approved by ann", "hint": "reload the approval to see how it ended", "errors": []object{},
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
