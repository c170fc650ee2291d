package gate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// Channels are the words that documents may always use for channels. All but in_app and dashboard, which mean the pages
// of this server, are kinds of channels: a kind stands for all channels of it, if there is none of that name.
var Channels = []string{"in_app", "email", "slack", "teams", "webhook", "push", "dashboard"}

// Notify adds to the channels and recipients of notifications.
type Notify struct {
	Channels   []string
	Recipients []string // e-mail addresses, chat rooms, names of people, role:NAME
	Only       bool     // they replace the defaults
	Urgent     bool     // quiet hours do not delay them
}

// Limits of a notify.
const (
	notifyChannelsMax   = 20
	notifyRecipientsMax = 100
	recipientMax        = 256
	channelNameMax      = 64
)

var (
	channelLike = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	notifyKeys  = []string{"channels", "recipients", "only", "urgency"}
	urgencies   = []string{"low", "normal", "high", "critical"}
)

// CheckNotify lists the problems of a `notify` of a workflow, gate or agent, or of a rule's `notification`,
// with paths below path. Whether the channels exist is checked elsewhere.
func CheckNotify(path string, raw json.RawMessage) []fault.Problem {
	_, problems := ReadNotify(path, raw)
	return problems
}

// ReadNotify reads a `notify` as far as it is valid, and lists its problems.
func ReadNotify(path string, raw json.RawMessage) (n Notify, problems []fault.Problem) {
	if len(raw) == 0 || value.KindOf(raw) == value.Null {
		return n, nil
	}
	wrong := fault.Problem{Path: path, Message: "write { channels: [teams], recipients: [ops@example.com] }"}
	if value.KindOf(raw) != value.KindObject {
		return n, []fault.Problem{wrong}
	}
	bad := func(key, format string, args ...any) {
		problems = append(problems, fault.Problem{Path: path + "." + key, Message: fmt.Sprintf(format, args...)})
	}
	for key, val := range value.Members(raw) {
		if value.KindOf(val) == value.Null && slices.Contains(notifyKeys, key) {
			continue
		}
		var ok bool
		switch key {
		case "channels":
			if n.Channels, ok = texts(val); !ok {
				n.Channels, problems = nil, append(problems, wrong)
			}
			problems = append(problems, CheckChannels(path+".channels", n.Channels)...)
		case "recipients":
			if n.Recipients, ok = texts(val); !ok {
				n.Recipients, problems = nil, append(problems, wrong)
			}
			problems = append(problems, checkRecipients(path+".recipients", n.Recipients)...)
		case "only":
			if json.Unmarshal(val, &n.Only) != nil {
				bad(key, "write true or false")
			}
		case "urgency":
			word, _ := value.Text(val)
			if !slices.Contains(urgencies, word) {
				bad(key, "write one of %s", strings.Join(urgencies, ", "))
			}
			n.Urgent = word == "high" || word == "critical"
		default:
			bad(key, "unknown key %q here: write %s", phrase.ClipBytes(key, 80), strings.Join(notifyKeys, ", "))
		}
	}
	return n, problems
}

// texts reads a text, or a list of texts.
func texts(raw json.RawMessage) (out []string, ok bool) {
	if word, is := value.Text(raw); is {
		return []string{word}, true
	}
	err := json.Unmarshal(raw, &out)
	return out, err == nil && value.KindOf(raw) == value.KindArray
}

// CheckChannels lists the words that cannot be names of channels.
func CheckChannels(path string, names []string) (out []fault.Problem) {
	if len(names) > notifyChannelsMax {
		return []fault.Problem{{Path: path, Message: fmt.Sprintf("at most %d channels", notifyChannelsMax)}}
	}
	for i, name := range names {
		if len(name) > channelNameMax || !channelLike.MatchString(name) {
			out = append(out, fault.Problem{Path: item(path, i, names), Message: fmt.Sprintf(
				"%q is not the name of a channel: use letters, digits, - _ . (at most 64)", phrase.ClipBytes(name, 80))})
		}
	}
	return out
}

func checkRecipients(path string, names []string) (out []fault.Problem) {
	if len(names) > notifyRecipientsMax {
		return []fault.Problem{{Path: path, Message: fmt.Sprintf("at most %d recipients", notifyRecipientsMax)}}
	}
	for i, name := range names {
		if name == "" || len(name) > recipientMax || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) ||
			name != strings.TrimSpace(name) {
			out = append(out, fault.Problem{Path: item(path, i, names), Message: "a recipient is an e-mail address, " +
				"a chat room, a person's name or role:NAME"})
		}
	}
	return out
}

// item is the path of an item of a list. A single one may have been written without a list.
func item(path string, i int, all []string) string {
	if len(all) == 1 {
		return path
	}
	return fmt.Sprintf("%s[%d]", path, i)
}
