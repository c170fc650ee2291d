package contract

import (
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/view"
	"github.com/assent-run/assent/internal/workbench"
)

func workbenchOperations() []Operation {
	one := Base + "/workflows/{name}/working_copy"
	return []Operation{
		{
			Method: "GET", Path: Base + "/working_copies", ID: "listWorkingCopies", Tag: "Workflows",
			Summary: "List the workflows that people are editing, by name",
			Gives:   view.List[workbench.WorkingCopy]{},
			Params:  append([]request.Param{{Name: "name", Doc: "Only the one of this workflow."}}, request.Paging...),
		},
		{
			Method: "GET", Path: one, ID: "getWorkingCopy", Tag: "Workflows", Summary: "Show the working copy of a workflow",
			Gives: workbench.WorkingCopy{}, Tagged: true,
		},
		{
			Method: "PUT", Path: one, ID: "saveWorkingCopy", Tag: "Workflows", Summary: "Change the working copy of a workflow",
			Description: "The text need not be valid. If the working copy was changed since revision, the response is 409 " +
				"version_mismatch, and nothing is changed.",
			Takes: TakesJSON, Body: workbench.Change{}, Gives: workbench.Saved{}, Changes: true,
			Example: `{"yaml":"workflow: hello\nsteps:\n  - { id: greet, agent: greeter }\n","base":0,"layout":{},` +
				`"samples":[],"revision":0}`,
		},
		{
			Method: "DELETE", Path: one, ID: "deleteWorkingCopy", Tag: "Workflows",
			Summary:     "Discard the working copy of a workflow",
			Description: "Its versions are kept. The response shows it as it was. Send its revision, or its ETag as If-Match.",
			Params: []request.Param{{Name: "revision", Kind: request.Number, Min: 1,
				Doc: "The revision to discard; 409 version_mismatch if it was changed since."}},
			Gives: workbench.WorkingCopy{}, Changes: true,
		},
		{
			Method: "GET", Path: Base + "/templates", ID: "listTemplates", Tag: "Workflows",
			Summary:     "List the templates for new workflows, by name",
			Description: "Each with its agents and an input to try it with.",
			Gives:       view.List[workbench.Template]{}, Params: request.Paging,
		},
	}
}
