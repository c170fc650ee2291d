package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/assent-run/assent/internal/core/value"
)

// streamLineMax is how many bytes one line of a stream may have.
const streamLineMax = 32 << 20

// event is one of a stream of server-sent events.
type event struct {
	kind string // empty where the server names none
	data json.RawMessage
}

// brokeOff is an error that a provider sent instead of the rest of a stream.
type brokeOff struct{ said string }

func (b *brokeOff) Error() string { return "the provider broke off: " + b.said }

// post sends a request and hands each event of the answer to take until take
// wants no more or the answer ends.
func (to target) post(ctx context.Context, address string, header http.Header, body any, take func(event) (more bool, err error)) error {
	sent, err := value.Marshal(body)
	if err != nil {
		return err
	}
	if len(to.query) > 0 {
		address += "?" + to.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	req.Header = header
	for name, v := range map[string]string{
		"Accept": "text/event-stream", "Content-Type": "application/json", "Idempotency-Key": to.turn, "User-Agent": "assent",
	} {
		req.Header.Set(name, v)
	}
	for name, v := range to.headers {
		req.Header.Set(name, v)
	}
	res, err := to.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return eachEvent(res.Body, take)
}

// eachEvent reads server-sent events. One that no empty line ends has not come
// whole and does not count.
func eachEvent(body io.Reader, take func(event) (more bool, err error)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, streamLineMax)
	var e event
	for lines.Scan() {
		name, text, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		text = bytes.TrimPrefix(text, []byte(" "))
		switch {
		case len(lines.Bytes()) == 0:
			if len(e.data) > 0 {
				if more, err := take(e); err != nil || !more {
					return err
				}
			}
			e = event{data: e.data[:0]}
		case string(name) == "event":
			e.kind = string(text)
		case string(name) == "data":
			e.data = append(append(e.data, text...), '\n')
		}
	}
	return lines.Err()
}

// object checks that an event carries a JSON object: nothing can be read from
// anything else.
func (e event) object() error {
	if value.KindOf(e.data) != value.KindObject || !value.Valid(e.data) {
		return fmt.Errorf("a part of it is not a JSON object: %s", line(string(e.data), 100))
	}
	return nil
}

// member is a member as it is written; empty if it is missing.
func member(raw json.RawMessage, path ...string) string {
	v, _ := value.Get(raw, path...)
	return string(v)
}

// word is a member that is a string; empty if it is anything else.
func word(raw json.RawMessage, path ...string) string {
	v, _ := value.Get(raw, path...)
	s, _ := value.Text(v)
	return s
}

// count is a member that is a number; 0 if it is anything else or less.
func count(raw json.RawMessage, path ...string) int64 {
	v, _ := value.Get(raw, path...)
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || !(f > 0 && f < 1<<53) {
		return 0
	}
	return int64(f)
}

// list are the elements of a member that is an array.
func list(raw json.RawMessage, path ...string) []json.RawMessage {
	v, _ := value.Get(raw, path...)
	if value.KindOf(v) != value.KindArray {
		return nil
	}
	return value.Elements(v)
}
