// Package steady keeps tests independent of how busy the machine is: leaked goroutines are reported only if
// they stay, and work is measured in CPU time.
//
//	func TestMain(m *testing.M) { steady.Main(m) }
package steady

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long goroutines may take to end. goleak itself waits for less than half a second.
const patience = time.Minute

// Leaks returns an error if goroutines other than those of the options do not end.
func Leaks(options ...goleak.Option) error {
	for end := time.Now().Add(patience); ; {
		if err := goleak.Find(options...); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// NoLeaks fails a test that leaves goroutines behind.
func NoLeaks(t testing.TB, options ...goleak.Option) {
	t.Helper()
	if err := Leaks(options...); err != nil {
		t.Error(err)
	}
}

// Main runs the tests of a package, which must not leave goroutines behind.
func Main(m *testing.M) { os.Exit(Checked(m.Run())) }

// Checked is the exit code of tests that must not have left goroutines behind.
func Checked(code int, options ...goleak.Option) int {
	if code != 0 {
		return code
	}
	if err := Leaks(options...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
