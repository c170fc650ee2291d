package watch

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// View draws the screen. It uses the whole terminal: a view that shrinks and grows in the middle of the
// scrollback leaves artefacts. The final state is printed afterwards, see Parting.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.render(), "\n"))
	v.AltScreen = true
	return v
}

const (
	widthMin  = 30
	widthMax  = 110
	heightMin = 12
	logShown  = 12
)

func (m *Model) columns() int { return min(max(m.width, widthMin), widthMax) }
func (m *Model) rows() int    { return max(m.height, heightMin) }

func (m *Model) formWidth() int { return m.columns() - 4 }

func (m *Model) treeOptions() show.TreeOptions {
	return show.TreeOptions{Theme: m.theme, Width: m.columns(), Now: m.now(), Frame: m.frame}
}

// render returns all lines of the screen. What does not fit is dropped, least important first: the log, then
// finished steps, then the card's end.
func (m *Model) render() []string {
	o := m.treeOptions()
	top := []string{show.Heading(m.run, o), ""}
	tree := show.Tree(m.run, o)
	below := []string{"", show.Progress(m.run, o)}
	bottom := m.bottom()
	room := m.rows() - len(top) - len(below) - len(bottom)
	card := m.cardLines()
	if len(card) == 0 {
		tree = m.window(tree, room-1)
		logs := m.logLines(room - len(tree))
		return append(append(append(append(top, tree...), below...), logs...), bottom...)
	}
	tree = m.window(tree, max(room-len(card)-2, room/3))
	card = m.clip(card, room-len(tree)-3)
	card = m.box(card)
	return append(append(append(append(top, tree...), below...), card...), bottom...)
}

// window keeps the active part of the tree.
func (m *Model) window(tree []string, room int) []string {
	room = max(room, 3)
	if len(tree) <= room {
		return tree
	}
	first := 0
	for i, s := range m.run.Steps {
		if s.Status == run.RunningStep || s.Status == run.WaitingStep {
			first = i
			break
		}
	}
	from := min(max(0, first-room/2), len(tree)-room)
	shown := append([]string{}, tree[from:from+room]...)
	if from > 0 {
		shown[0] = m.theme.Dim(fmt.Sprintf("  … %d above", from+1))
	}
	if rest := len(tree) - from - room; rest > 0 {
		shown[room-1] = m.theme.Dim(fmt.Sprintf("  … %d below", rest+1))
	}
	return shown
}

// logLines are the newest lines of the log that fit.
func (m *Model) logLines(room int) []string {
	n := min(len(m.log), room-1, logShown)
	if n <= 0 {
		return nil
	}
	out := []string{""}
	for _, line := range m.log[len(m.log)-n:] {
		out = append(out, show.Cut(line, m.columns()))
	}
	return out
}

// cardLines is the approval, a form, or the effect of changes.
func (m *Model) cardLines() []string {
	switch {
	case m.sure != nil:
		return m.diffLines()
	case m.asking != nil:
		lines := []string{m.theme.Bold(show.Cut(show.Line(m.asking.approval.Title), m.formWidth())), ""}
		return append(lines, strings.Split(strings.TrimRight(m.asking.form.View(), "\n"), "\n")...)
	}
	a, ok := m.card()
	if !ok {
		return nil
	}
	return show.Card(a, show.CardOptions{Theme: m.theme, Width: m.formWidth(), Now: m.now()})
}

func (m *Model) diffLines() []string {
	lines := []string{m.theme.Bold("Your changes"), ""}
	for _, c := range m.sure.diff.Diff {
		lines = append(lines, show.Clean(c.Path))
		for _, old := range valueLines(c.From) {
			lines = append(lines, m.theme.Bad(show.Cut("  - "+old, m.formWidth())))
		}
		for _, now := range valueLines(c.To) {
			lines = append(lines, m.theme.Good(show.Cut("  + "+now, m.formWidth())))
		}
	}
	return lines
}

