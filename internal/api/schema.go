package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/preview"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// object is a JSON object of the OpenAPI document; its keys are written in
// alphabetical order.
type object = map[string]any

// schemas makes schemas of the types that are encoded and decoded. Structs and
// lists of words become components.
type schemas struct {
	components object
}

// vocabularies are the types that know only certain words.
var vocabularies = map[reflect.Type][]string{
	reflect.TypeFor[run.Status]():              runStatuses,
	reflect.TypeFor[run.StepStatus]():          words(run.PendingStep, run.RunningStep, run.WaitingStep, run.DoneStep, run.FailedStep, run.SkippedStep, run.CancelledStep),
	reflect.TypeFor[run.SkipReason]():          words(run.SkipIf, run.SkipNeed, run.SkipCommand, run.SkipRejected),
	reflect.TypeFor[run.ActorKind]():           words(run.Person, run.Service, run.Agent, run.Policy, run.System, port.Nobody),
	reflect.TypeFor[gate.Status]():             approvalStatuses,
	reflect.TypeFor[port.AuditOutcome]():       words(port.AuditDone, port.AuditRefused),
	reflect.TypeFor[gate.Kind]():               words(gate.Kinds...),
	reflect.TypeFor[gate.Act]():                words(gate.Acts...),
	reflect.TypeFor[gate.Reason]():             words(gate.ReasonGate, gate.ReasonRule, gate.ReasonLowConfidence, gate.ReasonCall, gate.ReasonMilestone, gate.ReasonLimit, gate.ReasonLoop, gate.ReasonSuggested),
	reflect.TypeFor[gate.Then]():               words(gate.Thens...),
	reflect.TypeFor[gate.OnReject]():           words(gate.OnRejects...),
	reflect.TypeFor[risk.Level]():              riskLevels,
	reflect.TypeFor[policy.Effect]():           words(policy.Asks, policy.Approves, policy.Denies, policy.Nothing),
	reflect.TypeFor[fault.Code]():              problem.Codes(),
	reflect.TypeFor[registry.DocumentStatus](): words(registry.DocumentStatuses...),
	reflect.TypeFor[TokenKind]():               words(tokenKinds...),
	reflect.TypeFor[port.Way]():                words(port.ByPassword, port.ByProvider, port.ByToken, port.ByJWT, port.ByConsole, port.ByNothing),
}

// componentNames are those of types whose own name would mislead.
var componentNames = map[reflect.Type]string{
	reflect.TypeFor[run.Status]():                   "RunStatus",
	reflect.TypeFor[run.RunPaused]():                "Pause",
	reflect.TypeFor[gate.Status]():                  "ApprovalStatus",
	reflect.TypeFor[gate.Kind]():                    "ApprovalKind",
	reflect.TypeFor[gate.Reason]():                  "ApprovalReason",
	reflect.TypeFor[gate.Then]():                    "TimeoutAct",
	reflect.TypeFor[gate.Rule]():                    "RuleName",
	reflect.TypeFor[gate.Decision]():                "RecordedDecision",
	reflect.TypeFor[risk.Level]():                   "RiskLevel",
	reflect.TypeFor[policy.Effect]():                "RuleEffect",
	reflect.TypeFor[policy.Entry]():                 "Rule",
	reflect.TypeFor[policy.Step]():                  "RuleStep",
	reflect.TypeFor[fault.Code]():                   "ProblemCode",
	reflect.TypeFor[fault.Problem]():                "Fault",
	reflect.TypeFor[definition.Problem]():           "ValidationFault",
	reflect.TypeFor[preview.Preview]():              "WorkflowPreview",
	reflect.TypeFor[preview.Step]():                 "PreviewStep",
	reflect.TypeFor[preview.Edge]():                 "PreviewEdge",
	reflect.TypeFor[preview.Gate]():                 "PreviewGate",
	reflect.TypeFor[registry.Revision]():            "Version",
	reflect.TypeFor[view.List[registry.Revision]](): "VersionList",
	reflect.TypeFor[app.ChangeView]():               "ChangePreview",
	reflect.TypeFor[BatchAnswer]():                  "BatchResults",
	reflect.TypeFor[port.Way]():                     "SignInWay",
	reflect.TypeFor[SignInView]():                   "SignInWays",
}

// componentName names a type as clients should see it: a RuleView is a Rule.
func componentName(t reflect.Type) string {
	if name, ok := componentNames[t]; ok {
		return name
	}
	name := t.Name()
	if outer, inner, generic := strings.Cut(name, "["); generic && outer == "List" {
		inner = strings.TrimSuffix(inner[strings.LastIndexByte(inner, '.')+1:], "]")
		return strings.TrimSuffix(inner, "View") + "List"
	}
	return strings.TrimSuffix(name, "View")
}

// of makes the schema of a type. Strict ones, those of requests, take no other
// members.
func (s *schemas) of(t reflect.Type, strict bool) object {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return object{"description": "Any JSON."}
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[quantity.Duration]():
		return object{"type": "string", "description": "A duration such as 90s, 72h or 30d.", "examples": []string{"72h"}}
	case reflect.TypeFor[quantity.Money]():
		return object{"type": "string", "description": "US dollars as a decimal.", "examples": []string{"0.0375"}}
	case reflect.TypeFor[plan.Step]():
		return object{"type": "object", "description": "A step as workflows have it.", "additionalProperties": true}
	}
	if known, ok := vocabularies[t]; ok {
		return s.component(t, func() object { return object{"type": "string", "enum": known} })
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem(), strict)
	case reflect.Struct:
		return s.component(t, func() object { return s.structure(t, strict) })
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem(), strict)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem(), strict)}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return object{"type": "number"}
	}
	panic(fmt.Sprintf("the OpenAPI document knows no %s", t)) // found by the first test
}

// component makes a schema once and refers to it.
func (s *schemas) component(t reflect.Type, make func() object) object {
	name := componentName(t)
	if s.components[name] == nil {
		s.components[name] = object{} // types may contain themselves
		made := make()
		made["description"] = described(name, "")
		if t == reflect.TypeFor[problem.Problem]() {
			alsoInProblems(made)
		}
		s.components[name] = made
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// alsoInProblems adds what some codes tell beside the other members.
func alsoInProblems(schema object) {
	properties := schema["properties"].(object)
	for name, one := range map[string]object{
		"decided_by": {"type": "string"}, "decided_at": {"type": "string", "format": "date-time"}, "act": {"type": "string"},
	} {
		properties[name] = withWords(one, described("Problem", name))
	}
	schema["additionalProperties"] = true
}

func (s *schemas) structure(t reflect.Type, strict bool) object {
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if properties[name] != nil && len(f.Index) > 1 {
			continue // an outer one hides it
		}
		optional := strings.Contains(options, "omit")
		properties[name] = withWords(s.property(f.Type, optional, strict), described(componentName(t), name))
		if !optional && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	out := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		slices.Sort(required)
		out["required"] = required
	}
	if strict {
		out["additionalProperties"] = false
	}
	return out
}

// property is the schema of a member; a pointer that is always there may be null.
func (s *schemas) property(t reflect.Type, optional, strict bool) object {
	schema := s.of(t, strict)
	if t.Kind() != reflect.Pointer || optional {
		return schema
	}
	if schema["$ref"] != nil {
		return object{"oneOf": []object{schema, {"type": "null"}}}
	}
	schema["type"] = []any{schema["type"], "null"}
	return schema
}

// withWords puts a description to a schema.
func withWords(schema object, words string) object {
	if words != "" {
		schema["description"] = words
	}
	return schema
}
