package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
)

// editedMsg reports that the editor was closed.
type editedMsg struct {
	approval view.Approval
	act      gate.Act
	path     string
	err      error
}

// errNotJSON reports that the saved text is not valid JSON.
var errNotJSON = errors.New("not sent: the file is not valid JSON")

// openEditor opens the whole proposal as JSON in an editor.
func (m *Model) openEditor(a view.Approval, act gate.Act) tea.Cmd {
	proposed := a.Proposed
	if m.kept.about(a, act) && len(m.kept.text) > 0 {
		proposed = m.kept.text
	}
	path, err := writeDraft(proposed)
	if err != nil || len(m.editor) == 0 {
		m.notice, m.trouble = fmt.Sprintf("no editor: set EDITOR (%v)", err), true
		return nil
	}
	cmd := exec.Command(m.editor[0], append(m.editor[1:len(m.editor):len(m.editor)], path)...)
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return editedMsg{a, act, path, err} })
}

func writeDraft(v json.RawMessage) (string, error) {
	var text bytes.Buffer
	if err := json.Indent(&text, v, "", "  "); err != nil {
		text.Reset()
		text.Write(v) // invalid JSON is kept as is
	}
	if !bytes.HasSuffix(text.Bytes(), []byte("\n")) {
		text.WriteByte('\n')
	}
	f, err := os.CreateTemp("", "assent-*.json") // 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(text.Bytes())
	return f.Name(), errors.Join(err, f.Close())
}

// edited reads the saved text: changes are shown before they are sent.
func (m *Model) edited(msg editedMsg) tea.Cmd {
	text, err := os.ReadFile(msg.path)
	err = errors.Join(msg.err, err, os.Remove(msg.path))
	q := &asking{approval: msg.approval, act: msg.act, text: text}
	if err == nil && !json.Valid(text) {
		return m.refused(q, errNotJSON)
	}
	if err != nil {
		m.notice, m.trouble = "not sent: "+err.Error(), true
		return nil
	}
	if msg.act == gate.Submit {
		return m.decideDraft(q, app.Decision{Act: msg.act, Data: text})
	}
	changes := patchOf(msg.approval.Proposed, text)
	if string(changes) == "{}" {
		m.notice, m.trouble = "nothing was changed", true
		return nil
	}
	return m.preview(q, app.Decision{Act: msg.act, Changes: changes})
}

// patchOf is the merge patch (RFC 7386) from one value to another.
func patchOf(from, to json.RawMessage) json.RawMessage {
	if value.KindOf(from) != value.KindObject || value.KindOf(to) != value.KindObject {
		return to
	}
	var members []value.Member
	for name, now := range value.Members(to) {
		before, there := value.Get(from, name)
		if there && value.Equal(before, now) {
			continue
		}
		if there {
			now = patchOf(before, now)
		}
		members = append(members, value.Member{Key: name, Value: now})
	}
	for name := range value.Members(from) {
		if _, stays := value.Get(to, name); !stays {
			members = append(members, value.Member{Key: name, Value: json.RawMessage("null")})
		}
	}
	return value.Object(members...)
}
