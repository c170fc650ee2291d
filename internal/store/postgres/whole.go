package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// whole is a large parameter, which is written to the connection without a copy. Any other is copied twice on its way,
// and an element of an array three times.
type whole []byte

// wholeMin is the size from which a value has a statement of its own, with a whole parameter.
const wholeMin = 64 << 10

// send sends a batch whose queries return nothing of interest, and waits for its end: one round trip.
func send(ctx context.Context, c *pgx.Conn, b *pgx.Batch) error {
	if !slices.ContainsFunc(b.QueuedQueries, hasWhole) {
		return c.SendBatch(ctx, b).Close()
	}
	statements := make([]*pgconn.StatementDescription, len(b.QueuedQueries))
	for i, q := range b.QueuedQueries {
		var err error
		if statements[i], err = c.Prepare(ctx, q.SQL, q.SQL); err != nil { // the server is asked once
			return err
		}
	}
	if err := write(ctx, c, b, statements); err != nil {
		closeConn(c) // half a message may be on its way
		return err
	}
	return await(ctx, c.PgConn())
}

func hasWhole(q *pgx.QueuedQuery) bool { return slices.ContainsFunc(q.Arguments, isWhole) }

func isWhole(a any) bool { _, ok := a.(whole); return ok }

// write sends the queries of a batch. The server answers each with a few bytes, so it never waits for them to be read.
func write(ctx context.Context, c *pgx.Conn, b *pgx.Batch, statements []*pgconn.StatementDescription) error {
	if end, ok := ctx.Deadline(); ok {
		if err := c.PgConn().Conn().SetWriteDeadline(end); err != nil {
			return err
		}
		defer c.PgConn().Conn().SetWriteDeadline(time.Time{}) //nolint:errcheck // the next write would fail
	}
	out := c.PgConn().Frontend()
	var m pgx.ExtendedQueryBuilder
	for i, q := range b.QueuedQueries {
		args := slices.Clone(q.Arguments)
		for n, a := range args {
			if isWhole(a) {
				args[n] = nil
			}
		}
		if err := m.Build(c.TypeMap(), statements[i], args); err != nil {
			return err
		}
		for n, a := range q.Arguments {
			if w, ok := a.(whole); ok {
				m.ParamValues[n], m.ParamFormats[n] = w, pgx.BinaryFormatCode
			}
		}
		if err := bind(out, statements[i].Name, &m); err != nil {
			return err
		}
		out.SendExecute(&pgproto3.Execute{})
	}
	out.SendSync(&pgproto3.Sync{})
	return out.Flush()
}

// bind sends a Bind message, large parameters without a copy.
func bind(out *pgproto3.Frontend, statement string, m *pgx.ExtendedQueryBuilder) error {
	size := 4 + 1 + len(statement) + 1 + 2 + 2*len(m.ParamFormats) + 2 + 2 + 2*len(m.ResultFormats)
	for _, p := range m.ParamValues {
		size += 4 + len(p)
	}
	part := binary.BigEndian.AppendUint32([]byte{'B'}, uint32(size))
	part = append(append(append(part, 0), statement...), 0) // of the portal without a name
	part = appendFormats(part, m.ParamFormats)
	part = binary.BigEndian.AppendUint16(part, uint16(len(m.ParamValues)))
	for _, p := range m.ParamValues {
		length := uint32(len(p))
		if p == nil {
			length = 1<<32 - 1 // null
		}
		part = binary.BigEndian.AppendUint32(part, length)
		if len(p) < wholeMin {
			part = append(part, p...)
			continue
		}
		out.Send(raw(part))
		if err := out.SendUnbufferedEncodedCopyData(p); err != nil { // it sends what it gets
			return err
		}
		part = nil
	}
	out.Send(raw(appendFormats(part, m.ResultFormats)))
	return nil
}

func appendFormats(b []byte, formats []int16) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(formats)))
	for _, f := range formats {
		b = binary.BigEndian.AppendUint16(b, uint16(f))
	}
	return b
}

// raw is a part of a message.
type raw []byte

func (raw) Frontend() {}

func (raw) Decode([]byte) error { return errors.ErrUnsupported }

func (r raw) Encode(dst []byte) ([]byte, error) { return append(dst, r...), nil }

// await reads the answers to a batch and returns the first error.
func await(ctx context.Context, c *pgconn.PgConn) error {
	var first error
	for {
		answer, err := c.ReceiveMessage(ctx)
		if err != nil {
			return errors.Join(first, err)
		}
		switch answer := answer.(type) {
		case *pgproto3.ErrorResponse:
			if first == nil {
				first = pgconn.ErrorResponseToPgError(answer)
			}
		case *pgproto3.ReadyForQuery:
			return first
		}
	}
}
