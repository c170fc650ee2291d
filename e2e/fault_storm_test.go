package e2e

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/notify/notifytest"
	"github.com/assent-run/assent/internal/notify/slack/slacktest"
	"github.com/assent-run/assent/internal/notify/teams/teamstest"
)

const stormDocuments = `
agent: refunder
kind: scripted
answers: [{ output: { amount: 99.90, to: "john@example.com" } }]
---
workflow: refund
steps: [{ id: propose, agent: refunder }]
gates: [{ id: check, at: after propose, role: approver }]
`

// weather makes counterparts fail at random until it is calm.
type weather struct {
	mu   sync.Mutex
	rand *rand.Rand
	calm atomic.Bool
}

// roll is a number below n, or n when it is calm.
func (w *weather) roll(n int) int {
	if w.calm.Load() {
		return n
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rand.IntN(n)
}

// before makes half of the requests to next fail: before they are carried out, or after that with an answer that is
// lost.
func (w *weather) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		switch w.roll(10) {
		case 0:
			res.Header().Set("Retry-After", "1")
			res.WriteHeader(http.StatusTooManyRequests)
		case 1:
			res.WriteHeader(http.StatusServiceUnavailable)
		case 2: // a time-out, and it did not arrive
			time.Sleep(time.Duration(w.roll(300)) * time.Millisecond)
			panic(http.ErrAbortHandler)
		case 3: // a time-out, and it did
			next.ServeHTTP(httptest.NewRecorder(), req)
			panic(http.ErrAbortHandler)
		case 4:
			next.ServeHTTP(httptest.NewRecorder(), req)
			res.WriteHeader(http.StatusBadGateway)
		default:
			next.ServeHTTP(res, req)
		}
	})
}

// line is a TCP line to a port on which connections are refused, cut and delayed.
func (w *weather) line(t testing.TB, port int) (to int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go w.connect(in, port)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func (w *weather) connect(in net.Conn, port int) {
	defer in.Close()
	what := w.roll(8)
	switch what {
	case 0:
		return
	case 1:
		_, _ = io.WriteString(in, "421 4.3.2 try again later\r\n")
		return
	}
	out, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return
	}
	defer out.Close()
	both := func(n, back int64) { // bytes in each direction; the connection ends with the first
		ended := make(chan struct{}, 2)
		pass := func(to, from net.Conn, n int64) { _, _ = io.CopyN(to, from, n); ended <- struct{}{} }
		go pass(out, in, n)
		go pass(in, out, back)
		<-ended
	}
	switch what {
	case 2: // it ends somewhere in a mail
		both(int64(20+w.roll(4000)), 1<<40)
	case 3: // a reply is lost
		both(1<<40, int64(100+w.roll(700)))
	default:
		both(1<<40, 1<<40)
	}
}

// post is what a channel shows about an approval.
type post struct {
	key, event string
	live       bool
}

// hookTaker is a program that gets webhooks.
type hookTaker struct {
	listener
	t testing.TB
}

func (r *hookTaker) posts() map[string][]post {
	out := map[string][]post{}
	for _, h := range r.all() {
		var p struct {
			Type string
			Data struct{ Approval string }
		}
		if err := json.Unmarshal([]byte(h.body), &p); err != nil {
			r.t.Errorf("%v: %s", err, h.body)
		}
		out[p.Data.Approval] = append(out[p.Data.Approval], post{key: h.id, event: p.Type})
	}
	return out
}

var approvalLink = regexp.MustCompile(`/approvals/(apr_\w+)`)

// slackPosts are the messages in Slack, by approval.
func slackPosts(t testing.TB, slack *slacktest.Server) map[string][]post {
	out := map[string][]post{}
	for _, m := range slack.Messages() {
		raw, err := json.Marshal(m.Blocks)
		found := approvalLink.FindSubmatch(raw)
		if err != nil || found == nil || m.Key == "" {
			t.Errorf("a message without an approval or a key: %s", raw)
			continue
		}
		out[string(found[1])] = append(out[string(found[1])], post{m.Key, "", len(m.Buttons()) > 0})
	}
	return out
}

