// Package chat lets people decide where they talk: it receives the requests of Slack and Microsoft Teams, finds out
// who pressed a button, and decides as that person, with their current roles and under the same rules as anywhere
// else.
//
// A request counts only with a valid signature, from the workspace of the channel, once and in time. Others are
// answered 401 and recorded in the audit log. A user is the person with the same verified e-mail address, or else the
// one who confirmed a link while signed in.
package chat

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/browse"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/notify/slack"
	"github.com/assent-run/assent/internal/notify/teams"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// App is the part of the use cases that is needed.
type App interface {
	Decide(ctx context.Context, who app.Who, id string, d app.Decision, commandID string,
		k app.Idempotency) (view.Approval, error)
	Approval(ctx context.Context, who app.Who, id string, full bool) (view.Approval, error)
	Lists(who app.Who) *browse.Lists
}

// Notices shows approvals to people outside this program.
type Notices interface {
	Approval(ctx context.Context, who app.Who, id string) (view.Approval, error)
}

// People knows who people are.
type People interface {
	// Standing is a person with their current roles. People who may not act are an error.
	Standing(ctx context.Context, name string) (port.Identity, error)
	// WithAddress is the person with a verified e-mail address; fault.NotFound.
	WithAddress(ctx context.Context, address string) (string, error)
	// AddressOf is the verified e-mail address of a person; empty: unknown.
	AddressOf(ctx context.Context, name string) (string, error)
}

// Requests is the part of a store that remembers requests; see port.Answers.
type Requests interface {
	SaveAnswer(ctx context.Context, a port.Answer) (port.Answer, error)
}

// Config is what a Service needs.
type Config struct {
	App     App
	Notices Notices
	// Refused records that a caller was refused.
	Refused func(ctx context.Context, who app.Who, action, target string, err error)
	People  People
	// WithStandIns adds to a caller the people they stand in for now.
	WithStandIns func(context.Context, app.Who) (app.Who, error)
	Links        port.Links
	// Requests remembers requests that decide, for all processes.
	Requests Requests
	Slack    func() []*slack.Channel // those in force
	Teams    func() []*teams.Channel
	// PublicURL is the address of the server for browsers, without a slash at the end.
	PublicURL string
	// Soon is when an answer is due; what takes longer continues after it. Zero: two seconds, since Slack waits for three.
	Soon time.Duration
	Now  func() time.Time
	Log  *slog.Logger
}

// Service receives requests. All methods may be called at once.
type Service struct {
	Config
	seen  seen
	homes homes
	work  sync.WaitGroup
	ctx   context.Context // done when the service ends
	end   context.CancelFunc
}

// New creates a service.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{Config: c}
	s.Soon = cmp.Or(s.Soon, defaultSoon)
	s.PublicURL = strings.TrimSuffix(s.PublicURL, "/")
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// Close waits for work that continues after an answer.
func (s *Service) Close() {
	s.end()
	s.work.Wait()
}

// page is the address of a page; empty if the address of the server is unknown.
func (s *Service) page(path string) string {
	if s.PublicURL == "" {
		return ""
	}
	return s.PublicURL + path
}

// Answer is what a program gets.
type Answer struct {
	Status int
	Media  string // of Body
	Body   []byte
}

var nothing = Answer{Status: http.StatusOK}

func answer(body []byte) Answer {
	return Answer{Status: http.StatusOK, Media: "application/json", Body: body}
}

// BodyMax bounds a request.
const BodyMax = 1 << 20

// Serve answers a request of a program: slack/interactions, slack/events or teams/messages. Its errors are for the
// client.
func (s *Service) Serve(ctx context.Context, path string, h http.Header, body []byte) (Answer, error) {
	switch path {
	case "slack/interactions":
		return s.slackInteraction(ctx, h, body)
	case "slack/events":
		return s.slackEvent(ctx, h, body)
	case "teams/messages":
		return s.teamsMessage(ctx, h, body)
	}
	return Answer{}, fault.New(fault.NotFound, "no integration has this address", "see docs/notifications.md")
}

// refuse records a request that does not count.
func (s *Service) refuse(ctx context.Context, program gate.Via, why error) error {
	err := fault.New(fault.Unauthenticated, why.Error(), "requests need a valid signature of "+program.Product())
	s.Refused(ctx, app.Who{Name: string(program), Kind: run.Service}, "integration.request",
		"integration/"+string(program), err)
	return err
}

// user is a person as another program knows them.
type user struct {
	program   gate.Via
	workspace string
	id        string
	label     string
	address   string // verified; empty: none
}

func (u user) link() string { return port.LinkID(string(u.program), u.workspace, u.id) }

var errUnlinked = errors.New("the user is not linked to a person")

