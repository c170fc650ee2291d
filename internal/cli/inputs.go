package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// inputMax limits input from a file or a pipe; the server has the same limit.
const inputMax = 16 << 20

// readJSON reads @FILE, - (stdin) or literal JSON. Empty is an empty object.
func (t *tool) readJSON(flag, text string) (json.RawMessage, error) {
	var b []byte
	var err error
	switch {
	case text == "":
		return json.RawMessage(`{}`), nil
	case text == "-":
		b, err = readInput(t.Stdin)
	case strings.HasPrefix(text, "@"):
		b, err = readInputFile(text[1:])
	default:
		b = []byte(text)
	}
	if err != nil {
		return nil, usage("%s: %w", flag, err)
	}
	if !json.Valid(b) {
		var v any
		return nil, usage("%s: not valid JSON: %w", flag, json.Unmarshal(b, &v))
	}
	if _, err := value.Strict(b); err != nil {
		return nil, usage("%s: %w", flag, err)
	}
	return b, nil
}

// readInput reads everything, up to the server's limit.
func readInput(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, inputMax+1))
	if err == nil && len(b) > inputMax {
		err = fmt.Errorf("larger than %s", phrase.Bytes(inputMax))
	}
	return b, err
}

func readInputFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return readInput(f)
}

// setPaths applies a.b=7 words to an object: JSON if it parses, else text.
func setPaths(doc json.RawMessage, sets []string) (json.RawMessage, error) {
	for _, s := range sets {
		path, text, ok := strings.Cut(s, "=")
		if !ok || path == "" {
			return nil, usage("--set %s: write it as PATH=VALUE, such as order.amount=7", s)
		}
		var err error
		if doc, err = setAt(doc, strings.Split(path, "."), jsonOrText(text)); err != nil {
			return nil, usage("--set %s: %w", s, err)
		}
	}
	return doc, nil
}

func jsonOrText(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	b, _ := json.Marshal(text) // a text is always valid
	return b
}

// setAt sets a value at a path of keys and creates the objects on the way.
func setAt(doc json.RawMessage, path []string, v json.RawMessage) (json.RawMessage, error) {
	if len(path) == 0 {
		return v, nil
	}
	if path[0] == "" {
		return nil, errors.New("the path contains an empty name")
	}
	if value.KindOf(doc) == value.KindArray {
		return nil, errors.New("lists can only be set as a whole")
	}
	var members []value.Member
	var inside json.RawMessage
	if value.KindOf(doc) == value.KindObject {
		for key, m := range value.Members(doc) {
			if key == path[0] {
				inside = m
			} else {
				members = append(members, value.Member{Key: key, Value: m})
			}
		}
	}
	inside, err := setAt(inside, path[1:], v)
	return value.Object(append(members, value.Member{Key: path[0], Value: inside})...), err
}
