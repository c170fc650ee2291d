package outbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/port"
)

// UnsubscribePath is where summaries by e-mail are turned off, followed by a token.
const UnsubscribePath = "/api/v1/unsubscribe/"

const (
	unsubscribeFor = 90 * 24 * time.Hour
	purpose        = "unsubscribe"
	tokenMax       = 1000
)

// A token is the time it ends and a person, signed. It turns off one thing for one person, and shows nothing.
func (s *Service) sign(ctx context.Context, person string, until time.Time) (string, error) {
	key, err := s.Secret(ctx, purpose)
	if err != nil {
		return "", err
	}
	body := binary.BigEndian.AppendUint64(nil, uint64(until.Unix())) //nolint:gosec // after 1970
	body = append(body, person...)
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(body)), nil
}

// UnsubscribeLink is the address where a person turns off summaries by e-mail; empty: there is none. Mail programs may
// do that for them only at addresses with https.
func (s *Service) UnsubscribeLink(ctx context.Context, person string) (address string, oneClick bool) {
	if s.URL == "" || s.Secret == nil || person == "" {
		return "", false
	}
	token, err := s.sign(ctx, person, s.Now().Add(unsubscribeFor))
	if err != nil {
		s.Log.Error("create a link to unsubscribe", "error", err)
		return "", false
	}
	return strings.TrimSuffix(s.URL, "/") + UnsubscribePath + token, strings.HasPrefix(s.URL, "https://")
}

// Subscriber is the person whom a token is for; fault.NotFound.
func (s *Service) Subscriber(ctx context.Context, token string) (string, error) {
	unknown := fault.New(fault.NotFound, "this link is not valid or has expired",
		"turn summaries off in Settings, Notifications")
	if s.Secret == nil || len(token) > tokenMax {
		return "", unknown
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) < 8+sha256.Size {
		return "", unknown
	}
	body := raw[:len(raw)-sha256.Size]
	key, err := s.Secret(ctx, purpose)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	if !hmac.Equal(mac.Sum(nil), raw[len(body):]) {
		return "", unknown
	}
	until := time.Unix(int64(binary.BigEndian.Uint64(body)), 0) //nolint:gosec // it was signed here
	if s.Now().After(until) {
		return "", unknown
	}
	return string(body[8:]), nil
}

// Unsubscribe turns off summaries by e-mail for the person whom a token is for.
func (s *Service) Unsubscribe(ctx context.Context, token string) error {
	person, err := s.Subscriber(ctx, token)
	if err != nil {
		return err
	}
	raw, err := s.Store.Preferences(ctx, person)
	if err != nil {
		return err
	}
	var p notify.Preferences
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &p); err != nil {
			return err
		}
	}
	if p.NoMailSummaries {
		return nil
	}
	p.NoMailSummaries = true
	if raw, err = json.Marshal(p); err != nil {
		return err
	}
	now := s.Now()
	return s.Store.PutPreferences(ctx, person, raw, now, port.AuditDraft{At: now,
		Actor: run.Actor{Kind: run.Person, Name: person}, Action: "notifications.unsubscribed",
		Target: "person/" + person, Detail: map[string]any{"what": "summaries by e-mail", "by": "the link in a mail"}})
}
