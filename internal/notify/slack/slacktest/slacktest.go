// Package slacktest is a counterpart of Slack for tests: the methods of the Web API that we use, with the checks that
// Slack makes. It keeps messages, and plays the part of users who press their buttons.
package slacktest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Credentials of the app.
const (
	Token  = "xoxb-test"
	Secret = "8f742231b10e8888abcd99yyyzzz85a5"
	Team   = "T0ASSENT"
	App    = "A0ASSENT"
)

// User is a member of a workspace.
type User struct {
	ID, Team, Name, Email string
	Bot, Deleted          bool
	Unconfirmed           bool
}

// Message is a message in a room.
type Message struct {
	Channel, TS string
	User        string // who alone sees it
	Text        string
	Blocks      []map[string]any
	Key         string
	Edits       int
}

// Server is Slack.
type Server struct {
	*httptest.Server
	t  testing.TB
	mu sync.Mutex

	users    map[string]User
	messages []*Message
	views    []map[string]any            // dialogs that were opened
	homes    map[string][]map[string]any // home tabs, by user
	faults   []Fault
	changed  chan struct{}
	next     int
	revoked  bool
	calls    map[string]int
}

// Fault is an answer instead of the right one. Done means that the request is carried out all the same.
type Fault struct {
	Method string
	Status int
	Header http.Header
	Error  string
	Done   bool
}

// New starts Slack.
func New(t testing.TB, users ...User) *Server {
	s := &Server{t: t, users: map[string]User{}, homes: map[string][]map[string]any{}, changed: make(chan struct{}),
		calls: map[string]int{}}
	for _, u := range users {
		if u.Team == "" {
			u.Team = Team
		}
		s.users[u.ID] = u
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Fail makes later calls fail, each fault once and in order.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Revoke makes the token invalid.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = true
}

// Messages are those of all rooms, oldest first.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all()
}

func (s *Server) all() []Message {
	var out []Message
	for _, m := range s.messages {
		out = append(out, *m)
	}
	return out
}

// Calls is how often a method was called.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Dialog is the last dialog that was opened.
func (s *Server) Dialog() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.views) == 0 {
		return nil
	}
	return s.views[len(s.views)-1]
}

// Home is the home tab of a user.
func (s *Server) Home(user string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, _ := json.Marshal(s.homes[user]) // it came from JSON
	return string(raw)
}

// Wait waits until ok holds for the messages.
func (s *Server) Wait(what string, ok func([]Message) bool) []Message {
	s.t.Helper()
	late := time.After(2 * time.Minute)
	for {
		s.mu.Lock()
		all, changed := s.all(), s.changed
		s.mu.Unlock()
		if ok(all) {
			return all
		}
		select {
		case <-changed:
		case <-late:
			s.t.Fatalf("%s: there are %d messages: %+v", what, len(all), all)
		}
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	method := strings.TrimPrefix(r.URL.Path, "/")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[method]++
	var fault *Fault
	for i, f := range s.faults {
		if f.Method == method {
			fault, s.faults = &f, slices.Delete(s.faults, i, i+1)
			break
		}
	}
	answer := map[string]any{"ok": false, "error": "invalid_auth"}
	switch {
	case s.revoked:
		answer["error"] = "token_revoked"
	case r.Header.Get("Authorization") != "Bearer "+Token:
	case fault != nil && !fault.Done:
		answer["error"] = fault.Error
	default:
		answer = s.method(method, r.Header.Get("Content-Type"), body)
	}
	close(s.changed)
	s.changed = make(chan struct{})
	if fault != nil && fault.Status != 0 {
		maps.Copy(w.Header(), fault.Header)
		w.WriteHeader(fault.Status)
		return
	}
	_ = json.NewEncoder(w).Encode(answer) // the client may be gone
}

func no(code string) map[string]any { return map[string]any{"ok": false, "error": code} }

func (s *Server) method(name, media string, body []byte) map[string]any {
	in := map[string]any{}
	switch {
	case strings.HasPrefix(media, "application/json"):
		if json.Unmarshal(body, &in) != nil {
			return no("invalid_json")
		}
	default:
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return no("invalid_form_data")
		}
		for k := range form {
			in[k] = form.Get(k)
		}
	}
	text := func(key string) string { v, _ := in[key].(string); return v }
	switch name {
	case "auth.test":
		return map[string]any{"ok": true, "team_id": Team, "team": "Assent", "user_id": "UBOT"}
	case "users.info", "users.lookupByEmail":
		return s.user(text("user"), text("email"))
	case "conversations.open":
		if _, ok := s.users[text("users")]; !ok {
			return no("user_not_found")
		}
		return map[string]any{"ok": true, "channel": map[string]any{"id": "D" + text("users")}}
	case "conversations.list":
		return map[string]any{"ok": true, "channels": []any{map[string]any{"id": "C1", "name": "approvals"}}}
	case "conversations.history":
		return s.history(text("channel"), text("limit"), text("cursor"), text("oldest"),
			text("include_all_metadata") == "true")
	case "chat.postMessage", "chat.postEphemeral":
		return s.post(in, name == "chat.postEphemeral")
	case "chat.update":
		return s.update(in)
	case "views.open", "views.publish":
		return s.view(in)
	}
	return no("unknown_method")
}

