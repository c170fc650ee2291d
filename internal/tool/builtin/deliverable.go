package builtin

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/outbound/reply"
	"github.com/assent-run/assent/internal/port"
)

// deliverableArgs are the arguments of a deliverable. That exactly one kind of content is given is checked
// later: an error about oneOf would only confuse a model.
var deliverableArgs = json.RawMessage(`{
	"type": "object",
	"properties": {
		"name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "file name, such as report.md"},
		"type": {"enum": ["document", "code", "data", "media", "other"]},
		"content": {"type": "string", "description": "the text itself"},
		"content_base64": {"type": "string", "description": "bytes that are no text"},
		"url": {"type": "string", "maxLength": 4000, "description": "where it is, if it is kept elsewhere"},
		"mime_type": {"type": "string", "maxLength": 200},
		"description": {"type": "string", "maxLength": 4000},
		"status": {"enum": ["draft", "final", "archived"]}
	},
	"required": ["name", "type"],
	"additionalProperties": false
}`)

// updateArgs are the changes. Without new content it is only the status.
var updateArgs = json.RawMessage(`{
	"type": "object",
	"properties": {
		"name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "the name it already has"},
		"type": {"enum": ["document", "code", "data", "media", "other"]},
		"content": {"type": "string", "description": "the whole new text"},
		"content_base64": {"type": "string", "description": "bytes that are no text"},
		"url": {"type": "string", "maxLength": 4000, "description": "where it is, if it is kept elsewhere"},
		"mime_type": {"type": "string", "maxLength": 200},
		"description": {"type": "string", "maxLength": 4000},
		"status": {"enum": ["draft", "final", "archived"], "description": "alone: only this changes"}
	},
	"required": ["name"],
	"additionalProperties": false
}`)

// create submits a deliverable. An existing name gets a new version.
func create(_ context.Context, w port.ToolWork, _ func(port.Progress)) (run.CallResult, error) {
	d, err := reply.ReadDeliverable(w.Args)
	return handIn(d, err)
}

// update submits a new version, or changes the status. The core checks that there is something to update.
func update(_ context.Context, w port.ToolWork, _ func(port.Progress)) (run.CallResult, error) {
	d, err := reply.ReadUpdate(w.Args)
	return handIn(d, err)
}

func handIn(d run.Deliverable, err error) (run.CallResult, error) {
	if err != nil {
		return no("the deliverable cannot be accepted: %v", err), nil
	}
	return run.CallResult{
		Output: value.Object(value.Member{Key: "ok", Value: json.RawMessage("true")},
			value.Member{Key: "name", Value: value.Quote(d.Name)}),
		Deliverables: []run.Deliverable{d},
	}, nil
}
