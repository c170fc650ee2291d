// Command verify checks an exported audit log, a proof of a run or a proof that one
// end of the log follows another, with nothing but the standard library: a second
// reader of the formats that docs/audit.md describes, which shares no code with
// Assent. Copy it, read it, run it anywhere:
//
//	go run ./docs/verify [-key ed25519:…] [-head N:HASH] FILE
//
// It prints what it found and exits with 1 if the file was changed.
package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	key := flag.String("key", "", "the public key that must have signed it, or one linked to it")
	head := flag.String("head", "", "a head you kept earlier: N:HASH")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: verify [-key ed25519:…] [-head N:HASH] FILE")
		os.Exit(2)
	}
	file, err := os.ReadFile(flag.Arg(0))
	if err == nil {
		err = check(file, *key, *head)
	}
	if err != nil {
		fmt.Println("✗", err)
		os.Exit(1)
	}
}

func check(file []byte, key, kept string) error {
	v := &verifier{pin: key, kept: kept, next: map[string][]string{}}
	switch {
	case bytes.HasPrefix(file, []byte(`{"assent_proof":`)):
		return v.proof(file)
	case bytes.HasPrefix(file, []byte(`{"assent_consistency":`)):
		return v.consistency(file)
	}
	return v.export(file)
}

type verifier struct {
	pin, kept string
	next      map[string][]string // keys that signed each other
}

// fields reads an object, each member as it is written.
func fields(raw []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	return m, json.Unmarshal(raw, &m)
}

// strictly reads an object that has no other members than those of v.
func strictly(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // what is no text is an empty one, and fits nowhere
	return s
}

func number(raw json.RawMessage) int64 {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// Hashes.

func entryHash(prev string, body []byte) string {
	h := sha256.Sum256(append([]byte(prev), body...))
	return hex.EncodeToString(h[:])
}

// digest is the SHA-256 of parts, each with its length in eight bytes before it.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_ = binary.Write(h, binary.BigEndian, uint64(len(p))) // a hash takes all
		h.Write([]byte(p))
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

func leaf(hash string) []byte {
	b, _ := hex.DecodeString(hash)
	h := sha256.Sum256(append([]byte{0}, b...))
	return h[:]
}

func node(left, right []byte) []byte {
	h := sha256.Sum256(slices.Concat([]byte{1}, left, right))
	return h[:]
}

// half is the largest power of two below n.
func half(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

func root(hashes []string) []byte {
	if len(hashes) == 1 {
		return leaf(hashes[0])
	}
	k := half(len(hashes))
	return node(root(hashes[:k]), root(hashes[k:]))
}

// climb follows neighbours from a leaf to the root.
func climb(at []byte, i, n int, path []string) []byte {
	if n == 1 || len(path) == 0 {
		if n != 1 || len(path) != 0 {
			return nil
		}
		return at
	}
	neighbour, _ := hex.DecodeString(path[len(path)-1])
	path, k := path[:len(path)-1], half(n)
	if i < k {
		return node(climb(at, i, k, path), neighbour)
	}
	return node(neighbour, climb(at, i-k, n-k, path))
}

// Keys.

func publicKey(s string) (ed25519.PublicKey, string, error) {
	raw, ok := strings.CutPrefix(strings.TrimSpace(s), "ed25519:")
	b, err := base64.StdEncoding.DecodeString(raw)
	if !ok || err != nil || len(b) != ed25519.PublicKeySize {
		return nil, "", fmt.Errorf("%q is not a public key", s)
	}
	id := sha256.Sum256(b)
	return b, hex.EncodeToString(id[:8]), nil
}

// link notes two keys that signed each other.
func (v *verifier) link(raw json.RawMessage) error {
	l, err := fields(raw)
	if err != nil {
		return err
	}
	form := fmt.Sprintf("assent audit key link 1\n{\"at\":%s,\"from\":%s,\"to\":%s}", l["at"], l["from"], l["to"])
	var ids []string
	for _, end := range []string{"from", "to"} {
		public, id, err := publicKey(text(l[end]))
		sig, _ := base64.StdEncoding.DecodeString(text(l[end+"_sig"]))
		if err != nil || !ed25519.Verify(public, []byte(form), sig) {
			return errors.New("two keys did not sign each other")
		}
		ids = append(ids, id)
	}
	v.next[ids[0]], v.next[ids[1]] = append(v.next[ids[0]], ids[1]), append(v.next[ids[1]], ids[0])
	return nil
}

// trusts reports whether the pinned key leads to another one.
func (v *verifier) trusts(id string) bool {
	_, first, err := publicKey(v.pin)
	if v.pin == "" || err != nil {
		return v.pin == ""
	}
	seen := map[string]bool{first: true}
	for todo := []string{first}; len(todo) > 0; todo = todo[1:] {
		for _, k := range v.next[todo[0]] {
			if !seen[k] {
				seen[k] = true
				todo = append(todo, k)
			}
		}
	}
	return seen[id]
}

type head struct {
	n, from    int64
	hash, root string
}

// head checks the signature of a head.
func (v *verifier) head(raw json.RawMessage, keys map[string]ed25519.PublicKey) (head, error) {
	h, err := fields(raw)
	if err != nil {
		return head{}, err
	}
	form := fmt.Sprintf("assent audit head 1\n"+`{"at":%s,"from":%s,"hash":%s,"key":%s,"n":%s,"root":%s,"sig":""}`,
		h["at"], h["from"], h["hash"], h["key"], h["n"], h["root"])
	sig, err := base64.StdEncoding.DecodeString(text(h["sig"]))
	id := text(h["key"])
	public := keys[id]
	switch {
	case err != nil || public == nil || !ed25519.Verify(public, []byte(form), sig):
		return head{}, fmt.Errorf("the head at entry %s is not signed with the key %s", h["n"], id)
	case !v.trusts(id):
		return head{}, fmt.Errorf("the head at entry %s is signed with the key %s, which is not linked to the expected one",
			h["n"], id)
	}
	return head{number(h["n"]), number(h["from"]), text(h["hash"]), text(h["root"])}, nil
}

func (v *verifier) compareKept(n int64, hash string) error {
	number, want, _ := strings.Cut(strings.TrimSpace(v.kept), ":")
	if number == strconv.FormatInt(n, 10) && hash != want {
		return fmt.Errorf("entry %d is not the one that was kept", n)
	}
	return nil
}

// ordered makes sure that an entry has each member once, in order: there is one way
// to read it.
func ordered(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("it is not an object")
	}
	for last := ""; d.More(); {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok || key <= last {
			return fmt.Errorf("its member %v is out of order", t)
		}
		last = key
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			return err
		}
	}
	return nil
}

