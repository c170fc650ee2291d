package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// reportDomain keeps signatures of reports apart from all others.
const reportDomain = "assent verification report 1\n"

// ReadKey reads the key in a file, or that of a data directory. It makes none.
func ReadKey(path string) (*Key, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, KeyFile)
	}
	return readKey(path)
}

// SignReport signs a document that says how a deployment was verified.
func (k *Key) SignReport(doc []byte) string {
	return base64.StdEncoding.EncodeToString(ed25519.Sign(k.private, append([]byte(reportDomain), doc...)))
}

// CheckReport says what is wrong with the signature of such a document.
func CheckReport(public string, doc []byte, signature string) error {
	key, id, err := ParsePublic(public)
	if err != nil {
		return err
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(signature)
	if err != nil {
		return errors.New("the signature cannot be read")
	}
	if !ed25519.Verify(key, append([]byte(reportDomain), doc...), sig) {
		return fmt.Errorf("the report is not as the key %s signed it", id)
	}
	return nil
}
