package gate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Channels are the notification channels that documents may name.
var Channels = []string{"in_app", "email", "slack", "teams", "webhook", "push", "dashboard"}

// CheckNotify lists the problems of a `notify` of a workflow, gate or agent, or of a rule's `notification`,
// with paths below path.
func CheckNotify(path string, raw json.RawMessage) []fault.Problem {
	if len(raw) == 0 || value.KindOf(raw) == value.Null {
		return nil
	}
	wrong := []fault.Problem{{Path: path, Message: "write { channels: [teams], recipients: [ops@example.com] }"}}
	if value.KindOf(raw) != value.KindObject {
		return wrong
	}
	named, _ := value.Get(raw, "channels")
	switch value.KindOf(named) {
	case value.Missing, value.Null:
		return nil
	case value.String:
		name, _ := value.Text(named)
		return CheckChannels(path+".channels", []string{name})
	}
	var names []string
	if value.KindOf(named) != value.KindArray || json.Unmarshal(named, &names) != nil {
		return wrong
	}
	return CheckChannels(path+".channels", names)
}

// CheckChannels lists the names that are not valid channels.
func CheckChannels(path string, names []string) (out []fault.Problem) {
	for i, name := range names {
		if slices.Contains(Channels, name) {
			continue
		}
		at := path
		if len(names) > 1 {
			at = fmt.Sprintf("%s[%d]", path, i)
		}
		out = append(out, fault.Problem{Path: at,
			Message: fmt.Sprintf("%q is not a channel: write %s", name, strings.Join(Channels, ", "))})
	}
	return out
}
