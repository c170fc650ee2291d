package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// The lock covers a byte far beyond the text, so that others can still read the text.
func lockExclusive(f *os.File) error {
	at := &windows.Overlapped{Offset: 1 << 20}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}

// On Windows a closed file has no lock.
func unlock(*os.File) error { return nil }

// syncDir does nothing: Windows makes names durable by itself.
func syncDir(string) error { return nil }
