package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/notify"
)

// Config is a channel.
type Config struct {
	Name          string // of the channel here
	Token         string // of the bot: xoxb-…
	SigningSecret string // of the app; empty: messages have no buttons
	To            string // the room for messages to no one in particular: #name or an id
	BaseURL       string // of the Web API; empty: Slack's own
	HTTP          *http.Client
	// Users finds the Slack user of a person: whom they linked, or else their verified e-mail address. Both empty:
	// unknown. Nil: no person is reached.
	Users func(ctx context.Context, team, person string) (user, email string, err error)
}

// Channel is a workspace, seen by a bot.
type Channel struct {
	config Config
	api    client

	mu    sync.Mutex
	team  Team
	rooms map[string]string // ids of rooms and of direct messages, by name or user
}

const roomsMax = 10_000 // remembered

var (
	_ notify.Editor = (*Channel)(nil)
	_ notify.Finder = (*Channel)(nil)
)

// New creates a channel. It makes no request yet.
func New(c Config) (*Channel, error) {
	if c.Token == "" || c.HTTP == nil {
		return nil, errors.New("the token of the Slack bot is missing")
	}
	base := strings.TrimSuffix(cmp.Or(c.BaseURL, defaultBase), "/")
	if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the base_url of Slack is not the address of a server")
	}
	return &Channel{config: c, api: client{token: c.Token, base: base, http: c.HTTP}, rooms: map[string]string{}}, nil
}

// Name is the name of the channel here.
func (c *Channel) Name() string { return c.config.Name }

// Room implements notify.Channel.
func (c *Channel) Room() notify.Room {
	return notify.Room{Acts: c.config.SigningSecret != "", Edits: true, Details: 8000, Part: sectionMax - 200, Parts: 18}
}

// metadata lets Find recognise a message.
type metadata struct {
	Type    string            `json:"event_type"`
	Payload map[string]string `json:"event_payload"`
}

func marked(key string) metadata {
	return metadata{Type: eventType, Payload: map[string]string{"key": key}}
}

// posted is a message with where it goes.
type posted struct {
	Channel string `json:"channel"`
	TS      string `json:"ts,omitempty"`
	message
	Metadata metadata `json:"metadata"`
	Unfurl   bool     `json:"unfurl_links"`
	Media    bool     `json:"unfurl_media"`
}

// Send implements notify.Channel.
func (c *Channel) Send(ctx context.Context, to notify.Recipient, m notify.Message) (notify.Ref, error) {
	room, err := c.room(ctx, to)
	if err != nil {
		return "", err
	}
	var answer struct {
		Channel, TS string
	}
	err = c.api.post(ctx, "chat.postMessage",
		posted{Channel: room, message: render(m, c.Room().Acts), Metadata: marked(m.Key)}, &answer)
	if err != nil {
		return "", err
	}
	if answer.TS == "" || answer.Channel == "" {
		return "", &notify.Failure{Why: "Slack's response names no message", Unknown: true}
	}
	return refOf(answer.Channel, answer.TS), nil
}

func refOf(room, ts string) notify.Ref { return notify.Ref(room + "/" + ts) }

// Edit implements notify.Editor.
func (c *Channel) Edit(ctx context.Context, _ notify.Recipient, ref notify.Ref, m notify.Message) (notify.Ref, error) {
	room, ts, ok := strings.Cut(string(ref), "/")
	if !ok {
		return "", &notify.Failure{Why: "the reference of the message is damaged", Permanent: true}
	}
	err := c.api.post(ctx, "chat.update",
		posted{Channel: room, TS: ts, message: render(m, c.Room().Acts), Metadata: marked(m.Key)}, nil)
	if err != nil {
		return "", err
	}
	return ref, nil
}

const (
	findPages = 30
	findEach  = 999 // Slack returns no more at a time
	clockSkew = 10 * time.Minute
)

