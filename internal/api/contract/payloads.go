package contract

import "github.com/assent-run/assent/internal/app"

// payloadOperations delete the payloads of people and agents.
func payloadOperations() []Operation {
	return []Operation{{
		Method: "DELETE", Path: Base + "/runs/{id}/payloads", ID: "forgetRun", Tag: "Runs",
		Summary: "Delete the payloads of a run",
		Description: "For administrators. Permanently deletes input, outputs, arguments, reasoning, comments, messages, " +
			"deliverables and files of a run that has ended, and of its sub-runs. " +
			"Ids, types, times, people, statuses and the audit log are kept. Forks and retries contain copies: they are " +
			"listed, and deleted with with_copies. It is safe to repeat.",
		Takes: TakesJSON, Body: app.Forgetting{}, Gives: app.ForgottenView{}, Changes: true, Forgets: true,
		Example: `{"reason":"The customer asked for it, ticket 4711."}`,
	}}
}
