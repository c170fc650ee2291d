package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/notify/push"
	"github.com/assent-run/assent/internal/port"
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
func (p *pushService) subscribe(ctx context.Context, c *push.Channel) error {
	_, err := c.Subscribe(ctx, port.Push{Person: app.LocalAdmin.Name, Endpoint: p.web.URL + "/push/1", Browser: "bench",
		P256DH: p.private.PublicKey().Bytes(), Auth: p.auth})
	return err
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
