package trigger

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
)

// Headers of deliveries.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
	headerGitHub    = "X-Hub-Signature-256"
	headerEvent     = "X-GitHub-Event"
	headerDelivery  = "X-GitHub-Delivery"
)

const (
	tolerance     = 5 * time.Minute // of the clocks of Standard Webhooks
	signaturesMax = 32              // in one header
	idMax         = 256             // bytes of a webhook-id
)

// Headers are those of a request.
type Headers interface {
	Values(name string) []string
}

// refused is the error of a delivery that does not prove who sent it.
func refused(message, hint string) error { return fault.New(fault.Unauthenticated, message, hint) }

// one is the only value of a header. Several could be read differently by different programs.
func one(h Headers, name string) (string, error) {
	switch all := h.Values(name); len(all) {
	case 0:
		return "", refused("the header "+name+" is missing", "")
	case 1:
		return all[0], nil
	}
	return "", refused("duplicate header "+name, "send it once")
}

// verify checks that a delivery comes from the holder of a secret.
func verify(v *definition.Verify, secret string, h Headers, body []byte, now time.Time) error {
	switch v.Kind {
	case definition.VerifyNone:
		return nil
	case definition.VerifyStandard:
		return verifyStandard(secret, h, body, now)
	case definition.VerifyGitHub:
		return verifyGitHub(secret, h, body)
	case definition.VerifyHeader:
		return verifyHeader(secret, h, v.Header)
	}
	return refused("deliveries to this trigger cannot be verified", "") // a checked document has no other
}

// verifyStandard follows https://www.standardwebhooks.com: the signature covers id, time and body.
func verifyStandard(secret string, h Headers, body []byte, now time.Time) error {
	key, err := definition.WebhookKey(secret)
	if err != nil {
		return errSecret
	}
	id, err := one(h, headerID)
	if err != nil {
		return err
	}
	stamp, err := one(h, headerTimestamp)
	if err != nil {
		return err
	}
	signatures, err := one(h, headerSignature)
	if err != nil {
		return err
	}
	if id == "" || len(id) > idMax {
		return refused("the header webhook-id is not valid", "")
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != stamp {
		return refused("the header webhook-timestamp is not a time in seconds", "")
	}
	content := standardContent(id, stamp, body)
	all := strings.Split(signatures, " ")
	for _, signature := range all[:min(len(all), signaturesMax)] {
		version, text, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !signs(secret, version, key, content, given) {
			continue
		}
		// The time is checked last: its error is for senders who hold the secret.
		switch age := now.Sub(time.Unix(seconds, 0)); {
		case age > tolerance:
			return refused("the delivery is too old: it was signed more than 5 minutes ago", "sign it again")
		case age < -tolerance:
			return refused("the delivery was signed in the future: the clocks differ by more than 5 minutes",
				"check the clocks")
		}
		return nil
	}
	return refused("the signature does not match", "check that both sides use the same secret")
}

// signs reports whether a signature of a version is that of the content.
func signs(secret, version string, key, content, given []byte) bool {
	public := strings.HasPrefix(secret, definition.WebhookPublic)
	switch {
	case version == "v1" && !public:
		return hmac.Equal(given, sum(key, content))
	case version == "v1a" && public:
		return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, content, given)
	}
	return false
}

func standardContent(id, stamp string, body []byte) []byte {
	return append([]byte(id+"."+stamp+"."), body...)
}

func sum(key, content []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(content)
	return m.Sum(nil)
}

func verifyGitHub(secret string, h Headers, body []byte) error {
	if secret == "" {
		return errSecret
	}
	text, err := one(h, headerGitHub)
	if err != nil {
		return err
	}
	digits, ok := strings.CutPrefix(text, "sha256=")
	given, err := hex.DecodeString(digits)
	if !ok || err != nil || !hmac.Equal(given, sum([]byte(secret), body)) {
		return refused("the signature does not match", "check that both sides use the same secret")
	}
	return nil
}

// verifyHeader compares digests, so that the time it takes tells nothing about the secret, not even its length.
func verifyHeader(secret string, h Headers, name string) error {
	if secret == "" {
		return errSecret
	}
	text, err := one(h, name)
	if err != nil {
		return err
	}
	given, want := sha256.Sum256([]byte(text)), sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
		return refused("the header "+name+" has the wrong value", "check that both sides use the same secret")
	}
	return nil
}

// Sign returns the headers that prove that a delivery comes from the holder of a secret, for tests of a trigger.
func Sign(v *definition.Verify, secret, id string, body []byte, now time.Time) (map[string]string, error) {
	switch v.Kind {
	case definition.VerifyStandard:
		key, err := definition.WebhookKey(secret)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(secret, definition.WebhookPublic) {
			return nil, fault.New(fault.Unsupported, "a public key cannot sign", "use the private key of the sender")
		}
		stamp := strconv.FormatInt(now.Unix(), 10)
		return map[string]string{headerID: id, headerTimestamp: stamp,
			headerSignature: "v1," + base64.StdEncoding.EncodeToString(sum(key, standardContent(id, stamp, body)))}, nil
	case definition.VerifyGitHub:
		return map[string]string{headerGitHub: "sha256=" + hex.EncodeToString(sum([]byte(secret), body)),
			headerDelivery: id}, nil
	case definition.VerifyHeader:
		return map[string]string{v.Header: secret}, nil
	}
	return map[string]string{}, nil
}
