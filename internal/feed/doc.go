// Package feed follows the log of all runs and hands its events to everybody who
// reads along: one feed per process, any number of readers.
//
//	f := feed.New(store, time.Now)
//	go f.Run(ctx)
//	r, err := f.Read(ctx, feed.Filter{Run: id}, only)
//	defer r.Close()
//	for {
//		events, err := r.Next(ctx) // waits; none is left out and none comes twice
//	}
//
// The store is read once per event, and not at all while nobody reads along. Who
// may see an event is no business of this package: the reader's only, which package
// app provides, leaves out what is not for them. Besides events there are news, which
// belong to no run (Announce), and what agents say while they work (Told), which is
// in no log.
package feed