func valueLines(raw []byte) []string {
	if len(raw) == 0 {
		return nil
	}
	return strings.Split(show.Value(raw), "\n")
}

// clip shows as much of the card as fits, from the scroll position.
func (m *Model) clip(lines []string, room int) []string {
	room = max(room, 5)
	if len(lines) <= room {
		m.scroll = 0
		return lines
	}
	m.scroll = min(m.scroll, len(lines)-room)
	shown := append([]string{}, lines[m.scroll:m.scroll+room]...)
	if rest := len(lines) - m.scroll - room; rest > 0 {
		shown[room-1] = m.theme.Dim(fmt.Sprintf("… %d more lines ↓", rest+1))
	}
	if m.scroll > 0 {
		shown[0] = m.theme.Dim(fmt.Sprintf("… %d lines ↑", m.scroll+1))
	}
	return shown
}

// box draws a border in the colour of the risk.
func (m *Model) box(lines []string) []string {
	paint := m.theme.Warn
	if a, ok := m.card(); ok && a.Risk.Level.Rank() >= risk.High.Rank() {
		paint = m.theme.Bad
	}
	width := m.columns() - 4
	title := m.boxTitle()
	out := []string{paint("╭─") + title + paint(strings.Repeat("─", max(0, width+1-show.Width(title)))+"╮")}
	for _, line := range lines {
		out = append(out, paint("│")+" "+show.Pad(show.Cut(line, width), width)+" "+paint("│"))
	}
	return append(out, paint("╰"+strings.Repeat("─", width+2)+"╯"))
}

func (m *Model) boxTitle() string {
	open := m.open()
	for i, a := range open {
		if a.ID == m.current && len(open) > 1 {
			return m.theme.Dim(fmt.Sprintf(" %d of %d ", i+1, len(open)))
		}
	}
	return ""
}

// bottom is the last lines: errors, and the keys.
func (m *Model) bottom() []string {
	var out []string
	if m.lost != nil {
		out = append(out, m.theme.Bad(show.Cut("connection lost, retrying: "+show.Line(m.lost.Error()), m.columns())))
	}
	if m.notice != "" {
		paint := m.theme.Good
		if m.trouble {
			paint = m.theme.Bad
		}
		for _, line := range show.Wrap(m.notice, m.columns()) {
			out = append(out, paint(line))
		}
	}
	return append(out, m.keyLines()...)
}

// keyLines are the keys, on as many lines as they need.
func (m *Model) keyLines() []string {
	out := []string{""}
	for _, k := range m.keys() {
		last := &out[len(out)-1]
		switch {
		case *last == "":
			*last = k
		case show.Width(*last)+2+show.Width(k) <= m.columns():
			*last += "  " + k
		default:
			out = append(out, k)
		}
	}
	return out
}

// keys are the currently available keys.
func (m *Model) keys() []string {
	hint := func(key, word string) string { return m.theme.Bold(key) + " " + m.theme.Dim(word) }
	var out []string
	switch a, ok := m.card(); {
	case m.deciding:
		return []string{m.theme.Dim("sending …")}
	case m.sure != nil:
		out = append(out, hint("y", "send"), hint("esc", "back"))
	case m.asking != nil:
		out = append(out, hint("enter", "next"), hint("esc", "back"))
	case ok:
		for _, b := range offered(a) {
			out = append(out, hint(b.key, b.word))
		}
		if len(m.open()) > 1 {
			out = append(out, hint("tab", "next"))
		}
		out = append(out, hint("x", "close"), hint("q", "detach"))
		if len(a.Acts) == 0 {
			out = append([]string{m.theme.Warn("you cannot decide this")}, out...)
		}
	default:
		out = append(out, hint("q", "detach"))
	}
	return out
}

// Parting is what stays in the terminal: the run as last seen.
func (m *Model) Parting() []string {
	o := m.treeOptions()
	o.Frame = -1
	if m.detached {
		return append(append([]string{show.Heading(m.run, o), ""}, show.Tree(m.run, o)...), "")
	}
	return show.Run(m.run, o)
}
