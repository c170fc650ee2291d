package show

import (
	"io"
	"strings"
)

// Column is one column of a table.
type Column struct {
	Title string
	Right bool // numbers stand to the right
	Min   int  // it may be cut down to this width when space is short; 0: never
}

// Table writes rows under their titles. If a line is wider than width, the
// columns that may be cut are, the widest first. Width 0 cuts nothing.
func Table(w io.Writer, t Theme, width int, columns []Column, rows [][]string) error {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = Width(c.Title)
		for _, row := range rows {
			widths[i] = max(widths[i], Width(row[i]))
		}
	}
	if width > 0 {
		squeeze(widths, columns, width)
	}
	var b strings.Builder
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = t.Dim(Cut(c.Title, widths[i]))
	}
	writeRow(&b, columns, widths, titles)
	for _, row := range rows {
		writeRow(&b, columns, widths, row)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const between = "  "

// squeeze takes space from the widest column that may be cut until all fit.
func squeeze(widths []int, columns []Column, width int) {
	total := len(between) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; total > width; total-- {
		widest := -1
		for i, c := range columns {
			if c.Min > 0 && widths[i] > c.Min && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func writeRow(b *strings.Builder, columns []Column, widths []int, cells []string) {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString(between)
		}
		cell = Cut(cell, widths[i])
		if columns[i].Right {
			line.WriteString(strings.Repeat(" ", max(0, widths[i]-Width(cell))) + cell)
		} else {
			line.WriteString(Pad(cell, widths[i]))
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
