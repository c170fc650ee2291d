package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/notify"
)

// event is the body of a request.
type event struct {
	Type      notify.Event    `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// payload writes a message as the body of a request, with less than 20 kB.
func payload(m notify.Message) ([]byte, error) {
	data := m.Data
	if len(data) == 0 {
		data = described(m)
	}
	if !json.Valid(data) {
		return nil, errors.New("its data is not JSON")
	}
	e := event{m.Event, m.At.UTC(), data}
	body, err := encode(e)
	if err != nil || len(body) <= bodyMax {
		return body, err
	}
	// What is around data, with some room for the list of what is left out.
	around := len(body) - len(compact(data))
	e.Data = fit(data, m.Open, bodyMax-around)
	return encode(e)
}

// described is the data of a message that has none.
func described(m notify.Message) json.RawMessage {
	out := map[string]any{"title": m.Title, "text": m.Text, "settled": m.Settled}
	for name, text := range map[string]string{"run": m.Run, "workflow": m.Workflow, "approval": m.Approval,
		"url": m.Open} {
		if text != "" {
			out[name] = text
		}
	}
	if m.Version != 0 {
		out["version"] = m.Version
	}
	raw, err := encode(out)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// encode writes JSON as it is: receivers verify bytes, and no browser reads them.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return compact(b.Bytes()), nil
}

func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// removalsMax is how many members are left out one by one.
const removalsMax = 50

// fit leaves members of data out, the largest first, until it has at most a number of bytes.
func fit(data json.RawMessage, link string, most int) json.RawMessage {
	var top map[string]json.RawMessage
	if json.Unmarshal(data, &top) != nil || top == nil {
		return leftOut(nil, []string{""}, link)
	}
	if link == "" {
		_ = json.Unmarshal(top["url"], &link) // only if it is a text
	}
	var left []string
	for range removalsMax {
		out := leftOut(top, left, link)
		if len(out) <= most {
			return out
		}
		path, ok := drop(top, "")
		if !ok {
			break
		}
		left = append(left, path)
	}
	return leftOut(nil, []string{""}, link)
}

// drop removes the largest member, inside of objects if it is there, and returns its JSON pointer.
func drop(object map[string]json.RawMessage, at string) (string, bool) {
	largest, size := "", 0
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if len(object[name]) > size {
			largest, size = name, len(object[name])
		}
	}
	if size == 0 {
		return "", false
	}
	path := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(largest)
	var inner map[string]json.RawMessage
	if strings.Count(at, "/") < 4 && json.Unmarshal(object[largest], &inner) == nil && len(inner) > 1 {
		if found, ok := drop(inner, path); ok {
			raw, err := encode(inner)
			if err == nil {
				object[largest] = raw
				return found, true
			}
		}
	}
	delete(object, largest)
	return path, true
}

// leftOut is data with the list of what is missing.
func leftOut(data map[string]json.RawMessage, left []string, link string) json.RawMessage {
	out := maps.Clone(data)
	if out == nil {
		out = map[string]json.RawMessage{}
	}
	if len(left) > 0 {
		out["left_out"], _ = encode(left)
		if link != "" && len(link) < 4000 {
			out["url"], _ = encode(link)
		}
	}
	raw, _ := encode(out) // only maps and texts
	return raw
}
