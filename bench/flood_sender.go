package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// floodLines is the number of connections of a flood.
const floodLines = 64

// sender is a flood in its own process.
type sender struct{ child }

func startFlood(ctx context.Context, spec floodSpec) (*sender, error) {
	c, err := startChild(ctx, spec)
	return &sender{c}, err
}

// sent describes a flood.
type sent struct {
	Took     time.Duration  `json:"took"`
	Statuses map[string]int `json:"statuses"`
	Broken   int            `json:"broken"` // connections closed by the server
}

func (s sent) String() string {
	var parts []string
	all := 0
	for _, status := range slices.Sorted(maps.Keys(s.Statuses)) {
		parts = append(parts, fmt.Sprintf("%d × %s", s.Statuses[status], status))
		all += s.Statuses[status]
	}
	return fmt.Sprintf("%.0f requests/s on %d connections: %s; %d connections closed", float64(all)/s.Took.Seconds(),
		floodLines, strings.Join(parts, ", "), s.Broken)
}

// end stops the flood and returns what it sent.
func (f *sender) end() (s sent, err error) {
	if err := f.input.Close(); err != nil {
		return s, err
	}
	err = json.NewDecoder(f.said).Decode(&s)
	return s, errors.Join(err, f.stopped())
}

func (f *sender) stopped() error {
	if err := f.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, f.wrong)
	}
	return nil
}

// requests are the flood's requests as sent over the wire: generating them costs nothing, so the work is the
// server's.
func (f floodSpec) requests() [][]byte {
	of := func(method, path, token, body string) []byte {
		return fmt.Appendf(nil, "%s /api/v1%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n%s", method, path, f.Address, token, len(body), body)
	}
	bad := f.Token[:len(f.Token)-8] + "AAAAAAAA"
	return [][]byte{
		of("GET", "/approvals?status=pending&limit=200", f.Token, ""),
		of("POST", "/approvals/"+f.Approval+"/decisions", f.Token, `{"act":"approve","version":99}`),
		of("POST", "/runs", f.Token, `{"workflow":"served"}`),
		of("GET", "/runs?limit=200", f.Token, ""),
		of("GET", "/audit.jsonl", f.Token, ""),
		of("GET", "/me", bad, ""),
		of("POST", "/sign-in", "", `{"name":"ann","password":"not the password of any account"}`),
		of("GET", "/audit/verify", f.Token, ""),
		of("GET", "/insights", f.Token, ""),
		of("GET", "/me", f.Token, ""),
	}
}

// flood sends until the input ends. Every connection sends one kind of request, again as soon as it is
// answered: slow ones delay none of the others.
func (f floodSpec) flood() error {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is the signal
		stop()
	}()
	all := f.requests()
	out := sent{Statuses: map[string]int{}}
	var mu sync.Mutex
	var lines sync.WaitGroup
	began := time.Now()
	for i := range floodLines {
		lines.Go(func() {
			for ctx.Err() == nil {
				statuses := floodLine(ctx, f.Address, all[i%len(all)])
				mu.Lock()
				for status, n := range statuses {
					out.Statuses[status] += n
				}
				out.Broken++
				mu.Unlock()
			}
		})
	}
	lines.Wait()
	out.Took, out.Broken = time.Since(began), out.Broken-floodLines
	return json.NewEncoder(os.Stdout).Encode(out)
}

// floodLine uses one connection for as long as it lasts.
func floodLine(ctx context.Context, address string, request []byte) (statuses map[string]int) {
	statuses = map[string]int{}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return statuses
	}
	defer conn.Close()                                          //nolint:errcheck // nothing is lost
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // it may be waiting
	r := bufio.NewReaderSize(conn, 64<<10)
	for ctx.Err() == nil {
		if _, err := conn.Write(request); err != nil {
			return statuses
		}
		status, err := skipAnswer(r)
		if err != nil {
			return statuses
		}
		statuses[status]++
	}
	return statuses
}

// skipAnswer skips a response and returns its status.
func skipAnswer(r *bufio.Reader) (status string, err error) {
	length, chunked := 0, false
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return status, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		name, v, _ := strings.Cut(text, ": ")
		switch {
		case first && len(text) > 12:
			status = text[9:12]
		case text == "" && chunked:
			return status, skipChunks(r)
		case text == "":
			_, err := r.Discard(length)
			return status, err
		case name == "Content-Length":
			length, _ = strconv.Atoi(v)
		case name == "Transfer-Encoding":
			chunked = true
		}
	}
}

func skipChunks(r *bufio.Reader) error {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(line)), 16, 32)
		if err != nil {
			return err
		}
		if _, err := r.Discard(int(n) + 2); err != nil || n == 0 {
			return err
		}
	}
}
