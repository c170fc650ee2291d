package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/spf13/cobra"
)

func (t *tool) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "Serve MCP on standard input and output", GroupID: groupServer, Args: noArgs,
		Long: `Serve MCP on standard input and output, for programs that start their MCP servers
themselves. Requests go to the server with your token; if no server is running, the
store is opened directly, and agents work as long as this command runs.`,
		Example: "assent mcp\nASSENT_TOKEN=… assent mcp --addr https://assent.example.com",
	}
	return t.working(cmd, func(ctx context.Context, s *session, _ []string) error {
		b := &bridge{server: s.Client, out: s.Stdout, errors: s.Stderr, open: map[string]context.CancelFunc{},
			slots: make(chan struct{}, bridgeAtOnce)}
		return b.run(ctx, s.Stdin)
	})
}

const (
	bridgeAtOnce  = 32       // concurrent calls to the server
	bridgeLineMax = 16 << 20 // bytes of a message; the server accepts no more
)

// bridge carries MCP messages between lines and a server. It passes them on unchanged, so that no number
// loses a digit.
type bridge struct {
	server *client.Client
	errors io.Writer
	slots  chan struct{}
	work   sync.WaitGroup

	mu      sync.Mutex
	out     io.Writer
	version string                        // of the protocol, once negotiated
	open    map[string]context.CancelFunc // calls, by id
}

// message is what the bridge needs to know about one.
type message struct {
	raw        []byte
	id         json.RawMessage // nil: no answer is expected
	method     string
	name       string // of the tool
	version    string // of the protocol, if the message states it
	withdrawn  string // the id of a cancelled call
	initialize bool
}

func parse(line []byte) message {
	m := message{raw: line}
	if !value.Valid(line) || value.KindOf(line) != value.KindObject {
		m.id = json.RawMessage("null")
		return m
	}
	text := func(path ...string) string {
		raw, _ := value.Get(line, path...)
		s, _ := value.Text(raw)
		return s
	}
	m.id, _ = value.Get(line, "id")
	m.method, m.name = text("method"), text("params", "name")
	m.version = text("params", "_meta", "io.modelcontextprotocol/protocolVersion")
	if m.initialize = m.method == "initialize"; m.method == "notifications/cancelled" {
		raw, _ := value.Get(line, "params", "requestId")
		m.withdrawn = string(raw)
	}
	return m
}

// run handles lines until there are no more, and all are answered.
func (b *bridge) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		err := b.read(ctx, bufio.NewReaderSize(in, 64<<10))
		b.work.Wait()
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil // the reader sees the end of the line
	}
}

func (b *bridge) read(ctx context.Context, in *bufio.Reader) error {
	for {
		line, over, err := readLine(in)
		switch m := parse(line); {
		case over:
			b.refuse(message{id: json.RawMessage("null")}, fmt.Errorf("a message is larger than %d MiB", bridgeLineMax>>20))
		case len(line) == 0:
		case m.withdrawn != "":
			b.withdraw(m.withdrawn)
		case m.initialize:
			b.pass(ctx, m) // later messages depend on it
		default:
			call, done := context.WithCancel(ctx)
			b.begin(m, done)
			b.work.Go(func() {
				defer b.end(m, done)
				b.slots <- struct{}{}
				defer func() { <-b.slots }()
				b.pass(call, m)
			})
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read from standard input: %w", err)
		}
	}
}

// readLine reads a line; over reports that it was too long and is skipped.
func readLine(in *bufio.Reader) (line []byte, over bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if over = over || len(line)+len(part) > bridgeLineMax; over {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), over, err
		}
	}
}

func (b *bridge) begin(m message, cancel context.CancelFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.id != nil {
		b.open[string(m.id)] = cancel
	}
}

func (b *bridge) end(m message, cancel context.CancelFunc) {
	cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, string(m.id))
}

func (b *bridge) withdraw(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.open[id]; cancel != nil {
		cancel()
	}
}

// pass forwards a message to the server and returns its answer.
func (b *bridge) pass(ctx context.Context, m message) {
	answer, err := b.server.MCP(ctx, m.raw, b.headers(m))
	switch {
	case ctx.Err() != nil: // no answer is expected
	case err != nil:
		b.refuse(m, err)
	case len(bytes.TrimSpace(answer)) == 0: // to a notification
	case value.KindOf(answer) != value.KindObject || !value.Valid(answer):
		b.refuse(m, errors.New("unexpected response (is this an Assent server?)"))
	default:
		if m.initialize {
			raw, _ := value.Get(answer, "result", "protocolVersion")
			b.mu.Lock()
			b.version, _ = value.Text(raw)
			b.mu.Unlock()
		}
		b.say(answer)
	}
}

// headers repeat parts of a message, as the protocol requires over HTTP.
func (b *bridge) headers(m message) http.Header {
	h := http.Header{"Accept": {"application/json, text/event-stream"}}
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.version == "" {
		m.version = b.version
	} else {
		h.Set("Mcp-Method", m.method)
		if m.name != "" {
			h.Set("Mcp-Name", m.name)
		}
	}
	if m.version != "" && !m.initialize {
		h.Set("Mcp-Protocol-Version", m.version)
	}
	return h
}

// JSON-RPC error codes: invalid request, or internal error.
const (
	rpcInvalid = -32600
	rpcFailed  = -32000
)

// refuse answers a message with an error.
func (b *bridge) refuse(m message, err error) {
	if m.id == nil {
		fmt.Fprintf(b.errors, "assent mcp: %s: %v\n", m.method, err)
		return
	}
	type told struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    *client.Problem `json:"data,omitempty"`
	}
	tell := told{Code: rpcFailed, Message: err.Error()}
	var p *client.Problem
	if errors.As(err, &p) {
		tell.Data = p
		if p.Hint != "" {
			tell.Message += " (" + p.Hint + ")"
		}
		switch p.Status {
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
			http.StatusUnprocessableEntity:
			tell.Code = rpcInvalid
		}
	}
	raw, err := value.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   told            `json:"error"`
	}{"2.0", m.id, tell})
	if err == nil { // it consists of texts
		b.say(raw)
	}
}

// say writes an answer on its own line.
func (b *bridge) say(answer []byte) {
	line, err := value.Compact(answer)
	if err != nil {
		return // it was valid a moment ago
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _ = b.out.Write(append(line, '\n')) // the reader is gone
}
