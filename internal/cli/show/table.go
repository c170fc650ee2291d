package show

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Column is one column of a table.
type Column struct {
	Title string
	Right bool // numbers are right-aligned
	Min   int  // it may be truncated to this width if space is short; 0: never
	// Under moves the cell below its row if a line is too short for all columns.
	Under bool
	// Whole cells take as many lines as they need below their row.
	Whole bool
	// Optional columns are omitted if no row has a value.
	Optional bool
}

// Table writes rows under their titles. If a line is wider than width, columns that may be truncated are, the
// widest first; if that is not enough, columns that may be moved below their row are. Width 0 truncates and
// moves nothing.
func Table(w io.Writer, t Theme, width int, columns []Column, rows [][]string) error {
	columns, rows = withoutEmpty(columns, rows)
	g := grid{Theme: t, width: width, columns: columns, widths: naturalWidths(columns, rows)}
	if width > 0 && !squeeze(g.widths, columns, width) {
		if stacked, ok := stack(g, rows); ok {
			return stacked.write(w, rows)
		}
	}
	return g.write(w, rows)
}

const between = "  "

// grid is a table with the widths of its columns.
type grid struct {
	Theme
	width   int
	columns []Column
	widths  []int // 0: the column is below its row
	indent  int   // of the cells below
}

// withoutEmpty removes optional columns without content.
func withoutEmpty(columns []Column, rows [][]string) ([]Column, [][]string) {
	var keep []int
	for i, c := range columns {
		used := !c.Optional
		for _, row := range rows {
			used = used || Width(row[i]) > 0
		}
		if used {
			keep = append(keep, i)
		}
	}
	if len(keep) == len(columns) {
		return columns, rows
	}
	kept, out := make([]Column, len(keep)), make([][]string, len(rows))
	for n, i := range keep {
		kept[n] = columns[i]
	}
	for r, row := range rows {
		for _, i := range keep {
			out[r] = append(out[r], row[i])
		}
	}
	return kept, out
}

func naturalWidths(columns []Column, rows [][]string) []int {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = Width(c.Title)
		for _, row := range rows {
			widths[i] = max(widths[i], Width(row[i]))
		}
	}
	return widths
}

// squeeze narrows the widest column that may be truncated until all fit, and reports whether they do.
func squeeze(widths []int, columns []Column, width int) bool {
	total, shown := 0, 0
	for _, w := range widths {
		if total += w; w > 0 {
			shown++
		}
	}
	total += len(between) * max(0, shown-1)
	for ; total > width; total-- {
		widest := -1
		for i, c := range columns {
			if c.Min > 0 && widths[i] > c.Min && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return false
		}
		widths[widest]--
	}
	return true
}

// stackedMin is the minimum width of a column once others are below its row.
const stackedMin = 8

// stack moves columns below their rows; ok is false if none may be moved.
func stack(g grid, rows [][]string) (out grid, ok bool) {
	out = g
	out.columns, out.widths = append([]Column(nil), g.columns...), naturalWidths(g.columns, rows)
	for i, c := range out.columns {
		if c.Under {
			ok, out.widths[i] = true, 0
		} else if c.Min > 0 {
			out.columns[i].Min = min(c.Min, stackedMin)
		}
	}
	squeeze(out.widths, out.columns, g.width)
	if first := out.widths[0] + len(between); first < g.width/4 {
		out.indent = first
	} else {
		out.indent = len(between)
	}
	return out, ok
}

func (g grid) write(w io.Writer, rows [][]string) error {
	var b strings.Builder
	titles := make([]string, len(g.columns))
	for i, c := range g.columns {
		titles[i] = g.Dim(Cut(c.Title, g.widths[i]))
	}
	g.writeRow(&b, titles)
	for _, row := range rows {
		g.writeRow(&b, row)
		g.writeUnder(&b, row)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g grid) writeRow(b *strings.Builder, cells []string) {
	var line strings.Builder
	for i, cell := range cells {
		if g.widths[i] == 0 {
			continue
		}
		if line.Len() > 0 {
			line.WriteString(between)
		}
		cell = Cut(cell, g.widths[i])
		if g.columns[i].Right {
			line.WriteString(strings.Repeat(" ", max(0, g.widths[i]-Width(cell))) + cell)
		} else {
			line.WriteString(Pad(cell, g.widths[i]))
		}
	}
	g.line(b, line.String())
}

// line writes one line. On a terminal none exceeds its width.
func (g grid) line(b *strings.Builder, text string) {
	if text = strings.TrimRight(text, " "); g.width > 0 {
		text = Cut(text, g.width)
	}
	b.WriteString(text + "\n")
}

// detailMin is the minimum space worth using after cells that may not be truncated.
const detailMin = 12

// writeUnder writes the cells below their row: first those that may not be truncated, such as ids, then the
// others after them.
func (g grid) writeUnder(b *strings.Builder, cells []string) {
	var fixed, details []string
	for i, cell := range cells {
		switch c := g.columns[i]; {
		case g.widths[i] > 0 || Width(cell) == 0 || c.Whole:
		case c.Min == 0:
			fixed = append(fixed, cell)
		default:
			details = append(details, cell)
		}
	}
	indent := g.indent
	line := strings.Join(fixed, between)
	if indent+Width(line) > g.width {
		indent = 0
	}
	room := g.width - indent - Width(line) - len(between)
	if line == "" || room < detailMin {
		room = g.width - indent
	}
	rest := strings.Join(fit(details, room), g.Dim(" · "))
	switch {
	case line == "" || rest == "":
		line += rest
	case indent+Width(line)+len(between)+Width(rest) <= g.width:
		line += between + rest
	default:
		g.line(b, strings.Repeat(" ", indent)+line)
		line = rest
	}
	if line != "" {
		g.line(b, strings.Repeat(" ", indent)+line)
	}
	g.writeWhole(b, cells)
}

// fit truncates the widest of some cells until they fit next to each other.
func fit(cells []string, room int) []string {
	widths, columns := make([]int, len(cells)), make([]Column, len(cells))
	for i, cell := range cells {
		widths[i], columns[i] = Width(cell), Column{Min: stackedMin}
	}
	squeeze(widths, columns, room-len(cells)+1) // " · " is one wider than the gap between columns
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = Cut(cell, widths[i])
	}
	return out
}

func (g grid) writeWhole(b *strings.Builder, cells []string) {
	for i, cell := range cells {
		if g.widths[i] > 0 || Width(cell) == 0 || !g.columns[i].Whole {
			continue
		}
		for line := range strings.SplitSeq(ansi.Wrap(cell, max(g.width-g.indent, 10), " "), "\n") {
			g.line(b, strings.Repeat(" ", g.indent)+line)
		}
	}
}
