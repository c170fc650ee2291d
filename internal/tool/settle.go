package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// blobRef is how an output refers to a blob.
type blobRef struct {
	Blob    string `json:"$blob,omitempty"`
	Size    int64  `json:"size"`
	Preview string `json:"preview,omitempty"`
}

// settle limits a tool's answer. The core limits one that is a step's result.
func (r *Registry) settle(ctx context.Context, c run.CallResult, whole bool) (run.CallResult, error) {
	c.Error = cut(c.Error, ErrorMax)
	c.Logs = cut(c.Logs, LogsMax)
	if c.Input != nil { // the core limits it
		return run.CallResult{Input: c.Input, Usage: c.Usage, Logs: c.Logs}, nil
	}
	if len(c.Output) == 0 {
		if c.Error == "" {
			c.Output = json.RawMessage("null")
		}
		return c, nil
	}
	out, err := value.Strict(c.Output)
	if err != nil {
		return run.CallResult{Error: "the tool's result is not valid: " + cut(err.Error(), ErrorMax)}, nil
	}
	if _, ok := value.Get(out, "$blob"); ok && value.KindOf(out) == value.KindObject {
		// It would refer to a blob that is not its own.
		out = value.Object(value.Member{Key: "value", Value: out})
	}
	if len(out) > ToldMax && !whole {
		if out, err = r.shorten(ctx, out); err != nil {
			return run.CallResult{}, err
		}
	}
	c.Output = out
	return c, nil
}

// shorten stores a long answer and returns a reference.
func (r *Registry) shorten(ctx context.Context, out json.RawMessage) (json.RawMessage, error) {
	ref := blobRef{Size: int64(len(out)), Preview: cut(string(out[:PreviewMax]), PreviewMax)}
	if r.o.PutBlob != nil {
		id, size, err := r.o.PutBlob(ctx, bytes.NewReader(out))
		if err != nil {
			return nil, fmt.Errorf("keep a long answer: %w", err)
		}
		ref.Blob, ref.Size = id, size
	}
	return value.Marshal(ref)
}

// keep stores binary content.
func (r *Registry) keep(ctx context.Context, content []byte) (json.RawMessage, error) {
	id, size, err := r.o.PutBlob(ctx, bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("keep the content: %w", err)
	}
	return value.Marshal(blobRef{Blob: id, Size: size})
}

// cut truncates a text to n bytes of valid UTF-8.
func cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
