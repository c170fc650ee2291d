package contract

import (
	"net/http"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/deliverables"
	"github.com/assent-run/assent/internal/media"
	"github.com/assent-run/assent/internal/view"
)

func deliverableOperations() []Operation {
	all, one := Base+"/deliverables", Base+"/deliverables/{id}"
	return []Operation{
		{
			Method: "GET", Path: all, ID: "listDeliverables", Tag: "Deliverables",
			Summary:     "List results for people, newest first",
			Description: "For each name in a run, the newest version is listed; see versions.",
			Gives:       view.List[view.Deliverable]{},
			Params: append([]request.Param{
				{Name: "run", Doc: "Only those of this run."},
				{Name: "agent", Doc: "Only those of this agent."},
				{Name: "type", Words: media.Kinds, Doc: "Only those of this type."},
				{Name: "status", Words: run.DeliverableStatuses, Doc: "Only those with this status."},
				{Name: "since", Doc: "Only those created since then: a duration such as 30d, or a time."},
				{Name: "until", Doc: "Only those created until then: a duration such as 1h, or a time."},
			}, request.Paging...),
		},
		{
			Method: "GET", Path: one, ID: "getDeliverable", Tag: "Deliverables",
			Summary: "Show a deliverable",
			Gives:   view.Deliverable{},
		},
		{
			Method: "GET", Path: one + "/content", ID: "downloadDeliverable", Tag: "Deliverables",
			Summary: "Download a deliverable",
			Description: "Always as an attachment, and never with a type that a browser would run. Range requests are " +
				"supported. Content stored elsewhere returns 404: see its url.",
			Media: "application/octet-stream", Also: http.StatusPartialContent, Tagged: true,
		},
		{
			Method: "GET", Path: one + "/preview", ID: "previewDeliverable", Tag: "Deliverables",
			Summary: "Show a deliverable inside a page",
			Description: "Text of any kind, including HTML and SVG, is sent as text/plain and truncated at 256 KiB, or with " +
				"full at 16 MiB: then the header X-Assent-Cut is true. Masked values are shown as •••, and X-Assent-Masked is " +
				"true. PNG, JPEG, GIF and WebP images are sent unchanged. " +
				"Everything else returns 415: download it. The type is detected from the bytes, whatever the agent reported.",
			Params: []request.Param{{Name: "full", Kind: request.Flag, Fallback: false,
				Doc: "Return up to 16 MiB of a text instead of 256 KiB."}},
			Media: "text/plain", Images: media.Images,
		},
		{
			Method: "GET", Path: one + "/versions", ID: "listDeliverableVersions", Tag: "Deliverables",
			Summary:     "List all versions of a deliverable, newest first",
			Description: "The id of any version identifies the deliverable. Each version has its own id and bytes.",
			Gives:       view.List[view.Deliverable]{}, Params: request.Paging,
		},
		{
			Method: "POST", Path: one + "/status", ID: "markDeliverable", Tag: "Deliverables",
			Summary: "Set the status of a deliverable",
			Description: "Also after the end of the run. Only the newest version can be changed: if there is a newer one than " +
				"version, or its status is not was, the response is 409 version_mismatch.",
			Takes: TakesJSON, Body: deliverables.Mark{}, Gives: view.Deliverable{}, Changes: true,
			Example: `{"status":"final","version":2}`,
		},
	}
}
