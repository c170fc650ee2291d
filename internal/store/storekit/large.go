package storekit

import (
	"bytes"
	"encoding/json"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// largeMin is the size from which a value is copied into its fact verbatim. encoding/json would parse it byte
// by byte and copy it twice.
const largeMin = 64 << 10

// mark is a placeholder for a large value while the rest of its fact is encoded.
var mark = json.RawMessage(`"a large value goes here"`)

// encoder encodes facts as run.EncodeFact does, to the end of a buffer.
type encoder struct {
	b    []byte
	json *json.Encoder // writes to the buffer
}

func newEncoder(b []byte) *encoder {
	e := &encoder{b: b}
	e.json = json.NewEncoder(e)
	e.json.SetEscapeHTML(false)
	return e
}

// Write implements io.Writer.
func (e *encoder) Write(p []byte) (int, error) {
	e.b = append(grow(e.b, len(p)), p...)
	return len(p), nil
}

// fact appends a fact.
func (e *encoder) fact(f run.Fact) error {
	if rest, large := withoutLarge(f); large != nil {
		if compact, err := value.Compact(large); err == nil {
			data, err := run.EncodeFact(rest)
			if err != nil {
				return err
			}
			before, after, ok := bytes.Cut(data, mark)
			if ok && !bytes.Contains(after, mark) { // or the mark appears elsewhere by chance
				b := grow(e.b, len(data)+len(compact))
				e.b = append(append(append(b, before...), compact...), after...)
				return nil
			}
		}
	}
	if err := e.json.Encode(f); err != nil { // it writes everything at once, or nothing
		return err
	}
	e.b = e.b[:len(e.b)-len(newline)]
	return nil
}

// grow makes room for n bytes and a few more; large buffers are not doubled.
func grow(b []byte, n int) []byte {
	if n < largeMin || cap(b)-len(b) > n {
		return b
	}
	return append(make([]byte, 0, len(b)+n+4<<10), b...)
}

// withoutLarge returns a copy of a fact with a mark in place of a large value,
// and the value; nil if there is none.
func withoutLarge(f run.Fact) (run.Fact, json.RawMessage) {
	switch f := f.(type) {
	case *run.RunStarted:
		if isLarge(f.Input) {
			c := *f
			c.Input = mark
			return &c, f.Input
		}
	case *run.RunCompleted:
		if isLarge(f.Output) {
			return &run.RunCompleted{Output: mark}, f.Output
		}
	case *run.StepReturned:
		if isLarge(f.Result.Output) {
			c := *f
			c.Result.Output = mark
			return &c, f.Result.Output
		}
	case *run.StepCompleted:
		if f.Result != nil && isLarge(f.Result.Output) {
			c, r := *f, *f.Result
			c.Result, r.Output = &r, mark
			return &c, f.Result.Output
		}
	case *run.ElementCompleted:
		if f.Result != nil && isLarge(f.Result.Output) {
			c, r := *f, *f.Result
			c.Result, r.Output = &r, mark
			return &c, f.Result.Output
		}
	case *run.CallCompleted:
		if isLarge(f.Result.Output) {
			c := *f
			c.Result.Output = mark
			return &c, f.Result.Output
		}
	}
	return f, nil
}

func isLarge(v json.RawMessage) bool { return len(v) >= largeMin }
