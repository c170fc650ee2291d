package api

import (
	"reflect"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/api/contract"
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
	"github.com/assent-run/assent/internal/trial"
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
	reflect.TypeFor[run.Status](): contract.RunStatuses,
	reflect.TypeFor[run.StepStatus](): contract.Words(run.PendingStep, run.RunningStep, run.WaitingStep, run.DoneStep,
		run.FailedStep, run.SkippedStep, run.CancelledStep),
	reflect.TypeFor[run.SkipReason](): contract.Words(run.SkipIf, run.SkipNeed, run.SkipCommand, run.SkipRejected),
	reflect.TypeFor[run.ActorKind](): contract.Words(run.Person, run.Service, run.Agent, run.Schedule, run.Trigger,
		run.Policy, run.System, port.Unauthenticated),
	reflect.TypeFor[port.FiringOutcome]():     contract.Words(port.FiringOutcomes...),
	reflect.TypeFor[gate.Status]():            contract.ApprovalStatuses,
	reflect.TypeFor[port.AuditOutcome]():      contract.Words(port.AuditDone, port.AuditRefused),
	reflect.TypeFor[gate.Kind]():              contract.Words(gate.Kinds...),
	reflect.TypeFor[access.Action]():          contract.Words(access.Actions...),
	reflect.TypeFor[gate.Act]():               contract.Words(gate.Acts...),
	reflect.TypeFor[gate.Via]():               contract.Words(gate.Vias...),
	reflect.TypeFor[port.HookOutcome]():       contract.Words(port.HookOutcomes...),
	reflect.TypeFor[definition.VerifyKind]():  contract.Words(definition.VerifyKinds...),
	reflect.TypeFor[port.DeliveryStatus]():    contract.Words(port.DeliveryStatuses...),
	reflect.TypeFor[definition.ChannelKind](): contract.Words(definition.ChannelKinds...),
	reflect.TypeFor[gate.Reason](): contract.Words(gate.ReasonGate, gate.ReasonRule, gate.ReasonLowConfidence,
		gate.ReasonCall, gate.ReasonMilestone, gate.ReasonLimit, gate.ReasonLoop, gate.ReasonSuggested),
	reflect.TypeFor[trial.Outcome]():       contract.Words(trial.Outcomes...),
	reflect.TypeFor[suggest.ServerState](): contract.Words(suggest.ServerStates...),
	reflect.TypeFor[trial.Verdict]():       contract.Words(trial.Verdicts...),
	reflect.TypeFor[gate.Then]():           contract.Words(gate.Thens...),
	reflect.TypeFor[gate.OnReject]():       contract.Words(gate.OnRejects...),
	reflect.TypeFor[risk.Level]():          contract.RiskLevels,
	reflect.TypeFor[policy.Effect](): contract.Words(policy.Asks, policy.Approves, policy.Denies,
		policy.Nothing),
	reflect.TypeFor[fault.Code]():              problem.Codes(),
	reflect.TypeFor[registry.DocumentStatus](): contract.Words(registry.DocumentStatuses...),
	reflect.TypeFor[contract.SettingSource]():  contract.Words(contract.SettingSources...),
	reflect.TypeFor[contract.TokenKind]():      contract.Words(contract.TokenKinds...),
	reflect.TypeFor[port.SignInMethod](): contract.Words(port.ByPassword, port.ByProvider, port.ByToken, port.ByJWT,
		port.ByConsole, port.ByNothing),
}

// componentNames replace names of types that would mislead.
var componentNames = map[reflect.Type]string{
	reflect.TypeFor[run.Status]():                   "RunStatus",
	reflect.TypeFor[run.RunPaused]():                "Pause",
	reflect.TypeFor[gate.Status]():                  "ApprovalStatus",
	reflect.TypeFor[gate.Kind]():                    "ApprovalKind",
	reflect.TypeFor[gate.Reason]():                  "ApprovalReason",
	reflect.TypeFor[access.Action]():                "AccessAction",
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
	reflect.TypeFor[suggest.Server]():               "MCPServer",
	reflect.TypeFor[suggest.ServerState]():          "MCPServerState",
	reflect.TypeFor[view.List[suggest.Server]]():    "MCPServerList",
	reflect.TypeFor[suggest.Reason]():               "StepWhy",
	reflect.TypeFor[trial.Report]():                 "TrialReport",
	reflect.TypeFor[trial.Turn]():                   "TrialTurn",
	reflect.TypeFor[trial.Call]():                   "TrialCall",
	reflect.TypeFor[trial.Ask]():                    "TrialAsk",
	reflect.TypeFor[trial.Outcome]():                "TrialOutcome",
	reflect.TypeFor[trial.Verdict]():                "TrialVerdict",
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
	reflect.TypeFor[contract.BatchAnswer]():         "BatchResults",
	reflect.TypeFor[port.SignInMethod]():            "SignInWay",
	reflect.TypeFor[contract.SignInView]():          "SignInWays",
}
