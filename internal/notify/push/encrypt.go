package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Sizes of RFC 8188 and RFC 8291. Services accept bodies of 4096 bytes, in one record.
const (
	recordSize = 4096
	saltSize   = 16
	headSize   = saltSize + 4 + 1 + 65
	tagSize    = 16
	// plainMax is the most that fits, with one byte that ends the text.
	plainMax = recordSize - headSize - tagSize - 1
	// padTo rounds up the size, so that it tells little about the text.
	padTo = 512
)

// encrypt encrypts a text for a browser: RFC 8291 with aes128gcm.
func encrypt(plain []byte, browser *ecdh.PublicKey, secret []byte) ([]byte, error) {
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, saltSize)
	rand.Read(salt) //nolint:errcheck // it never fails
	return encryptWith(plain, browser, secret, own, salt)
}

func encryptWith(
	plain []byte, browser *ecdh.PublicKey, secret []byte, own *ecdh.PrivateKey, salt []byte,
) ([]byte, error) {
	if len(plain) > plainMax {
		return nil, fmt.Errorf("a message of %d bytes is longer than %d", len(plain), plainMax)
	}
	shared, err := own.ECDH(browser)
	if err != nil {
		return nil, err
	}
	info := append([]byte("WebPush: info\x00"), browser.Bytes()...)
	material, err := hkdf.Key(sha256.New, shared, secret, string(append(info, own.PublicKey().Bytes()...)), 32)
	if err != nil {
		return nil, err
	}
	content, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(content)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, recordSize)
	out = append(out, salt...)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(out, byte(len(own.PublicKey().Bytes())))
	out = append(out, own.PublicKey().Bytes()...)
	return gcm.Seal(out, nonce, padded(plain), nil), nil
}

// padded ends the text with 2, the delimiter of the last record, and zeros.
func padded(plain []byte) []byte {
	size := min((len(plain)/padTo+1)*padTo, plainMax+1)
	out := make([]byte, size)
	out[copy(out, plain)] = 2
	return out
}
