// Package teamstest is a counterpart of Microsoft Teams for tests: a Workflows webhook, the Bot Connector with its
// tokens, and the issuer that signs requests to bots.
package teamstest

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// The bot and its surroundings.
const (
	Bot          = "bot-id"
	Password     = "bot-password"
	Tenant       = "tenant-1"
	Conversation = "19:room@thread.tacv2"
	Issuer       = "https://api.botframework.test"
	token        = "bot-token"
	sizeMax      = 28 << 10
)

// Member is a person in a room. Object is their id in the tenant.
type Member struct{ Name, Principal, Tenant, Object string }

// Server is Teams.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	key      *rsa.PrivateKey
	members  map[string]Member // by user id
	cards    []Card
	statuses []int
	header   http.Header
	changed  chan struct{}
	endorsed []string // by the key
}

// Card is a card in the room, or in a chat with a person.
type Card struct {
	ID           string
	Conversation string
	Raw          json.RawMessage
	Edits        int
}

// New starts Teams.
func New(t testing.TB, members map[string]Member) *Server {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{key: key, members: members, changed: make(chan struct{}, 1), endorsed: []string{"msteams"}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Answer makes later requests for cards fail with some statuses.
func (s *Server) Answer(h http.Header, statuses ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header, s.statuses = h, statuses
}

// Endorse says for which channels the key may sign; none: it says nothing about that.
func (s *Server) Endorse(channels ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endorsed = channels
}

// Cards are those in the room.
func (s *Server) Cards() []Card {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Card{}, s.cards...)
}

// Wait waits until the cards are as they should be, and returns them.
func (s *Server) Wait(t testing.TB, what string, ok func([]Card) bool) []Card {
	t.Helper()
	late := time.After(2 * time.Minute)
	for {
		all := s.Cards()
		if ok(all) {
			return all
		}
		select {
		case <-s.changed:
		case <-late:
			t.Fatalf("never: %s; %d cards: %+v", what, len(all), all)
		}
	}
}

// Chat is the conversation of the bot with a person.
func Chat(object string) string { return "a:" + object }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, sizeMax))
	path := r.URL.Path
	_, user, member := strings.Cut(path, "/members/")
	conversation, activity, inside := strings.Cut(strings.TrimPrefix(path, "/v3/conversations/"), "/activities")
	switch {
	case err != nil:
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	case path == "/openid":
		say(w, map[string]any{"issuer": Issuer, "jwks_uri": s.URL + "/keys"})
	case path == "/keys":
		raw, _ := jose.JSONWebKey{Key: s.key.Public(), KeyID: "k1", Algorithm: "RS256", Use: "sig"}.MarshalJSON()
		var key map[string]any
		_ = json.Unmarshal(raw, &key) // it was written just now
		if len(s.endorsed) > 0 {
			key["endorsements"] = s.endorsed
		}
		say(w, map[string]any{"keys": []any{key}})
	case path == "/token":
		if !strings.Contains(string(body), "client_secret="+Password) || !strings.Contains(string(body), "client_id="+Bot) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		say(w, map[string]any{"access_token": token, "expires_in": 3600})
	case len(s.statuses) > 0:
		for k, v := range s.header {
			w.Header()[k] = v
		}
		w.WriteHeader(s.statuses[0])
		s.statuses = s.statuses[1:]
	case path == "/workflow":
		s.post("", body)
		w.WriteHeader(http.StatusAccepted)
	case r.Header.Get("Authorization") != "Bearer "+token:
		w.WriteHeader(http.StatusUnauthorized)
	case member:
		m, ok := s.members[user]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		say(w, m.form(user))
	case path == "/v3/conversations/"+Conversation+"/pagedmembers":
		all := []any{}
		for id, m := range s.members {
			all = append(all, m.form(id))
		}
		say(w, map[string]any{"members": all})
	case path == "/v3/conversations" && r.Method == http.MethodPost:
		s.create(w, body)
	case inside && activity == "" && r.Method == http.MethodPost:
		say(w, map[string]any{"id": s.post(conversation, body)})
	case inside && r.Method == http.MethodPut:
		for i := range s.cards {
			if s.cards[i].Conversation == conversation && "/"+s.cards[i].ID == activity {
				s.cards[i].Raw, s.cards[i].Edits = content(body), s.cards[i].Edits+1
				s.change()
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func say(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) } // the client may be gone

func (m Member) form(id string) map[string]any {
	return map[string]any{"id": id, "aadObjectId": m.Object, "name": m.Name, "userPrincipalName": m.Principal,
		"tenantId": m.Tenant}
}

// create opens the chat with a person of the tenant.
func (s *Server) create(w http.ResponseWriter, body []byte) {
	var form struct {
		Bot      struct{ ID string }
		Members  []struct{ ID string }
		TenantID string
	}
	if json.Unmarshal(body, &form) != nil || form.Bot.ID != "28:"+Bot || len(form.Members) != 1 ||
		form.TenantID != Tenant {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, m := range s.members {
		if m.Object == form.Members[0].ID {
			w.WriteHeader(http.StatusCreated)
			say(w, map[string]any{"id": Chat(m.Object)})
			return
		}
	}
	w.WriteHeader(http.StatusForbidden) // the app is not installed for them
}

func (s *Server) change() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *Server) post(conversation string, body []byte) string {
	id := fmt.Sprintf("activity-%d", len(s.cards)+1)
	s.cards = append(s.cards, Card{ID: id, Conversation: conversation, Raw: content(body)})
	s.change()
	return id
}

func content(body []byte) json.RawMessage {
	var a struct {
		Type        string
		Attachments []struct {
			ContentType string
			Content     json.RawMessage
		}
	}
	if json.Unmarshal(body, &a) != nil || a.Type != "message" || len(a.Attachments) != 1 ||
		a.Attachments[0].ContentType != "application/vnd.microsoft.card.adaptive" {
		return nil
	}
	return a.Attachments[0].Content
}

// Claims are those of a valid token.
func (s *Server) Claims(now time.Time) map[string]any {
	return map[string]any{"iss": Issuer, "aud": Bot, "exp": now.Add(time.Hour).Unix(), "nbf": now.Add(-time.Minute).Unix(),
		"serviceurl": s.URL}
}

// Sign is the header of a request with some claims.
func (s *Server) Sign(claims map[string]any) http.Header {
	return sign(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: s.key, KeyID: "k1"}}, claims)
}

