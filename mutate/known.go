package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// knownList is the checked-in list of survivors, each with a reason:
//
//	internal/core/gate/due.go soonest: a < b => a <= b
//		equal deadlines are one deadline
type knownList struct {
	reasons map[string]string
}

func readKnown(path string) (*knownList, error) {
	list := &knownList{reasons: map[string]string{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	name, n := "", 0
	for line := range strings.Lines(string(text)) {
		n++
		indented, trimmed := strings.HasPrefix(line, "\t"), strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(line, "#"):
		case indented && name != "":
			list.reasons[name] = strings.TrimSpace(list.reasons[name] + " " + trimmed)
		case indented:
			return nil, fmt.Errorf("%s:%d: a reason without a mutant", path, n)
		default:
			if name != "" && list.reasons[name] == "" {
				return nil, fmt.Errorf("%s:%d: the mutant above has no reason", path, n)
			}
			if _, twice := list.reasons[trimmed]; twice {
				return nil, fmt.Errorf("%s:%d: listed twice", path, n)
			}
			name = trimmed
			list.reasons[name] = ""
		}
	}
	if name != "" && list.reasons[name] == "" {
		return nil, fmt.Errorf("%s:%d: the mutant above has no reason", path, n)
	}
	return list, nil
}

func (k *knownList) reason(m mutant) string { return k.reasons[m.name()] }
