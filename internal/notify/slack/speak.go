package slack

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify"
)

// Secret is what signs requests of the app.
func (c *Channel) Secret() string { return c.config.SigningSecret }

// Profile is a user as Slack knows them.
type Profile struct {
	ID, Team string
	Name     string // for people
	// Email is their address if Slack has verified it, and they are a member of the workspace of the bot.
	Email string
	// Barred means that they are a bot, or left.
	Barred bool
}

// Profile looks up a user. Addresses count only for members of our own workspace: others decide what their users are
// called.
func (c *Channel) Profile(ctx context.Context, user string) (Profile, error) {
	team, err := c.Team(ctx)
	if err != nil {
		return Profile{}, err
	}
	var answer struct {
		User struct {
			ID        string `json:"id"`
			Team      string `json:"team_id"`
			Name      string `json:"name"`
			Real      string `json:"real_name"`
			Deleted   bool   `json:"deleted"`
			Bot       bool   `json:"is_bot"`
			Stranger  bool   `json:"is_stranger"`
			Confirmed *bool  `json:"is_email_confirmed"`
			Profile   struct {
				Email string `json:"email"`
			} `json:"profile"`
		} `json:"user"`
	}
	if err := c.api.ask(ctx, "users.info", url.Values{"user": {user}}, &answer); err != nil {
		return Profile{}, err
	}
	u := &answer.User
	p := Profile{ID: u.ID, Team: u.Team, Name: u.Real, Barred: u.Deleted || u.Bot || u.ID != user}
	if p.Name == "" {
		p.Name = u.Name
	}
	if u.Team == team.ID && !u.Stranger && (u.Confirmed == nil || *u.Confirmed) && !p.Barred {
		p.Email = strings.ToLower(u.Profile.Email)
	}
	return p, nil
}

// Whisper tells a user something in a room that only they see. Link is one of ours, or empty.
func (c *Channel) Whisper(ctx context.Context, room, user, text, label, link string) error {
	b := paragraph(text)
	if link != "" {
		b = append(b, block{"type": "actions", "elements": []any{
			block{"type": "button", "action_id": actionOpen, "text": plain(cut(label, buttonMax)), "url": link}}})
	}
	return c.api.post(ctx, "chat.postEphemeral",
		map[string]any{"channel": room, "user": user, "text": escape(cut(text, noticeMax)), "blocks": b}, nil)
}

// Field is an input of a dialog.
type Field struct {
	Name, Label string
	Value       string   // what is in it at first
	Long        bool     // of several lines
	Optional    bool     //
	Choices     []string // instead of text
}

const (
	commentField = "comment"
	inputMax     = 3000
	labelMax     = 2000
	dialogMax    = 20 // inputs
)

// CommentField asks for the reason of an act.
func CommentField(required bool) Field {
	return Field{Name: commentField, Label: "Reason", Long: true, Optional: !required}
}

// Comment is the reason that was entered into a dialog.
func (i Interaction) Comment() string { return strings.TrimSpace(i.Values[commentField]) }

var titles = map[gate.Act]string{
	gate.Reject: "Reject", gate.RequestRevision: "Request changes", gate.Modify: "Edit and approve",
	gate.Approve: "Approve", gate.Choose: "Choose",
}

// Ask opens a dialog, within three seconds after a press. About is what is decided.
func (c *Channel) Ask(ctx context.Context, trigger string, p Press, about string, fields []Field) error {
	private, err := json.Marshal(p)
	if err != nil || len(private) > sectionMax || len(fields) > dialogMax {
		return &notify.Failure{Why: "the dialog does not fit into Slack", Permanent: true}
	}
	title := titles[p.Act]
	if title == "" {
		title = "Decide"
	}
	b := paragraph(about)
	for _, f := range fields {
		input, ok := f.draw()
		if !ok {
			return &notify.Failure{Why: "the dialog does not fit into Slack", Permanent: true}
		}
		b = append(b, input)
	}
	return c.api.post(ctx, "views.open", map[string]any{"trigger_id": trigger, "view": map[string]any{
		"type": "modal", "callback_id": dialogID, "private_metadata": string(private), "title": plain(title),
		"submit": plain(cut(title, 24)), "close": plain("Cancel"), "blocks": b}}, nil)
}

func (f Field) draw() (block, bool) {
	if !fits(f.Label, labelMax) || len(f.Value) > inputMax {
		return nil, false
	}
	element := block{"type": "plain_text_input", "action_id": f.Name, "multiline": f.Long, "max_length": inputMax}
	if f.Value != "" {
		element["initial_value"] = f.Value
	}
	if len(f.Choices) > 0 {
		element = block{"type": "static_select", "action_id": f.Name}
		var options []any
		for _, choice := range f.Choices {
			if !fits(choice, buttonMax) {
				return nil, false
			}
			option := block{"text": plain(choice), "value": choice}
			if options = append(options, option); choice == f.Value {
				element["initial_option"] = option
			}
		}
		element["options"] = options
	}
	return block{"type": "input", "block_id": "field_" + f.Name, "label": plain(f.Label), "element": element,
		"optional": f.Optional}, true
}

// Refuse is the answer to a dialog that cannot be accepted: the dialog stays open and shows why.
func Refuse(field, why string) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"response_action": "errors", // never fails
		"errors": map[string]string{"field_" + field: cut(why, 300)}})
	return raw
}

// Tell is the answer to a dialog that ends with a sentence.
func Tell(text string) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"response_action": "update", "view": map[string]any{ // never fails
		"type": "modal", "title": plain("Not decided"), "close": plain("Close"), "blocks": paragraph(text)}})
	return raw
}

// Waiting is an approval in the list of a person.
type Waiting struct {
	Title, Text, Open string
}

const homeMax = 20 // approvals on the home tab

// Home shows a person their inbox on the home tab of the app. More is how many others wait.
func (c *Channel) Home(ctx context.Context, user string, all []Waiting, more int, open string) error {
	return c.api.post(ctx, "views.publish", map[string]any{"user_id": user,
		"view": map[string]any{"type": "home", "blocks": home(all, more, open)}}, nil)
}

func home(all []Waiting, more int, open string) (out blocks) {
	out = blocks{{"type": "header", "text": plain("Your inbox")}}
	if len(all) == 0 {
		out = append(out, paragraph("Nothing is waiting for you.")...)
	}
	for i, w := range all {
		if i == homeMax {
			more += len(all) - homeMax
			break
		}
		b := block{"type": "section", "text": plain(cut(strings.TrimSpace(w.Title+"\n"+w.Text), 500))}
		if w.Open != "" && len(w.Open) <= sectionMax {
			b["accessory"] = block{"type": "button", "action_id": actionOpen, "text": plain("Open"), "url": w.Open}
		}
		out = append(out, b, block{"type": "divider"})
	}
	text := "Open Assent"
	if more > 0 {
		out = append(out, block{"type": "context", "elements": []any{plain(plural(more))}})
	}
	if open != "" {
		out = append(out, block{"type": "actions", "elements": []any{
			block{"type": "button", "action_id": actionOpen, "text": plain(text), "url": open}}})
	}
	return out
}

func plural(n int) string {
	if n == 1 {
		return "1 more approval is waiting."
	}
	return strconv.Itoa(n) + " more approvals are waiting."
}
