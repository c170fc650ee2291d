package teams

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/outbound"
)

// Config is a channel.
type Config struct {
	Name string // of the channel here
	URL  string // of a Workflows webhook; not needed with a bot
	Bot  *Bot
	HTTP *http.Client
	// User is the id of a person in the tenant of the bot; empty: unknown. Without it no person is reached.
	User func(ctx context.Context, tenant, person string) (string, error)
	// Deciders are those members of a room who may decide an approval. It may be nil.
	Deciders func(ctx context.Context, tenant, approval string, members []Member) ([]Member, error)
}

// Bot is an app that is registered with the Bot Framework.
type Bot struct {
	ID, Password string
	Tenant       string // people of other tenants never count
	Conversation string // the room; empty: each person gets a message of their own
	ServiceURL   string // of the Bot Connector; empty: Microsoft's
	TokenURL     string // empty: Microsoft's
	OpenID       string // metadata of who signs requests; empty: the Bot Framework's
}

const (
	defaultService = "https://smba.trafficmanager.net/teams"
	defaultOpenID  = "https://login.botframework.com/v1/.well-known/openidconfiguration"
	scope          = "https://api.botframework.com/.default"
	answerMax      = 1 << 20
	callFor        = 15 * time.Second
	waitMost       = time.Hour
)

// New creates a channel: a *Channel with a bot, otherwise one that only sends. It makes no request yet.
func New(c Config) (notify.Channel, error) {
	if c.Bot == nil {
		if !address(c.URL) {
			return nil, errors.New("the url of the Workflows webhook is not the address of a server")
		}
		return &webhook{c}, nil
	}
	b := *c.Bot
	b.ServiceURL = strings.TrimSuffix(cmp.Or(b.ServiceURL, defaultService), "/")
	b.TokenURL = cmp.Or(b.TokenURL,
		"https://login.microsoftonline.com/"+url.PathEscape(cmp.Or(b.Tenant, "botframework.com"))+"/oauth2/v2.0/token")
	b.OpenID = cmp.Or(b.OpenID, defaultOpenID)
	if b.ID == "" || b.Password == "" || !address(b.ServiceURL) || !address(b.TokenURL) || !address(b.OpenID) {
		return nil, errors.New("the bot needs an id, a password and addresses of servers")
	}
	c.Bot = &b
	return &Channel{config: c, bot: b, keys: keys{http: c.HTTP, openID: b.OpenID}}, nil
}

func address(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}

// room is how much fits. JSON needs more bytes than the text: the size is checked again when the card is rendered.
func room(acts bool) notify.Room { return notify.Room{Acts: acts, Details: 10_000, Parts: 40} }

// webhook sends cards to a Workflows webhook.
type webhook struct{ config Config }

func (w *webhook) Room() notify.Room { return room(false) }

func (w *webhook) Send(ctx context.Context, _ notify.Recipient, m notify.Message) (notify.Ref, error) {
	err := call(ctx, w.config.HTTP, http.MethodPost, w.config.URL, "", activity(Card(m, false)), nil)
	return "", err
}

// activity is a message with a card.
func activity(card json.RawMessage) object {
	return object{"type": "message", "attachments": []any{object{
		"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": nil, "content": card}}}
}

// call sends JSON. Its errors are Failures; they do not quote the address, which is a secret.
func call(ctx context.Context, client *http.Client, method, to, token string, body, out any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return &notify.Failure{Why: "the card is not valid", Permanent: true}
	}
	if method == http.MethodGet {
		raw = nil
	}
	return send(ctx, client, method, to, "application/json", token, raw, out)
}

func send(
	ctx context.Context, client *http.Client, method, to, media, token string, raw []byte, out any,
) error {
	ctx, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(raw))
	if err != nil {
		return &notify.Failure{Why: "the address of Teams is not valid", Permanent: true}
	}
	req.Header.Set("Content-Type", media)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := client.Do(req)
	if err != nil {
		var dial *net.OpError
		var blocked *outbound.Failed
		if errors.As(err, &blocked) { // names the address of the machine alone
			return &notify.Failure{Why: "Teams could not be reached: " + blocked.Message, Permanent: true}
		}
		return &notify.Failure{Why: "Teams could not be reached",
			Unknown: !(errors.As(err, &dial) && dial.Op == "dial")}
	}
	defer func() { _ = res.Body.Close() }() // it was read
	answer, err := io.ReadAll(io.LimitReader(res.Body, answerMax))
	if f := failure(res); f != nil {
		return f
	}
	if err != nil || out != nil && json.Unmarshal(answer, out) != nil {
		return &notify.Failure{Why: "Teams' response could not be read", Unknown: true}
	}
	return nil
}

