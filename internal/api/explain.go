package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/api/page"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// explain serves the address of a problem's type: as a page for people, or as JSON for clients that ask for it. It
// needs no sign-in, and does not depend on the caller.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) {
	code, all := r.PathValue("code"), problem.Explanations()
	if code != "" {
		all = slices.DeleteFunc(all, func(e problem.Explanation) bool { return string(e.Code) != code })
	}
	if len(all) == 0 {
		s.refuse(w, fault.New(fault.NotFound, "problem not found", "GET "+problem.Base+" lists them all"))
		return
	}
	w.Header().Set("Vary", "Accept")
	if !wantsJSON(r.Header) {
		var shown []page.Problem
		for _, e := range all {
			shown = append(shown, page.Problem{Code: string(e.Code), Title: e.Title, Status: e.Status,
				Happened: e.Happened, ToDo: e.ToDo})
		}
		page.Problems(w, shown)
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
	problem.Send(w, http.StatusOK, body)
}

// wantsJSON reports whether a client names JSON before it names pages.
func wantsJSON(h http.Header) bool {
	accept := h.Get("Accept")
	json, html := strings.Index(accept, "json"), strings.Index(accept, "html")
	return json >= 0 && (html < 0 || json < html)
}
