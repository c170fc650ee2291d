// Package trace names the spans of runs, so that every process that works on a run uses the same names, even after
// a restart:
//
//	root := trace.OfRun("run_1", caller) // caller: the traceparent that the run was started with, or ""
//	ctx = trace.With(ctx, root.Child(key.String()))
//	req.Header.Set("traceparent", trace.From(ctx).String())
//
// Nothing is random and nothing is remembered: a trace follows from the id of its run, or is the caller's, and a span
// follows from its trace and its name.
package trace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Header is the header that carries a span, as the W3C recommendation Trace Context defines it.
const Header = "traceparent"

// Context identifies a span.
type Context struct {
	Trace   [16]byte
	Span    [8]byte
	Sampled bool
}

// OfRun is the span of a run. Caller is the traceparent that it was started with; empty or malformed: it has a trace
// of its own.
func OfRun(id, caller string) Context {
	var c Context
	if parent, ok := Parse(caller); ok {
		c = parent
	} else {
		sum := sha256.Sum256([]byte("assent trace " + id))
		c.Sampled = true
		copy(c.Trace[:], sum[:])
	}
	return c.Child(id)
}

// Child is another span of the same trace. Equal names are one span.
func (c Context) Child(name string) Context {
	sum := sha256.Sum256(append(c.Trace[:], name...))
	copy(c.Span[:], sum[:])
	return c
}

// Valid reports whether this is a span; the zero Context is none.
func (c Context) Valid() bool { return c.Trace != [16]byte{} && c.Span != [8]byte{} }

// TraceID is the id of the trace in hexadecimal digits.
func (c Context) TraceID() string { return hex.EncodeToString(c.Trace[:]) }

// SpanID is the id of the span in hexadecimal digits.
func (c Context) SpanID() string { return hex.EncodeToString(c.Span[:]) }

// String is the traceparent; empty for the zero Context.
func (c Context) String() string {
	if !c.Valid() {
		return ""
	}
	flags := "00"
	if c.Sampled {
		flags = "01"
	}
	return "00-" + c.TraceID() + "-" + c.SpanID() + "-" + flags
}

// Parse reads a traceparent of any version. As recommended, one that is malformed is ignored as if it was absent.
func Parse(text string) (c Context, ok bool) {
	if len(text) < 55 || len(text) > 512 || text != strings.ToLower(text) {
		return Context{}, false
	}
	version, rest := text[:2], text[55:]
	if text[2] != '-' || text[35] != '-' || text[52] != '-' || version == "ff" ||
		rest != "" && (version == "00" || rest[0] != '-') {
		return Context{}, false
	}
	var flags [1]byte
	for _, part := range []struct {
		into []byte
		text string
	}{{flags[:], version}, {c.Trace[:], text[3:35]}, {c.Span[:], text[36:52]}, {flags[:], text[53:55]}} {
		if _, err := hex.Decode(part.into, []byte(part.text)); err != nil {
			return Context{}, false
		}
	}
	c.Sampled = flags[0]&1 == 1
	return c, c.Valid()
}

type key struct{}

// With returns a context whose outgoing requests are part of a span.
func With(ctx context.Context, c Context) context.Context {
	if !c.Valid() {
		return ctx
	}
	return context.WithValue(ctx, key{}, c)
}

// From is the span of a context; the zero Context if there is none.
func From(ctx context.Context) Context {
	c, _ := ctx.Value(key{}).(Context)
	return c
}