// values compares the values that an entry keeps with their digests.
func values(open json.RawMessage, sealed json.RawMessage) error {
	if len(open) == 0 {
		return nil
	}
	kept, err := fields(open)
	if err != nil {
		return err
	}
	digests, err := fields(sealed)
	if err != nil {
		return err
	}
	for name, raw := range kept {
		o, err := fields(raw)
		if err != nil {
			return err
		}
		for member := range o {
			if member != "salt" && member != "value" {
				return fmt.Errorf("its value %q is not in canonical form", name)
			}
		}
		if _, known := digests[name]; !known {
			return fmt.Errorf("it has an unknown value %q", name)
		}
		if len(o["value"]) > 0 && digest(text(o["salt"]), name, string(o["value"])) != text(digests[name]) {
			return fmt.Errorf("its value %q is not the one that was recorded", name)
		}
	}
	return nil
}

// export checks a log: one entry a line, and the signed head at the end.
func (v *verifier) export(file []byte) error {
	in := bufio.NewScanner(bytes.NewReader(file))
	in.Buffer(nil, 64<<20)
	prev := strings.Repeat("0", 64)
	var hashes []string
	ended := false
	for in.Scan() {
		line, n := in.Bytes(), int64(len(hashes))+1
		if ended {
			return errors.New("there is data after the end")
		}
		if bytes.HasPrefix(line, []byte(`{"end":`)) {
			if err := v.end(line, hashes); err != nil {
				return err
			}
			ended = true
			continue
		}
		e, err := fields(line)
		if err != nil {
			return fmt.Errorf("entry %d: %w", n, err)
		}
		tail := `,"hash":` + string(e["hash"])
		if len(e["open"]) > 0 {
			tail += `,"open":` + string(e["open"])
		}
		body, ok := bytes.CutSuffix(line, []byte(tail+"}"))
		body = append(bytes.Clone(body), '}')
		hash := text(e["hash"])
		switch {
		case !ok || ordered(body) != nil:
			return fmt.Errorf("entry %d is not in canonical form", n)
		case number(e["n"]) != n || text(e["prev"]) != prev || entryHash(prev, body) != hash:
			return fmt.Errorf("entry %d is not the one that follows", n)
		}
		if err := values(e["open"], e["sealed"]); err != nil {
			return fmt.Errorf("entry %d: %w", n, err)
		}
		if text(e["action"]) == "audit.key_added" {
			if detail, err := fields(e["detail"]); err == nil && len(detail["link"]) > 0 {
				if err := v.link(detail["link"]); err != nil {
					return fmt.Errorf("entry %d: %w", n, err)
				}
			}
		}
		if err := v.compareKept(n, hash); err != nil {
			return err
		}
		prev, hashes = hash, append(hashes, hash)
	}
	if err := in.Err(); err != nil {
		return err
	}
	if kept, _, _ := strings.Cut(v.kept, ":"); kept != "" && number(json.RawMessage(kept)) > int64(len(hashes)) {
		return errors.New("the log ends before the entry that was kept")
	}
	if !ended {
		return errors.New("the log ends without a signed head")
	}
	fmt.Printf("✓ %d entries, unchanged; ends at %d:%s\n", len(hashes), len(hashes), prev)
	return nil
}

func (v *verifier) end(line []byte, hashes []string) error {
	outer, err := fields(line)
	if err != nil {
		return err
	}
	e, err := fields(outer["end"])
	if err != nil {
		return err
	}
	public, id, err := publicKey(text(e["public"]))
	if err != nil {
		return err
	}
	h, err := v.head(e["head"], map[string]ed25519.PublicKey{id: public})
	if err != nil {
		return err
	}
	if h.n != int64(len(hashes)) || h.n != number(e["entries"]) || h.from < 1 || h.from > h.n || h.hash != hashes[h.n-1] {
		return fmt.Errorf("%d entries were signed, but there are %d, or other ones", h.n, len(hashes))
	}
	if hex.EncodeToString(root(hashes[h.from-1:])) != h.root {
		return errors.New("the signed head is over other entries")
	}
	return nil
}
