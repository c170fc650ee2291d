// Package feed follows the log of all runs and passes its events to readers: one feed per process, any number of
// readers.
//
//	f := feed.New(store, time.Now)
//	go f.Run(ctx)
//	r, err := f.Read(ctx, feed.Filter{Run: id}, only)
//	defer r.Close()
//	for {
//		events, err := r.Next(ctx) // waits; no gaps, no duplicates
//	}
//
// The store is read once per event, and not at all while there are no readers. Permissions are not the concern of this
// package: the reader's only, which package app provides, leaves out events that it may not see. In addition to events
// there are news, which belong to no run (Announce), and agents' progress messages (Reported), which are in no log.
package feed
