//go:build unix

package schema

import (
	"syscall"
	"time"
)

// cpuTime is what this process has used so far: on a busy machine the clock on the
// wall says little about the work.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
