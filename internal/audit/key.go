package audit

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// KeyFile is the name of the server's key in its data directory.
const KeyFile = "audit.key"

const (
	keyPrefix = "ed25519:"
	keyMax    = 16 << 10 // bytes of a key file
	pemType   = "PRIVATE KEY"
	// domain separates signatures of heads from all others.
	domain = "assent audit head 1\n"
)

// Key signs heads.
type Key struct {
	private ed25519.PrivateKey
	ID      string
	Public  string // ed25519:…
}

// KeyIn reads the key of a data directory on first use, and creates one if there is none.
func KeyIn(dir string) func() (*Key, error) {
	return func() (*Key, error) {
		file := filepath.Join(dir, KeyFile)
		k, err := readKey(file)
		if errors.Is(err, fs.ErrNotExist) {
			if err := makeKey(file); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, fmt.Errorf("create the key that signs the audit log: %w", err)
			}
			k, err = readKey(file) // ours, or that of a faster process
		}
		if err != nil {
			return nil, fmt.Errorf("read the key that signs the audit log: %w", err)
		}
		return k, nil
	}
}

func readKey(file string) (*Key, error) {
	b, err := readSmall(file, keyMax)
	if err != nil {
		return nil, err
	}
	k, err := ParseKey(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return k, nil
}

// readSmall reads a file that must be small.
func readSmall(file string, most int64) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%s has %d bytes, more than expected", file, info.Size())
	}
	return os.ReadFile(file)
}

// newKeyPEM generates a key.
func newKeyPEM() ([]byte, error) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der}), nil
}

// makeKey writes a new key with owner-only permissions. It never replaces one.
func makeKey(file string) error {
	text, err := newKeyPEM()
	if err != nil {
		return err
	}
	return putFile(file, text, os.Link) // atomically
}

// replaceFile atomically replaces a file with owner-only permissions.
func replaceFile(file string, b []byte) error { return putFile(file, b, os.Rename) }

func putFile(file string, b []byte, put func(from, to string) error) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // gone, or it only had a second name
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return put(tmp.Name(), file)
}

// ParseKey parses a private key: PKCS #8 in PEM, as openssl writes it. Errors never quote any of it.
func ParseKey(text string) (*Key, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil || block.Type != pemType {
		return nil, errors.New("not a private key in PEM form; create one with: openssl genpkey -algorithm ed25519")
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, ok := any.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, errors.New("not an Ed25519 key; create one with: openssl genpkey -algorithm ed25519")
	}
	public := private.Public().(ed25519.PublicKey)
	return &Key{private: private, ID: keyID(public), Public: keyPrefix + base64.StdEncoding.EncodeToString(public)}, nil
}

// keyID returns the id of a key.
func keyID(public ed25519.PublicKey) string {
	h := sha256.Sum256(public)
	return hex.EncodeToString(h[:8])
}

// ParsePublic parses a public key in the format of Key.Public, and returns its id.
func ParsePublic(text string) (ed25519.PublicKey, string, error) {
	raw, ok := strings.CutPrefix(strings.TrimSpace(text), keyPrefix)
	b, err := base64.StdEncoding.Strict().DecodeString(raw)
	if !ok || err != nil || len(b) != ed25519.PublicKeySize {
		return nil, "", fmt.Errorf("%q is not a valid public key; it begins with %s, see: assent audit key",
			shorten(text), keyPrefix)
	}
	return b, keyID(b), nil
}

func shorten(s string) string { return phrase.ClipBytes(s, 60) }

// signed is the text that is signed.
func signed(h port.AuditHead) ([]byte, error) {
	h.Sig = ""
	raw, err := value.Marshal(h)
	return append([]byte(domain), value.Canonical(raw)...), err
}

func (k *Key) sign(h *port.AuditHead) error {
	h.Key = k.ID
	b, err := signed(*h)
	if err != nil {
		return err
	}
	h.Sig = base64.StdEncoding.EncodeToString(ed25519.Sign(k.private, b))
	return nil
}

// checkSignature verifies the signature of a head.
func checkSignature(h port.AuditHead, public ed25519.PublicKey) error {
	sig, err := base64.StdEncoding.Strict().DecodeString(h.Sig)
	if err != nil {
		return errors.New("the signature cannot be read")
	}
	b, err := signed(h)
	if err != nil {
		return err
	}
	if h.Key != keyID(public) || !ed25519.Verify(public, b, sig) {
		return fmt.Errorf("the signature of the head at entry %d is not valid", h.N)
	}
	return nil
}
