package contract

import (
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/browse"
	"github.com/assent-run/assent/internal/view"
)

func searchOperations() []Operation {
	return []Operation{{
		Method: "GET", Path: Base + "/search", ID: "search", Tag: "Approvals",
		Summary: "Search approvals, runs and workflows", Gives: view.FoundList{},
		Description: "Finds entries in which every word of q begins a word that is visible to you: in subject, title, " +
			"workflow, step, agent, tool, people and ids. " +
			"Case and accents do not matter, and everything but letters and digits separates words. " +
			"Up to limit of each kind: pending approvals by urgency, runs and settled approvals from the newest " +
			"back, workflows by name. " +
			"If the store is encrypted, subjects and titles are searched in the newest entries only, and partial " +
			"is set if there are more.",
		Params: []request.Param{
			{Name: "q", Doc: "The search text, at most 200 bytes. Without a word, nothing is found."},
			{Name: "limit", Kind: request.Number, Min: 1, Max: browse.FindMost, Fallback: browse.FindDefault,
				Doc: "The maximum number of each kind."},
		},
	}}
}
