// Package app holds the use cases, one method of App each. The API, MCP and the command line all go through it, so
// they have the same features and the same restrictions.
//
// A use case authorises the caller, then commands the engine or reads the store, and shows the result as far as the
// caller may see it:
//
//	a := app.New(app.Config{Store: store, …})
//	err := a.Start(ctx, engine)
//	defer a.Stop()
//	shown, err := a.Begin(ctx, who, app.NewRun{Workflow: "refund", Input: input}, nil)
//
// The rest is done by other packages: registry stores the published documents, directory knows people, sight shows a
// caller what they may see, browse lists and searches it, feed follows events, insight learns from past decisions, and
// preview runs a workflow with samples. Permissions are decided here, by the rules of package access.
package app
