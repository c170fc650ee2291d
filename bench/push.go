package main

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
)

// pushService is a browser with its push service. It shares no code with the sender.
type pushService struct {
	web     *httptest.Server
	private *ecdh.PrivateKey
	auth    []byte
	dir     string
}

// newPushService starts a service. The process trusts its certificate if it has not verified another one yet.
func newPushService(arrives http.Handler) (*pushService, error) {
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "assent-bench-push-")
	if err != nil {
		return nil, err
	}
	p := &pushService{web: httptest.NewTLSServer(arrives), private: private, auth: make([]byte, 16), dir: dir}
	rand.Read(p.auth) //nolint:errcheck // it never fails
	file := filepath.Join(dir, "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.web.Certificate().Raw})
	if err = os.WriteFile(file, text, 0o600); err == nil {
		err = os.Setenv("SSL_CERT_FILE", file)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *pushService) close() {
	p.web.Close()
	_ = os.RemoveAll(p.dir) // a temporary directory
}

// subscribe tells a server where the browser is reached.
func (p *pushService) subscribe(ctx context.Context, server string) error {
	text := base64.RawURLEncoding.EncodeToString
	body, err := json.Marshal(map[string]any{"endpoint": p.web.URL + "/push/1", "browser": "bench",
		"keys": map[string]string{"p256dh": text(p.private.PublicKey().Bytes()), "auth": text(p.auth)}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, server+"/me/push", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // nothing is read
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("subscribe to push messages: %s", res.Status)
	}
	return nil
}

// decrypt decrypts a message: RFC 8291 and RFC 8188.
func (p *pushService) decrypt(body []byte) ([]byte, error) {
	const head, key = 21, 65
	if len(body) < head+key || body[20] != key {
		return nil, errors.New("the message is too short")
	}
	sender, err := ecdh.P256().NewPublicKey(body[head : head+key])
	if err != nil {
		return nil, err
	}
	shared, err := p.private.ECDH(sender)
	if err != nil {
		return nil, err
	}
	info := slices.Concat([]byte("WebPush: info\x00"), p.private.PublicKey().Bytes(), sender.Bytes())
	secret, err := hkdf.Key(sha256.New, shared, p.auth, string(info), 32)
	if err != nil {
		return nil, err
	}
	cek, err := hkdf.Key(sha256.New, secret, body[:16], "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, secret, body[:16], "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(cek)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return gcm.Open(nil, nonce, body[head+key:], nil)
}
