// Package audit makes the actions of people and programs provable, to the operator of a server and to those
// who do not trust the operator.
//
// The store keeps entries in a chain: each contains the hash of the previous one (internal/port defines the
// format). This package adds three things.
//
// Signed heads. Periodically, and before every export or proof, the end of the chain is signed with the
// server's Ed25519 key:
//
//	s := audit.New(audit.Config{Store: store, Key: audit.KeyIn(dir)})
//	head, err := s.Cut(ctx)
//
// Checks. Check verifies the log in the store; VerifyExport verifies the output of Export, on any machine,
// and names the first invalid entry. A truncated log is detected by its missing signature, or, if it was cut
// at an older signature, by a head that an auditor kept.
//
// Proofs. Prove writes everything about one run into one file: its events, the entries about it, and the
// inclusion proof of each of them in a signed head. VerifyProof needs nothing else. Every value in it has a
// salted digest, so Redact can remove values, and the rest still verifies.
//
// It is unrelated to sim/audit, an independent reader of event logs that checks the core in tests and signs
// nothing.
package audit
