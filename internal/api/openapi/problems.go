package openapi

import (
	"net/http"
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
	http.StatusBadRequest:   "The body is not valid JSON, or is incomplete.",
	http.StatusUnauthorized: "Authentication required; sign_in lists the ways to sign in.",
	http.StatusTooManyRequests: "Too many requests, or attempts to sign in. Retry-After gives the time to " +
		"wait.",
	http.StatusForbidden: "Permission denied, or the request comes from a page of another site.",
	http.StatusNotFound:  "Not found.",
	http.StatusConflict: "Not possible in the current state: already_decided (with decided_by, " +
		"decided_at and act), version_mismatch, or conflict.",
	http.StatusRequestEntityTooLarge: "The body is larger than 16 MiB, or a value or the result is over a limit.",
	http.StatusUnsupportedMediaType:  "The media type of the body is not accepted.",
	http.StatusUnprocessableEntity: "Well-formed but not valid; errors lists every problem with its path. A refused " +
		"fork has fork_at, the last event to fork from with these edits.",
	http.StatusPreconditionFailed:           "It has changed since you loaded it.",
	http.StatusRequestedRangeNotSatisfiable: "The range is not available.",
	http.StatusUpgradeRequired:              "This endpoint requires a WebSocket.",
	http.StatusInternalServerError: "Internal error; the server log has the details under the X-Request-Id of " +
		"the response.",
	http.StatusServiceUnavailable: "The server is starting, stopping, or cannot reach its store. Retry-After " +
		"gives the time to wait.",
}

// problemExamples show problems that need more than a description.
var problemExamples = map[int]Object{
	http.StatusConflict: {
		"type": "/problems/already_decided", "title": "Already decided", "status": 409, "code": "already_decided",
		"detail": "apr_06gxvtrwwaw1r3q5ba22ztf96w_2 is already settled: approved by ann",
		"hint":   "reload the approval to see the outcome", "errors": []Object{},
		"decided_by": "ann", "decided_at": "2026-01-05T09:00:02Z", "act": "approve",
	},
	http.StatusUnprocessableEntity: {
		"type": "/problems/invalid", "title": "The request is not valid", "status": 422, "code": "invalid",
		"detail": "the body is not valid", "hint": "",
		"errors": []Object{{"path": "commment", "message": `unknown key "commment"; did you mean "comment"?`}},
	},
}

// problemResponses are the error responses that operations refer to.
func problemResponses() Object {
	out := Object{}
	for status, name := range problemNames {
		media := Object{"schema": Object{"$ref": "#/components/schemas/Problem"}}
		if example, ok := problemExamples[status]; ok {
			media["example"] = example
		}
		response := Object{"description": problemWords[status], "content": Object{"application/problem+json": media}}
		if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
			wait := Object{"description": "Seconds to wait.", "schema": Object{"type": "integer"}}
			response["headers"] = Object{"Retry-After": wait}
		}
		out[name] = response
	}
	return out
}
