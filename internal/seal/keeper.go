package seal

import (
	"context"
)

// Keeper looks after the keys that a store seals values with. Values are
// sealed where there is a key, and readers never notice.
type Keeper interface {
	// EncryptionKeys lists the master keys: those that are here, the first one
	// first, and those that data keys need besides.
	EncryptionKeys(ctx context.Context) ([]KeyState, error)
	// RotateKeys makes these the master keys and wraps all data keys with the
	// first of them. No value is touched.
	RotateKeys(ctx context.Context, keys []Key) (rewrapped int, err error)
	// Rewrite seals stored values under the newest data key, a piece at a time:
	// those that are plain, or with all every one from before the first call.
	// Call it until it is done; whoever calls it after a crash goes on.
	Rewrite(ctx context.Context, all bool) (Rewriting, error)
}

// KeyState is a master key as people see it.
type KeyState struct {
	ID       string `json:"id"`
	First    bool   `json:"first"`     // it seals new values
	Here     bool   `json:"here"`      // the settings name it
	DataKeys int    `json:"data_keys"` // that it wraps; 0: nothing needs it
}

// Rewriting is how far Rewrite has come.
type Rewriting struct {
	Looked    int64 `json:"looked"`    // rows that were looked at
	Rewritten int64 `json:"rewritten"` // values that were sealed
	Total     int64 `json:"total"`     // rows there were at the start
	Done      bool  `json:"done"`
	// Damaged names values that could not be opened, and stay as they are.
	Damaged []string `json:"damaged,omitempty"`
}
