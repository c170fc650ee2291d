// Package view shows runs, steps, approvals, events and deliverables as the API, the command line and MCP send them,
// and masks in them what the reader may not see.
//
// A view is built from stored or folded state, regardless of the reader:
//
//	shown := view.RunOf(state, now, full)
//
// A Sensitive knows what is sensitive in a run: it reads the run's log once and remembers it. It determines what to
// mask, and a use case of package app, which knows the caller, determines whether to:
//
//	hidden, err := sensitive.Of(ctx, view.RowOf(state), 0)
//	shown, shown.Masking = view.Hide(hidden.Veil(nil), shown)
//	shown = view.Shorten(shown, full)
//
// The fields of views declare by a tag what they hold (package holds), so a new field is masked, or a test fails. Long
// values are shortened after masking, never before: the beginning of a value may end within something to be masked.
package view
