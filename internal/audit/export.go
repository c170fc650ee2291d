package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// An export has one entry per line: its canonical form, followed by its hash and the values that are still
// kept. The last line is the signed head.

// lineMax limits one line of an export.
const lineMax = 8 << 20

// end is the last line.
type end struct {
	End endBody `json:"end"`
}

type endBody struct {
	Entries int64          `json:"entries"`
	Head    port.AuditHead `json:"head"`
	Public  string         `json:"public"` // the key of the head
}

// line encodes an entry. Salts of values in the run's log are left out: without the value, a changed salt
// could not be detected.
func line(r port.AuditRow) ([]byte, error) {
	open, err := port.OpenWith(r.Open, func(o port.OpenedValue) bool { return len(o.Value) > 0 })
	if err != nil {
		return nil, bad(r.N, "%v", err)
	}
	return slices.Concat(r.Body[:max(len(r.Body)-1, 0)], []byte(behind(r.Hash, open)), []byte("\n")), nil
}

// behind is the part after the canonical form of an entry.
func behind(hash string, open []byte) string {
	s := `,"hash":"` + hash + `"`
	if len(open) > 0 {
		s += `,"open":` + string(open)
	}
	return s + "}"
}

// readLine parses the output of line.
func readLine(text []byte) (r port.AuditRow, err error) {
	var parts struct {
		Hash string          `json:"hash"`
		Open json.RawMessage `json:"open"`
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		return r, errors.New("the line is not JSON")
	}
	form, ok := bytes.CutSuffix(text, []byte(behind(parts.Hash, parts.Open)))
	if !ok {
		return r, errors.New("the line is not in canonical form")
	}
	r.Body, r.Hash, r.Open = append(bytes.Clone(form), '}'), parts.Hash, parts.Open
	return r, nil
}

// Expected is what the caller knows about a log from elsewhere.
type Expected struct {
	Public string           // the key that must have signed it, or one linked to it; empty: any
	Links  []port.AuditLink // between keys, in addition to those in the file
	Head   string           // N:HASH of an entry that existed: detects truncated or rebuilt logs
	// Read is called now and then with the number of bytes read.
	Read func(bytes int64)
}

// Result is the result of a check.
type Result struct {
	OK       bool      `json:"ok"`
	Entries  int64     `json:"entries"`
	FirstBad *int64    `json:"first_bad"`
	Why      string    `json:"why"`
	Head     string    `json:"head"`           // N:HASH of the last entry
	Key      string    `json:"key"`            // id of the key that signed it
	Public   string    `json:"public"`         // the key itself
	Pinned   bool      `json:"pinned"`         // it is the expected key
	Removed  int       `json:"removed"`        // redacted values
	Run      string    `json:"run,omitempty"`  // in a proof
	From     string    `json:"from,omitempty"` // N:HASH that Head follows, in a consistency proof
	SignedAt time.Time `json:"signed_at,omitzero"`
}

// failed is the result for an error.
func (r Result) failed(err error) Result {
	r.OK, r.Why = false, err.Error()
	if b, ok := asBad(err); ok {
		r.FirstBad, r.Why = &b.N, b.Why
	}
	return r
}

// VerifyExport verifies the output of Export. The error is for input that could not be read; problems with
// the log are in the result.
func VerifyExport(in io.Reader, x Expected) (Result, error) {
	want, err := x.parse()
	if err != nil {
		return Result{}, err
	}
	v := exportReader{in: bufio.NewReaderSize(in, 1<<16), chain: NewChain(0, ""), x: x, want: want}
	err = v.read()
	r := Result{OK: true, Entries: v.chain.N}
	if _, isBad := asBad(err); isBad {
		return r.failed(err), nil
	}
	if err != nil {
		return r, err
	}
	h := v.end.Head
	r.Head, r.Key, r.Public, r.SignedAt, r.Pinned = FormatHead(h.N, h.Hash), h.Key, v.end.Public, h.At, x.Public != ""
	return r, nil
}

type exportReader struct {
	in     *bufio.Reader
	chain  *Chain
	x      Expected
	want   known
	hashes []string // since the start of the newest possible head
	bytes  int64
	links  []port.AuditLink
	end    *endBody
}