func failure(res *http.Response) error {
	f := &notify.Failure{Why: fmt.Sprintf("Teams responded with status %d", res.StatusCode)}
	switch code := res.StatusCode; {
	case code < http.StatusMultipleChoices:
		return nil
	case code == http.StatusTooManyRequests:
		seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
		if err != nil || seconds < 1 {
			seconds = 1
		}
		f.After = min(time.Duration(seconds)*time.Second, waitMost)
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusGone:
		f.Permanent, f.Gone = true, true
	case code >= http.StatusInternalServerError || code == http.StatusRequestTimeout:
		f.Unknown = true
	default:
		f.Permanent = true
	}
	return f
}

// Channel is a bot in Teams.
type Channel struct {
	config Config
	bot    Bot
	keys   keys

	mu      sync.Mutex
	token   string
	expires time.Time
	chats   map[string]string // conversations with people, by their id in the tenant
	people  []Member          // in the room
	counted time.Time         // when they were listed
}

const chatsMax = 10_000 // remembered

var _ notify.Editor = (*Channel)(nil)

// Name is the name of the channel here, and Bot the app.
func (c *Channel) Name() string { return c.config.Name }

// Room implements notify.Channel.
func (c *Channel) Room() notify.Room { return room(true) }

// Send implements notify.Channel.
func (c *Channel) Send(ctx context.Context, to notify.Recipient, m notify.Message) (notify.Ref, error) {
	conversation := cmp.Or(to.Address, c.bot.Conversation)
	if to.Person != "" && to.Address == "" {
		var err error
		if conversation, err = c.with(ctx, to.Person); err != nil {
			return "", err
		}
	}
	if conversation == "" {
		return "", &notify.Failure{Why: "the channel has no room: set bot.conversation", Permanent: true}
	}
	var answer struct{ ID string }
	err := c.call(ctx, http.MethodPost, c.activities(conversation), activity(c.card(ctx, to, m)), &answer)
	if err != nil {
		return "", err
	}
	if answer.ID == "" {
		return "", &notify.Failure{Why: "Teams' response names no message", Unknown: true}
	}
	return notify.Ref(conversation + "\n" + answer.ID), nil
}

// card is the card of a recipient. Nothing can be decided on it as it is sent: if an answer of Teams is lost, there is
// a card that can never be found and replaced. Teams asks for the card of a reader when they see it.
func (c *Channel) card(ctx context.Context, to notify.Recipient, m notify.Message) json.RawMessage {
	if to.Person != "" {
		return Shared(m, nil)
	}
	return Shared(m, c.readers(ctx, m))
}

func (c *Channel) activities(conversation string) string {
	return c.conversation(conversation) + "/activities"
}

// Edit implements notify.Editor.
func (c *Channel) Edit(ctx context.Context, to notify.Recipient, ref notify.Ref, m notify.Message) (notify.Ref, error) {
	conversation, id, ok := strings.Cut(string(ref), "\n")
	if !ok {
		return "", &notify.Failure{Why: "the reference of the message is damaged", Permanent: true}
	}
	body := activity(c.card(ctx, to, m))
	body["id"] = id
	if err := c.call(ctx, http.MethodPut, c.activities(conversation)+"/"+url.PathEscape(id), body, nil); err != nil {
		return "", err
	}
	return ref, nil
}

// call is a request to the Bot Connector, with a new token if the old one is refused.
func (c *Channel) call(ctx context.Context, method, to string, body, out any) error {
	for again := false; ; again = true {
		token, err := c.access(ctx, again)
		if err != nil {
			return err
		}
		err = call(ctx, c.config.HTTP, method, to, token, body, out)
		var f *notify.Failure
		if again || !errors.As(err, &f) || !f.Gone {
			return err
		}
	}
}

// early is how long before its end a token is replaced.
const early = 5 * time.Minute

// access is a token of the bot.
func (c *Channel) access(ctx context.Context, fresh bool) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !fresh && c.token != "" && time.Now().Before(c.expires) {
		return c.token, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {c.bot.ID},
		"client_secret": {c.bot.Password}, "scope": {scope}}
	var answer struct {
		Token   string `json:"access_token"`
		Expires int    `json:"expires_in"`
	}
	err := send(ctx, c.config.HTTP, http.MethodPost, c.bot.TokenURL, "application/x-www-form-urlencoded", "",
		[]byte(form.Encode()), &answer)
	var f *notify.Failure
	if errors.As(err, &f) {
		f.Unknown = false // no message was sent
		f.Why = "the bot got no token: " + f.Why
		return "", f
	}
	if answer.Token == "" {
		return "", notify.Failed("the bot got no token")
	}
	c.token = answer.Token
	c.expires = time.Now().Add(max(time.Duration(answer.Expires)*time.Second-early, 0))
	return c.token, nil
}
