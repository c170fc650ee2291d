package seal

import (
	"context"
)

// Keeper manages the encryption keys of a store. Values are encrypted if there is a key, transparently for
// readers.
type Keeper interface {
	// EncryptionKeys lists the master keys: the configured ones in order, then others that data keys still need.
	EncryptionKeys(ctx context.Context) ([]KeyState, error)
	// RotateKeys makes these the master keys and wraps all data keys with the first of them. No value is
	// rewritten.
	RotateKeys(ctx context.Context, keys []Key) (rewrapped int, err error)
	// Rewrite encrypts stored values under the newest data key, in batches: the plain ones, or with all, every
	// value older than the first call. Call it until it is done; after a crash, call it again to continue.
	Rewrite(ctx context.Context, all bool) (Rewriting, error)
}

// KeyState is a master key as people see it.
type KeyState struct {
	ID       string `json:"id"`
	First    bool   `json:"first"`     // it encrypts new values
	Here     bool   `json:"here"`      // it is configured
	DataKeys int    `json:"data_keys"` // wrapped by it; 0: no longer needed
}

// Rewriting is the progress of Rewrite.
type Rewriting struct {
	Looked    int64 `json:"looked"`    // rows checked
	Rewritten int64 `json:"rewritten"` // values encrypted
	Total     int64 `json:"total"`     // rows at the start
	Done      bool  `json:"done"`
	// Damaged names values that could not be decrypted and were left unchanged.
	Damaged []string `json:"damaged,omitempty"`
}
