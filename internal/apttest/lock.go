//go:build unix

package apttest

import (
	"os"
	"syscall"
)

// lock waits until this process alone holds a file.
func lock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		_ = f.Close() // the lock's error is more informative
		return nil, err
	}
	return f.Close, nil
}