// person is who a user is here. A link counts more than an address.
func (s *Service) person(ctx context.Context, u user) (app.Who, error) {
	name := ""
	link, err := s.Links.Link(ctx, u.link())
	switch {
	case err == nil:
		name = link.Person
	case !fault.Is(err, fault.NotFound):
		return app.Who{}, err
	}
	if name == "" && u.address != "" {
		name, err = s.People.WithAddress(ctx, u.address)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return app.Who{}, err
		}
	}
	if name == "" {
		return app.Who{}, errUnlinked
	}
	i, err := s.People.Standing(ctx, name)
	if err != nil {
		return app.Who{}, err
	}
	return s.WithStandIns(ctx, app.Who{Name: i.Name, Kind: i.Kind, Issuer: i.Issuer, Subject: i.Subject,
		Roles: i.Roles, SignedIn: i.Method != port.ByNothing, Via: u.program})
}

// UserOf is how a person is reached in a workspace: the user that they linked, and their verified address.
func (s *Service) UserOf(ctx context.Context, program gate.Via, workspace, person string) (id, address string,
	err error) {
	all, err := s.Links.LinksOf(ctx, person)
	if err != nil {
		return "", "", err
	}
	for _, l := range all {
		if id, ok := strings.CutPrefix(l.ID, port.LinkID(string(program), workspace, "")); ok {
			return id, "", nil
		}
	}
	address, err = s.People.AddressOf(ctx, person)
	return "", address, err
}

// offerFor is how long a link can be opened.
const offerFor = 10 * time.Minute

// offer creates the address of the page on which a signed-in person links a user.
func (s *Service) offer(ctx context.Context, u user) (string, error) {
	if s.PublicURL == "" {
		return "", errors.New("the address of the server for browsers is unknown: set public_url")
	}
	var b [32]byte
	rand.Read(b[:]) // never fails
	secret := base64.RawURLEncoding.EncodeToString(b[:])
	now := s.Now().UTC()
	err := s.Links.OfferLink(ctx, port.Link{ID: u.link(), Label: labelOf(u.label), Offer: digest(secret),
		ExpiresAt: now.Add(offerFor), CreatedAt: now})
	return s.PublicURL + "/settings/notifications?link=" + secret, err
}

const labelMax = 100

// labelOf is a name that can be stored and shown.
func labelOf(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	for len(s) > labelMax {
		s = s[:len(s)-1]
	}
	return strings.TrimSpace(strings.ToValidUTF8(s, ""))
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// decide takes a decision as a person. Key names the press, so that one that arrives twice counts once.
func (s *Service) decide(ctx context.Context, who app.Who, approval string, d app.Decision, key string) error {
	_, err := s.App.Decide(ctx, who, approval, d, string(who.Via)+" "+key, nil)
	return err
}

// words is an error in a sentence for the person who pressed a button.
func words(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return "Something went wrong. Try again, or open the approval in Assent."
	}
	text := strings.ToUpper(f.Message[:min(1, len(f.Message))]) + f.Message[min(1, len(f.Message)):]
	for _, p := range f.Problems {
		text += "; " + p.Message
	}
	switch f.Code {
	case fault.AlreadyDecided, fault.VersionMismatch, fault.Conflict:
		return text + ". Nothing was changed."
	case fault.NotFound, fault.Forbidden:
		return "You can't decide this. " + text + "."
	}
	return text + "."
}

// once refuses a request that decides and was received before, by any process. It is remembered before it takes effect.
func (s *Service) once(ctx context.Context, program gate.Via, key string) error {
	var b [16]byte
	rand.Read(b[:]) // never fails
	mine := hex.EncodeToString(b[:])
	first, err := s.Requests.SaveAnswer(ctx, port.Answer{Key: "chat/" + string(program) + "/" + digest(key), Body: mine,
		Status: http.StatusOK, At: s.Now().UTC()})
	switch {
	case err != nil:
		return fmt.Errorf("%w: %v", port.ErrUnavailable, err)
	case first.Body != mine:
		return s.refuse(ctx, program, errReplayed)
	}
	return nil
}

// seen remembers requests for as long as they would be accepted.
type seen struct {
	mu    sync.Mutex
	until map[string]time.Time
}

const seenMax = 50_000

// again reports whether a request was seen before.
func (s *seen) again(key string, now time.Time, keep time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until, ok := s.until[key]; ok && now.Before(until) {
		return true
	}
	if s.until == nil || len(s.until) >= seenMax {
		kept := map[string]time.Time{}
		for k, until := range s.until {
			if now.Before(until) && len(kept) < seenMax/2 {
				kept[k] = until
			}
		}
		s.until = kept
	}
	s.until[key] = now.Add(keep)
	return false
}
