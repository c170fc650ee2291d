package api

import "github.com/assent-run/assent/internal/app"

// payloadOperations delete the payloads of people and agents.
func payloadOperations() []operation {
	return []operation{{
		method: "DELETE", path: base + "/runs/{id}/payloads", id: "forgetRun", tag: "Runs",
		summary: "Delete the payloads of a run",
		description: "For administrators. Permanently deletes input, outputs, arguments, reasoning, comments, messages, " +
			"deliverables and files of a run that has ended, and of its sub-runs. " +
			"Ids, types, times, people, statuses and the audit log are kept. Forks and retries contain copies: they are " +
			"listed, and deleted with with_copies. It is safe to repeat.",
		takes: takesJSON, body: app.Forgetting{}, gives: app.ForgottenView{}, changes: true, forgets: true,
		example: `{"reason":"The customer asked for it, ticket 4711."}`, do: (*Server).forgetRun,
	}}
}

func (s *Server) forgetRun(c *call) (reply, error) {
	f, err := read[app.Forgetting](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Forget(c, c.who, c.path("id"), f)
	return reply{body: v}, err
}