func (s *Server) user(id, email string) map[string]any {
	for _, u := range s.users {
		if u.ID == id || email != "" && strings.EqualFold(u.Email, email) && !u.Deleted && u.Team == Team {
			return map[string]any{"ok": true, "user": map[string]any{"id": u.ID, "team_id": u.Team, "name": u.Name,
				"real_name": u.Name, "deleted": u.Deleted, "is_bot": u.Bot, "is_email_confirmed": !u.Unconfirmed,
				"profile": map[string]any{"email": u.Email}}}
		}
	}
	if email != "" {
		return no("users_not_found")
	}
	return no("user_not_found")
}

func (s *Server) history(room, limit, cursor, oldest string, metadata bool) map[string]any {
	if !strings.HasPrefix(room, "C") && !strings.HasPrefix(room, "D") {
		return no("channel_not_found")
	}
	n, _ := strconv.Atoi(limit)     // as Slack does
	from, _ := strconv.Atoi(cursor) // as Slack does
	var found []any
	for _, m := range slices.Backward(s.messages) {
		if m.Channel == room && m.User == "" && m.TS > oldest { // all have as many digits
			v := map[string]any{"ts": m.TS, "text": m.Text}
			if metadata {
				v["metadata"] = map[string]any{"event_type": "assent_message", "event_payload": map[string]any{"key": m.Key}}
			}
			found = append(found, v)
		}
	}
	end := min(from+min(max(n, 1), 999), len(found))
	next := ""
	if end < len(found) {
		next = strconv.Itoa(end)
	}
	return map[string]any{"ok": true, "messages": found[min(from, end):end], "has_more": next != "",
		"response_metadata": map[string]any{"next_cursor": next}}
}

// stamp is the id of a new message: a time, and unique.
func (s *Server) stamp(at time.Time) string {
	return fmt.Sprintf("%d.%06d", at.Unix(), s.next%1_000_000)
}

// Chatter adds messages of people to the room, who wrote them at a time.
func (s *Server) Chatter(n int, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.next++
		s.messages = append(s.messages, &Message{Channel: "C1", TS: s.stamp(at), Text: "hello"})
	}
}

func (s *Server) post(in map[string]any, whisper bool) map[string]any {
	m := &Message{}
	if code := m.take(in); code != "" {
		return no(code)
	}
	if m.Channel, _ = in["channel"].(string); m.Channel == "#approvals" {
		m.Channel = "C1"
	}
	if !strings.HasPrefix(m.Channel, "C") && !strings.HasPrefix(m.Channel, "D") {
		return no("channel_not_found")
	}
	if whisper {
		if m.User, _ = in["user"].(string); s.users[m.User].ID == "" {
			return no("user_not_in_channel")
		}
	}
	s.next++
	m.TS = s.stamp(time.Now())
	s.messages = append(s.messages, m)
	return map[string]any{"ok": true, "channel": m.Channel, "ts": m.TS}
}

func (s *Server) update(in map[string]any) map[string]any {
	for _, m := range s.messages {
		if m.User == "" && m.Channel == in["channel"] && m.TS == in["ts"] {
			if code := m.take(in); code != "" {
				return no(code)
			}
			m.Edits++
			return map[string]any{"ok": true, "channel": m.Channel, "ts": m.TS}
		}
	}
	return no("message_not_found")
}

