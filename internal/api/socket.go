package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/coder/websocket"
)

// socketMax bounds one message from a client.
const socketMax = 1 << 20

// openSocket sends events and receives commands until either side leaves.
func (s *Server) openSocket(c *call, w http.ResponseWriter) error {
	switch {
	case !s.sameOrigin(c.r):
		return foreign()
	case !strings.EqualFold(c.r.Header.Get("Upgrade"), "websocket"):
		w.Header().Set("Upgrade", "websocket")
		return problem.WithStatus(http.StatusUpgradeRequired,
			fault.New(fault.Unsupported, "this address requires a WebSocket",
				"use "+contract.PathEvents+" for server-sent events"))
	case s.drained.Load():
		return errDraining
	}
	feed, err := s.follow(c)
	if err != nil {
		return err
	}
	defer feed.Close()
	conn, err := websocket.Accept(w, c.r, &websocket.AcceptOptions{OriginPatterns: s.ownHosts()})
	if err != nil {
		return nil // Accept has responded to the client
	}
	if rec, ok := w.(*record.Recorder); ok {
		rec.Status = http.StatusSwitchingProtocols
	}
	conn.SetReadLimit(socketMax)
	ctx, closed := s.open(c, "websocket")
	defer closed()
	k := &socket{s: s, c: c, who: c.who, key: s.keyOf(c), conn: conn}
	k.serve(ctx, feed)
	return nil
}

// socket is one open WebSocket.
type socket struct {
	s    *Server
	c    *call
	who  app.Who
	key  string // for counting its orders
	conn *websocket.Conn
}

// serve runs three loops until one of them ends. Each sends by itself: the connection sends one message at a time.
func (k *socket) serve(ctx context.Context, feed stream) {
	ctx, cancel := context.WithCancelCause(ctx)
	var loops sync.WaitGroup
	for _, loop := range []func(context.Context) error{
		func(ctx context.Context) error { return k.tell(ctx, feed) }, k.ping,
	} {
		loops.Go(func() { cancel(loop(ctx)) })
	}
	// Reading must not end with ctx: that would cut the connection before the close frame is sent.
	read := make(chan struct{})
	go func() {
		defer close(read)
		cancel(k.listen(ctx))
	}()
	<-ctx.Done()
	code, why := websocket.StatusNormalClosure, ""
	if k.s.drained.Load() || errors.Is(context.Cause(ctx), port.ErrUnavailable) {
		code, why = websocket.StatusGoingAway, "the server is shutting down"
	}
	_ = k.conn.Close(code, why) // a client that does not respond is cut off
	loops.Wait()
	<-read
}

// tell sends events.
func (k *socket) tell(ctx context.Context, feed stream) error {
	for {
		events, err := feed.Next(ctx)
		if err != nil {
			return err
		}
		for i := range events {
			if err := k.send(ctx, &events[i]); err != nil {
				return err
			}
		}
	}
}

// ping checks whether the other side is still there.
func (k *socket) ping(ctx context.Context) error {
	for {
		select {
		case <-time.After(k.s.pace.beat):
		case <-ctx.Done():
			return ctx.Err()
		}
		wait, cancel := k.patience(ctx)
		err := k.conn.Ping(wait)
		cancel()
		if err != nil {
			return err
		}
	}
}

// listen handles orders one by one, so that answers come in the same order.
func (k *socket) listen(ctx context.Context) error {
	reading := context.WithoutCancel(ctx) // Close ends it
	for {
		kind, raw, err := k.conn.Read(reading)
		if err != nil {
			return err
		}
		answer := k.take(ctx, kind, raw)
		if err := k.send(ctx, answer); err != nil {
			return err
		}
	}
}

func (k *socket) take(ctx context.Context, kind websocket.MessageType, raw []byte) contract.Taken {
	order, seq, err := k.obey(ctx, kind, raw)
	if err != nil {
		return contract.Taken{ID: order.ID, Error: new(problem.Of(err))}
	}
	return contract.Taken{ID: order.ID, OK: true, Seq: seq}
}

func (k *socket) obey(ctx context.Context, kind websocket.MessageType, raw []byte) (
	order contract.Order, seq int64, err error,
) {
	order.ID = json.RawMessage("null")
	if kind != websocket.MessageText || !value.Valid(raw) {
		defer func() { k.s.app.Access.RefusedCommand(ctx, k.who, "", err) }()
		return order, 0, problem.WithStatus(http.StatusBadRequest,
			fault.New(fault.Invalid, "a message must be JSON text",
				`for example {"id":1,"run":"run_…","command":{"type":"pause"}}`))
	}
	if id, ok := value.Get(raw, "id"); ok && len(id) <= keyMax {
		order.ID = id
	}
	if err := k.s.limits.Charge(k.key); err != nil {
		k.s.limits.Delay(ctx)
		return order, 0, err
	}
	cmd, err := readOrder(&order, raw)
	if err != nil {
		k.s.app.Access.RefusedCommand(ctx, k.who, order.Run, err)
		return order, 0, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeMax)
	defer cancel()
	who, err := k.now(ctx)
	if err != nil {
		return order, 0, err
	}
	accepted, err := k.s.app.Command(ctx, who, order.Run, cmd, nil)
	return order, accepted.Seq, err
}

// now is who the caller is for an order: their session may have ended since the connection was opened, or their roles
// may have changed.
func (k *socket) now(ctx context.Context) (app.Who, error) {
	again := &call{r: k.c.r, op: k.c.op}
	if err := k.s.identify(ctx, again); err != nil {
		return app.Who{}, err
	}
	if again.who.Actor() != k.who.Actor() {
		return app.Who{}, fault.New(fault.Unauthenticated, "the session has ended", "sign in, and connect again")
	}
	return again.who, nil
}

// readOrder parses an order. It fills in what it can, also of one that is refused.
func readOrder(o *contract.Order, raw []byte) (cmd app.Command, err error) {
	var full contract.Order
	if err := plan.Decode(raw, &full); err != nil {
		return cmd, err
	}
	o.Run, o.Command = full.Run, full.Command
	if o.Run == "" {
		return cmd, problem.Invalid("run", "a run is required")
	}
	if cmd, err = app.ParseCommand(o.Command); err != nil {
		return cmd, err
	}
	if cmd.ID != "" && !goodID(cmd.ID) {
		return cmd, problem.Invalid("command.id", "expected 1 to %d printable characters", nameMax)
	}
	return cmd, nil
}

// send writes one message; a client that does not receive it is dropped.
func (k *socket) send(ctx context.Context, v any) error {
	body, err := value.Marshal(v)
	if err != nil {
		return err
	}
	ctx, cancel := k.patience(ctx)
	defer cancel()
	return k.conn.Write(ctx, websocket.MessageText, body)
}

// patience bounds one write. It does not end with ctx: a write that is cancelled
// cuts the connection before the close frame is sent.
func (k *socket) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), k.s.pace.stuck)
}
