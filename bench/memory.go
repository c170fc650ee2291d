package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// residentBytes is the resident memory of the process; if unknown, the memory that Go has requested.
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
