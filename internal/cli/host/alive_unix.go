//go:build unix

package host

import (
	"errors"
	"os"
	"syscall"
)

// alive reports whether a process exists, regardless of its owner.
func alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
