package api

import (
	"reflect"

	"github.com/assent-run/assent/internal/api/openapi"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// commandForms are the forms that a command may have, for the document.
var commandForms = []struct {
	kind, doc string
	form      any
}{
	{"cancel", "Start nothing new, wait for running steps, then end.", run.Cancel{}},
	{"abort", "End at once.", run.Abort{}},
	{"pause", "Start nothing new until the run is resumed.", run.Pause{}},
	{"resume", "Continue after a pause, from the last good state after a failure, or after a limit with a higher one.",
		run.Resume{}},
	{"inject_steps", "Add steps to the running plan.", injectSteps{}},
	{"replan", "Ask for steps that meet a new requirement.", run.Replan{}},
	{"skip_step", "Skip a step, or all steps of a layer, that have not started.", run.SkipStep{}},
	{"modify_args", "Change the input of a step or call that has not started, by a JSON merge patch.", run.ModifyArgs{}},
	{"message", "Send a message to the working agents.", run.SendMessage{}},
	{"consult", "Ask the agent in the loop now.", run.Consult{}},
	{"snapshot", "Mark a point to resume or fork from.", run.TakeSnapshot{}},
}

type injectSteps struct {
	Steps []plan.Step `json:"steps"` // The steps, as workflows have them.
}

// commands creates the schema of a command: one of several, distinguished by type.
func commands(s *openapi.Schemas) object {
	var forms []object
	mapping := object{}
	for _, c := range commandForms {
		name := "Command_" + c.kind
		form := s.Structure(reflect.TypeOf(c.form), true)
		properties := form["properties"].(object)
		properties["type"] = object{"type": "string", "const": c.kind, "description": "What to do."}
		properties["id"] = object{"type": "string", "minLength": 1, "maxLength": nameMax,
			"description": "A command with the same id takes effect once."}
		required, _ := form["required"].([]string)
		form["required"] = append([]string{"type"}, required...)
		form["description"] = c.doc
		s.Components[name] = form
		ref := "#/components/schemas/" + name
		forms = append(forms, object{"$ref": ref})
		mapping[c.kind] = ref
	}
	s.Components["Command"] = object{
		"description": openapi.Components["Command"], "oneOf": forms,
		"discriminator": object{"propertyName": "type", "mapping": mapping},
	}
	return object{"$ref": "#/components/schemas/Command"}
}
