package api

// slow are the operations that read many rows: they wait for their turn in the lane.
var slow = map[string]bool{
	"listAccounts": true, "listAgents": true, "listAgentVersions": true, "listApprovals": true, "listAudit": true,
	"listDeliverables": true, "listDeliverableVersions": true, "listLessons": true, "listPolicyVersions": true,
	"listRecipients": true, "listRuns": true, "listRunEvents": true, "listSamples": true, "listSnapshots": true,
	"listStandIns": true, "listSubjects": true, "listMySessions": true, "listMyTokens": true, "listMyPushes": true,
	"listMyLinks":     true,
	"listSuggestions": true,
	"listTokens":      true, "listRoles": true, "listLearnedRequests": true, "listRunsTaught": true,
	"listSchedules": true, "listTriggers": true, "listTools": true, "listWorkflows": true, "listWorkflowVersions": true,
	"listMCPServers": true, "listWorkingCopies": true, "listTemplates": true, "listDeliveries": true, "listChannels": true,
	"listAgentUsage": true, "getAgentUsage": true,
	"getInsights": true, "getRunState": true, "search": true, "diffPolicyVersions": true,
	"backtestPolicy": true, "exportAudit": true, "exportLessons": true, "proveAuditConsistency": true, "proveRun": true,
	"tabulateAudit": true, "verifyAudit": true,
	"zipDeliverables": true, "downloadDeliverable": true, "previewDeliverable": true,
}
