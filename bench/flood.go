package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// flood measures whether one identity that sends as much as it can delays the decisions of another. The
// server, the flood and the approver are three processes that share this machine's processors: the cost of
// generating the flood counts against us as well.
type flood struct{}

func (flood) name() string { return "flood" }

const (
	decidePace  = 25 * time.Millisecond // between two decisions
	floodWarmup = 3 * time.Second       // until the burst allowance is used up
	floodWaits  = 2000                  // approvals in lists
	floodMost   = 2.0                   // maximum slowdown compared with no flood
)

func (flood) measure(ctx context.Context, b *bench, h home) (err error) {
	n := b.alone / 2 // with fewer, the 99th percentile would be one or two samples
	s, err := startFlooded(ctx, floodSpec{Home: h, Decisions: 2 * n, Waiting: min(floodWaits, b.alone)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	alone, err := s.decide(ctx, s.Approvals[:n])
	if err != nil {
		return err
	}
	f, err := startFlood(ctx, floodSpec{Address: s.Address, Token: s.Flooder, Approval: s.Other})
	if err != nil {
		return err
	}
	time.Sleep(floodWarmup)
	flooded, err := s.decide(ctx, s.Approvals[n:2*n])
	sent, e := f.end()
	if err = errors.Join(err, e); err != nil {
		return err
	}
	b.say("  the flood: %s", sent)
	one, two := latencies("decisions of one identity, alone", alone),
		latencies("the same while another floods the server", flooded)
	b.report(one)
	b.report(two)
	for _, f := range []figure{p50, p99} {
		b.report(single(fmt.Sprintf("%s under flood, times alone", f), "×",
			two.Figures[f]/one.Figures[f]).below(amount, floodMost))
	}
	return nil
}

// flooded is a server in its own process, with an approver.
type flooded struct {
	floodReady
	child
	http http.Client
}

// decide sends decisions at a steady pace, independently of earlier ones.
func (s *flooded) decide(ctx context.Context, approvals []string) (took []time.Duration, err error) {
	pace := time.NewTicker(decidePace)
	defer pace.Stop()
	for _, id := range approvals {
		select {
		case <-pace.C:
		case <-ctx.Done():
			return took, ctx.Err()
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Address+"/api/v1/approvals/"+id+"/decisions",
			strings.NewReader(`{"act":"approve","version":1}`))
		if err != nil {
			return took, err
		}
		r.Header.Set("Authorization", "Bearer "+s.Decider)
		r.Header.Set("Content-Type", "application/json")
		began := time.Now()
		res, err := s.http.Do(r)
		if err != nil {
			return took, err
		}
		said, err := io.ReadAll(res.Body)
		if err = errors.Join(err, res.Body.Close()); err != nil || res.StatusCode != http.StatusOK {
			return took, fmt.Errorf("a decision: %s %s: %w", res.Status, said, err)
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// floodVariable turns the program into the server, or the flood.
const floodVariable = "ASSENT_BENCH_FLOOD"

// floodSpec configures such a process.
type floodSpec struct {
	// The server.
	Home      home `json:"home,omitempty"`
	Decisions int  `json:"decisions,omitempty"` // to prepare
	Waiting   int  `json:"waiting,omitempty"`   // other approvals
	// The flood.
	Address  string `json:"address,omitempty"`
	Token    string `json:"token,omitempty"`
	Approval string `json:"approval,omitempty"`
}

// floodReady is the server's message when it is ready.
type floodReady struct {
	Address   string   `json:"address"`
	Decider   string   `json:"decider"` // tokens
	Flooder   string   `json:"flooder"`
	Approvals []string `json:"approvals"` // to decide
	Other     string   `json:"other"`     // an approval for invalid decisions
}

// child is a process that works until its input ends.
type child struct {
	cmd   *exec.Cmd
	input io.Closer
	said  *bufio.Reader
	wrong *strings.Builder
}

func startChild(ctx context.Context, spec floodSpec) (c child, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return c, err
	}
	c.cmd = exec.CommandContext(ctx, self)
	c.cmd.Env = append(os.Environ(), floodVariable+"="+string(text))
	c.wrong = &strings.Builder{}
	c.cmd.Stderr = c.wrong
	if c.input, err = c.cmd.StdinPipe(); err != nil {
		return c, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return c, err
	}
	c.said = bufio.NewReaderSize(out, 1<<20)
	return c, c.cmd.Start()
}

// stop lets it end.
func (c child) stop() error {
	err := c.input.Close()
	_, _ = io.Copy(io.Discard, c.said) // it ends with the process
	if e := c.cmd.Wait(); e != nil {
		return fmt.Errorf("%w: %s", e, c.wrong)
	}
	return err
}

func startFlooded(ctx context.Context, spec floodSpec) (*flooded, error) {
	c, err := startChild(ctx, spec)
	if err != nil {
		return nil, err
	}
	s := &flooded{child: c}
	if err := json.NewDecoder(c.said).Decode(&s.floodReady); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return s, nil
}

func floodMain(spec string) int {
	var f floodSpec
	err := json.Unmarshal([]byte(spec), &f)
	if err == nil && f.Address != "" {
		err = f.flood()
	} else if err == nil {
		err = f.serve(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}
