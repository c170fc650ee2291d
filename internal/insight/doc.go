// Package insight looks at what people and rules have decided, and says what can be
// learned from it: in figures, for the policy and for the agents.
//
// A Record reads the past through four methods of the store. Its questions take the
// scope that somebody sees, and package app hides in the answers what is masked:
//
//	past := insight.NewRecord(store, engine.At)
//	tried, err := past.Backtest(ctx, scope, candidate, since, until)
//	rules, err := past.Suggest(ctx, scope, since, now, hidden, first)
//	looked, err := past.Samples(ctx, scope, since)
//	counts, err := past.Figures(ctx, scope, now, since, until, workflow)
//
// A Teacher hands agents the lessons in what people changed or refused before. A
// Subject asks a policy about a case that nobody has proposed yet.
//
// Nothing here changes anything: whatever is learned is put in force by people.
package insight
