package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Cover counts how often something happened, by kind and name. What a simulator does not reach, it does not
// test.
type Cover map[string]map[string]int

func (c Cover) add(kind, name string) {
	m := c[kind]
	if m == nil {
		m = map[string]int{}
		c[kind] = m
	}
	m[name]++
}

// Merge adds another simulation's counts.
func (c Cover) Merge(other Cover) {
	for kind, names := range other {
		for name, n := range names {
			if c[kind] == nil {
				c[kind] = map[string]int{}
			}
			c[kind][name] += n
		}
	}
}

func (c Cover) String() string {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "%s\n", kind)
		for _, name := range slices.Sorted(maps.Keys(c[kind])) {
			fmt.Fprintf(&b, "  %9d  %s\n", c[kind][name], name)
		}
	}
	return b.String()
}
