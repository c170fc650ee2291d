package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/view"
)

// Follow selects events, and who receives them.
type Follow struct {
	Run   string
	After int64 // a feed number; -1: from now on
	Event func(view.Event) error
	// Lost is called when the connection breaks, Back when it is restored. Both may be nil.
	Lost func(error)
	Back func()
}

const (
	lineMax    = 32 << 20
	backoffMax = 5 * time.Second
)

// Follow delivers events as they happen, none lost and none repeated, until ctx ends or Event returns an
// error. When the connection breaks it reconnects and continues after the last event.
func (c *Client) Follow(ctx context.Context, f Follow) error {
	wait, lost := firstWait, false
	for {
		heard := func() {
			wait = firstWait
			if lost && f.Back != nil {
				f.Back()
			}
			lost = false
		}
		err := c.stream(ctx, &f, heard)
		var told *told
		var p *Problem
		switch {
		case errors.As(err, &told):
			return told.err
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &p) && p.Status < 500 && p.Status != http.StatusTooManyRequests:
			return err
		}
		if !lost && f.Lost != nil {
			f.Lost(err)
		}
		lost = true
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		wait = min(2*wait, backoffMax)
	}
}

// told is an error of the receiver, not of the connection.
type told struct{ err error }

func (t *told) Error() string { return t.err.Error() }

// stream follows over one connection.
func (c *Client) stream(ctx context.Context, f *Follow, heard func()) error {
	r := request{method: http.MethodGet, path: "/events", query: url.Values{},
		header: http.Header{"Accept": {"text/event-stream"}}}
	if f.Run != "" {
		r.query.Set("run", f.Run)
	}
	if f.After >= 0 {
		r.query.Set("after", strconv.FormatInt(f.After, 10))
	}
	resp, err := c.send(ctx, r, nil, "", "")
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode != http.StatusOK {
		var body bytes.Buffer
		_, _ = body.ReadFrom(http.MaxBytesReader(nil, resp.Body, 1<<20)) // what there is of it
		return problemOf(resp, body.Bytes())
	}
	heard()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, lineMax)
	var data []byte
	at := f.After
	for lines.Scan() {
		line := lines.Bytes()
		switch {
		case len(line) == 0:
			if err := f.tell(data); err != nil {
				return err
			}
			f.After, data = at, data[:0]
		case bytes.HasPrefix(line, []byte("id:")):
			// Also without an event: it marks the position of the server.
			if n, err := strconv.ParseInt(string(bytes.TrimSpace(line[len("id:"):])), 10, 64); err == nil {
				at = n
			}
		case bytes.HasPrefix(line, []byte("data:")):
			data = append(data, bytes.TrimPrefix(line[len("data:"):], []byte(" "))...)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return errors.New("the server ended the stream")
}

// tell delivers one event. Comments and other kinds of messages are skipped.
func (f *Follow) tell(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	var e view.Event
	if err := json.Unmarshal(data, &e); err != nil {
		return &told{fmt.Errorf("read an event: %w", err)}
	}
	if err := f.Event(e); err != nil {
		return &told{err}
	}
	return nil
}
