// Package notify tells people and programs what happens in runs, on channels such as e-mail and chat.
//
// The log of all runs is the outbox: the process that leads reads it from where it stopped, and stores for each event
// which messages should exist, in the transaction that moves its mark. Then a sender makes the channels agree with
// that: it sends what is missing, and edits what has changed, until what is there is what should be there. A message
// is composed when it is sent, for its recipient as they are then, so it never shows more than they may see.
//
// A channel is a sub-package that implements Channel.
package notify
