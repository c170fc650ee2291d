// Package teams sends Adaptive Cards to Microsoft Teams.
//
//	c, err := teams.New(teams.Config{URL: workflowURL})
//
// Without a bot, cards go to a Workflows webhook: they can be neither changed nor answered, so they only have a link.
// With a bot, cards have buttons, and are replaced when there is nothing left to decide.
//
// Text that people and agents wrote is shown as plain text: cards read Markdown in most places, but not in text runs.
package teams
