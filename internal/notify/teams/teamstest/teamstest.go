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

// Member is a person in a room.
type Member struct{ Name, Principal, Tenant string }

// Server is Teams.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	key      *rsa.PrivateKey
	members  map[string]Member // by user id
	cards    []Card
	statuses []int
	header   http.Header
}

// Card is a card in the room.
type Card struct {
	ID    string
	Raw   json.RawMessage
	Edits int
}

// New starts Teams.
func New(t testing.TB, members map[string]Member) *Server {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{key: key, members: members}
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

// Cards are those in the room.
func (s *Server) Cards() []Card {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Card{}, s.cards...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, sizeMax))
	path := r.URL.Path
	_, user, member := strings.Cut(path, "/members/")
	room := "/v3/conversations/" + Conversation + "/activities"
	switch {
	case err != nil:
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	case path == "/openid":
		say(w, map[string]any{"issuer": Issuer, "jwks_uri": s.URL + "/keys"})
	case path == "/keys":
		raw, _ := jose.JSONWebKey{Key: s.key.Public(), KeyID: "k1", Algorithm: "RS256", Use: "sig"}.MarshalJSON()
		var key map[string]any
		_ = json.Unmarshal(raw, &key) // it was written just now
		key["endorsements"] = []string{"msteams"}
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
		s.post(body)
		w.WriteHeader(http.StatusAccepted)
	case r.Header.Get("Authorization") != "Bearer "+token:
		w.WriteHeader(http.StatusUnauthorized)
	case member:
		m, ok := s.members[user]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		say(w, map[string]any{"name": m.Name, "userPrincipalName": m.Principal, "tenantId": m.Tenant})
	case path == room && r.Method == http.MethodPost:
		say(w, map[string]any{"id": s.post(body)})
	case strings.HasPrefix(path, room+"/") && r.Method == http.MethodPut:
		for i := range s.cards {
			if s.cards[i].ID == strings.TrimPrefix(path, room+"/") {
				s.cards[i].Raw, s.cards[i].Edits = content(body), s.cards[i].Edits+1
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func say(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) } // the client may be gone

func (s *Server) post(body []byte) string {
	id := fmt.Sprintf("activity-%d", len(s.cards)+1)
	s.cards = append(s.cards, Card{ID: id, Raw: content(body)})
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
	raw, _ := json.Marshal(map[string]any{"type": "invoke", "name": "adaptiveCard/action", "id": id,
		"channelId": "msteams", "serviceUrl": s.URL,
		"from":         map[string]any{"id": user, "name": "Somebody", "aadObjectId": object},
		"conversation": map[string]any{"id": Conversation, "tenantId": Tenant},
		"channelData":  map[string]any{"tenant": map[string]any{"id": Tenant}},
		"value": map[string]any{"trigger": "manual", "action": map[string]any{"type": "Action.Execute",
			"verb": "assent.decide", "data": data}}}) // never fails
	return raw
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
			return text + "\n"
		}
		out := ""
		for _, key := range []string{"body", "items", "columns", "inlines"} {
			out += Shown(v[key])
		}
		return out
	}
	return ""
}
