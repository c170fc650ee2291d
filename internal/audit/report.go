package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// reportDomain separates signatures of reports from all others.
const reportDomain = "assent verification report 1\n"

// ReadKey reads the key in a file, or that of a data directory. It never creates one.
func ReadKey(path string) (*Key, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, KeyFile)
	}
	return readKey(path)
}

// SignReport signs a document about the verification of a deployment.
func (k *Key) SignReport(doc []byte) string {
	return base64.StdEncoding.EncodeToString(ed25519.Sign(k.private, append([]byte(reportDomain), doc...)))
}

// CheckReport verifies the signature of such a document.
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
		return fmt.Errorf("the report was changed after the key %s signed it", id)
	}
	return nil
}
