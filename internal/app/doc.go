// Package app holds the use cases, one method of App each. The API, MCP and the
// command line go through it, so what one can do all can do, and what is forbidden
// is forbidden everywhere.
//
// A use case authorises, then commands the engine or reads the store, and shows what
// came of it as far as the caller may see it:
//
//	a := app.New(app.Config{Store: store, …})
//	err := a.Start(ctx, engine)
//	defer a.Stop()
//	shown, err := a.Begin(ctx, who, app.NewRun{Workflow: "refund", Input: input}, nil)
//
// The rest is done by packages that do not know the caller: registry keeps the published
// documents, directory knows people, view makes and masks what is shown, feed follows
// events, insight learns from past decisions, and preview runs a workflow with samples.
// Permissions are decided here, by the rules of package access.
package app
