package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// TestLinksAreYourOwn: the person who is signed in takes an offer once, and sees and removes their own links only.
func TestLinksAreYourOwn(t *testing.T) {
	d := office(t, Options{})
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	sum := sha256.Sum256([]byte("offered"))
	now := time.Now()
	err := d.parts.Store.OfferLink(t.Context(), port.Link{ID: "slack/T1/U1", Label: "Bob in Slack",
		Offer: hex.EncodeToString(sum[:]), CreatedAt: now, ExpiresAt: now.Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	token := into[contract.TokenView](d.post("/tokens", `{"name":"bob","kind":"person","roles":["approver"]}`,
		ann...).want(201))
	bearer := []string{"Authorization", "Bearer " + token.Secret}
	d.get("/me/links/offers/offered").refused(401, "unauthenticated")
	if got := into[contract.LinkView](d.get("/me/links/offers/offered", bob...).want(200)); got.Label != "Bob in Slack" ||
		got.Program != "slack" || got.ID != "slack/T1/U1" {
		t.Errorf("%+v", got)
	}
	list := func(who []string) []contract.LinkView {
		return into[view.List[contract.LinkView]](d.get("/me/links", who...).want(200)).Items
	}
	if got := list(bob); len(got) != 0 { // looking links nothing
		t.Errorf("%+v", got)
	}
	d.get("/me/links/offers/other", bob...).refused(404, "not_found")
	d.post("/me/links", `{"token":"offered"}`, bearer...).refused(403, "forbidden")
	d.post("/me/links", `{"token":"offered"}`, append(bob, "Sec-Fetch-Site", "cross-site")...).refused(403, "forbidden")
	d.post("/me/links", `{"token":"offered"}`, bob...).want(201)
	d.post("/me/links", `{"token":"offered"}`, ann...).refused(404, "not_found")
	if got := list(bob); len(got) != 1 || len(list(ann)) != 0 {
		t.Errorf("%+v", got)
	}
	d.send("DELETE", base+"/me/links?id=slack/T1/U1", "", ann...).refused(404, "not_found")
	d.send("DELETE", base+"/me/links?id=slack/T1/U1", "", bob...).want(200)
	if got := list(bob); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestUnsignedIntegrations: nothing comes in without a signature, by GET, or in bulk.
func TestUnsignedIntegrations(t *testing.T) {
	d := office(t, Options{})
	for _, path := range []string{"slack/interactions", "slack/events", "teams/messages"} {
		d.post("/integrations/"+path, `{"type":"url_verification","challenge":"x"}`).refused(401, "unauthenticated")
		d.get("/integrations/"+path).refused(405, "unsupported")
		d.post("/integrations/"+path, strings.Repeat("x", 1<<20+1)).refused(http.StatusRequestEntityTooLarge, "too_large")
	}
	d.post("/integrations/slack/other", "{}").refused(404, "not_found")
}
