// Package audit makes what people and programs did provable: to whoever runs a
// server, and to whoever does not trust it.
//
// The store keeps entries in a chain: each holds the hash of the one before
// (internal/port says how an entry is written). This package adds three things.
//
// Signed heads. Now and again, and whenever something is handed out, the end of
// the chain is signed with the server's Ed25519 key:
//
//	s := audit.New(audit.Config{Store: store, Key: audit.KeyIn(dir)})
//	head, err := s.Cut(ctx)
//
// Checks. Check reads the log in the store; VerifyExport reads one that was
// written by Export, on any machine, and names the first entry that is not as it
// was. A log that was cut short is noticed by its missing signature, or, if
// somebody cut it at an older signature, by a head that a person kept.
//
// Proofs. Prove writes everything about one run into one file: its events, the
// entries about it, and the way from each of them to a signed head. VerifyProof
// needs nothing else. Every value in it has a digest with a salt of its own, so
// Redact can take values out, and what is left still verifies.
//
// It has nothing to do with sim/audit, which is a second reader of event logs
// that checks the core in tests and signs nothing.
package audit
