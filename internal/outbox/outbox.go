// Package outbox runs notifications and has their use cases: the delivery log, channels, and how people want to be
// told.
//
//	s := outbox.New(outbox.Config{Store: store, App: app, Open: open, Epoch: engine.Epoch})
//	s.Start()
//	defer s.Stop()
//
// Package notify decides who is told what and sends it; this package lets it see what app shows to each person.
package outbox

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// Store is the part of a store that notifications use.
type Store interface {
	notify.Store
	directory.Store
	PutPreferences(ctx context.Context, person string, prefs json.RawMessage, at time.Time,
		audit ...port.AuditDraft) error
	RetryDelivery(ctx context.Context, id string, at time.Time, audit ...port.AuditDraft) (port.Delivery, error)
	ForgetDeliveries(ctx context.Context, before time.Time) (int, error)
}

// Config is the environment of notifications.
type Config struct {
	Store  Store
	App    *app.App
	Open   func(*definition.Channel) (notify.Channel, error)
	Epoch  func() int64 // of this process's leadership; 0: another process leads
	SignIn bool         // people have accounts
	URL    string       // public address of the server; empty: links are paths
	// Secret is a secret of this installation for a purpose. Nil: mails have no link to unsubscribe.
	Secret func(ctx context.Context, purpose string) ([]byte, error)
	// Trace makes requests part of the trace of a run; nil: there are none.
	Trace func(ctx context.Context, run string) context.Context
	// Retain is how long messages that were delivered are listed; 0: 90 days.
	Retain time.Duration
	Now    func() time.Time
	Log    *slog.Logger
}

// Service runs notifications.
type Service struct {
	Config
	host  *notify.Host
	sight *sight
	stop  context.CancelFunc
	loops sync.WaitGroup

	mu      sync.Mutex
	observe func(channel, outcome string) // nil: no one
}

const (
	retain      = 90 * 24 * time.Hour
	forgetEvery = time.Hour
	forgetPause = 100 * time.Millisecond
)

// New creates the service.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Retain == 0 {
		c.Retain = retain
	}
	s := &Service{Config: c}
	s.sight = &sight{app: c.App, people: directory.New(c.Store, c.Now), store: c.Store, signIn: c.SignIn, now: c.Now}
	s.host = notify.New(notify.Config{
		Store: c.Store, Sight: s.sight,
		Documents: c.App.Documents.InForce, Digest: s.digest, Open: c.Open, Epoch: c.Epoch, Count: s.count, Now: c.Now,
		Trace: c.Trace,
		Log:   c.Log,
		Link:  func(path string) string { return strings.TrimSuffix(c.URL, "/") + path },
	})
	return s
}

// Start expands and sends until Stop, whenever this process leads.
func (s *Service) Start() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	if n := len(s.App.Documents.InForce().Channels); n > 0 && s.URL == "" {
		s.Log.Warn(noLinks, "channels", n)
	}
	s.loops.Go(func() { s.host.Run(ctx) })
	s.loops.Go(func() { s.forget(ctx) })
}

// Stop ends what Start began.
func (s *Service) Stop() {
	if s.stop != nil {
		s.stop()
	}
	s.loops.Wait()
}

