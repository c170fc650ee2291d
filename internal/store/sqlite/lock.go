package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assent-run/assent/internal/port"
)

// lockFile locks the directory for this process. The system releases the lock when the process ends, in
// whatever way; the file itself stays.
type lockFile struct{ f *os.File }

var errHeld = errors.New("held by another")

func lockDir(path string) (*lockFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockExclusive(f); err != nil {
		defer f.Close() //nolint:errcheck // nothing was written
		if !errors.Is(err, errHeld) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		holder := "another process"
		if b, err := io.ReadAll(io.LimitReader(f, 32)); err == nil && strings.TrimSpace(string(b)) != "" {
			holder = "process " + strings.TrimSpace(string(b))
		}
		return nil, fmt.Errorf("%w: %s uses this directory; stop it, or choose another directory", port.ErrUnavailable,
			holder)
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", path, err), f.Close())
	}
	if _, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", path, err), f.Close())
	}
	return &lockFile{f}, nil
}

func (l *lockFile) release() error {
	if l == nil {
		return nil
	}
	// A child process that is being started has a copy of the file for a moment, and with it the lock:
	// closing ours is not enough.
	return errors.Join(unlock(l.f), l.f.Close())
}