// Forge is Sign with a foreign key, with the same key id or another algorithm.
func (s *Server) Forge(claims map[string]any, symmetric bool) http.Header {
	if symmetric {
		key := jose.JSONWebKey{Key: []byte(strings.Repeat(Bot, 6)), KeyID: "k1"}
		return sign(jose.SigningKey{Algorithm: jose.HS256, Key: key}, claims)
	}
	other, _ := rsa.GenerateKey(rand.Reader, 2048) // never fails
	return sign(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: other, KeyID: "k1"}}, claims)
}

func sign(key jose.SigningKey, claims map[string]any) http.Header {
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		panic(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		panic(err)
	}
	return http.Header{"Authorization": {"Bearer " + text}}
}

// Execute is the request that Teams sends when a person presses a button.
func (s *Server) Execute(data map[string]any, id, user, object string) []byte {
	return s.invoke("assent.decide", data, id, user, object)
}

// Refresh is the request that Teams sends when a person of those for whom a card is drawn sees it; nil: they are not.
func (s *Server) Refresh(card json.RawMessage, id, user, object string) []byte {
	var c struct {
		Refresh *struct {
			Action struct {
				Type, Verb string
				Data       map[string]any
			}
			UserIDs *[]string `json:"userIds"`
		}
	}
	if json.Unmarshal(card, &c) != nil || c.Refresh == nil || c.Refresh.Action.Type != "Action.Execute" ||
		c.Refresh.UserIDs != nil && !slices.Contains(*c.Refresh.UserIDs, user) {
		return nil
	}
	return s.invoke(c.Refresh.Action.Verb, c.Refresh.Action.Data, id, user, object)
}

func (s *Server) invoke(verb string, data map[string]any, id, user, object string) []byte {
	return s.activity(map[string]any{"type": "invoke", "name": "adaptiveCard/action", "id": id,
		"conversation": map[string]any{"id": Conversation, "tenantId": Tenant, "conversationType": "channel"},
		"value": map[string]any{"trigger": "manual", "action": map[string]any{"type": "Action.Execute",
			"verb": verb, "data": data}}}, user, object)
}

// Write is the request that Teams sends when a person writes to the bot.
func (s *Server) Write(text, id, user, object string) []byte {
	return s.activity(map[string]any{"type": "message", "id": id, "text": text, "conversation": map[string]any{
		"id": Chat(object), "tenantId": Tenant, "conversationType": "personal"}}, user, object)
}

func (s *Server) activity(v map[string]any, user, object string) []byte {
	v["channelId"], v["serviceUrl"] = "msteams", s.URL
	v["from"] = map[string]any{"id": user, "name": "Somebody", "aadObjectId": object}
	v["channelData"] = map[string]any{"tenant": map[string]any{"id": Tenant}}
	raw, _ := json.Marshal(v) // never fails
	return raw
}

// Answered is the card in the answer to a request, or the text.
func Answered(body []byte) (card json.RawMessage, text string) {
	var a struct {
		Type  string
		Value json.RawMessage
	}
	_ = json.Unmarshal(body, &a) // then it is neither
	if a.Type == "application/vnd.microsoft.card.adaptive" {
		return a.Value, ""
	}
	_ = json.Unmarshal(a.Value, &text) // then it is neither
	return nil, text
}

// Buttons are the data of the buttons of a card that decide, by title.
func Buttons(card json.RawMessage) map[string]map[string]any {
	var c struct {
		Actions []struct {
			Type, Title string
			Data        map[string]any
			Card        json.RawMessage
		}
	}
	out := map[string]map[string]any{}
	if json.Unmarshal(card, &c) != nil {
		return out
	}
	for _, a := range c.Actions {
		switch a.Type {
		case "Action.Execute":
			out[a.Title] = a.Data
		case "Action.ShowCard":
			for title, data := range Buttons(a.Card) {
				out[title] = data
			}
		}
	}
	return out
}

// Shown is all text of a card as people read it.
func Shown(v any) string {
	switch v := v.(type) {
	case json.RawMessage:
		var card any
		_ = json.Unmarshal(v, &card) // an empty card shows nothing
		return Shown(card)
	case []any:
		out := ""
		for _, x := range v {
			out += Shown(x)
		}
		return out
	case map[string]any:
		if text, ok := v["text"].(string); ok {
			return strings.ReplaceAll(text, "\u200b", "") + "\n" // places to break long words at are not seen
		}
		out := ""
		for _, key := range []string{"body", "items", "columns", "inlines"} {
			out += Shown(v[key])
		}
		return out
	}
	return ""
}