// cardPosts are the cards in Teams, by approval. Each is seen by a person: Teams asks for the card that they get.
type cardPosts struct {
	*teamstest.Server
	look func(card json.RawMessage) (theirs json.RawMessage)
}

var messageKey = regexp.MustCompile(`"id":"(dlv_\w+)"`)

func (c *cardPosts) posts(t testing.TB) map[string][]post {
	out := map[string][]post{}
	for _, card := range c.Cards() {
		about, key := approvalLink.FindSubmatch(card.Raw), messageKey.FindSubmatch(card.Raw)
		if about == nil || key == nil {
			t.Errorf("a card without an approval or a key: %s", card.Raw)
			continue
		}
		live := len(teamstest.Buttons(card.Raw)) > 0 || len(teamstest.Buttons(c.look(card.Raw))) > 0
		out[string(about[1])] = append(out[string(about[1])], post{string(key[1]), "", live})
	}
	return out
}

// phone is a browser with its push service: a notification replaces an earlier one with the same tag.
type phone struct {
	overheard
	read  func(http.Header, []byte) pushed
	seen  int
	shown map[string][]post // by approval, as it is now
	told  map[string][]post // all of it
	tags  map[string]string
}

func (p *phone) ServeHTTP(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) }

func (p *phone) posts(t testing.TB) map[string][]post {
	p.mu.Lock()
	said, raw := p.said[p.seen:], p.raw[p.seen:]
	p.seen = len(p.raw)
	p.mu.Unlock()
	for i, r := range said {
		m := p.read(r.Header, raw[i])
		found := approvalLink.FindStringSubmatch(m.Payload.Open)
		if found == nil || !m.Signed || m.Payload.Key == "" || r.Header.Get("Topic") != m.Payload.Tag {
			t.Errorf("a push message without an approval, a key, a topic or a signature: %+v", m)
			continue
		}
		id := found[1]
		if tag := p.tags[id]; tag != "" && tag != m.Payload.Tag {
			t.Errorf("%s has the tags %s and %s", id, tag, m.Payload.Tag)
		}
		p.tags[id] = m.Payload.Tag
		event := "asked"
		if m.Payload.Settled {
			event = "settled"
		}
		p.shown[id] = []post{{m.Payload.Key, event, m.Payload.Asks}}
		p.told[id] = append(p.told[id], post{m.Payload.Key + " " + event, event, false})
	}
	return p.shown
}

// all is everything that arrived.
func (p *phone) all(t testing.TB) map[string][]post {
	p.posts(t)
	return p.told
}

// postbox collects mails.
type postbox struct {
	*notifytest.MailServer
	got map[string][]post
}

func (b *postbox) posts(t testing.TB) map[string][]post {
	for b.Waiting() > 0 {
		m := b.Next(t)
		about := map[string]string{}
		for _, h := range m.Headers {
			name, value, _ := strings.Cut(h, ": ")
			about[name] = value
		}
		id, event := about["X-Assent-Approval"], about["X-Assent-Event"]
		if strings.HasPrefix(m.Subject, "Re: ") { // what became of it
			event = "reply"
		}
		b.got[id] = append(b.got[id], post{key: m.ID, event: event})
	}
	return b.got
}

// unsettled says what is wrong with the posts of a channel: a live button for a settled approval, or a pending approval
// that was not announced.
func unsettled(channel string, statuses map[string]string, posts map[string][]post, buttons bool) (out []string) {
	for id, status := range statuses {
		live := 0
		for _, p := range posts[id] {
			if p.live {
				live++
			}
		}
		switch {
		case status != "pending" && live > 0:
			out = append(out, fmt.Sprintf("%s: %s is %s and has a live button", channel, id, status))
		case status == "pending" && (len(posts[id]) == 0 || buttons && live == 0):
			out = append(out, fmt.Sprintf("%s: %s is pending and was not announced: %v", channel, id, posts[id]))
		}
	}
	return out
}

