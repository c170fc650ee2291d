// Made from docs/openapi.json by `npm run types`. Do not edit.
// Where payloads stand in answers; see scripts/types.mjs.
export const shapes: Record<string, Record<string, string>> = {
  Action: {
    args: "!",
    args_schema: "!",
  },
  Approval: {
    action: "Action",
    decisions: "[]RecordedDecision",
    default: "!",
    input_schema: "!",
    original: "!",
    outcome: "Outcome",
    proposed: "!",
    show: "!",
  },
  ApprovalList: {
    items: "[]Approval",
  },
  AuditEntry: {
    detail: "!",
    values: "{}!",
  },
  AuditEntryList: {
    items: "[]AuditEntry",
  },
  Backtest: {
    would_pass_modified: "[]Passed",
    would_pass_rejected: "[]Passed",
  },
  BacktestRequest: {
    policy: "!",
  },
  Call: {
    args: "!",
    output: "!",
  },
  Case: {
    proposed: "!",
  },
  Change: {
    from: "!",
    to: "!",
  },
  ChangePreview: {
    diff: "[]Change",
    proposed: "!",
  },
  Changes: {
    changes: "!",
  },
  Channel: {
    definition: "!",
  },
  ChannelList: {
    items: "[]Channel",
  },
  ChildFailure: {
    error: "Failure",
  },
  Command_modify_args: {
    changes: "!",
  },
  CopyChange: {
    samples: "[]SampleInput",
  },
  Decision: {
    changes: "!",
    data: "!",
  },
  Diff: {
    diff: "[]Change",
  },
  Document: {
    definition: "!",
  },
  DocumentList: {
    items: "[]Document",
  },
  Edits: {
    context: "!",
    input: "!",
    outputs: "{}!",
  },
  Error: {
    child: "ChildFailure",
    input: "!",
  },
  Event: {
    data: "!",
  },
  EventList: {
    items: "[]Event",
  },
  Failure: {
    child: "ChildFailure",
    input: "!",
  },
  Fork: {
    edits: "Edits",
  },
  Intent: {
    input: "!",
  },
  Lesson: {
    changed: "!",
    diff: "[]Change",
    proposed: "!",
  },
  LessonList: {
    items: "[]Lesson",
  },
  NewRun: {
    input: "!",
  },
  Outcome: {
    data: "!",
    proposed: "!",
  },
  PartDiff: {
    changes: "[]Change",
  },
  Passed: {
    diff: "[]Change",
    proposed: "!",
  },
  PlanSuggestion: {
    candidates: "[]Tool",
    definition: "!",
  },
  Policy: {
    definition: "!",
  },
  PolicyTest: {
    policy: "!",
    subject: "Subject",
  },
  Preview: {
    input: "!",
  },
  PreviewEdge: {
    data: "!",
  },
  PreviewStep: {
    input: "!",
    output: "!",
  },
  RecordedDecision: {
    changes: "!",
    data: "!",
    proposed: "!",
  },
  Run: {
    context: "!",
    error: "Error",
    input: "!",
    output: "!",
    steps: "[]Step",
  },
  Sample: {
    proposed: "!",
  },
  SampleInput: {
    input: "!",
  },
  Samples: {
    items: "[]Sample",
  },
  Schedule: {
    definition: "!",
  },
  ScheduleList: {
    items: "[]Schedule",
  },
  Step: {
    error: "Error",
    output: "!",
  },
  StepDetail: {
    calls: "[]Call",
    error: "Error",
    input: "!",
    output: "!",
    tries: "[]Try",
  },
  Subject: {
    context: "!",
    data: "!",
    earlier: "[]!",
  },
  Suggestion: {
    covers: "[]Case",
    leaves: "[]Case",
    rule: "!",
  },
  SuggestionList: {
    items: "[]Suggestion",
  },
  Taken: {
    id: "!",
  },
  Template: {
    input: "!",
  },
  TemplateList: {
    items: "[]Template",
  },
  Tool: {
    args_schema: "!",
    definition: "!",
    output_schema: "!",
  },
  ToolList: {
    items: "[]Tool",
  },
  Trial: {
    input: "!",
  },
  TrialCall: {
    answer: "!",
    args: "!",
  },
  TrialReport: {
    output: "!",
    turns: "[]TrialTurn",
  },
  TrialTurn: {
    calls: "[]TrialCall",
  },
  Trigger: {
    definition: "!",
    deliveries: "[]TriggerDelivery",
  },
  TriggerDelivery: {
    payload: "!",
  },
  TriggerList: {
    items: "[]Trigger",
  },
  Try: {
    error: "Error",
    output: "!",
  },
  WorkflowDiff: {
    gates: "[]PartDiff",
    settings: "[]Change",
    steps: "[]PartDiff",
  },
  WorkflowPreview: {
    edges: "[]PreviewEdge",
    error: "Error",
    output: "!",
    steps: "[]PreviewStep",
  },
  WorkingCopy: {
    samples: "[]SampleInput",
  },
  WorkingCopyList: {
    items: "[]WorkingCopy",
  },
};
export const answers: Record<string, string> = {
  "GET /api/v1/agents": "DocumentList",
  "GET /api/v1/agents/{name}": "Document",
  "PUT /api/v1/agents/{name}": "Document",
  "POST /api/v1/agents/{name}/try": "TrialReport",
  "GET /api/v1/agents/{name}/versions/{n}": "Document",
  "GET /api/v1/approvals": "ApprovalList",
  "GET /api/v1/approvals/{id}": "Approval",
  "POST /api/v1/approvals/{id}/comments": "Approval",
  "POST /api/v1/approvals/{id}/decisions": "Approval",
  "POST /api/v1/approvals/{id}/preview": "ChangePreview",
  "GET /api/v1/audit": "AuditEntryList",
  "GET /api/v1/channels": "ChannelList",
  "DELETE /api/v1/channels/{name}": "Channel",
  "GET /api/v1/channels/{name}": "Channel",
  "PUT /api/v1/channels/{name}": "Document",
  "GET /api/v1/lessons": "LessonList",
  "GET /api/v1/notifications": "Document",
  "PUT /api/v1/notifications": "Document",
  "POST /api/v1/plans/suggest": "PlanSuggestion",
  "GET /api/v1/policy": "Policy",
  "PUT /api/v1/policy": "Document",
  "POST /api/v1/policy/backtest": "Backtest",
  "POST /api/v1/policy/publish": "Document",
  "GET /api/v1/policy/samples": "Samples",
  "GET /api/v1/policy/suggestions": "SuggestionList",
  "POST /api/v1/policy/suggestions/{id}/adopt": "Document",
  "GET /api/v1/policy/versions/{n}": "Document",
  "GET /api/v1/policy/versions/{n}/diff": "Diff",
  "DELETE /api/v1/roles/{name}": "Document",
  "PUT /api/v1/roles/{name}": "Document",
  "POST /api/v1/runs": "Run",
  "GET /api/v1/runs/{id}": "Run",
  "GET /api/v1/runs/{id}/events": "EventList",
  "POST /api/v1/runs/{id}/fork": "Run",
  "POST /api/v1/runs/{id}/resume": "Run",
  "POST /api/v1/runs/{id}/retry": "Run",
  "GET /api/v1/runs/{id}/state": "Run",
  "GET /api/v1/runs/{id}/steps/{step}": "StepDetail",
  "GET /api/v1/schedules": "ScheduleList",
  "DELETE /api/v1/schedules/{name}": "Schedule",
  "GET /api/v1/schedules/{name}": "Schedule",
  "PUT /api/v1/schedules/{name}": "Document",
  "POST /api/v1/schedules/{name}/run": "Run",
  "GET /api/v1/templates": "TemplateList",
  "GET /api/v1/tools": "ToolList",
  "GET /api/v1/triggers": "TriggerList",
  "DELETE /api/v1/triggers/{name}": "Trigger",
  "GET /api/v1/triggers/{name}": "Trigger",
  "PUT /api/v1/triggers/{name}": "Document",
  "POST /api/v1/triggers/{name}/deliveries/{delivery}/replay": "Run",
  "GET /api/v1/workflows": "DocumentList",
  "GET /api/v1/workflows/{name}": "Document",
  "PUT /api/v1/workflows/{name}": "Document",
  "GET /api/v1/workflows/{name}/diff": "WorkflowDiff",
  "POST /api/v1/workflows/{name}/preview": "WorkflowPreview",
  "POST /api/v1/workflows/{name}/publish": "Document",
  "GET /api/v1/workflows/{name}/versions/{n}": "Document",
  "DELETE /api/v1/workflows/{name}/working_copy": "WorkingCopy",
  "GET /api/v1/workflows/{name}/working_copy": "WorkingCopy",
  "GET /api/v1/working_copies": "WorkingCopyList",
};
