package api

import (
	"net/http"
	"strings"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
)

// once makes a request with an Idempotency-Key happen once. Writes to a run store the response in their own
// transaction (keep); other responses are stored right after. Either way the first response stored wins, and every
// repetition gets the same.
type once struct {
	key    string // of the person, the path and the key they chose
	digest string // of the request
	kept   *port.Answer
}

const keyMax = 200

// newOnce reads the key of a request; nil if it has none.
func newOnce(c *call) (*once, error) {
	values := c.r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return c.onceByBody(), nil
	}
	if len(values) > 1 || !goodKey(values[0]) {
		return nil, problem.Invalid("Idempotency-Key", "expected one key of 1 to %d printable characters", keyMax)
	}
	return c.onceBy("key", values[0]), nil
}

// goodID reports whether a caller may use this id for a command.
func goodID(s string) bool { return directory.GoodName(s) || goodKey(s) }

func goodKey(s string) bool {
	return s != "" && len(s) <= keyMax && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// onceByBody uses the id of a command as a key. Problems of the body are reported when it is parsed.
func (c *call) onceByBody() *once {
	if !c.op.Named || !value.Valid(c.body) {
		return nil
	}
	raw, _ := value.Get(c.body, "id")
	if id, ok := value.Text(raw); ok && goodID(id) {
		return c.onceBy("id", id)
	}
	return nil
}

// onceBy makes a request happen once under a name that its sender chose.
func (c *call) onceBy(sort, name string) *once {
	whoAndWhere := [][]byte{[]byte(c.who.Kind), []byte(c.who.Sender()), []byte(c.r.Method), []byte(c.r.URL.EscapedPath()),
		[]byte(sort), []byte(name)}
	what := [][]byte{[]byte(c.r.URL.RawQuery), []byte(c.r.Header.Get("Content-Type")), c.body,
		[]byte(c.r.Header.Get("If-Match"))}
	return &once{key: value.Digest(whoAndWhere...), digest: value.Digest(what...)}
}

// commandID identifies the effect of a request on a run, so that the run itself recognises it long after the response
// was dropped.
func (c *call) commandID() string {
	if c.once == nil {
		return ""
	}
	return c.once.key
}

// keep stores a response together with its write.
func (s *Server) keep(c *call) app.Idempotency {
	if c.once == nil {
		return nil
	}
	return func(view any) (*port.Answer, error) {
		body, err := value.Marshal(view)
		if err != nil {
			return nil, err
		}
		c.once.kept = c.once.said(reply{}.statusOf(c.op), body)
		c.once.kept.At = s.app.Now().UTC()
		return c.once.kept, nil
	}
}

func (o *once) said(status int, body []byte) *port.Answer {
	return &port.Answer{Key: o.key, Body: o.digest, Status: status, Answer: body}
}

// serveOnce answers a request that has a key.
func (s *Server) serveOnce(c *call, w http.ResponseWriter) {
	defer s.flights.Enter(c.once.key)()
	said, ok, err := s.app.Answered(c, c.once.key, c.once.digest)
	switch {
	case err != nil:
		s.refuse(w, err)
		return
	case ok:
		c.replay(w, said)
		return
	}
	answer, err := s.perform(c)
	if fault.Is(err, fault.Duplicate) { // another process was faster
		if said, ok, err = s.app.Answered(c, c.once.key, c.once.digest); ok && err == nil {
			c.replay(w, said)
			return
		}
	}
	if err == nil && c.once.kept != nil {
		c.say(w, c.once.kept.Status, c.once.kept.Answer)
		return
	}
	s.remember(c, w, answer, err)
}

// remember stores a response afterwards, unless a retry may help.
func (s *Server) remember(c *call, w http.ResponseWriter, answer reply, err error) {
	status, view := answer.statusOf(c.op), answer.body
	if err != nil {
		p := problem.Of(err)
		status, view = p.Status, p
	}
	if status == http.StatusUnauthorized || status == http.StatusTooManyRequests ||
		status >= http.StatusInternalServerError {
		s.refuse(w, err)
		return
	}
	body, err := value.Marshal(view)
	if err != nil {
		s.refuse(w, err)
		return
	}
	said := body
	if err == nil && answer.kept != nil {
		if said, err = value.Marshal(answer.kept); err != nil {
			s.refuse(w, err)
			return
		}
	}
	mine := c.once.said(status, said)
	kept, err := s.app.Remember(c, *mine)
	switch {
	case err != nil:
		s.refuse(w, err)
	case kept.Status != status || string(kept.Answer) != string(said):
		c.replay(w, kept)
	default:
		c.say(w, status, body)
	}
}

// replay repeats an earlier response.
func (c *call) replay(w http.ResponseWriter, said port.Answer) {
	w.Header().Set("Idempotency-Replayed", "true")
	c.say(w, said.Status, said.Answer)
}
