package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// explanation is what the address in a problem's type tells about its code.
type explanation struct {
	Code  fault.Code `json:"code"`
	Title string     `json:"title"`
	// Status is the usual one. An error that says more may have another of its
	// class: a body that is not JSON is 400, not 422.
	Status   int    `json:"status"`
	Happened string `json:"happened"`
	ToDo     string `json:"what_to_do"`
}

// explained is what happened and what to do, for every code.
var explained = map[fault.Code][2]string{
	fault.Invalid: {
		"The request could be read, but something in it is missing, of the wrong type or not acceptable. Nothing was changed.",
		"Look at errors: each entry has the path of a member and what is wrong with it. Correct the request and send it again, with a new Idempotency-Key.",
	},
	fault.NotFound: {
		"It does not exist, or you are not allowed to see it. The response is the same in both cases.",
		"Check the id and the path. If it should exist, ask an administrator whether your roles cover its workflow.",
	},
	fault.Conflict: {
		"The request does not fit the current state: the run has ended, you have already voted, or the same Idempotency-Key was used for another request.",
		"Load the current state and try again. detail names the conflict.",
	},
	fault.AlreadyDecided: {
		"The approval was settled before your answer arrived, so your answer does not count.",
		"Load the approval. decided_by, decided_at and act say who settled it, when and how.",
	},
	fault.VersionMismatch: {
		"It has changed since you loaded it. A decision applies only to the version that was shown.",
		"Load it again, review the changes, and decide on the new version.",
	},
	fault.Forbidden: {
		"You are signed in and can see this, but you don't have permission for this action. Only people decide: services, agents and OIDC clients never do, whatever their roles.",
		"Look at detail, hint and missing: they name the missing permission, or the kind of principal that is allowed. GET /api/v1/approvals/{id}/access explains each act.",
	},
	fault.TooLarge: {
		"The request, or a value in it, is over a limit.",
		"Send less, or put large content where agents can fetch it and send its address.",
	},
	fault.Unsupported: {
		"The server does not support this here: the act is not offered, the media type is not accepted, or the feature is not configured.",
		"Look at the hint for what is possible.",
	},
	fault.Unauthenticated: {
		"The request has no credentials, or they are wrong, expired or revoked.",
		"Sign in, or send a valid token as Authorization: Bearer …. sign_in lists the ways to sign in.",
	},
	fault.RateLimited: {
		"Too many requests, or too many wrong passwords, in a short time.",
		"Wait as long as Retry-After says, then try again.",
	},
	codeUnavailable: {
		"The server is starting, stopping, or cannot reach its store or the identity provider.",
		"Try again after Retry-After. With an Idempotency-Key, retrying changes is safe as well.",
	},
	codeInternal: {
		"The server failed to handle the request. The details are in its log.",
		"Give the X-Request-Id of the answer to an operator.",
	},
}

// problemBase is where the types of problems lead.
const problemBase = "/problems/"

// explanations are those of all codes, in the order of their names.
func explanations() []explanation {
	var out []explanation
	for _, m := range meanings {
		words := explained[m.code]
		out = append(out, explanation{m.code, m.title, m.status, words[0], words[1]})
	}
	slices.SortFunc(out, func(a, b explanation) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return slices.Compact(out)
}

// explain answers the address of a problem's type: as a page for people, or as
// JSON for whoever asks for that. It needs no sign-in and tells nothing that
// depends on who asks.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) {
	code, all := r.PathValue("code"), explanations()
	if code != "" {
		all = slices.DeleteFunc(all, func(e explanation) bool { return string(e.Code) != code })
	}
	if len(all) == 0 {
		s.refuse(w, fault.New(fault.NotFound, "problem not found", "GET "+problemBase+" lists them all"))
		return
	}
	w.Header().Set("Vary", "Accept")
	if !wantsJSON(r.Header) {
		s.page(w, "problems", all)
		return
	}
	var answer any = all
	if code != "" {
		answer = all[0]
	}
	body, err := value.Marshal(answer)
	if err != nil {
		s.refuse(w, fmt.Errorf("explain a problem: %w", err))
		return
	}
	send(w, http.StatusOK, body)
}

// wantsJSON reports whether a client names JSON before it names pages.
func wantsJSON(h http.Header) bool {
	accept := h.Get("Accept")
	json, html := strings.Index(accept, "json"), strings.Index(accept, "html")
	return json >= 0 && (html < 0 || json < html)
}