// twice says what was told twice: two keys for one event of an approval or, where a message can be looked up, two
// messages. How often the same key arrived is counted.
func twice(posts map[string][]post, unique bool) (out []string, again int) {
	for id, all := range posts {
		keys, events := map[string]bool{}, map[string]string{}
		for _, p := range all {
			if keys[p.key] {
				if again++; unique {
					out = append(out, fmt.Sprintf("%s has %s twice", id, p.key))
				}
			} else if other := events[p.event]; other != "" {
				out = append(out, fmt.Sprintf("%s has %s and %s about %q", id, other, p.key, p.event))
			}
			keys[p.key], events[p.event] = true, p.key
		}
	}
	return out, again
}

// stormFor is how long it lasts, and the seed of its weather: STORM=60s STORM_SEED=2 go test ./e2e -run TestFaultStorm
func stormFor(t *testing.T) (d time.Duration, seed uint64, long bool) {
	d, seed = 4*time.Second, 7
	var err error
	if text := os.Getenv("STORM_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	text := os.Getenv("STORM")
	if text == "" {
		return d, seed, false
	}
	if d, err = time.ParseDuration(text); err != nil {
		t.Fatal(err)
	}
	return d, seed, true
}

// TestFaultStorm: every counterpart fails at random and the server is killed again and again, while approvals are asked
// and decided. Once it is over, no channel shows a live button for a settled approval, nothing that is pending is
// unannounced, and nothing was told twice.
func TestFaultStorm(t *testing.T) {
	t.Parallel()
	lasts, seed, long := stormFor(t)
	w := &weather{rand: rand.New(rand.NewPCG(seed, 11))}
	w.calm.Store(true) // until all is set up
	slack := slacktest.New(t)
	target, err := url.Parse(slack.URL)
	if err != nil {
		t.Fatal(err)
	}
	chat := httptest.NewServer(w.before(httputil.NewSingleHostReverseProxy(target)))
	t.Cleanup(chat.Close)
	program := &hookTaker{t: t}
	hooks := httptest.NewServer(w.before(&program.listener))
	t.Cleanup(hooks.Close)
	mails := &postbox{notifytest.StartMail(t, notifytest.MailConfig{}), map[string][]post{}}
	cards := &cardPosts{Server: teamstest.New(t, map[string]teamstest.Member{
		"29:bob": {Name: "Bob", Principal: "bob@example.com", Tenant: teamstest.Tenant, Object: "object-bob"}})}
	if target, err = url.Parse(cards.URL); err != nil {
		t.Fatal(err)
	}
	rooms := httptest.NewServer(w.before(httputil.NewSingleHostReverseProxy(target)))
	t.Cleanup(rooms.Close)
	var browser browserKeys
	node(t, &browser)
	mobile := &phone{read: reader(t, browser), shown: map[string][]post{}, told: map[string][]post{},
		tags: map[string]string{}}
	service := httptest.NewTLSServer(w.before(mobile.before(mobile)))
	t.Cleanup(service.Close)
	trusted := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: service.Certificate().Raw})
	if err := os.WriteFile(trusted, text, 0o600); err != nil {
		t.Fatal(err)
	}

	c := &crowd{T: t, runs: map[string]bool{}, decided: map[string]bool{}}
	c.s = serve(t, "--load", loads(t, "channel: team\nkind: slack\ntoken: ${env:TEST_SLACK_TOKEN}\n"+
		"signing_secret: ${env:TEST_SLACK_SECRET}\nto: '#approvals'\nbase_url: "+chat.URL+
		"\n---\nchannel: room\nkind: teams"+strings.ReplaceAll(teamsBot, "URL", rooms.URL)+"  conversation: \""+
		teamstest.Conversation+"\""))
	c.s.kill()
	c.s.env = append(c.s.env, "TEST_SLACK_TOKEN="+slacktest.Token, "TEST_SLACK_SECRET="+slacktest.Secret,
		"TEST_TEAMS_PASSWORD="+teamstest.Password, "SSL_CERT_FILE="+trusted, "ASSENT_PUBLIC_URL=http://localhost:8080",
		"ASSENT_REFERENCES=env:TEST_SLACK_TOKEN,env:TEST_SLACK_SECRET,env:TEST_TEAMS_PASSWORD")
	c.s.start()
	c.s.define(stormDocuments)
	for name, doc := range map[string]string{
		"ledger": "kind: webhook\nsecret: " + hookSecret + "\nurl: " + hooks.URL,
		"mail": fmt.Sprintf("kind: email\nfrom: assent@example.com\nto: [team@example.com]\nsmtp: smtp://127.0.0.1:%d",
			w.line(t, mails.Port)),
		"phone": "kind: push",
	} {
		c.s.call("PUT", "/channels/"+name, yaml("channel: "+name+"\n"+doc)).want(201)
	}
	c.s.call("PUT", "/notifications", yaml("notifications: default\ndigest: { off: true }\nevents: { "+
		"approval.needed: [team, mail, ledger, room, phone], "+
		"approval.resolved: [mail, ledger] }")).want(201)
	c.s.call("PUT", "/me/push", map[string]any{"endpoint": service.URL + "/push/1", "browser": "Test",
		"keys": map[string]any{"p256dh": browser.P256DH, "auth": browser.Auth}}).want(200)
	c.s.call("PUT", "/accounts/bob@example.com", map[string]any{"password": bobPassword, "roles": []string{"approver"}}).
		want(201)
	cards.look = c.seenBy(cards.Server, "29:bob", "object-bob")

	w.calm.Store(false)
	stopped := make(chan struct{})
	var people sync.WaitGroup
	for i := range 2 {
		people.Go(func() { c.ask(i, stopped) })
		people.Go(func() { c.settleSome(i, stopped) })
	}
	// On a busy machine it lasts until enough has happened to prove something.
	enough := func() bool {
		pending, settled := count(c.statuses())
		return pending > 0 && settled > 0 && pending+settled >= 10
	}
	kills := 0
	begun := time.Now()
	for ; time.Since(begun) < lasts || time.Since(begun) < 2*patience && (kills < 2 || !enough()); kills++ {
		time.Sleep(time.Duration(300+w.roll(1200)) * time.Millisecond)
		c.swap.Lock()
		c.s.kill()
		c.s.start()
		c.swap.Unlock()
	}
	c.ending.Store(true)
	close(stopped)
	people.Wait()
	w.calm.Store(true)

	calm := time.Now()
	statuses := c.statuses()
	var wrong []string
	defer func() {
		if t.Failed() {
			t.Logf("%s\n%.6000s", strings.Join(wrong, "\n"), c.s.call("GET", "/deliveries?status=queued", nil).body)
		}
	}()
	waitFor(t, "what is shown agrees with what was decided", func() bool {
		wrong = unsettled("team", statuses, slackPosts(t, slack), true)
		wrong = append(wrong, unsettled("room", statuses, cards.posts(t), true)...)
		wrong = append(wrong, unsettled("phone", statuses, mobile.posts(t), true)...)
		wrong = append(wrong, unsettled("mail", statuses, mails.posts(t), false)...)
		if len(wrong) > 0 && long && time.Since(calm) > 5*time.Second {
			t.Fatalf("%s after the storm: %s", time.Since(calm), strings.Join(wrong, "\n"))
		}
		return len(wrong) == 0
	})
	took := time.Since(calm)
	waitFor(t, "programs are told", func() bool { return len(unsettled("ledger", statuses, program.posts(), false)) == 0 })
	tookAll := time.Since(calm)
	waitFor(t, "nothing is left to send", func() bool {
		return c.s.call("GET", "/deliveries?status=queued", nil).want(200).count("items") == 0
	})
	again := map[string]int{}
	for name, posts := range map[string]map[string][]post{"team": slackPosts(t, slack), "ledger": program.posts(),
		"mail": mails.posts(t), "room": cards.posts(t), "phone": mobile.all(t)} {
		wrong, n := twice(posts, name == "team")
		for _, why := range wrong {
			t.Errorf("%s: %s", name, why)
		}
		again[name] = n
	}
	if failed := c.s.call("GET", "/deliveries?status=failed", nil).want(200); failed.count("items") > 0 {
		t.Errorf("%s", failed.body)
	}
	pending, settled := count(statuses)
	t.Logf("%s, %d kills, %d approvals, %d of them pending: people's channels agree after %s, programs' after %s; "+
		"repeated under the same key: %v", lasts, kills, len(statuses), pending, took.Round(time.Millisecond),
		tookAll.Round(time.Millisecond), again)
	if kills < 2 || len(statuses) < 10 || pending == 0 || settled == 0 {
		t.Error("too little happened to prove anything")
	}
}

