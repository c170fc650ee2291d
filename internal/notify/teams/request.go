package teams

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Errors of Verify.
var (
	ErrUnsigned = errors.New("the request has no token of the Bot Framework")
	ErrForged   = errors.New("the token of the request is not valid")
	ErrForeign  = errors.New("the request comes from another tenant")
	errForm     = errors.New("the request is not an activity")
)

const (
	skew     = 5 * time.Minute
	tokenMax = 16 << 10
)

// Activity is something that a person did in Teams.
type Activity struct {
	Type         string // message, invoke and others
	ID           string
	User         string
	Object       string // the person's id in their tenant
	UserName     string
	Tenant       string
	Conversation string
	Personal     bool   // the conversation is with the bot alone
	Press        *Press // nil if it was none of our buttons
	View         *Press // of the card that is to be shown
}

type activityForm struct {
	Type       string `json:"type"`
	ID         string `json:"id"`
	Name       string `json:"name"`
	Channel    string `json:"channelId"`
	ServiceURL string `json:"serviceUrl"`
	From       struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Object string `json:"aadObjectId"`
	} `json:"from"`
	Conversation struct {
		ID     string `json:"id"`
		Tenant string `json:"tenantId"`
		Type   string `json:"conversationType"`
	} `json:"conversation"`
	Data struct {
		Tenant struct {
			ID string `json:"id"`
		} `json:"tenant"`
	} `json:"channelData"`
	Value struct {
		Action struct {
			Type string          `json:"type"`
			Verb string          `json:"verb"`
			Data json.RawMessage `json:"data"`
		} `json:"action"`
	} `json:"value"`
}

// Audience is the bot that a token says it is for, before anything is verified.
func Audience(h http.Header) []string {
	token, err := parse(h)
	if err != nil {
		return nil
	}
	var claims jwt.Claims
	if token.UnsafeClaimsWithoutVerification(&claims) != nil {
		return nil
	}
	return claims.Audience
}

// Bot is the id of the bot.
func (c *Channel) Bot() string { return c.bot.ID }

func parse(h http.Header) (*jwt.JSONWebToken, error) {
	values := h.Values("Authorization")
	if len(values) != 1 || len(values[0]) > tokenMax {
		return nil, ErrUnsigned
	}
	scheme, raw, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, ErrUnsigned
	}
	token, err := jwt.ParseSigned(strings.TrimSpace(raw), []jose.SignatureAlgorithm{jose.RS256})
	if err != nil || len(token.Headers) != 1 || token.Headers[0].KeyID == "" {
		return nil, ErrForged
	}
	return token, nil
}

// Read checks the token of a request and reads its activity.
func (c *Channel) Read(ctx context.Context, h http.Header, body []byte, now time.Time) (Activity, error) {
	token, err := parse(h)
	if err != nil {
		return Activity{}, err
	}
	var form activityForm
	if json.Unmarshal(body, &form) != nil {
		return Activity{}, errForm
	}
	k, issuer, err := c.keys.find(ctx, token.Headers[0].KeyID, now)
	if err != nil {
		return Activity{}, err
	}
	var claims jwt.Claims
	var more struct {
		ServiceURL string `json:"serviceurl"`
	}
	if token.Claims(k.Key, &claims, &more) != nil || claims.Expiry == nil {
		return Activity{}, ErrForged
	}
	expected := jwt.Expected{Issuer: issuer, AnyAudience: jwt.Audience{c.bot.ID}, Time: now}
	endorsed := len(k.Endorsements) == 0 || slices.Contains(k.Endorsements, form.Channel)
	if claims.ValidateWithLeeway(expected, skew) != nil || !endorsed || form.Channel != "msteams" ||
		more.ServiceURL == "" || more.ServiceURL != form.ServiceURL {
		return Activity{}, ErrForged
	}
	tenant := form.Conversation.Tenant
	if tenant == "" {
		tenant = form.Data.Tenant.ID
	}
	if c.bot.Tenant != "" && tenant != c.bot.Tenant || form.Data.Tenant.ID != "" && form.Data.Tenant.ID != tenant {
		return Activity{}, ErrForeign
	}
	return form.activity(tenant)
}

