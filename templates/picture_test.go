package templates_test

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/templates"
)

var update = flag.Bool("update-pictures", false, "write the pictures of the templates")

const pictures = "../docs/images/templates"

// TestPictures keeps the picture of every template's graph current.
func TestPictures(t *testing.T) {
	for _, template := range templates.All() {
		got := draw(compile(t, template))
		path := filepath.Join(pictures, template.Name+".svg")
		if *update {
			if err := os.WriteFile(path, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not current (%v): go test ./templates -run 'Pictures|Page' -update-pictures", path, err)
		}
	}
}

func compile(t *testing.T, template templates.Template) *plan.Plan {
	t.Helper()
	set, _ := definition.LoadPath(write(t, template, template.Name))
	agents := map[string]plan.Agent{}
	for name, a := range set.Agents {
		agents[name] = a.Agent
	}
	p, problems := plan.Compile(&plan.Definition{Workflow: set.Workflows[template.Name].Workflow,
		Version: 1, Agents: agents})
	if errs := fault.Errors(problems); len(errs) > 0 {
		t.Fatalf("%s: %v", template.Name, errs)
	}
	return p
}

// Measures of a picture.
const (
	nodeWidth, nodeHeight = 150, 46
	slot                  = 140 // of one gate
	half                  = 15  // of a diamond
	gap                   = 40  // between layers
	row                   = 104
	margin                = 16
	dot                   = 6 // radius of beginning and end
)

// picture draws a plan: layers from left to right, gates as diamonds. Everything
// with words on it has a background of its own, so that it can be read on light
// and on dark pages.
type picture struct {
	*plan.Plan
	bytes.Buffer
	in, out []point // where edges arrive at and leave a node
	height  int
}

type point struct{ x, y int }

func draw(p *plan.Plan) []byte {
	d := &picture{Plan: p, in: make([]point, len(p.Nodes)), out: make([]point, len(p.Nodes))}
	rows := 1
	for _, layer := range p.Layers() {
		rows = max(rows, len(layer))
	}
	d.height = rows * row
	middle := margin + d.height/2
	var shapes picture // drawn over the edges
	shapes.Plan, shapes.in, shapes.out = p, d.in, d.out
	x := margin + dot
	shapes.circle(point{x, middle})
	begin := shapes.gates(point{x + dot, middle}, p.Start)
	x = begin.x + gap
	for _, layer := range p.Layers() {
		x = shapes.layer(x, d.height, layer) + gap
	}
	end := shapes.gates(point{x, middle}, p.End)
	last := point{end.x + gap/2 + dot, middle}
	shapes.circle(last)
	d.edges(begin, point{x, middle}, end, last)
	width, height := last.x+dot+margin, d.height+2*margin
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s" font-family="system-ui, sans-serif">`+"\n", width, height, width, height, html.EscapeString("The graph of the workflow "+p.Definition.Workflow.Name))
	out.Write(d.Bytes())
	out.Write(shapes.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// layer draws the steps that may run at the same time, and returns where it ends.
func (d *picture) layer(x, height int, nodes []int) int {
	before, after := 0, 0
	for _, n := range nodes {
		before, after = max(before, len(d.Nodes[n].Before)), max(after, len(d.Nodes[n].After))
	}
	for i, n := range nodes {
		node := &d.Nodes[n]
		y := margin + (2*i+1)*height/(2*len(nodes))
		left := x + slot*(before-len(node.Before))
		d.in[n] = point{left, y}
		right := d.gates(d.in[n], node.Before)
		d.node(point{right.x, y}, node)
		d.out[n] = d.gates(point{right.x + nodeWidth, y}, node.After)
	}
	return x + slot*before + nodeWidth + slot*after
}

// edges connects the steps with each other, with the beginning and with the end.
func (d *picture) edges(begin, beforeEnd, end, last point) {
	for n, node := range d.Nodes {
		if len(node.Needs) == 0 {
			d.edge(begin, d.in[n])
		}
		for _, need := range node.Needs {
			d.edge(d.out[need], d.in[n])
		}
		if slices.Contains(d.Last(), n) {
			d.edge(d.out[n], beforeEnd)
		}
	}
	d.edge(end, last)
}

// edge goes straight as long as it can, and bends just before its end.
func (d *picture) edge(from, to point) {
	bend := max(from.x, to.x-gap)
	fmt.Fprintf(d, `<path d="M%d %dH%dC%d %d %d %d %d %d" fill="none" stroke="#8b949e" stroke-width="1.5"/>`+"\n", from.x,
		from.y, bend, bend+gap/2, from.y, to.x-gap/2, to.y, to.x, to.y)
}

func (d *picture) circle(at point) {
	fmt.Fprintf(d, `<circle cx="%d" cy="%d" r="%d" fill="#8b949e"/>`+"\n", at.x, at.y, dot)
}

// gates draws gates one after the other, and returns where they end.
func (d *picture) gates(at point, gates []int) point {
	for _, i := range gates {
		g := d.Gates[i].Gate
		x := at.x + slot/2
		fmt.Fprintf(d, `<path d="M%d %dH%d" stroke="#8b949e" stroke-width="1.5"/>`, at.x, at.y, at.x+slot)
		fmt.Fprintf(d, `<path d="M%d %dl%d %dl%d %dl%d %dz" fill="#f5b83d" stroke="#8a5a00" stroke-width="1.5"><title>%s</title></path>`+"\n", x-half, at.y, half, -half, half, half, -half, half, html.EscapeString(g.Title))
		d.label(point{x, at.y + half + 14}, asks(g))
		if g.When != "" {
			d.label(point{x, at.y - half - 11}, "if "+g.When)
		}
		at.x += slot
	}
	return at
}

// asks is who a gate asks.
func asks(g *plan.Gate) string {
	if len(g.Roles) == 0 {
		return words(g.Role)
	}
	var names []string
	for role := range g.Roles {
		names = append(names, words(role))
	}
	slices.Sort(names)
	return strings.Join(names, " + ")
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// label is a short text on a background.
func (d *picture) label(at point, text string) {
	text = cut(text, 24)
	width := 6*len([]rune(text)) + 10
	fmt.Fprintf(d, `<rect x="%d" y="%d" width="%d" height="17" rx="8" fill="#fff4d6"/><text x="%d" y="%d" font-size="11" fill="#5c3c00" text-anchor="middle">%s</text>`+"\n", at.x-width/2, at.y-12, width, at.x, at.y, html.EscapeString(text))
}

// node draws a step: people in the colour of gates, maps as a pile, sub-workflows
// with a double border, conditional steps dashed.
func (d *picture) node(at point, n *plan.Node) {
	fill, stroke, ink, dash := "#e6edfb", "#3b6fd4", "#13294f", ""
	by := n.Step.Agent
	switch {
	case n.Human >= 0:
		fill, stroke, ink = "#fde3a7", "#8a5a00", "#5c3c00"
		by = "asks " + asks(d.Gates[n.Human].Gate)
	case n.Step.Workflow != "":
		by = "workflow " + n.Step.Workflow
	}
	if n.Each != nil {
		by = "each: " + by
	}
	if n.Step.If != "" {
		dash = ` stroke-dasharray="5 3"`
	}
	top := at.y - nodeHeight/2
	box := func(x, y, inset int, fill string) {
		fmt.Fprintf(d, `<rect x="%d" y="%d" width="%d" height="%d" rx="7" fill="%s" stroke="%s" stroke-width="1.5"%s/>`,
			x+inset, y+inset, nodeWidth-2*inset, nodeHeight-2*inset, fill, stroke, dash)
	}
	if n.Each != nil {
		box(at.x+4, top-4, 0, fill)
	}
	box(at.x, top, 0, fill)
	if n.Step.Workflow != "" {
		box(at.x, top, 3, "none")
	}
	mark := ""
	if n.Human >= 0 {
		mark = "◆ "
	}
	middle := at.x + nodeWidth/2
	fmt.Fprintf(d, `<text x="%d" y="%d" font-size="13" font-weight="600" fill="%s" text-anchor="middle">%s</text>`,
		middle, at.y-2, ink, html.EscapeString(mark+cut(n.Step.ID, 18)))
	fmt.Fprintf(d, `<text x="%d" y="%d" font-size="10.5" fill="%s" text-anchor="middle">%s</text>`+"\n", middle, at.y+14,
		ink, html.EscapeString(cut(words(by), 26)))
}

func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
