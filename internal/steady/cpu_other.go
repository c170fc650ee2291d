//go:build !unix

package steady

import "time"

var began = time.Now()

// CPU is the time since the start: CPU time is not available here.
func CPU() time.Duration { return time.Since(began) }
