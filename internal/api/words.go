package api

// introduction opens the document.
const introduction = `Assent runs workflows of agents and asks people where it matters.

**Conventions.** JSON in snake_case, times in RFC 3339 UTC, ids with a prefix (run_, apr_, dlv_). Values that people and agents sent keep their bytes: large numbers keep their digits.
Values over 64 KiB appear as {"$blob", "size", "preview"} unless full=true.

**Errors** are application/problem+json with a stable code. Unknown body members and query parameters are refused by name. Bodies are at most 16 MiB.

**Lists** take limit and cursor, and answer {items, next_cursor, total}; an empty next_cursor is the end.

**Idempotency.** Whatever changes something takes an Idempotency-Key: the same key gives the same answer, also after a restart.`

// described says in plain words what a component, or a member of one, is. What
// stands under * holds for members of that name wherever nothing else does. A
// test keeps this complete and free of what no longer exists.
func described(component, member string) string {
	if member == "" {
		return components[component]
	}
	if doc, ok := members[component+"."+member]; ok {
		return doc
	}
	return members["*."+member]
}

var components = map[string]string{
	"Accepted":         "A command that is durable.",
	"Act":              "One thing a person may do with an approval.",
	"Action":           "What would happen if people say yes.",
	"Actor":            "Who did something.",
	"ActorKind":        "What sort of actor.",
	"Approval":         "Something that waits for people, or waited.",
	"ApprovalKind":     "What sort of answer is wanted.",
	"ApprovalList":     "A part of the inbox.",
	"ApprovalReason":   "Why people are asked.",
	"ApprovalStatus":   "Where an approval stands.",
	"Batch":            "Several approvals to be decided alike.",
	"BatchResult":      "What became of one of several approvals.",
	"BatchResults":     "What became of each of several approvals.",
	"Change":           "One difference between two values.",
	"Changes":          "What somebody would like to change.",
	"ChangePreview":    "What changes would do to what is proposed.",
	"ChildFailure":     "Why a sub-run failed.",
	"Command":          "What a run is told to do; type says which.",
	"Decision":         "What somebody wants to do with an approval.",
	"Deliverable":      "A result for people.",
	"Mark":             "How a deliverable stands.",
	"DeliverableList":  "A part of the list of deliverables.",
	"Document":         "A version of a document with what people wrote. Secrets show as ***.",
	"DocumentList":     "A part of a list of documents.",
	"Edits":            "Changes to the past of a fork.",
	"Elements":         "How far a map is.",
	"Error":            "Why something failed.",
	"Event":            "Something that happened; the same in lists, SSE and WebSocket.",
	"EventList":        "A part of a log.",
	"Expiry":           "Which approvals nobody will answer any more.",
	"Failure":          "Why something failed, as it was recorded.",
	"Fault":            "One thing wrong at one place.",
	"Fork":             "From where a new run should go on.",
	"Health":           "How the server is.",
	"Me":               "Who you are to this server.",
	"NewRun":           "A run to start.",
	"Nothing":          "An empty object; it may be left out.",
	"OnReject":         "What a rejection does to the run.",
	"Option":           "One answer to a choice.",
	"Outcome":          "How an approval ended.",
	"Pause":            "Why a run is paused.",
	"Policy":           "The policy in force.",
	"Preview":          "What to try a workflow with.",
	"PreviewEdge":      "The data that one step would hand to another.",
	"PreviewGate":      "A question that people would be asked.",
	"PreviewStep":      "What a step would get, and a sample of what it gives.",
	"Problem":          "An error (RFC 9457). Some codes bring further members: already_decided has decided_by, decided_at and act.",
	"ProblemCode":      "What went wrong, for machines. Codes never change their meaning.",
	"Progress":         "How far a run is.",
	"Publishing":       "Which version to put in force.",
	"Quorum":           "How many are needed, and how many have agreed.",
	"RecordedDecision": "An answer as it was recorded.",
	"Risk":             "How risky it is, with reasons that people can read.",
	"RiskLevel":        "A level of risk.",
	"Rule":             "A rule of the policy.",
	"RuleEffect":       "What a rule does.",
	"RuleName":         "The rule of the policy that asked.",
	"Run":              "A run of a workflow.",
	"RunStatus":        "Where a run stands.",
	"RunSummary":       "A run as lists show it.",
	"RunSummaryList":   "A part of the list of runs.",
	"SkipReason":       "Why a step did not run.",
	"Step":             "A step of a run.",
	"StepStatus":       "Where a step stands.",
	"Stop":             "The emergency stop: while it is on, no rule approves anything.",
	"Taken":            "The answer to a command that came by WebSocket.",
	"TimeoutAct":       "What happens when nobody answers in time.",
	"Usage":            "What it cost.",
	"Validation":       "All that is wrong with a document.",
	"ValidationFault":  "One thing wrong at one place of a document.",
	"Version":          "One saved form of a document.",
	"VersionList":      "A part of the versions of a document.",
	"Warning":          "Something people should know that stopped nothing.",
	"WorkflowPreview":  "The data along each edge of a workflow, made of samples.",
	"AgentFigures":     "How it went with one agent.",
	"Call":             "One tool call of an agent.",
	"CancelFailure":    "A run that could not be cancelled.",
	"CancelRequest":    "Which runs to cancel.",
	"Cancelling":       "What was cancelled, or would be.",
	"Comment":          "A remark that decides nothing.",
	"DayFigures":       "What happened on one day of UTC.",
	"DecidedFigures":   "What was settled in the span.",
	"FailureFigures":   "Failures of one kind.",
	"Insights":         "How deciding goes, in figures.",
	"Message":          "One entry of a run's thread.",
	"Meter":            "How much of a limit an agent has used.",
	"PendingFigures":   "What waits for people now.",
	"Remark":           "What somebody says about an approval.",
	"RunFigures":       "Runs that started in the span.",
	"StepDetail":       "A step with all that happened to it.",
	"Try":              "One attempt at a step.",
	"WaitFigures":      "What people decided within a certain time.",
	"WorkflowFigures":  "How it went with one workflow.",
	"Accuracy":         "How often people agreed with a rule.",
	"Adoption":         "On which history a suggestion was made.",
	"Backtest":         "What a policy would have done with what was recorded.",
	"BacktestRequest":  "Which policy to try, on which time.",
	"Case":             "Something that people decided.",
	"Diff":             "The difference between two versions of a document.",
	"EmergencyStop":    "Whether automatic approvals are to be stopped.",
	"Lesson":           "The difference between what an agent proposed and what a person made of it.",
	"LessonList":       "A part of the lessons.",
	"Passed":           "Something that a policy would have let through.",
	"PolicyPublishing": "Which version of the policy to put in force.",
	"PolicyTest":       "A question to a policy.",
	"Review":           "What somebody thought of an automatic approval.",
	"RuleOutcome":      "What one rule of a policy would have done.",
	"RuleStep":         "What one rule said when it was asked.",
	"Sample":           "Something that a rule approved and people look at afterwards.",
	"SampleReview":     "What somebody thinks of an automatic approval.",
	"Samples":          "Samples, and how often people agreed.",
	"Subject":          "What a policy is asked about.",
	"Suggestion":       "A rule that history speaks for.",
	"SuggestionList":   "Suggested rules.",
	"Verdict":          "What a policy says about a subject, rule by rule.",
}