func (f *activityForm) activity(tenant string) (Activity, error) {
	a := Activity{Type: f.Type, ID: f.ID, User: f.From.ID, Object: f.From.Object, UserName: f.From.Name, Tenant: tenant,
		Conversation: f.Conversation.ID, Personal: f.Conversation.Type == "personal"}
	verb := f.Value.Action.Verb
	if f.Type != "invoke" || f.Name != "adaptiveCard/action" || verb != Verb && verb != ViewVerb {
		return a, nil
	}
	var p Press
	if json.Unmarshal(f.Value.Action.Data, &p) != nil || p.Approval == "" || p.Version < 1 ||
		a.ID == "" || a.User == "" || a.Object == "" || (p.Act == "") != (verb == ViewVerb) {
		return a, errForm
	}
	if verb == ViewVerb {
		a.View = &p
		return a, nil
	}
	entered := map[string]json.RawMessage{}
	if json.Unmarshal(f.Value.Action.Data, &entered) != nil {
		return a, errForm
	}
	if raw, ok := entered[commentID+string(p.Act)]; ok && json.Unmarshal(raw, &p.Comment) != nil {
		return a, errForm
	}
	a.Press = &p
	return a, nil
}

// signingKey is a key with the services that may use it.
type signingKey struct {
	jose.JSONWebKey
	Endorsements []string
}

// keys are those of who signs requests. They are looked up again when one is unknown, at most once a minute.
type keys struct {
	http   *http.Client
	openID string

	mu     sync.Mutex
	issuer string
	known  map[string]signingKey
	read   time.Time
}

const (
	keysFor   = 24 * time.Hour
	keysAgain = time.Minute
)

func (k *keys) find(ctx context.Context, id string, now time.Time) (signingKey, string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.known[id]
	if age := now.Sub(k.read); !ok && age >= keysAgain || age >= keysFor {
		if err := k.load(ctx, now); err != nil {
			return signingKey{}, "", err
		}
		found, ok = k.known[id]
	}
	if !ok {
		return signingKey{}, "", ErrForged
	}
	return found, k.issuer, nil
}

func (k *keys) load(ctx context.Context, now time.Time) error {
	var about struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := call(ctx, k.http, http.MethodGet, k.openID, "", nil, &about); err != nil {
		return err
	}
	var set struct{ Keys []json.RawMessage }
	if !address(about.Keys) || about.Issuer == "" {
		return errors.New("the metadata of the Bot Framework is not valid")
	}
	if err := call(ctx, k.http, http.MethodGet, about.Keys, "", nil, &set); err != nil {
		return err
	}
	k.issuer, k.known, k.read = about.Issuer, map[string]signingKey{}, now
	for _, raw := range set.Keys {
		var key signingKey
		var more struct{ Endorsements []string }
		if json.Unmarshal(raw, &key.JSONWebKey) == nil && json.Unmarshal(raw, &more) == nil && key.Valid() && key.IsPublic() {
			key.Endorsements = more.Endorsements
			k.known[key.KeyID] = key
		}
	}
	return nil
}

// Message is the answer that shows a text to the person who pressed a button.
func Message(text string) json.RawMessage {
	raw, _ := json.Marshal(object{"statusCode": http.StatusOK, // never fails
		"type": "application/vnd.microsoft.activity.message", "value": phrase.ClipValid(text, textMax)})
	return raw
}

// Replace is the answer that shows another card to the person who pressed a button.
func Replace(card json.RawMessage) json.RawMessage {
	raw, _ := json.Marshal(object{"statusCode": http.StatusOK, // never fails
		"type": "application/vnd.microsoft.card.adaptive", "value": card})
	return raw
}