// Find implements notify.Finder. It looks at all messages of the room since then. In a room with more than it can read
// it fails, rather than posting buttons a second time.
func (c *Channel) Find(ctx context.Context, to notify.Recipient, key string, since time.Time) (notify.Ref, error) {
	room, err := c.room(ctx, to)
	if err == nil {
		room, err = c.roomID(ctx, room)
	}
	if err != nil {
		return "", err
	}
	form := url.Values{"channel": {room}, "limit": {fmt.Sprint(findEach)}, "include_all_metadata": {"true"},
		"oldest": {fmt.Sprintf("%d.000000", max(since.Add(-clockSkew).Unix(), 0))}}
	for range findPages {
		var answer struct {
			Messages []struct {
				TS       string
				Metadata metadata
			}
			HasMore bool `json:"has_more"`
			Next    struct {
				Cursor string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := c.api.ask(ctx, "conversations.history", form, &answer); err != nil {
			return "", err
		}
		for _, m := range answer.Messages {
			if m.Metadata.Type == eventType && m.Metadata.Payload["key"] == key {
				return refOf(room, m.TS), nil
			}
		}
		if !answer.HasMore || answer.Next.Cursor == "" {
			return "", nil
		}
		form.Set("cursor", answer.Next.Cursor)
	}
	return "", notify.Failed("there are too many messages in the room to find out whether this one arrived")
}

// room is where a recipient is reached: the room that is their address, or their direct messages.
func (c *Channel) room(ctx context.Context, to notify.Recipient) (string, error) {
	if to.Person == "" {
		if room := cmp.Or(to.Address, c.config.To); room != "" {
			return room, nil
		}
		return "", &notify.Failure{Why: "the channel has no room: set to", Permanent: true}
	}
	user, err := c.user(ctx, to)
	if err != nil {
		return "", err
	}
	if known := c.known(user); known != "" {
		return known, nil
	}
	var answer struct {
		Channel struct{ ID string }
	}
	if err := c.api.post(ctx, "conversations.open", map[string]any{"users": user}, &answer); err != nil {
		return "", err
	}
	return c.remember(user, answer.Channel.ID)
}

// user is the Slack user of a person.
func (c *Channel) user(ctx context.Context, to notify.Recipient) (string, error) {
	if to.Address != "" && !strings.Contains(to.Address, "@") {
		return to.Address, nil
	}
	if c.config.Users == nil {
		return "", unknownPerson(to.Person)
	}
	team, err := c.Team(ctx)
	if err != nil {
		return "", err
	}
	user, email, err := c.config.Users(ctx, team.ID, to.Person)
	switch {
	case err != nil:
		return "", notify.Failed("look up the Slack user of %s: %v", to.Person, err)
	case user != "":
		return user, nil
	case email == "":
		return "", unknownPerson(to.Person)
	}
	var answer struct {
		User struct{ ID string }
	}
	err = c.api.ask(ctx, "users.lookupByEmail", url.Values{"email": {email}}, &answer)
	if answered(err, "users_not_found") {
		return "", unknownPerson(to.Person)
	}
	return answer.User.ID, err
}

// Reaches implements notify.Reacher. Whether Slack knows an e-mail address is asked only when a message is sent.
func (c *Channel) Reaches(ctx context.Context, person string) (why string) {
	if c.config.Users == nil {
		return unknownPerson(person).Error()
	}
	team, err := c.Team(ctx)
	if err != nil {
		return ""
	}
	if user, email, err := c.config.Users(ctx, team.ID, person); err == nil && user == "" && email == "" {
		return unknownPerson(person).Error()
	}
	return ""
}

func unknownPerson(name string) error {
	return &notify.Failure{Permanent: true, Unreachable: true, Why: "no Slack user is known for " + name +
		": they link their account with the link that the app's Home in Slack shows"}
}

// Team is the workspace of the bot.
type Team struct {
	ID, Name string
	Bot      string // the user of the bot
}

// Team asks for the workspace once.
func (c *Channel) Team(ctx context.Context) (Team, error) {
	c.mu.Lock()
	known := c.team
	c.mu.Unlock()
	if known.ID != "" {
		return known, nil
	}
	var answer struct {
		TeamID string `json:"team_id"`
		Team   string `json:"team"`
		UserID string `json:"user_id"`
	}
	if err := c.api.ask(ctx, "auth.test", nil, &answer); err != nil {
		return Team{}, err
	}
	if answer.TeamID == "" {
		return Team{}, notify.Failed("Slack's response names no workspace")
	}
	known = Team{ID: answer.TeamID, Name: answer.Team, Bot: answer.UserID}
	c.mu.Lock()
	c.team = known
	c.mu.Unlock()
	return known, nil
}

const roomPages = 20

// roomID is the id of a room, which may be given by its name.
func (c *Channel) roomID(ctx context.Context, room string) (string, error) {
	name, named := strings.CutPrefix(room, "#")
	if !named {
		return room, nil
	}
	if known := c.known(room); known != "" {
		return known, nil
	}
	form := url.Values{"types": {"public_channel,private_channel"}, "limit": {"1000"}, "exclude_archived": {"true"}}
	for range roomPages {
		var answer struct {
			Channels []struct{ ID, Name string }
			Next     struct {
				Cursor string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := c.api.ask(ctx, "conversations.list", form, &answer); err != nil {
			return "", err
		}
		for _, r := range answer.Channels {
			if r.Name == name {
				return c.remember(room, r.ID)
			}
		}
		if answer.Next.Cursor == "" {
			break
		}
		form.Set("cursor", answer.Next.Cursor)
	}
	return "", &notify.Failure{Why: "the room " + room + " was not found in Slack", Permanent: true}
}

func (c *Channel) known(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rooms[key]
}

func (c *Channel) remember(key, id string) (string, error) {
	if id == "" {
		return "", notify.Failed("Slack's response names no room")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.rooms) >= roomsMax {
		clear(c.rooms)
	}
	c.rooms[key] = id
	return id, nil
}
