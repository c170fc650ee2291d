package api

import (
	"reflect"

	"github.com/assent-run/assent/internal/api/openapi"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/preview"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/internal/view"
	"github.com/assent-run/assent/internal/workbench"
)

// types are the types that need more than their structure in the document.
var types = openapi.Types{
	Vocabularies: vocabularies, Names: componentNames,
	Comments: openapi.NewComments("github.com/assent-run/assent", "../.."),
}

// vocabularies are the types with a fixed set of words.
var vocabularies = map[reflect.Type][]string{
	reflect.TypeFor[run.Status](): runStatuses,
	reflect.TypeFor[run.StepStatus](): words(run.PendingStep, run.RunningStep, run.WaitingStep, run.DoneStep,
		run.FailedStep, run.SkippedStep, run.CancelledStep),
	reflect.TypeFor[run.SkipReason](): words(run.SkipIf, run.SkipNeed, run.SkipCommand, run.SkipRejected),
	reflect.TypeFor[run.ActorKind](): words(run.Person, run.Service, run.Agent, run.Schedule, run.Trigger, run.Policy,
		run.System, port.Nobody),
	reflect.TypeFor[port.FiringOutcome]():     words(port.FiringOutcomes...),
	reflect.TypeFor[gate.Status]():            approvalStatuses,
	reflect.TypeFor[port.AuditOutcome]():      words(port.AuditDone, port.AuditRefused),
	reflect.TypeFor[gate.Kind]():              words(gate.Kinds...),
	reflect.TypeFor[gate.Act]():               words(gate.Acts...),
	reflect.TypeFor[gate.Via]():               words(gate.Vias...),
	reflect.TypeFor[port.HookOutcome]():       words(port.HookOutcomes...),
	reflect.TypeFor[definition.VerifyKind]():  words(definition.VerifyKinds...),
	reflect.TypeFor[port.DeliveryStatus]():    words(port.DeliveryStatuses...),
	reflect.TypeFor[definition.ChannelKind](): words(definition.ChannelKinds...),
	reflect.TypeFor[gate.Reason](): words(gate.ReasonGate, gate.ReasonRule, gate.ReasonLowConfidence,
		gate.ReasonCall, gate.ReasonMilestone, gate.ReasonLimit, gate.ReasonLoop, gate.ReasonSuggested),
	reflect.TypeFor[gate.Then]():               words(gate.Thens...),
	reflect.TypeFor[gate.OnReject]():           words(gate.OnRejects...),
	reflect.TypeFor[risk.Level]():              riskLevels,
	reflect.TypeFor[policy.Effect]():           words(policy.Asks, policy.Approves, policy.Denies, policy.Nothing),
	reflect.TypeFor[fault.Code]():              problem.Codes(),
	reflect.TypeFor[registry.DocumentStatus](): words(registry.DocumentStatuses...),
	reflect.TypeFor[TokenKind]():               words(tokenKinds...),
	reflect.TypeFor[port.SignInMethod](): words(port.ByPassword, port.ByProvider, port.ByToken, port.ByJWT,
		port.ByConsole, port.ByNothing),
}

// componentNames replace names of types that would mislead.
var componentNames = map[reflect.Type]string{
	reflect.TypeFor[run.Status]():                   "RunStatus",
	reflect.TypeFor[run.RunPaused]():                "Pause",
	reflect.TypeFor[gate.Status]():                  "ApprovalStatus",
	reflect.TypeFor[gate.Kind]():                    "ApprovalKind",
	reflect.TypeFor[gate.Reason]():                  "ApprovalReason",
	reflect.TypeFor[gate.Then]():                    "TimeoutAct",
	reflect.TypeFor[gate.Via]():                     "DecidedVia",
	reflect.TypeFor[gate.Rule]():                    "RuleName",
	reflect.TypeFor[gate.Decision]():                "RecordedDecision",
	reflect.TypeFor[risk.Level]():                   "RiskLevel",
	reflect.TypeFor[policy.Effect]():                "RuleEffect",
	reflect.TypeFor[policy.Entry]():                 "Rule",
	reflect.TypeFor[policy.Step]():                  "RuleStep",
	reflect.TypeFor[fault.Code]():                   "ProblemCode",
	reflect.TypeFor[fault.Problem]():                "Fault",
	reflect.TypeFor[definition.Problem]():           "ValidationFault",
	reflect.TypeFor[suggest.Suggestion]():           "PlanSuggestion",
	reflect.TypeFor[suggest.Reason]():               "StepWhy",
	reflect.TypeFor[preview.Preview]():              "WorkflowPreview",
	reflect.TypeFor[preview.Step]():                 "PreviewStep",
	reflect.TypeFor[preview.Edge]():                 "PreviewEdge",
	reflect.TypeFor[preview.Gate]():                 "PreviewGate",
	reflect.TypeFor[trigger.Delivery]():             "TriggerDelivery",
	reflect.TypeFor[workbench.Change]():             "CopyChange",
	reflect.TypeFor[workbench.Saved]():              "SavedCopy",
	reflect.TypeFor[workbench.Input]():              "SampleInput",
	reflect.TypeFor[trigger.Receipt]():              "TriggerReceipt",
	reflect.TypeFor[trigger.Refused]():              "TriggerRefused",
	reflect.TypeFor[registry.Revision]():            "Version",
	reflect.TypeFor[view.List[registry.Revision]](): "VersionList",
	reflect.TypeFor[app.ChangeView]():               "ChangePreview",
	reflect.TypeFor[BatchAnswer]():                  "BatchResults",
	reflect.TypeFor[port.SignInMethod]():            "SignInWay",
	reflect.TypeFor[SignInView]():                   "SignInWays",
}
