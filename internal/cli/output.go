package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/value"
)

// writeJSON writes a value with its digits unchanged and minimal escaping.
func writeJSON(w io.Writer, v any) error {
	raw, err := value.Marshal(v)
	if err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	out.WriteByte('\n')
	_, err = w.Write(out.Bytes())
	return err
}

// writeJSONLine writes a value on one line, for streams.
func writeJSONLine(w io.Writer, v any) error {
	raw, err := value.Marshal(v)
	if err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	_, err = w.Write(append(raw, '\n'))
	return err
}

// lines writes lines.
func (t *tool) lines(lines []string) {
	if len(lines) > 0 {
		fmt.Fprintln(t.Stdout, strings.Join(lines, "\n"))
	}
}

// busyAfter is how long an operation may take before progress is shown.
const busyAfter = time.Second

// busy runs a long operation, and shows progress on a terminal.
func (t *tool) busy(what string, do func() error) error {
	if !t.ErrTerminal || t.plain || t.json {
		return do()
	}
	done := make(chan struct{})
	var shown sync.WaitGroup
	shown.Go(func() { t.spin(what, done) })
	err := do()
	close(done)
	shown.Wait()
	return err
}

func (t *tool) spin(what string, done <-chan struct{}) {
	began := t.Now()
	wait := time.NewTimer(busyAfter)
	defer wait.Stop()
	for n := 0; ; n++ {
		select {
		case <-wait.C:
			fmt.Fprintf(t.Stderr, "\r\x1b[K%s %s %s", show.Spinner(n), what, show.Duration(t.Now().Sub(began)))
			wait.Reset(100 * time.Millisecond)
		case <-done:
			if n > 0 {
				fmt.Fprint(t.Stderr, "\r\x1b[K")
			}
			return
		}
	}
}
