// Package scenario plays scripts that a product person can read: actions of people, agents and time, then a line ----
// and the result. The scripts are in internal/core/decide/testdata/scenario.
//
// A World is the state machine and nothing else: it checks that the laws hold after every command. A Host plays the
// same on a real engine.
package scenario

import (
	"fmt"
	"strings"
)

// Script is a file of blocks.
type Script struct {
	Blocks []*Block
	tail   string // comments after the last block
}

// Block is a command and its expected result.
type Block struct {
	lead    string   // empty lines and comments before it, verbatim
	Line    int      // line number of the command, from 1
	Command []string // the first line is the command
	Want    string
	Got     string
}

// Read reads a script.
func Read(text string) (*Script, error) {
	var s Script
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		b := &Block{}
		from := i
		for i < len(lines) && (strings.TrimSpace(lines[i]) == "" || strings.HasPrefix(lines[i], "#")) {
			i++
		}
		b.lead = join(lines[from:i])
		if i == len(lines) {
			s.tail = b.lead
			break
		}
		b.Line, from = i+1, i
		for i < len(lines) && lines[i] != "----" {
			i++
		}
		if i == len(lines) {
			return nil, fmt.Errorf("line %d: no ---- after the command", b.Line)
		}
		b.Command = lines[from:i]
		i++
		from = i
		for i < len(lines) && lines[i] != "" {
			i++
		}
		b.Want = strings.Join(lines[from:i], "\n")
		s.Blocks = append(s.Blocks, b)
	}
	return &s, nil
}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// String is the script with the actual results.
func (s *Script) String() string {
	var b strings.Builder
	for _, k := range s.Blocks {
		b.WriteString(k.lead)
		b.WriteString(join(k.Command))
		b.WriteString("----\n")
		if k.Got != "" {
			b.WriteString(k.Got + "\n")
		}
	}
	b.WriteString(s.tail)
	return b.String()
}

// Play runs every block in a new world. An error means that the script is invalid or that the state machine
// broke an invariant.
func (s *Script) Play() error { return s.PlayIn(NewWorld()) }

// PlayIn runs every block in a world.
func (s *Script) PlayIn(w *World) error {
	for _, b := range s.Blocks {
		if err := b.play(w); err != nil {
			return err
		}
	}
	return nil
}

// Difference plays the script up to the first block whose result differs from the script, or fails, and describes it.
// It is empty if there is none.
func (s *Script) Difference() string {
	w := NewWorld()
	for _, b := range s.Blocks {
		if err := b.play(w); err != nil {
			return err.Error()
		}
		if b.Got != b.Want {
			return fmt.Sprintf("line %d: %s", b.Line, b.Command[0])
		}
	}
	return ""
}

func (b *Block) play(w *World) error {
	w.said = nil
	err := w.Follow(b.Command)
	b.Got = strings.Join(w.said, "\n")
	if err != nil {
		return fmt.Errorf("line %d: %s: %w", b.Line, b.Command[0], err)
	}
	return nil
}

// Tools are the names of the tools that models call in it.
func (s *Script) Tools() (names []string) {
	for _, b := range s.Blocks {
		for _, line := range b.Command[1:] {
			if words := strings.Fields(line); len(words) > 2 && words[0] == "call" {
				names = append(names, words[2])
			}
		}
	}
	return names
}
