package view

import (
	"bytes"
	"io"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// WithoutValues leaves out the values next to the entries of an exported audit log. The rest still verifies: the chain
// covers only their digests.
type WithoutValues struct {
	To   io.Writer
	rest []byte // of a line that has not ended yet
}

// valuesMark begins the values in a line of an export; they are its last member.
var valuesMark = []byte(`,"open":{`)

func (w *WithoutValues) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, ended := bytes.Cut(w.rest, []byte{'\n'})
		if !ended {
			return len(p), nil
		}
		if open, ok := value.Get(line, "open"); ok {
			if before, cut := bytes.CutSuffix(line, slices.Concat(valuesMark[:len(valuesMark)-1], open, []byte{'}'})); cut {
				line = append(bytes.Clone(before), '}')
			} else {
				return 0, fault.New(fault.Unsupported, "the audit log cannot be exported without its values", "")
			}
		}
		if _, err := w.To.Write(append(bytes.Clone(line), '\n')); err != nil {
			return 0, err
		}
		w.rest = bytes.Clone(rest)
	}
}