func (v *exportReader) read() error {
	for {
		text, err := readText(v.in)
		if errors.Is(err, io.EOF) && len(text) == 0 {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		v.bytes += int64(len(text))
		n := v.chain.N + 1
		switch {
		case v.end != nil:
			return bad(n, "there is data after the end")
		case err != nil:
			return bad(n, "the file ends in the middle of a line")
		case bytes.HasPrefix(text, []byte(`{"end":`)):
			err = v.readEnd(text[:len(text)-1])
		default:
			err = v.readEntry(text[:len(text)-1])
		}
		if err != nil {
			return err
		}
		if v.x.Read != nil && n%1000 == 0 {
			v.x.Read(v.bytes)
		}
	}
	if v.end == nil {
		return bad(v.chain.N+1, "the log ends without a signed head: it was truncated")
	}
	return v.want.missing(v.chain.N)
}

// readText reads a line with its newline.
func readText(in *bufio.Reader) (text []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
		if len(text) > lineMax {
			return nil, fmt.Errorf("a line is longer than %d bytes: not a valid audit log", lineMax)
		}
	}
}

func (v *exportReader) readEntry(text []byte) error {
	n := v.chain.N + 1
	r, err := readLine(text)
	if err != nil {
		return bad(n, "%v", err)
	}
	e, err := v.chain.Add(r.Body, r.Hash)
	if err != nil {
		return err
	}
	open, err := port.ReadOpen(r.Open, e.Sealed)
	if err != nil {
		return bad(n, "%v", err)
	}
	for name, o := range open {
		if len(o.Value) == 0 {
			return bad(n, "it has a salt but not the value %q", name)
		}
	}
	if e.Action == ActionKey {
		k, err := keyOf(port.AuditRow{N: n, Body: r.Body})
		if err != nil {
			return err
		}
		if k.Link != nil {
			v.links = append(v.links, *k.Link)
		}
	}
	v.hashes = append(v.hashes, e.Hash)
	if len(v.hashes) > segmentMax {
		v.hashes = v.hashes[len(v.hashes)-segmentMax:]
	}
	return v.want.compare(e.N, e.Hash)
}

func (v *exportReader) readEnd(text []byte) error {
	n := v.chain.N + 1
	var e end
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return bad(n, "the last line cannot be read")
	}
	if again, err := value.Marshal(e); err != nil || !bytes.Equal(again, text) {
		return bad(n, "the last line is not in canonical form")
	}
	v.end = &e.End
	h := e.End.Head
	public, _, err := ParsePublic(e.End.Public)
	if err != nil {
		return bad(n, "the key in the last line cannot be read")
	}
	if err := expectKey(public, v.x, v.links); err != nil {
		return bad(n, "%v", err)
	}
	switch {
	case h.N != v.chain.N || e.End.Entries != v.chain.N:
		return bad(min(n, h.N), "%d entries were signed, but there are %d", h.N, v.chain.N)
	case h.Hash != v.chain.Hash:
		return bad(v.chain.N, "it is not the one that was signed")
	}
	if err := checkSignature(h, public); err != nil {
		return bad(n, "%v", err)
	}
	return v.checkRoot(h)
}

// checkRoot compares the root of the head with the entries it covers.
func (v *exportReader) checkRoot(h port.AuditHead) error {
	size := h.N - h.From + 1
	if size < 1 || size > int64(len(v.hashes)) {
		return bad(h.N, "the head begins at entry %d", h.From)
	}
	got, err := rootOf(v.hashes[int64(len(v.hashes))-size:])
	if err != nil || got != h.Root {
		return bad(h.N, "the head does not match these entries")
	}
	return nil
}

// known is an entry that the caller has seen before.
type known struct {
	n    int64
	hash string
}

// FormatHead formats the end of a log for people to keep: N:HASH.
func FormatHead(n int64, hash string) string { return strconv.FormatInt(n, 10) + ":" + hash }

// parse reads what the caller knows.
func (x Expected) parse() (known, error) {
	head, err := parseHead(x.Head)
	if err == nil && x.Public != "" {
		_, _, err = ParsePublic(x.Public)
	}
	return head, err
}

func parseHead(text string) (known, error) {
	if text == "" {
		return known{}, nil
	}
	number, hash, _ := strings.Cut(strings.TrimSpace(text), ":")
	n, err := strconv.ParseInt(number, 10, 64)
	if _, bad := leafHash(hash); err != nil || n < 1 || bad != nil {
		return known{}, fmt.Errorf("%q is not a valid head; write N:HASH, see: assent audit head", shorten(text))
	}
	return known{n, hash}, nil
}

func (k known) compare(n int64, hash string) error {
	if n == k.n && hash != k.hash {
		return bad(n, "it is not the entry whose hash you kept")
	}
	return nil
}

func (k known) missing(last int64) error {
	if k.n > last {
		return bad(last+1, "the log ends at %d, but you kept the hash of entry %d: it was truncated", last, k.n)
	}
	return nil
}
