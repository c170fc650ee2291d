//go:build !linux

package e2e

import "testing"

// machine is unknown here: it counts as one of our own.
type machine struct{}

func lookAtMachine(testing.TB) machine { return machine{} }

func (machine) others(machine) float64 { return 0 }
