package webhook

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// Prefixes of keys.
const (
	secretPrefix  = "whsec_"
	privatePrefix = "whsk_"
	publicPrefix  = "whpk_"
)

// Limits of keys.
const (
	secretMin = 8 // bytes; Standard Webhooks recommends 24 to 64
	secretMax = 1 << 10
	keysMax   = 5 // at once
)

// keys sign requests.
type keys struct {
	secrets [][]byte
	private []ed25519.PrivateKey
}

func parseKeys(secret, signingKey string) (keys, error) {
	out, err := parseSigningKeys(signingKey)
	if err != nil {
		return keys{}, err
	}
	texts := list(secret)
	if len(texts) == 0 || len(texts) > keysMax {
		return keys{}, fmt.Errorf("secret: from 1 to %d secrets are needed, each whsec_ and base64", keysMax)
	}
	for _, text := range texts {
		raw, err := decode(strings.TrimPrefix(text, secretPrefix))
		if err != nil || len(raw) < secretMin || len(raw) > secretMax {
			return keys{}, fmt.Errorf("secret: not a secret of Standard Webhooks: whsec_ and %d bytes or more in base64, "+
				"such as of: openssl rand -base64 32", secretMin)
		}
		out.secrets = append(out.secrets, raw)
	}
	return out, nil
}

func parseSigningKeys(text string) (keys, error) {
	var out keys
	texts := list(text)
	if len(texts) > keysMax {
		return keys{}, fmt.Errorf("signing_key: at most %d keys", keysMax)
	}
	wrong := errors.New("signing_key: not a private key of Standard Webhooks: whsk_ and an Ed25519 key in base64")
	for _, text := range texts {
		raw, err := decode(strings.TrimPrefix(text, privatePrefix))
		if err != nil || !strings.HasPrefix(text, privatePrefix) {
			return keys{}, wrong
		}
		switch len(raw) {
		case ed25519.SeedSize:
			out.private = append(out.private, ed25519.NewKeyFromSeed(raw))
		case ed25519.PrivateKeySize: // a seed with its public key
			key := ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize])
			if !bytes.Equal(key, raw) {
				return keys{}, wrong
			}
			out.private = append(out.private, key)
		default:
			return keys{}, wrong
		}
	}
	return out, nil
}

// list splits keys, which may be on lines of their own.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,\t\r\n", r) })
}

// decode accepts base64 with or without padding.
func decode(text string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
}

func (k keys) public() []string {
	var out []string
	for _, key := range k.private {
		out = append(out, publicPrefix+base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey)))
	}
	return out
}

// sign returns the header webhook-signature.
func (k keys) sign(id, at string, body []byte) string {
	text := append([]byte(id+"."+at+"."), body...)
	var out []string
	for _, secret := range k.secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write(text)
		out = append(out, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	for _, key := range k.private {
		out = append(out, "v1a,"+base64.StdEncoding.EncodeToString(ed25519.Sign(key, text)))
	}
	return strings.Join(out, " ")
}
