package problem

import (
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
)

// Explanation is the page of a code, at the address in a problem's type.
type Explanation struct {
	Code  fault.Code `json:"code"`
	Title string     `json:"title"`
	// Status is the default one. A more specific error has another of its class: a body that is not JSON is 400, not
	// 422.
	Status   int    `json:"status"`
	Happened string `json:"happened"`
	ToDo     string `json:"what_to_do"`
}

// explained has what happened and what to do, for every code.
var explained = map[fault.Code][2]string{
	fault.Invalid: {
		"The request could be read, but something in it is missing, of the wrong type or not acceptable. Nothing " +
			"was changed.",
		"Look at errors: each entry has the path of a member and what is wrong with it. Correct the request and " +
			"send it again, with a new Idempotency-Key.",
	},
	fault.NotFound: {
		"It does not exist, or you are not allowed to see it. The response is the same in both cases.",
		"Check the id and the path. If it should exist, ask an administrator whether your roles cover its workflow.",
	},
	fault.Conflict: {
		"The request does not fit the current state: the run has ended, you have already voted, or the same " +
			"Idempotency-Key was used for another request.",
		"Load the current state and try again. detail names the conflict.",
	},
	fault.AlreadyDecided: {
		"The approval was settled before your answer arrived, so your answer does not count.",
		"Load the approval. decided_by, decided_at and act show who settled it, when and how.",
	},
	fault.VersionMismatch: {
		"It has changed since you loaded it. A decision applies only to the version that was shown.",
		"Load it again, review the changes, and decide on the new version.",
	},
	fault.Forbidden: {
		"You are signed in and can see this, but you don't have permission for this action. Only people decide: " +
			"services, agents and OIDC clients never do, whatever their roles.",
		"Look at detail, hint and missing: they name the missing permission, or the kind of principal that is " +
			"allowed. GET /api/v1/approvals/{id}/access explains each act.",
	},
	fault.TooLarge: {
		"The request, or a value in it, is over a limit.",
		"Send less, or put large content where agents can fetch it and send its address.",
	},
	fault.Unsupported: {
		"The server does not support this here: the act is not offered, the media type is not accepted, or the " +
			"feature is not configured.",
		"Look at the hint for what is possible.",
	},
	fault.Unauthenticated: {
		"The request has no credentials, or they are wrong, expired or revoked.",
		"Sign in, or send a valid token as Authorization: Bearer …. sign_in lists the ways to sign in.",
	},
	fault.RateLimited: {
		"Too many requests, or too many wrong passwords, in a short time.",
		"Wait for the time in Retry-After, then try again.",
	},
	Unavailable: {
		"The server is starting, stopping, or cannot reach its store or the identity provider.",
		"Try again after Retry-After. With an Idempotency-Key, retrying changes is safe as well.",
	},
	Internal: {
		"The server failed to handle the request. The details are in its log.",
		"Report the X-Request-Id of the response to an operator.",
	},
}

// Base is the address of the types of problems.
const Base = "/problems/"

// Explanations are those of all codes, in the order of their names.
func Explanations() []Explanation {
	var out []Explanation
	for _, m := range Meanings {
		words := explained[m.Code]
		out = append(out, Explanation{m.Code, m.Title, m.status, words[0], words[1]})
	}
	slices.SortFunc(out, func(a, b Explanation) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return slices.Compact(out)
}
