package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/api"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
)

// overHTTP measures the server from a client's perspective.
type overHTTP struct{}

func (overHTTP) name() string { return "http" }

const servedWorkflow = `{"workflow":"served","steps":[{"id":"a","human":{"title":"Yes?"}}]}`

func (overHTTP) measure(ctx context.Context, b *bench, h home) (err error) {
	c, err := serve(ctx, h)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	decided, err := c.decisions(ctx, b.alone)
	if err != nil {
		return err
	}
	seen, err := c.events(ctx, b.alone)
	if err != nil {
		return err
	}
	b.report(latencies("POST of a decision → answer", decided).over(byFsync, p50, b.floor.FsyncP50))
	b.report(latencies("event durable → seen by an SSE client", seen).below(p99, 5))
	return nil
}

// server is everything on a loopback address.
type server struct {
	*assembly.Server
	http *http.Server
	url  string
}

func serve(ctx context.Context, h home) (*server, error) {
	config := assembly.Config{Data: string(h), Local: true}
	if h.shared() {
		config.Data, config.DB = "", string(h)
	}
	s, err := assembly.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	s.Start()
	if _, _, err := s.App.Documents.Save(ctx, app.LocalAdmin, definition.KindWorkflow, "served", definition.JSON,
		[]byte(servedWorkflow), documents.Saving{Publish: true}); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	c := &server{Server: s, http: &http.Server{Handler: api.New(s.App, api.Options{}), ReadHeaderTimeout: time.Minute},
		url: "http://" + l.Addr().String() + "/api/v1"}
	go c.http.Serve(l) //nolint:errcheck // it ends with close
	return c, nil
}

func (c *server) close() error {
	return errors.Join(c.http.Close(), c.Close(context.Background()))
}

// waiting starts a run and returns its approval.
func (c *server) waiting(ctx context.Context) (runID, approval string, err error) {
	v, err := c.App.Begin(ctx, app.LocalAdmin, app.NewRun{Workflow: "served"}, nil)
	if err == nil && len(v.PendingApprovals) != 1 {
		err = fmt.Errorf("run %s asks for %d approvals", v.ID, len(v.PendingApprovals))
	}
	if err != nil {
		return "", "", err
	}
	return v.ID, v.PendingApprovals[0], nil
}

func (c *server) decisions(ctx context.Context, n int) (took []time.Duration, err error) {
	for range n {
		_, approval, err := c.waiting(ctx)
		if err != nil {
			return took, err
		}
		began := time.Now()
		resp, err := http.Post(c.url+"/approvals/"+approval+"/decisions", "application/json",
			strings.NewReader(`{"act":"approve","version":1}`))
		if err != nil {
			return took, err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != http.StatusOK {
			return took, fmt.Errorf("status %d: %w", resp.StatusCode, err)
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// events sends messages to a run and waits for each on the stream. A message that the client sees before the
// sender gets its response counts as zero.
func (c *server) events(ctx context.Context, n int) (took []time.Duration, err error) {
	runID, _, err := c.waiting(ctx)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/events?types=message.added", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	seen := make(chan time.Time, 1)
	go func() {
		defer close(seen)
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if bytes.HasPrefix(lines.Bytes(), []byte("data:")) && json.Valid(lines.Bytes()[5:]) {
				seen <- time.Now()
			}
		}
	}()
	for range n {
		if _, err := c.App.Command(ctx, app.LocalAdmin, runID,
			app.Command{Do: run.SendMessage{Text: "hello"}}, nil); err != nil {
			return took, err
		}
		durable := time.Now()
		at, err := work.Await(ctx, "an event", seen)
		if err != nil {
			return took, err
		}
		took = append(took, max(at.Sub(durable), 0))
	}
	return took, nil
}
