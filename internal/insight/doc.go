// Package insight learns from the past decisions of people and rules: in figures, for the policy and for the agents.
//
// A Record reads the past through five methods of the store. Its queries take the caller's scope, and package app
// masks the results:
//
//	past := insight.NewRecord(store, engine.At)
//	tried, err := past.Backtest(ctx, scope, candidate, since, until)
//	rules, err := past.Suggest(ctx, scope, since, now, hidden, first)
//	looked, err := past.Samples(ctx, scope, since)
//	counts, err := past.Figures(ctx, scope, now, since, until, workflow)
//	used, err := past.Usage(ctx, scope, now, since, until, workflow)
//
// A Teacher passes agents the lessons from earlier changes and rejections. A Subject evaluates a policy on a case that
// has not been proposed yet.
//
// Nothing here changes anything: people decide whether to put a lesson in force.
package insight