// seenBy is how a user in Teams who may decide sees cards.
func (c *crowd) seenBy(chat *teamstest.Server, user, object string) func(json.RawMessage) json.RawMessage {
	n := 0
	return func(card json.RawMessage) (theirs json.RawMessage) {
		n++
		asks := chat.Refresh(card, fmt.Sprint("seen-", n), user, object)
		if asks == nil {
			return nil
		}
		seen := c.s.call("POST", "/integrations/teams/messages", asks, header("Content-Type", "application/json"),
			header("Authorization", chat.Sign(chat.Claims(time.Now())).Get("Authorization"))).want(200)
		theirs, _ = teamstest.Answered(seen.body)
		return theirs
	}
}

// count divides approvals into those that are pending and those that are settled.
func count(statuses map[string]string) (pending, settled int) {
	for _, status := range statuses {
		if status == "pending" {
			pending++
		} else {
			settled++
		}
	}
	return pending, settled
}

// ask starts runs that ask for approval.
func (c *crowd) ask(i int, stopped <-chan struct{}) {
	for n := 0; !c.ending.Load(); n++ {
		c.send("POST", "/runs", map[string]any{"workflow": "refund"}, stopped, key(fmt.Sprintf("ask-%d-%d", i, n)))
		select {
		case <-time.After(time.Duration(60+rand.IntN(100)) * time.Millisecond):
		case <-stopped:
		}
	}
}

