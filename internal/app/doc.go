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
// Use cases with a subject of their own are packages that App puts together, such as App.Documents. The rest is done by
// other packages: registry stores the published documents, directory knows people, sight shows a
// caller what they may see, browse lists and searches it, feed follows events, insight learns from past decisions, and
// preview runs a workflow with samples. Package guard authorises callers, by the rules of
// package access.
package app
