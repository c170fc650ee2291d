package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// probeVariable turns the program into a probe: a fresh process that opens a home, reports how long that took
// and how much memory it needs, and ends.
const probeVariable = "ASSENT_BENCH_PROBE"

// probe is the request to a fresh process.
type probe struct {
	Home home   `json:"home"`
	Run  string `json:"run,omitempty"` // the run to send a command to
}

// probed is its response.
type probed struct {
	Open     time.Duration `json:"open"`     // until the store is open
	Accepted time.Duration `json:"accepted"` // until a command is durable
	Idle     time.Duration `json:"idle"`     // until all pending effects have been resumed
	Resident int64         `json:"resident"` // bytes, at the end
}

// ask runs a probe in its own process.
func (p probe) ask(ctx context.Context) (answer probed, err error) {
	self, err := os.Executable()
	if err != nil {
		return answer, err
	}
	spec, err := json.Marshal(p)
	if err != nil {
		return answer, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), probeVariable+"="+string(spec))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return answer, fmt.Errorf("a process of its own: %w: %s", err, said.String())
	}
	return answer, json.Unmarshal(out, &answer)
}

// probeMain is the fresh process.
func probeMain(spec string) (status int) {
	var p probe
	err := json.Unmarshal([]byte(spec), &p)
	var answer probed
	if err == nil {
		answer, err = p.answer(context.Background())
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(answer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

func (p probe) answer(ctx context.Context) (a probed, err error) {
	began := time.Now()
	store, err := p.Home.open(ctx)
	if err != nil {
		return a, err
	}
	a.Open = time.Since(began)
	r := engineOn(store, p.Home, echo, nil)
	r.Start()
	if p.Run != "" {
		if _, err := r.Do(ctx, p.Run, run.Command{ID: "probe", By: someone, Do: run.SendMessage{Text: "Hello?"}},
			nil); err != nil {
			return a, err
		}
		a.Accepted = time.Since(began)
	}
	if err := r.awaitIdle(ctx); err != nil {
		return a, err
	}
	a.Idle = time.Since(began)
	if _, err := store.Approvals(ctx, port.ApprovalQuery{Status: []string{"pending"}}); err != nil {
		return a, err
	}
	debug.FreeOSMemory()
	a.Resident = residentBytes()
	return a, r.close()
}

// awaitIdle waits until no run has pending effects.
func (r *rig) awaitIdle(ctx context.Context) error {
	late := time.After(work.Patience)
	for {
		busy, err := r.store.Busy(ctx, "", 1)
		if err != nil || len(busy) == 0 && r.Leads() {
			return err
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-late:
			return fmt.Errorf("run %v is still busy", busy)
		}
	}
}
