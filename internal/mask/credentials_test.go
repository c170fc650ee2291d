package mask

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"
)

func TestCredentialsAreHidden(t *testing.T) {
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nx9\n-----END RSA PRIVATE KEY-----"
	for _, c := range []struct{ text, secret string }{
		{"401 from upstream: Authorization: Bearer abcDEF123456.token", "abcDEF123456"},
		{"sent header Authorization=Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"},
		{`{"headers":{"Authorization":"Bearer s3cr3tt0ken"}}`, "s3cr3tt0ken"},
		{`request failed: {\"authorization\":\"Token 9944b09199c62bcf9418\"}`, "9944b09199c62bcf9418"},
		{"bearer 0123456789abcdef refused", "0123456789abcdef"},
		{"invalid key sk-proj-abc123def456ghi789", "abc123def456"},
		{"stripe: sk_live_4eC39HqLyjWDarjtT1", "4eC39HqLyjWDarjtT1"},
		{"ghp_16C7e42F292c6912E7710c838347Ae178B4a is not valid", "16C7e42F292c"},
		{"using AKIAIOSFODNN7EXAMPLE for s3", "IOSFODNN7"},
		{"slack said no to xoxb-123456789012-abcdefGHIJ", "123456789012"},
		{"dial postgres://app:hunter2@db.internal:5432/prod: refused", "hunter2"},
		{"redis://:p4ss@cache:6379", "p4ss"},
		{"amqp://guest:with@sign@mq/vhost", "with@sign"},
		{"open root:topsecret@tcp(10.0.0.1:3306)/shop", "topsecret"},
		{"jwt " + jwt + " expired", "eyJzdWIi"},
		{"loaded " + key + " from disk", "MIIEpAIBAAKCAQEA7"},
		{"cut off: -----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq", "MIIEvQIBADANBgkq"},
		{"connect: host=db user=app password=hunter dbname=x", "hunter"},
		{"FATAL PASSWORD=hunter", "hunter"},
		{`{"user":"ann","password":"correct horse"}`, "correct horse"},
		{`body: {\"api_key\":\"k-lower\",\"n\":1}`, "k-lower"},
		{"DB_PASSWORD: hunter2", "hunter2"},
		{"password:hunter", "hunter"},
		{"https://api.example.com/v1?api_key=abcdef&x=1", "abcdef"},
		{"GET /x?access_token=ya29x8s7df6sdf", "ya29x8s7df6sdf"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI"},
		{"x-api-key: 12345abcde", "12345abcde"},
		{"Cookie: session=abc123; theme=dark", "abc123"},
		{"client_secret='qwerty'", "qwerty"},
	} {
		got := Credentials(c.text)
		if strings.Contains(got, c.secret) || !strings.Contains(got, Credential) {
			t.Errorf("%q became %q", c.text, got)
		}
		if again := Credentials(got); again != got {
			t.Errorf("%q became %q, and then %q", c.text, got, again)
		}
	}
}

func TestOrdinaryTextStays(t *testing.T) {
	for _, text := range []string{
		"",
		"the order A-5501 does not exist",
		"Basic authentication is required",
		"the bearer of this letter may enter",
		"unexpected token: } at line 3",
		"Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
		"password: must have at least eight characters",
		"the password is wrong",
		"secret: not found",
		"tokens=350 max_tokens=4096 tokens_in: 900",
		"the token expired 5 minutes ago",
		"primary_key=42, cache_key=order:17, key=value",
		"http://localhost:8080/a?mail=ann@example.com refused",
		"mail to ann@example.com: connection reset",
		"https://example.com:443/path failed: 502",
		"see https://example.com/~ann@work",
		"risk-assessment-for-customer-17 and task-based-scheduling-of-work",
		"sk-learn-contrib-community-module is missing",
		"exit status 1: npm ERR! code ENOENT",
		"goroutine 1 [running]: main.main() /src/main.go:17 +0x1d",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"run_01J9ZK3V8Q is waiting for apr_01J9ZK3V8R",
		"12:30:05 step fraud took 1.5 s, cost_usd=0.0375",
		"no password given",
		"password=null token: null",
		"authorization: required",
	} {
		if got := Credentials(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A text that is all beginnings of credentials takes no longer than another.
func TestCredentialsTakeLinearTime(t *testing.T) {
	for _, piece := range []string{"a://b:", "password=\"", "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaaa.",
		"Authorization: ", "a:b@tcp", "cookie: a=", `\"`, "x."} {
		text := strings.Repeat(piece, 1<<16/len(piece))
		began := steady.CPU()
		Credentials(text)
		if took := steady.CPU() - began; took > 20*time.Second {
			t.Errorf("%q: %s", piece, took)
		}
	}
}

func FuzzCredentials(f *testing.F) {
	for _, s := range []string{"", "password=x", `"token":"a1b2c3d4e5"`, "a://b:c@d", "Bearer a1b2c3",
		"-----BEGIN PRIVATE KEY-----x", "cookie: a=b", "\xff://\xfe:\xfd@", `password="***`, "secret=secret=a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<12 {
			t.Skip()
		}
		once := Credentials(s)
		if twice := Credentials(once); twice != once {
			t.Errorf("%q became %q, and then %q", s, once, twice)
		}
	})
}
