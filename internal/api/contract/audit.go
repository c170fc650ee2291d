package contract

import (
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trail"
	"github.com/assent-run/assent/internal/view"
)

var auditFilters = []request.Param{
	{Name: "actor", Doc: "Only actions of a person or program with this name; service:nightly means the name " +
		"nightly, as in a run's owner."},
	{Name: "action", Doc: "Only this action, such as approval.decided."},
	{Name: "target", Doc: "Only entries about this id; for a run, everything that belongs to it."},
	{Name: "outcome", Words: []string{string(port.AuditDone), string(port.AuditRefused)},
		Doc: "Only actions that were done, or that were refused."},
	{Name: "since", Doc: "Only since then: a duration such as 30d, or a time."},
	{Name: "until", Doc: "Only until then: a duration such as 1h, or a time."},
}

func auditOperations() []Operation {
	all := Base + "/audit"
	return []Operation{
		{
			Method: "GET", Path: all, ID: "listAudit", Tag: "Audit", Summary: "List audit entries, newest first",
			Description: "Decisions, changes, starts and refused requests. For administrators, and roles with the permission " +
				"audit. Values that can be deleted are in values; the chain contains their salted digests.",
			Params: append(append([]request.Param{}, auditFilters...), request.Paging...),
			Gives:  view.List[port.AuditEntry]{},
		},
		{
			Method: "GET", Path: all + ".csv", ID: "tabulateAudit", Tag: "Audit",
			Summary: "Download audit entries as a table, newest first",
			Description: "For spreadsheets: text that a spreadsheet would read as a formula is prefixed with '. To verify the " +
				"log, download it as audit.jsonl.",
			Params: auditFilters, Media: "text/csv",
		},
		{
			Method: "GET", Path: all + ".jsonl", ID: "exportAudit", Tag: "Audit",
			Summary: "Download the whole audit log, for verification elsewhere",
			Description: "One entry per line, oldest first; the last line is the signed head. Verify it with: " +
				"assent audit verify FILE.",
			Media: "application/jsonl",
		},
		{
			Method: "GET", Path: all + "/verify", ID: "verifyAudit", Tag: "Audit",
			Summary: "Verify the audit log",
			Params: []request.Param{
				{Name: "after", Kind: request.Number, Min: 0, Fallback: 0, Doc: "Start after this entry."},
				{Name: "limit", Kind: request.Number, Min: 1, Max: 1 << 40, Doc: "Check this many entries (default: all)."},
			},
			Gives: port.AuditCheck{},
		},
		{
			Method: "GET", Path: all + "/head", ID: "getAuditHead", Tag: "Audit",
			Summary:     "Sign the head of the audit log, and show it with the public keys",
			Description: "Store head elsewhere: it reveals a truncated or rewritten log.",
			Gives:       trail.AuditEndView{},
		},
		{
			Method: "GET", Path: all + "/consistency", ID: "proveAuditConsistency", Tag: "Audit",
			Summary: "Download a proof that one signed head of the audit log continues another",
			Description: "Heads are identified by their last entry, as in N:HASH. Verify it with: assent audit " +
				"verify FILE --head N:HASH.",
			Params: []request.Param{
				{Name: "from", Kind: request.Number, Min: 1, Fallback: 1, Doc: "The entry at which the earlier head ends."},
				{Name: "to", Kind: request.Number, Min: 0, Fallback: 0,
					Doc: "The entry at which the later head ends (default: the newest)."},
			},
			Media: "application/octet-stream",
		},
		{
			Method: "GET", Path: Base + "/runs/{id}/proof", ID: "proveRun", Tag: "Audit",
			Summary: "Download a self-contained proof of a run",
			Description: "Its events, the audit entries about it with their inclusion proofs, and the " +
				"public keys. The export is recorded in the audit log. Verify it with: assent audit verify FILE.",
			Media: "application/octet-stream",
		},
	}
}
