// Package registry stores the published documents: workflows, agents, tools, roles, prices and the policy.
//
// Readers use a Snapshot, which contains everything in force at one moment, ready to use, and never changes.
// Publishing creates the next one:
//
//	docs := registry.New(registry.Config{Store: store, NewRunID: newID, Now: time.Now})
//	err := docs.Reload(ctx)
//	go docs.Follow(ctx) // if other processes publish to the same store
//
//	now := docs.Current()
//	workflow, err := docs.Definition("refund") // bound to the agents in force
//	verdict := now.Judge().Judge(at, subject)  // by the policy in force
//
// Documents come from files or from requests. Files are published when they differ from the last load, so a document
// saved by a request stays in force until its file changes; a document whose file was deleted is withdrawn:
//
//	loaded, err := docs.Load(ctx, "service:files", false, "./workflows")
//
// A request is read, weighed and saved in three steps, because its caller may have to confirm the findings of the
// second step:
//
//	doc, warnings, err := docs.Read(kind, name, format, body)
//	broken, err := docs.Weigh(doc, force) // documents in force that would become invalid
//	saved, created, err := docs.Save(ctx, doc, by, publish, registry.Publishing{Broken: broken})
//
// Every version stays in the store, and each save and publication is written to the audit log in the same transaction.
// Permissions are not checked here: package app does that before it calls.
package registry
