package email

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// The signer of the mail library folds long tags inside of words, and such signatures do not verify; with a list of
// headers as short as it takes, neither the thread nor the address to unsubscribe would be signed.

// signed are the headers that a signature covers, and oversigned those of which a mail has exactly one: with a second
// one it does not verify.
var (
	signed = []string{"From", "To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "MIME-Version",
		"Content-Type", "Auto-Submitted", "List-Unsubscribe", "List-Unsubscribe-Post"}
	oversigned = []string{"From", "To", "Subject", "Date", "Message-ID", "Content-Type", "List-Unsubscribe"}
)

// keyBitsMin is the shortest RSA key that RFC 8301 permits.
const keyBitsMin = 1024

var dnsName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)

// parseKey checks a configuration. Errors do not contain the key.
func parseKey(d DKIM) (crypto.Signer, error) {
	if !dnsName.MatchString(d.Domain) || !dnsName.MatchString(d.Selector) {
		return nil, errors.New("a domain and a selector are needed, of letters, digits, dots and hyphens")
	}
	wrong := errors.New("the key is not a private key in PEM, of RSA or Ed25519")
	block, _ := pem.Decode([]byte(d.Key))
	if block == nil {
		return nil, wrong
	}
	var key any
	var err error
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	switch k := key.(type) {
	case *rsa.PrivateKey:
		if err == nil && k.N.BitLen() < keyBitsMin {
			return nil, fmt.Errorf("the key has fewer than %d bits", keyBitsMin)
		}
		if err == nil {
			return k, nil
		}
	case ed25519.PrivateKey:
		return k, nil
	}
	return nil, wrong
}

// sign returns a mail with a signature: RFC 6376, relaxed/relaxed, RFC 8463.
func sign(mail []byte, d DKIM, key crypto.Signer, now time.Time) ([]byte, error) {
	head, body, found := bytes.Cut(mail, []byte("\r\n\r\n"))
	if !found {
		return nil, errors.New("a mail without a body")
	}
	sum := sha256.Sum256(relaxedBody(body))
	algorithm, hash := "rsa-sha256", crypto.SHA256
	if _, ok := key.(ed25519.PrivateKey); ok {
		algorithm, hash = "ed25519-sha256", crypto.Hash(0)
	}
	names := append(append([]string(nil), signed...), oversigned...)
	header := fmt.Sprintf("DKIM-Signature: v=1; a=%s; c=relaxed/relaxed; d=%s; s=%s;\r\n\t"+
		"t=%d;\r\n\th=%s;\r\n\tbh=%s;\r\n\tb=", algorithm, d.Domain, d.Selector, now.Unix(), strings.Join(names, ":\r\n\t "),
		base64.StdEncoding.EncodeToString(sum[:]))
	text := relaxedHeaders(string(head), names) + strings.TrimSuffix(relaxedHeader(header), "\r\n")
	digest := sha256.Sum256([]byte(text))
	signature, err := key.Sign(rand.Reader, digest[:], hash)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(header)
	for b := base64.StdEncoding.EncodeToString(signature); b != ""; {
		n := min(len(b), 72)
		out.WriteString(b[:n])
		if b = b[n:]; b != "" {
			out.WriteString("\r\n\t")
		}
	}
	out.WriteString("\r\n")
	out.Write(mail)
	return out.Bytes(), nil
}

// relaxedHeaders are the headers of these names, in that order; a name that occurs again means the next header of it,
// from the last to the first, and one that is missing means nothing.
func relaxedHeaders(head string, names []string) string {
	var fields []string // whole headers
	for line := range strings.SplitSeq(head, "\r\n") {
		if n := len(fields); n > 0 && strings.HasPrefix(line, " ") || n > 0 && strings.HasPrefix(line, "\t") {
			fields[n-1] += "\r\n" + line
		} else {
			fields = append(fields, line)
		}
	}
	var b strings.Builder
	for _, name := range names {
		for i := len(fields) - 1; i >= 0; i-- {
			if is, _, _ := strings.Cut(fields[i], ":"); strings.EqualFold(is, name) {
				b.WriteString(relaxedHeader(fields[i]))
				fields = append(fields[:i], fields[i+1:]...)
				break
			}
		}
	}
	return b.String()
}

var blanks = regexp.MustCompile(`[ \t]+`)

func relaxedHeader(field string) string {
	name, value, _ := strings.Cut(field, ":")
	value = blanks.ReplaceAllString(strings.ReplaceAll(value, "\r\n", ""), " ")
	return strings.ToLower(strings.TrimSpace(name)) + ":" + strings.TrimSpace(value) + "\r\n"
}

func relaxedBody(body []byte) []byte {
	lines := strings.Split(string(body), "\r\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(blanks.ReplaceAllString(line, " "), " ")
	}
	text := strings.TrimRight(strings.Join(lines, "\r\n"), "\r\n")
	if text == "" {
		return nil
	}
	return []byte(text + "\r\n")
}
