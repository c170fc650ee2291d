package slack_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/notify/slack"
	"github.com/assent-run/assent/internal/notify/slack/slacktest"
)

// FuzzVerify: only a request with the signature of its very bytes, signed not long ago, is Slack's.
func FuzzVerify(f *testing.F) {
	now := time.Unix(1_700_000_000, 0)
	for _, at := range []time.Time{now, now.Add(-time.Hour), time.Unix(-1, 0), time.Unix(1<<62, 0)} {
		h := slacktest.Sign(slacktest.Secret, []byte("payload=1"), at)
		f.Add(h.Get("X-Slack-Signature"), h.Get("X-Slack-Request-Timestamp"), []byte("payload=1"), false)
	}
	f.Add("v0=", "", []byte{}, true)
	f.Add("v0=00", "+1700000000", []byte("x"), true)
	f.Fuzz(func(t *testing.T, signature, stamp string, body []byte, resign bool) {
		if resign { // the holder of the secret may write the time in any way
			mac := hmac.New(sha256.New, []byte(slacktest.Secret))
			mac.Write([]byte("v0:" + stamp + ":" + string(body)))
			signature = "v0=" + hex.EncodeToString(mac.Sum(nil))
		}
		h := http.Header{"X-Slack-Signature": {signature}, "X-Slack-Request-Timestamp": {stamp}}
		err := slack.Verify(slacktest.Secret, h, body, now)
		mac := hmac.New(sha256.New, []byte(slacktest.Secret))
		mac.Write([]byte("v0:" + stamp + ":" + string(body)))
		seconds, wrong := strconv.ParseInt(stamp, 10, 64)
		want := strings.EqualFold(signature, "v0="+hex.EncodeToString(mac.Sum(nil))) && strings.HasPrefix(signature, "v0") &&
			wrong == nil && seconds >= now.Unix()-300 && seconds <= now.Unix()+300
		if (err == nil) != want {
			t.Errorf("%q %q: %v, want accepted: %v", signature, stamp, err, want)
		}
		if slack.Verify("", h, body, now) == nil || slack.Verify("other", h, body, now) == nil {
			t.Error("accepted with another secret")
		}
	})
}

// FuzzRead: what Slack sends may be anything; a press always names an approval, an act and a version.
func FuzzRead(f *testing.F) {
	s := slacktest.New(f, maria)
	button := map[string]any{"action_id": "assent:approve", "value": `{"act":"approve","approval":"apr_1","version":3}`}
	f.Add(s.Press(slacktest.Message{Channel: "C1", TS: "1.1"}, button, maria.ID))
	f.Add(s.Submit(map[string]any{"callback_id": "assent:dialog", "private_metadata": button["value"]}, maria.ID,
		map[string]string{"comment": "no"}))
	f.Add([]byte(`{"type":"event_callback","team_id":"T","event":{"type":"app_home_opened","user":"U","tab":"home"}}`))
	f.Add([]byte(`{"type":"url_verification","challenge":"x"}`))
	f.Add([]byte("payload=%7B%22type%22%3A%22block_actions%22%2C%22user%22%3A%7B%22id%22%3A%22U%22%7D%7D&payload="))
	f.Fuzz(func(t *testing.T, body []byte) {
		i, err := slack.Read(body)
		switch {
		case err != nil:
		case i.Type == "" || i.User.ID == "" || len(i.Values) > len(body):
			t.Errorf("%+v", i)
		case i.Press != nil && (i.Press.Approval == "" || i.Press.Act == "" || i.Press.Version < 1):
			t.Errorf("a press of nothing: %+v", i.Press)
		}
		if e, err := slack.ReadEvent(body); err == nil && e.Type == "" && !strings.Contains(string(body), "event_callback") {
			t.Errorf("%+v", e)
		}
	})
}
