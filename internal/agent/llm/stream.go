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

// event is a server-sent event.
type event struct {
	kind string // empty if the server names none
	data json.RawMessage
}

// brokeOff is an error event that a provider sent in the middle of a stream.
type brokeOff struct{ said string }

func (b *brokeOff) Error() string { return "the provider disconnected: " + b.said }

// post sends a request and passes each event of the response to take, until take
// returns false or the response ends.
func (to target) post(ctx context.Context, address string, header http.Header, body any,
	take func(event) (more bool, err error)) error {
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

// eachEvent reads server-sent events. An event that is not terminated by an empty
// line is incomplete and is dropped.
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

// object returns an error unless the event's data is a JSON object.
func (e event) object() error {
	if value.KindOf(e.data) != value.KindObject || !value.Valid(e.data) {
		return fmt.Errorf("an event is not a JSON object: %s", line(string(e.data), 100))
	}
	return nil
}

// member returns a member as written, or an empty string if it is missing.
func member(raw json.RawMessage, path ...string) string {
	v, _ := value.Get(raw, path...)
	return string(v)
}

// word returns a string member, or an empty string for any other type.
func word(raw json.RawMessage, path ...string) string {
	v, _ := value.Get(raw, path...)
	s, _ := value.Text(v)
	return s
}

// count returns a positive number member, or 0 for anything else.
func count(raw json.RawMessage, path ...string) int64 {
	v, _ := value.Get(raw, path...)
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || !(f > 0 && f < 1<<53) {
		return 0
	}
	return int64(f)
}

// list returns the elements of an array member.
func list(raw json.RawMessage, path ...string) []json.RawMessage {
	v, _ := value.Get(raw, path...)
	if value.KindOf(v) != value.KindArray {
		return nil
	}
	return value.Elements(v)
}
