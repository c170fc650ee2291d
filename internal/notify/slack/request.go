package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// BodyMax bounds a request by Slack.
	BodyMax = 1 << 20
	skew    = 5 * time.Minute
)

// Errors of Verify.
var (
	ErrUnsigned = errors.New("the request has no signature of Slack")
	ErrForged   = errors.New("the signature of the request is not valid")
	ErrLate     = errors.New("the request is more than five minutes old, or from the future")
)

// Verify checks that a request was signed with a secret, not more than five minutes ago.
func Verify(secret string, h http.Header, body []byte, now time.Time) error {
	signature, stamp := h.Get("X-Slack-Signature"), h.Get("X-Slack-Request-Timestamp")
	version, _, ok := strings.Cut(signature, "=")
	if secret == "" || !ok || version != "v0" || stamp == "" || len(h.Values("X-Slack-Signature")) != 1 ||
		len(h.Values("X-Slack-Request-Timestamp")) != 1 {
		return ErrUnsigned
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":")) // never fails
	mac.Write(body)
	// Of a signature only one way of writing counts: replays are known by it.
	if !hmac.Equal([]byte("v0="+hex.EncodeToString(mac.Sum(nil))), []byte(signature)) {
		return ErrForged
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return ErrForged
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > skew || age < -skew {
		return ErrLate
	}
	return nil
}

// Interaction is something that a person did in Slack.
type Interaction struct {
	Type string // block_actions or view_submission; others are ignored
	App  string // the app that it belongs to
	Team string // the workspace
	User User
	// Trigger lets a dialog open within three seconds.
	Trigger string
	Channel string // where a button was pressed
	Message string // its message
	At      string // identifies the press
	// Press is nil if it was none of our buttons.
	Press *Press
	// Values are what people entered into a dialog, by field.
	Values map[string]string
	View   string // the id of the dialog
}

// User is a person in Slack.
type User struct {
	ID   string `json:"id"`
	Team string `json:"team_id"`
	Name string `json:"name"`
}

type entered struct {
	Type     string `json:"type"`
	Value    string `json:"value"`
	Selected *struct {
		Value string `json:"value"`
	} `json:"selected_option"`
}

var errForm = errors.New("the request is not an interaction")

// Read reads a request at the address for interactions.
func Read(body []byte) (i Interaction, err error) {
	form, err := url.ParseQuery(string(body))
	if err != nil || len(form["payload"]) != 1 {
		return i, errForm
	}
	var p struct {
		Type    string              `json:"type"`
		App     string              `json:"api_app_id"`
		Team    struct{ ID string } `json:"team"`
		User    User                `json:"user"`
		Trigger string              `json:"trigger_id"`
		Channel struct{ ID string } `json:"channel"`
		Message struct{ TS string } `json:"message"`
		Actions []struct {
			ID    string `json:"action_id"`
			Value string `json:"value"`
			At    string `json:"action_ts"`
		} `json:"actions"`
		View struct {
			ID       string `json:"id"`
			Hash     string `json:"hash"`
			Callback string `json:"callback_id"`
			Private  string `json:"private_metadata"`
			State    struct {
				Values map[string]map[string]entered `json:"values"`
			} `json:"state"`
		} `json:"view"`
	}
	if json.Unmarshal([]byte(form.Get("payload")), &p) != nil || p.Type == "" || p.User.ID == "" {
		return i, errForm
	}
	i = Interaction{Type: p.Type, App: p.App, Team: p.Team.ID, User: p.User, Trigger: p.Trigger, Channel: p.Channel.ID,
		Message: p.Message.TS, View: p.View.ID}
	if i.Team == "" {
		i.Team = p.User.Team
	}
	if i.User.Team == "" {
		i.User.Team = i.Team
	}
	switch {
	case p.Type == "block_actions" && len(p.Actions) == 1 && strings.HasPrefix(p.Actions[0].ID, actionPrefix):
		i.At = p.Actions[0].At
		i.Press, err = readPress(p.Actions[0].Value)
	case p.Type == "view_submission" && p.View.Callback == dialogID:
		i.At, i.Values = p.View.ID, map[string]string{}
		for _, inputs := range p.View.State.Values {
			for name, v := range inputs {
				if i.Values[name] = v.Value; v.Selected != nil {
					i.Values[name] = v.Selected.Value
				}
			}
		}
		i.Press, err = readPress(p.View.Private)
	}
	return i, err
}

func readPress(value string) (*Press, error) {
	var p Press
	if json.Unmarshal([]byte(value), &p) != nil || p.Approval == "" || p.Act == "" || p.Version < 1 {
		return nil, errForm
	}
	return &p, nil
}

// Event is a request at the address for events.
type Event struct {
	Type      string // url_verification, or that of the event in it
	Challenge string
	Team      string
	App       string
	User      string
	Tab       string
	ID        string
}

// ReadEvent reads a request at the address for events.
func ReadEvent(body []byte) (Event, error) {
	var p struct {
		Type      string `json:"type"`
		Challenge string `json:"challenge"`
		Team      string `json:"team_id"`
		App       string `json:"api_app_id"`
		ID        string `json:"event_id"`
		Event     struct {
			Type string          `json:"type"`
			User json.RawMessage `json:"user"`
			Tab  string          `json:"tab"`
		} `json:"event"`
	}
	if json.Unmarshal(body, &p) != nil || p.Type == "" {
		return Event{}, errForm
	}
	e := Event{Type: p.Type, Challenge: p.Challenge, Team: p.Team, App: p.App, ID: p.ID, Tab: p.Event.Tab}
	if p.Type == "event_callback" {
		e.Type = p.Event.Type
		_ = json.Unmarshal(p.Event.User, &e.User) // other events have an object there
	}
	return e, nil
}
