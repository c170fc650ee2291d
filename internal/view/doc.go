// Package view shows runs, steps, approvals, events and deliverables as the API,
// the command line and MCP send them, and hides in them what somebody may not see.
//
// A view is made from what is stored or folded, with no regard to who looks:
//
//	shown := view.RunOf(state, now, full)
//
// What is sensitive in a run is known by a Sensitive, which reads it from the run's
// log once and remembers it. It says what to hide, and a use case of package app,
// which knows who is asking, says whether:
//
//	hidden, err := sensitive.Of(ctx, view.RowOf(state), 0)
//	shown, shown.Masking = view.Hide(hidden.Veil(nil), shown)
//	shown = view.Shorten(shown, full)
//
// The fields of views say by a tag what they hold (package holds), so a new field is
// masked, or a test fails. Long values are shortened after masking, never before:
// the beginning of a value may end within something to be hidden.
package view
