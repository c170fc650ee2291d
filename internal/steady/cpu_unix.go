//go:build unix

package steady

import (
	"syscall"
	"time"
)

// CPU is the CPU time of this process so far: on a busy machine, wall time says little about the work. Tests
// that run in parallel share it.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
