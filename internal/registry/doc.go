// Package registry keeps the published documents: workflows, agents, tools, roles,
// prices and the policy.
//
// Readers take a Snapshot, which holds everything in force at one moment, ready to use,
// and never changes. Publishing makes the next one:
//
//	docs := registry.New(registry.Config{Store: store, NewRunID: newID, Now: time.Now})
//	err := docs.Reload(ctx)
//	go docs.Follow(ctx) // if other processes publish to the same store
//
//	now := docs.Current()
//	workflow, err := docs.Definition("refund") // bound to the agents in force
//	verdict := now.Judge().Judge(at, subject)  // by the policy in force
//
// Documents come from files or from requests. Files are published when they differ from
// what was last loaded, so a document saved by a request stays in force until its file
// changes; a document whose file was deleted is withdrawn:
//
//	loaded, err := docs.Load(ctx, "files", false, "./workflows")
//
// A request is read, weighed and saved in three steps, because its caller may have to
// confirm what the second step finds:
//
//	doc, warnings, err := docs.Read(kind, name, format, body)
//	broken, err := docs.Weigh(doc, force) // documents in force that would become invalid
//	saved, created, err := docs.Save(ctx, doc, by, publish, broken)
//
// Every version is kept in the store, and each save and publication is written to the
// audit log in the same transaction. Permissions are not checked here: package app does
// that before it calls.
package registry