// forget deletes old entries of the delivery log.
func (s *Service) forget(ctx context.Context) {
	for ctx.Err() == nil {
		wait := forgetEvery
		if s.Epoch() != 0 {
			n, err := s.Store.ForgetDeliveries(ctx, s.Now().Add(-s.Retain))
			if err != nil && ctx.Err() == nil {
				s.Log.Error("forget deliveries", "error", err)
			} else if n > 0 {
				wait = forgetPause
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

func (s *Service) count(channel, outcome string) {
	s.mu.Lock()
	observe := s.observe
	s.mu.Unlock()
	if observe != nil {
		observe(channel, outcome)
	}
}

// Observe has the outcome of every attempt reported: sent, updated, retried, failed, suppressed, delayed.
func (s *Service) Observe(f func(channel, outcome string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe = f
}

func (s *Service) digest(channel string) string {
	for _, d := range s.App.Documents.OfKind(definition.KindChannel) {
		if d.Name == channel {
			return d.Digest
		}
	}
	return ""
}

// Delivery is a message that should exist, and what became of it.
type Delivery struct {
	ID      string `json:"id"`
	Channel string `json:"channel"` // The channel.
	// The event that it is about.
	Event    string `json:"event"`
	Run      string `json:"run"`
	Workflow string `json:"workflow"`
	Approval string `json:"approval,omitempty"` // The approval; omitted if it is about the run.
	Person   string `json:"person,omitempty"`   // Who gets it; omitted if it goes to an address or a room.
	Address  string `json:"address,omitempty"`  // The address of a recipient without an account.
	// queued: to be sent; sent: delivered; updated: replaced after it was delivered; failed: not delivered; suppressed:
	// not needed, or the recipient cannot be reached there.
	Status   port.DeliveryStatus `json:"status"`
	Summary  bool                `json:"summary,omitempty"`     // Whether it stands for several messages.
	In       string              `json:"summary_of,omitempty"`  // The summary that stands for it.
	Fallback string              `json:"fallback_of,omitempty"` // The message that could not be delivered.
	Attempts int                 `json:"attempts"`              // How often it was tried.
	Why      string              `json:"why,omitempty"`         // Why it failed, waits or is not needed.
	// Whether it shows what it should.
	Current   bool       `json:"current"`
	CreatedAt time.Time  `json:"created_at"`
	SentAt    *time.Time `json:"sent_at,omitempty"` // When it was delivered first.
	UpdatedAt time.Time  `json:"updated_at"`        // When it was last tried or changed.
	NextAt    *time.Time `json:"next_at,omitempty"` // The time of the next attempt; omitted if there is none.
}

func shown(d port.Delivery) Delivery {
	return Delivery{ID: d.ID, Channel: d.Channel, Event: d.Event, Run: d.Run, Workflow: d.Workflow,
		Approval: d.Approval, Person: d.Person, Address: d.Address, Status: d.Status, Summary: d.Summary, In: d.In,
		Fallback: d.Fallback, Attempts: d.Attempts, Why: d.Why,
		Current:   d.Status == port.DeliverySuppressed || d.Shown > 0 && (d.Shown >= d.Wanted || !d.Edits),
		CreatedAt: d.CreatedAt, SentAt: view.TimeOrNil(d.SentAt), UpdatedAt: d.UpdatedAt, NextAt: view.TimeOrNil(d.DueAt)}
}

// Deliveries lists messages, newest first: all of them for administrators, otherwise the caller's own.
func (s *Service) Deliveries(ctx context.Context, who app.Who, q port.DeliveryQuery) (view.List[Delivery], error) {
	if s.App.MayWrite(who) != nil {
		if who.Kind != run.Person || who.Name == "" {
			return view.List[Delivery]{}, s.App.MayWrite(who)
		}
		q.Person = who.Name
	}
	page, err := s.Store.Deliveries(ctx, q)
	if err != nil {
		return view.List[Delivery]{}, err
	}
	return view.PageOf(page, func(d port.Delivery) (Delivery, error) { return shown(d), nil })
}

// Retry sends a message again that failed or was not needed.
func (s *Service) Retry(ctx context.Context, who app.Who, id string) (Delivery, error) {
	if err := s.App.MayWrite(who); err != nil {
		return Delivery{}, err
	}
	now := s.Now()
	d, err := s.Store.RetryDelivery(ctx, id, now, port.AuditDraft{At: now, Actor: who.Actor(), Action: "delivery.retried",
		Target: "delivery/" + id, Detail: map[string]any{"delivery": id}})
	if err != nil {
		return Delivery{}, err
	}
	s.host.Wake()
	return shown(d), nil
}

// Channel is a channel in force.
type Channel struct {
	registry.Document
	// How messages are sent.
	Kind definition.ChannelKind `json:"kind"`
	// Why it takes no messages; omitted if it does.
	Disabled string `json:"disabled,omitempty"`
	// The key that verifies its signatures, if it signs with one.
	PublicKey string `json:"public_key,omitempty"`
}

// Channels lists the channels in force, by name.
func (s *Service) Channels(ctx context.Context, who app.Who) (view.List[Channel], error) {
	if err := s.App.MayLook(who); err != nil {
		return view.List[Channel]{}, err
	}
	off, err := s.Store.DisabledChannels(ctx)
	if err != nil {
		return view.List[Channel]{}, err
	}
	out := []Channel{}
	docs := s.App.Documents.InForce().Channels
	for _, d := range s.App.Documents.OfKind(definition.KindChannel) {
		doc := docs[d.Name]
		if doc == nil {
			continue
		}
		c := Channel{Document: d, Kind: doc.Kind}
		for _, x := range off {
			if x.Name == d.Name && x.Digest == d.Digest {
				c.Disabled = x.Why
			}
		}
		ch, _, err := s.host.Channel(d.Name)
		if err != nil {
			c.Disabled = err.Error()
		} else if signs, ok := ch.(interface{ PublicKey() string }); ok {
			c.PublicKey = signs.PublicKey()
		}
		out = append(out, c)
	}
	return view.Whole(out), nil
}

// Channel shows a channel in force.
func (s *Service) Channel(ctx context.Context, who app.Who, name string) (Channel, error) {
	all, err := s.Channels(ctx, who)
	if err != nil {
		return Channel{}, err
	}
	i := slices.IndexFunc(all.Items, func(c Channel) bool { return c.Name == name })
	if i < 0 {
		return Channel{}, registry.Unknown(definition.KindChannel, name, nil)
	}
	return all.Items[i], nil
}

// ChannelTest is the result of a test message.
type ChannelTest struct {
	Channel string `json:"channel"`       // The channel.
	OK      bool   `json:"ok"`            // Whether the message arrived.
	Why     string `json:"why,omitempty"` // Why it did not.
	// What to improve; omitted if nothing.
	Advice string `json:"advice,omitempty"`
}

// noLinks is what is missing in messages without a public address.
const noLinks = "messages contain no link to the page, because public_url is not set: set it to the address that " +
	"people open, such as https://assent.example.com"

// testFor is how long a test message may take.
const testFor = 30 * time.Second

// TestChannel sends a message to the caller, or to the room of the channel. A channel that was disabled takes messages
// again if it arrives.
func (s *Service) TestChannel(ctx context.Context, who app.Who, name string) (ChannelTest, error) {
	if err := s.App.MayWrite(who); err != nil {
		return ChannelTest{}, err
	}
	if _, err := s.Channel(ctx, who, name); err != nil {
		return ChannelTest{}, err
	}
	person := ""
	if who.Kind == run.Person { // a program with a person's name is not that person
		person = who.Name
	}
	ctx, stop := context.WithTimeout(ctx, testFor)
	defer stop()
	err := s.host.Test(ctx, name, person)
	out := ChannelTest{Channel: name, OK: err == nil}
	if s.URL == "" {
		out.Advice = noLinks
	}
	if err != nil {
		out.Why = err.Error()
	} else if n, err := s.Store.EnableChannel(ctx, name, s.Now()); err != nil {
		return out, err
	} else if n > 0 {
		s.host.Wake()
	}
	s.count(name, map[bool]string{true: "tested", false: "test_failed"}[out.OK])
	return out, nil
}

// Reach is how well people can be notified of approvals.
type Reach = notify.Reach

// Reach reports which people cannot be told that they have something to approve.
func (s *Service) Reach(ctx context.Context) (Reach, error) {
	all, err := s.sight.everyone(ctx)
	if err != nil {
		return Reach{}, err
	}
	return s.host.Reach(ctx, slices.Sorted(maps.Keys(all)))
}

// Defaults is which events are sent where by default. Before it is saved, it is version 0 and says what applies then.
func (s *Service) Defaults() registry.Document {
	for _, d := range s.App.Documents.OfKind(definition.KindNotifications) {
		return d
	}
	n := notify.Unwritten(s.App.Documents.InForce())
	return registry.Document{
		Revision: registry.Revision{Name: n.Name}, Definition: n.JSON(), YAML: string(n.YAML()),
	}
}

// DeleteChannel takes a channel out of force.
func (s *Service) DeleteChannel(ctx context.Context, who app.Who, name string) (Channel, error) {
	if err := s.App.MayWrite(who); err != nil {
		return Channel{}, err
	}
	v, err := s.Channel(ctx, who, name)
	if err != nil {
		return v, err
	}
	return v, s.App.Documents.Withdraw(ctx, who, definition.KindChannel, name)
}

// Preferences shows how the caller wants to be told, and what they can choose from.
func (s *Service) Preferences(ctx context.Context, who app.Who) (MyNotifications, error) {
	if who.Kind != run.Person || who.Name == "" {
		return MyNotifications{}, fault.New(fault.Forbidden, "only people have preferences", "")
	}
	raw, err := s.Store.Preferences(ctx, who.Name)
	if err != nil {
		return MyNotifications{}, err
	}
	v := MyNotifications{Channels: s.choices(), Default: notify.DefaultsOf(s.App.Documents.InForce())}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &v.Preferences); err != nil {
			return MyNotifications{}, err
		}
	}
	return v, nil
}

// MyNotifications are the preferences of the caller.
type MyNotifications struct {
	notify.Preferences
	// The channels that reach people one by one.
	Channels []string `json:"channels"`
	// What applies to all that you did not choose.
	Default notify.Defaults `json:"default"`
}

// choices are the channels that reach people one by one.
func (s *Service) choices() []string {
	out := []string{}
	for name, doc := range s.App.Documents.InForce().Channels {
		if doc.Personal() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// SetPreferences replaces how the caller wants to be told.
func (s *Service) SetPreferences(ctx context.Context, who app.Who, body json.RawMessage) (MyNotifications, error) {
	if who.Kind != run.Person || who.Name == "" {
		return MyNotifications{}, fault.New(fault.Forbidden, "only people have preferences", "")
	}
	var p notify.Preferences
	if err := plan.Decode(body, &p); err != nil {
		return MyNotifications{}, err
	}
	before, err := s.Preferences(ctx, who)
	if err != nil {
		return MyNotifications{}, err
	}
	// A channel that was chosen and is no longer there may stay, so that other changes can be saved.
	if err := p.Check(before.Channels, before.Chosen()...); err != nil {
		return MyNotifications{}, err
	}
	raw, err := json.Marshal(p)
	if now := s.Now(); err == nil {
		err = s.Store.PutPreferences(ctx, who.Name, raw, now, port.AuditDraft{At: now, Actor: who.Actor(),
			Action: "notifications.changed", Target: "person/" + who.Name})
	}
	if err != nil {
		return MyNotifications{}, err
	}
	return s.Preferences(ctx, who)
}
