package assembly

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/engine/spool"
)

// spool is where results are kept on disk while the store does not accept them. One directory may serve several
// databases, one after the other. Without a directory, as in workers, there is none.
func (c Config) spool() (local.Spool, error) {
	dir := cmp.Or(c.HeldResults, c.Data)
	if c.Data == "" || dir == "" {
		return nil, nil
	}
	dir = filepath.Join(dir, "held")
	if name := c.database(); name != "" {
		h := sha256.Sum256([]byte(name))
		dir += "." + hex.EncodeToString(h[:8])
	}
	return spool.Open(dir, c.Keys, c.Log)
}
