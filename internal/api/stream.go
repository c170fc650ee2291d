package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/view"
)

func streamHandlers() handlers {
	return handlers{
		"streamEvents": {flow: (*Server).streamEvents},
		"openSocket":   {flow: (*Server).openSocket},
	}
}

// pace holds the timeouts of connections.
type pace struct {
	beat  time.Duration // between heartbeats of a stream
	stuck time.Duration // for a client to receive events of a stream
	body  time.Duration // for a body to arrive
	take  time.Duration // for a client to receive a part of a response
}

var defaultPace = pace{beat: 15 * time.Second, stuck: 10 * time.Second, body: 2 * time.Minute, take: 30 * time.Second}

// reconnect tells browsers to come back after a second.
const reconnect = "retry: 1000\n"

// follow opens the caller's stream of the feed.
func (s *Server) follow(c *call) (stream, error) {
	f := feed.Filter{Run: c.query.Text("run"), Types: c.query["types"], Full: c.query.Flag("full"),
		Progress: c.query.Flag("progress")}
	if after, ok := c.query.Number("after"); ok {
		f.After = &after
	}
	if last := c.r.Header.Get("Last-Event-ID"); last != "" {
		after, err := strconv.ParseInt(last, 10, 64)
		if err != nil || after < 0 {
			return nil, problem.Invalid("Last-Event-ID", "expected a number of the feed")
		}
		f.After = &after
	}
	if c.query.Flag("state") {
		return s.followStates(c, f)
	}
	return s.app.Follow(c, c.who, f)
}

// open counts a stream, and ends it when the server drains or its watcher is no longer signed in.
func (s *Server) open(c *call, kind string) (context.Context, func()) {
	gauge := s.metrics.Streams.Of(kind)
	gauge.Add(1)
	ctx, cancel := context.WithCancel(c)
	go s.accompany(ctx, c, cancel)
	stop := context.AfterFunc(s.draining, cancel)
	return ctx, func() {
		stop()
		cancel()
		gauge.Add(-1)
	}
}

// streamEvents sends events until the client disconnects or stops reading, or the server stops.
func (s *Server) streamEvents(c *call, w http.ResponseWriter) error {
	feed, err := s.follow(c)
	if err != nil {
		return err
	}
	defer feed.Close()
	ctx, closed := s.open(c, "sse")
	defer closed()
	out := &sse{w: w, control: http.NewResponseController(w), stuck: s.pace.stuck}
	_ = out.control.SetReadDeadline(time.Time{}) // nothing more is read; if this can't be set, the server's own applies
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // or proxies would collect events
	if c.r.Method == http.MethodHead {
		return nil
	}
	// An id without data is not an event, but browsers remember it: a stream that begins now resumes from here even if
	// it breaks before the first event.
	if err := out.send(reconnect + mark("open", feed.At())); err != nil {
		return nil
	}
	for {
		wait, cancel := context.WithTimeout(ctx, s.pace.beat)
		events, err := feed.Next(wait)
		cancel()
		switch {
		case err == nil:
			err = out.events(events)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			err = out.send(mark("alive", feed.At()))
		case c.Err() == nil: // the server stops, not the client
			_ = out.send(mark("bye", feed.At())) // it ends either way
		}
		if err != nil {
			return nil // a client that reconnects resumes where it was
		}
	}
}

// mark is a comment with the number from which to resume.
func mark(comment string, at int64) string {
	return ": " + comment + "\nid: " + strconv.FormatInt(at, 10) + "\n\n"
}

// sse writes server-sent events.
type sse struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stuck   time.Duration
	buf     bytes.Buffer
}

func (o *sse) send(text string) error {
	o.buf.WriteString(text)
	return o.flush()
}

// events sends a batch.
func (o *sse) events(events []view.Event) error {
	for i := range events {
		data, err := value.Marshal(&events[i])
		if err != nil {
			return err
		}
		if events[i].Seq > 0 { // progress and news have no number of their own
			o.buf.WriteString("id: ")
			o.buf.Write(strconv.AppendInt(o.buf.AvailableBuffer(), events[i].Feed, 10))
			o.buf.WriteByte('\n')
		}
		o.buf.WriteString("event: ")
		o.buf.WriteString(events[i].Type)
		o.buf.WriteString("\ndata: ")
		o.buf.Write(data)
		o.buf.WriteString("\n\n")
		if o.buf.Len() > bufferMax {
			if err := o.flush(); err != nil {
				return err
			}
		}
	}
	return o.flush()
}

// bufferMax bounds the bytes that are buffered before they are sent.
const bufferMax = 64 << 10

// flush sends the buffer; a client that does not receive it is dropped.
func (o *sse) flush() error {
	// If deadlines can't be set, the server's own apply.
	_ = o.control.SetWriteDeadline(time.Now().Add(o.stuck))
	_, err := o.w.Write(o.buf.Bytes())
	o.buf.Reset()
	if err != nil {
		return err
	}
	return o.control.Flush()
}
