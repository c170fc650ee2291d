package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// writeTable prints the measurements for people.
func writeTable(w io.Writer, all []measure) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "topic\tstore\twhat\tmeasured\tbudget\tok\tfloor")
	for _, m := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Topic, m.Store, m.Name, m.measured(), m.budget(),
			m.verdict(), m.ratio())
	}
	return t.Flush()
}

func (m measure) measured() string {
	var parts []string
	for _, f := range figures {
		v, ok := m.Figures[f]
		switch {
		case ok && f == amount:
			parts = append(parts, number(v))
		case ok:
			parts = append(parts, string(f)+" "+number(v))
		}
	}
	return strings.Join(parts, ", ") + " " + m.Unit
}

func (m measure) budget() string {
	var parts []string
	for _, b := range m.Budget {
		name := ""
		if b.Of != amount {
			name = string(b.Of) + " "
		}
		if b.AtLeast != nil {
			parts = append(parts, name+"≥ "+number(*b.AtLeast))
		}
		if b.Below != nil {
			parts = append(parts, name+"< "+number(*b.Below))
		}
	}
	return strings.Join(parts, ", ")
}

func (m measure) verdict() string {
	switch {
	case m.OK == nil:
		return ""
	case *m.OK:
		return "yes"
	}
	return "NO"
}

func (m measure) ratio() string {
	if m.Ratio == 0 {
		return ""
	}
	return number(m.Ratio) + " × " + m.Floor
}

// number formats three significant digits, and large numbers in full.
func number(v float64) string {
	if v >= 100 || v <= -100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// writeJSON writes the same for machines, and describes the machine.
func writeJSON(path string, b *bench) error {
	out, err := json.MarshalIndent(struct {
		At       time.Time `json:"at"`
		Go       string    `json:"go"`
		System   string    `json:"system"`
		Cores    int       `json:"cores"`
		Floor    floor     `json:"floor"`
		Measures []measure `json:"measures"`
	}{time.Now().UTC(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, runtime.GOMAXPROCS(0),
		b.floor, b.measures}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(out, '\n'), 0o644)
}
