package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// residentBytes is how much memory the process holds, as the system counts it;
// where that is not known, what Go has asked for.
func residentBytes() int64 {
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(b)); len(fields) > 1 {
			if pages, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				return pages * int64(os.Getpagesize())
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }
