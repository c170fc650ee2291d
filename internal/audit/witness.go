package audit

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// With the key and the anchor, the whole log can be rebuilt. Witnesses receive every signed head, in places
// that the operator cannot change: a log that does not contain a head known to a witness was rebuilt.

// Witness stores heads elsewhere.
type Witness interface {
	String() string // its location, for people
	Keep(ctx context.Context, h port.AuditHead, public string) error
}

const (
	witnessWait  = 30 * time.Second // for one answer
	witnessAgain = 10 * time.Second // after the first failure; it doubles
	witnessRest  = 10 * time.Minute // at most
	witnessBytes = 1 << 20          // of an answer
)

// OpenWitness creates a witness from a setting: https://… gets a POST, git:DIR gets a commit, tsa:https://…
// returns a timestamp, which is stored in a directory.
func OpenWitness(text, folder string, client *http.Client) (Witness, error) {
	switch scheme, rest, _ := strings.Cut(text, ":"); scheme {
	case "https", "http":
		return webhook{text, client}, nil
	case "git":
		return gitFolder(rest), nil
	case "tsa":
		return timestamps{rest, folder, client}, nil
	}
	return nil, fmt.Errorf("%q is not a witness; write https://…, git:DIRECTORY or tsa:https://…", shorten(text))
}

// keepTelling sends a witness every new head until Stop. Failures are reported and retried; nothing else
// waits for it.
func (s *Service) keepTelling(w Witness) {
	told, wait, pause := int64(0), sealEvery, witnessAgain
	for {
		select {
		case <-time.After(wait):
		case <-s.ctx.Done():
			return
		}
		wait = lookEvery
		if s.Leads != nil && !s.Leads() {
			continue
		}
		n, err := s.tellWitness(s.ctx, w, told)
		switch {
		case err == nil:
			told, pause = n, witnessAgain
		case s.ctx.Err() == nil && !errors.Is(err, port.ErrUnavailable):
			s.Log.Error("a witness did not accept the head of the audit log; retrying", "witness", w.String(), "in",
				pause, "error", err)
			wait, pause = pause, min(2*pause, witnessRest)
		}
	}
}

// tellWitness sends a witness the newest head, unless it knows it.
func (s *Service) tellWitness(ctx context.Context, w Witness, told int64) (int64, error) {
	h, err := s.Store.LastAuditHead(ctx)
	if err != nil || h.N == told {
		return told, err
	}
	public, err := s.publicOf(ctx, h.Key)
	if err != nil {
		return told, err
	}
	ctx, end := context.WithTimeout(ctx, witnessWait)
	defer end()
	return h.N, w.Keep(ctx, h, public)
}

// testimony is a head as a witness stores it.
func testimony(h port.AuditHead, public string) ([]byte, error) {
	b, err := value.Marshal(map[string]any{"end": standsAt(h), "head": h, "public": public})
	return append(b, '\n'), err
}

func post(ctx context.Context, client *http.Client, url, kind string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", kind)
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	answer, err := io.ReadAll(io.LimitReader(resp.Body, witnessBytes))
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("response %s", resp.Status)
	}
	return answer, err
}

// webhook receives a POST.
type webhook struct {
	url    string
	client *http.Client
}

func (w webhook) String() string { return w.url }

// Keep implements Witness.
func (w webhook) Keep(ctx context.Context, h port.AuditHead, public string) error {
	b, err := testimony(h, public)
	if err == nil {
		_, err = post(ctx, w.client, w.url, "application/json", b)
	}
	return err
}

// gitFolder is a clone of a repository: each head is a line of audit-heads.jsonl and a commit, which is
// pushed if the repository has a remote.
type gitFolder string

func (dir gitFolder) String() string { return "git:" + string(dir) }

// Keep implements Witness.
func (dir gitFolder) Keep(ctx context.Context, h port.AuditHead, public string) error {
	const name = "audit-heads.jsonl"
	b, err := testimony(h, public)
	if err != nil {
		return err
	}
	file := filepath.Join(string(dir), name)
	known, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if !bytes.Contains(known, b) { // a commit or a push may have failed after it was written
		if err := os.WriteFile(file, append(known, b...), 0o644); err != nil {
			return err
		}
	}
	if _, err := dir.git(ctx, "add", "--", name); err != nil {
		return err
	}
	if changed, err := dir.git(ctx, "status", "--porcelain", "--", name); err != nil {
		return err
	} else if changed != "" {
		if _, err := dir.git(ctx, "commit", "-q", "-m", "Audit log: "+standsAt(h), "--", name); err != nil {
			return err
		}
	}
	remotes, err := dir.git(ctx, "remote")
	if err == nil && remotes != "" {
		_, err = dir.git(ctx, "push", "-q", strings.Fields(remotes)[0], "HEAD")
	}
	return err
}

func (dir gitFolder) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", string(dir)}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(out))
	}
	return string(bytes.TrimSpace(out)), nil
}

// timestamps uses a timestamp service (RFC 3161) and stores its answers: for each head the stamped text
// (N.json) and the answer (N.tsr).
type timestamps struct {
	url    string
	folder string
	client *http.Client
}

func (w timestamps) String() string { return "tsa:" + w.url }

var (
	oidSHA256  = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}
	oidTSTInfo = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
)

type algorithm struct {
	OID    asn1.ObjectIdentifier
	Params asn1.RawValue `asn1:"optional"`
}

type imprint struct {
	Algorithm algorithm
	Hash      []byte
}

type stampRequest struct {
	Version int
	Imprint imprint
	Nonce   *big.Int
	Cert    bool
}

// Keep implements Witness.
func (w timestamps) Keep(ctx context.Context, h port.AuditHead, public string) error {
	b, err := testimony(h, public)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	nonce, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))
	if err != nil {
		return err
	}
	query, err := asn1.Marshal(stampRequest{1, imprint{algorithm{oidSHA256, asn1.NullRawValue}, sum[:]}, nonce, true})
	if err != nil {
		return err
	}
	answer, err := post(ctx, w.client, w.url, "application/timestamp-query", query)
	if err != nil {
		return err
	}
	if err := checkStamp(answer, sum[:], nonce); err != nil {
		return err
	}
	name := filepath.Join(w.folder, fmt.Sprint(h.N))
	return errors.Join(replaceFile(name+".json", b), replaceFile(name+".tsr", answer))
}

// checkStamp checks that an answer covers the request. Verifying its signature is up to those who rely on it,
// with a certificate that they trust.
func checkStamp(answer, sum []byte, nonce *big.Int) error {
	var reply struct {
		Status struct {
			Code asn1.RawValue
			Text asn1.RawValue `asn1:"optional"`
			Fail asn1.RawValue `asn1:"optional"`
		}
		Token asn1.RawValue `asn1:"optional"`
	}
	if _, err := asn1.Unmarshal(answer, &reply); err != nil {
		return fmt.Errorf("the response is not a valid timestamp: %w", err)
	}
	if code := reply.Status.Code.Bytes; len(code) != 1 || code[0] > 1 {
		return fmt.Errorf("no timestamp was granted (status %v)", code)
	}
	var token struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue `asn1:"explicit,tag:0"`
	}
	if _, err := asn1.Unmarshal(reply.Token.FullBytes, &token); err != nil {
		return fmt.Errorf("the response contains no timestamp: %w", err)
	}
	var signed struct {
		Version int
		Digests asn1.RawValue
		Content struct {
			Type asn1.ObjectIdentifier
			Info []byte `asn1:"explicit,tag:0"`
		}
	}
	if err := lenient(token.Content.Bytes, &signed.Version, &signed.Digests, &signed.Content); err != nil {
		return fmt.Errorf("the timestamp cannot be read: %w", err)
	}
	var version int
	var policy asn1.ObjectIdentifier
	var about imprint
	if !signed.Content.Type.Equal(oidTSTInfo) {
		return errors.New("the response contains something other than a timestamp")
	}
	if err := lenient(signed.Content.Info, &version, &policy, &about); err != nil {
		return fmt.Errorf("the timestamp cannot be read: %w", err)
	}
	wanted, err := asn1.Marshal(nonce)
	if err != nil {
		return err
	}
	if !bytes.Equal(about.Hash, sum) || !bytes.Contains(signed.Content.Info, wanted) {
		return errors.New("the timestamp is for another digest")
	}
	return nil
}

// lenient parses the first members of a sequence and ignores the rest.
func lenient(der []byte, members ...any) error {
	var sequence asn1.RawValue
	if _, err := asn1.Unmarshal(der, &sequence); err != nil {
		return err
	}
	rest := sequence.Bytes
	for _, m := range members {
		var err error
		if rest, err = asn1.Unmarshal(rest, m); err != nil {
			return err
		}
	}
	return nil
}
