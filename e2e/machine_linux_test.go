package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// machine is the time of the processors of this machine so far, in ticks.
type machine struct {
	all, idle uint64
	ours      uint64 // of this test and the programs that it started
}

func lookAtMachine(t testing.TB) (m machine) {
	t.Helper()
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	ticks := make([]uint64, 8) // user, nice, system, idle, waiting for the disk, two of interrupts, stolen
	for i, text := range strings.Fields(string(raw))[1:9] {
		if ticks[i], err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
		m.all += ticks[i]
	}
	m.idle = ticks[3] + ticks[4]
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	used, begun := map[string]uint64{}, map[string][]string{} // by process
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// After the name, which may contain anything: its state and parent and, from the twelfth on, its own time and that
		// of children that have ended, each in user mode and in the kernel.
		fields, id := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])), filepath.Base(filepath.Dir(file))
		for _, text := range fields[11:15] {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			used[id] += n
		}
		begun[fields[1]] = append(begun[fields[1]], id)
	}
	for family := []string{strconv.Itoa(os.Getpid())}; len(family) > 0; family = family[1:] {
		m.ours += used[family[0]]
		family = append(family, begun[family[0]]...)
	}
	return m
}

// others is the part of the processors, from 0 to 1, that other programs have used since before.
func (m machine) others(before machine) float64 {
	all, idle, ours := m.all-before.all, m.idle-before.idle, m.ours-before.ours
	if all == 0 || idle+ours > all { // ticks are counted one by one
		return 0
	}
	return float64(all-idle-ours) / float64(all)
}