// take reads the content of a message, and returns what is wrong with it.
func (m *Message) take(in map[string]any) string {
	text, _ := in["text"].(string)
	list, _ := in["blocks"].([]any)
	if text == "" {
		return "no_text"
	}
	if len(text) > 40_000 {
		return "msg_too_long"
	}
	found, code := Check(list, 50)
	if code != "" {
		return code
	}
	m.Text, m.Blocks = text, found
	if meta, ok := in["metadata"].(map[string]any); ok {
		payload, _ := meta["event_payload"].(map[string]any)
		if m.Key, ok = payload["key"].(string); !ok {
			return "invalid_metadata_format"
		}
	}
	return ""
}

func (s *Server) view(in map[string]any) map[string]any {
	v, _ := in["view"].(map[string]any)
	list, _ := v["blocks"].([]any)
	found, code := Check(list, 100)
	private, _ := v["private_metadata"].(string)
	switch user, home := in["user_id"].(string); {
	case code != "":
		return no(code)
	case len(private) > 3000:
		return no("invalid_arguments")
	case home:
		s.homes[user] = found
	case in["trigger_id"] == "" || in["trigger_id"] == nil:
		return no("invalid_trigger_id")
	default:
		s.views = append(s.views, v)
	}
	return map[string]any{"ok": true, "view": map[string]any{"id": "V1"}}
}

// Sign signs a request as Slack does.
func Sign(secret string, body []byte, at time.Time) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":")) // never fails
	mac.Write(body)
	return http.Header{"X-Slack-Signature": {"v0=" + hex.EncodeToString(mac.Sum(nil))},
		"X-Slack-Request-Timestamp": {stamp}}
}

// Press is the body of the request that Slack sends when a user presses a button.
func (s *Server) Press(m Message, button map[string]any, user string) []byte {
	s.mu.Lock()
	s.next++
	at := fmt.Sprintf("1700000001.%06d", s.next)
	u := s.users[user]
	s.mu.Unlock()
	return payload(map[string]any{"type": "block_actions", "api_app_id": App, "team": map[string]any{"id": Team},
		"user": map[string]any{"id": user, "team_id": u.Team, "name": u.Name}, "trigger_id": "trigger." + at,
		"channel": map[string]any{"id": m.Channel}, "message": map[string]any{"ts": m.TS},
		"actions": []any{map[string]any{"action_id": button["action_id"], "block_id": "acts", "value": button["value"],
			"action_ts": at, "type": "button"}}})
}

// Submit is the body of the request that Slack sends when a user submits a dialog.
func (s *Server) Submit(dialog map[string]any, user string, values map[string]string) []byte {
	s.mu.Lock()
	s.next++
	id := fmt.Sprintf("V%d", s.next)
	u := s.users[user]
	s.mu.Unlock()
	state := map[string]any{}
	for name, value := range values {
		state["field_"+name] = map[string]any{name: map[string]any{"type": "plain_text_input", "value": value}}
	}
	return payload(map[string]any{"type": "view_submission", "api_app_id": App, "team": map[string]any{"id": Team},
		"user": map[string]any{"id": user, "team_id": u.Team, "name": u.Name}, "trigger_id": "trigger." + id,
		"view": map[string]any{"id": id, "callback_id": dialog["callback_id"],
			"private_metadata": dialog["private_metadata"], "state": map[string]any{"values": state}}})
}

func payload(v any) []byte {
	raw, _ := json.Marshal(v) // never fails
	return []byte(url.Values{"payload": {string(raw)}}.Encode())
}

// Buttons are the buttons of a message that do something, by label.
func (m Message) Buttons() map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, b := range m.Blocks {
		if b["type"] != "actions" {
			continue
		}
		elements, _ := b["elements"].([]any)
		for _, e := range elements {
			e, _ := e.(map[string]any)
			text, _ := e["text"].(map[string]any)
			if label, _ := text["text"].(string); e["url"] == nil {
				out[label] = e
			}
		}
	}
	return out
}

// Shown is all text of a message as people read it.
func (m Message) Shown() string {
	var b strings.Builder
	shown(&b, m.Blocks)
	return b.String()
}

func shown(b *strings.Builder, v any) {
	switch v := v.(type) {
	case []map[string]any:
		for _, x := range v {
			shown(b, x)
		}
	case []any:
		for _, x := range v {
			shown(b, x)
		}
	case map[string]any:
		if text, ok := v["text"].(string); ok {
			if v["type"] == "mrkdwn" {
				text = strings.TrimSuffix(strings.TrimPrefix(text, "```\n"), "\n```")
			}
			b.WriteString(unescape.Replace(text) + "\n")
			return
		}
		for _, key := range []string{"text", "fields", "elements"} {
			shown(b, v[key])
		}
	}
}

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