// settleSome decides most approvals, a while after they were asked.
func (c *crowd) settleSome(i int, stopped <-chan struct{}) {
	me := as(who{fmt.Sprintf("p%d", i), "approver"})
	for n := 0; !c.ending.Load(); n++ {
		list, ok := c.send("GET", "/approvals?status=pending&limit=10", nil, stopped, me)
		if !ok {
			return
		}
		if count := list.count("items"); count > 5 {
			at := fmt.Sprintf("items.%d.", rand.IntN(count))
			c.send("POST", "/approvals/"+list.text(at+"id")+"/decisions", map[string]any{"act": "approve",
				"version": list.number(at + "version")}, stopped, me, key(fmt.Sprintf("settle-%d-%d", i, n)))
		}
		select {
		case <-time.After(time.Duration(10+rand.IntN(50)) * time.Millisecond):
		case <-stopped:
		}
	}
}

// statuses are those of all approvals.
func (c *crowd) statuses() map[string]string {
	c.Helper()
	out := map[string]string{}
	c.s.approvals(func(a listed) { out[a.ID] = a.Status })
	return out
}

// listed is an approval in a list.
type listed struct {
	ID, Run, Status string
	RequestedAt     time.Time `json:"requested_at"`
}

// approvals calls each for all of them. Other tests compare such lists with their description, which takes a while.
func (s *server) approvals(each func(listed)) {
	s.t.Helper()
	for cursor, more := "", true; more; more = cursor != "" {
		res, err := client.Get(s.url + "/api/v1/approvals?sort=age&limit=500&cursor=" + cursor)
		if err != nil {
			s.t.Fatal(err)
		}
		var list struct {
			Items []listed
			Next  string `json:"next_cursor"`
		}
		err = json.NewDecoder(res.Body).Decode(&list)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			s.t.Fatalf("%s: %v", res.Status, err)
		}
		for _, a := range list.Items {
			each(a)
		}
		cursor = list.Next
	}
}
