//go:build unix

package audit

import (
	"bytes"
	"encoding/asn1"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// A head is signed after a number of entries, or after some time if there are any.
func TestHeadsAreSignedWhenDue(t *testing.T) {
	s, store := open(t)
	now, leads := began, true
	c := s.Config
	c.Every, c.After = 5, 10*time.Minute
	c.Now, c.Leads = func() time.Time { return now }, func() bool { return leads }
	s = New(c)
	var signed int64
	step := func(what string, entries int, want bool) {
		t.Helper()
		for i := range entries {
			_, err := store.AppendAudit(t.Context(), draft(i))
			must(t, err)
		}
		must(t, s.cutIfDue(t.Context()))
		h, err := store.LastAuditHead(t.Context())
		must(t, err)
		if h.N > signed != want {
			t.Fatalf("%s: the newest head is %d, it was %d", what, h.N, signed)
		}
		signed = h.N
	}
	step("nothing to sign", 0, false)
	step("the first entry", 1, true)
	step("nothing new", 0, false)
	step("four more", 4, false)
	now = now.Add(10*time.Minute - 1)
	step("almost ten minutes", 0, false)
	now = now.Add(1)
	step("ten minutes", 0, true)
	now = now.Add(time.Hour)
	step("an hour without entries", 0, false)
	now = began.Add(10*time.Minute + 1)
	step("four at once", 4, false)
	step("a fifth", 1, true)
	leads = false
	step("another process leads", 20, false)
	leads = true
	step("this one again", 0, true)
}

// A check can start at any entry, and stops where requested.
func TestPartsThatAreChecked(t *testing.T) {
	s, store := open(t)
	exported(t, s, store, 450)
	all, err := s.Check(t.Context(), 0, 0)
	must(t, err)
	for _, c := range []struct {
		after         int64
		limit         int
		entries, next int64
	}{
		{0, 1, 1, 1}, {0, pageRows, 200, 200}, {0, pageRows + 1, 201, 201}, {199, 1, 1, 200}, {200, 200, 200, 400},
		{449, 0, 1, 450}, {449, 7, 1, 450}, {450, 0, 0, 450},
	} {
		got, err := s.Check(t.Context(), c.after, c.limit)
		if err != nil || !got.OK || got.Entries != c.entries || got.Next != c.next || got.Total != 450 ||
			(got.Head == all.Head) != (c.next == 450) {
			t.Errorf("%d behind %d: %+v, %v", c.limit, c.after, got, err)
		}
	}
	got, err := s.Check(t.Context(), 451, 0)
	if err != nil || got.OK || *got.FirstBad != 451 || got.Why != "it is missing" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnchorsOfDatabases(t *testing.T) {
	dir := t.TempDir()
	const name = "postgres://db/one"
	own, one, other := AnchorFor(dir, ""), AnchorFor(dir, name), AnchorFor(dir, "postgres://db/other")
	if string(own) != filepath.Join(dir, AnchorFile) || one == other || one == own || one != AnchorFor(dir, name) ||
		!strings.HasPrefix(string(one), string(own)+".") {
		t.Error(own, one, other)
	}
	s, _ := open(t)
	if _, err := s.Accept(t.Context(), ann, "restored"); !fault.Is(err, fault.Unsupported) {
		t.Errorf("without an anchor there is nothing to accept: %v", err)
	}
}

// The runs that an entry may belong to: ids of runs may contain underscores.
func TestRunsOfEntries(t *testing.T) {
	for _, c := range []struct {
		run, target string
		want        []string
	}{
		{"run_x", "apr_y_1", []string{"run_x"}},
		{"", "apr_x_1", []string{"run_x"}},
		{"", "dlv_x_12", []string{"run_x"}},
		{"", "apr_a_b_3", []string{"run_a", "run_a_b"}},
		{"", "apr_x", nil},
		{"", "token/x_1", nil},
	} {
		if got := runsOf(port.AuditEntry{Run: c.run, Target: c.target}); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Every entry of every tree leads to the root, by its own inclusion proof only.
func TestWaysToTheRoot(t *testing.T) {
	for n := 1; n <= 17; n++ {
		all := make([][]byte, n)
		for i := range all {
			leaf, err := leafHash(fmt.Sprintf("%064x", i))
			must(t, err)
			all[i] = leaf
		}
		top := root(all)
		for i := range all {
			way := path(all, i)
			if got, err := climb(all[i], i, n, way); err != nil || !bytes.Equal(got, top) {
				t.Fatalf("%d of %d: %v", i, n, err)
			}
			_, err := climb(all[i], i, n, append(slices.Clone(way), top))
			if err == nil || !strings.Contains(err.Error(), "too long") {
				t.Fatalf("%d of %d, one too many: %v", i, n, err)
			}
			if n == 1 {
				continue
			}
			if _, err := climb(all[i], i, n, way[1:]); err == nil || !strings.Contains(err.Error(), "too short") {
				t.Fatalf("%d of %d, one too few: %v", i, n, err)
			}
			if got, err := climb(all[(i+1)%n], i, n, way); err == nil && bytes.Equal(got, top) {
				t.Fatalf("%d of %d: another entry leads there, too", i, n)
			}
		}
	}
	for _, no := range []string{"", "zz", strings.Repeat("0", 62), strings.Repeat("0", 66)} {
		if _, err := leafHash(no); err == nil {
			t.Errorf("%q is a hash", no)
		}
	}
}

func TestWebhookAnswers(t *testing.T) {
	status := 0
	var kind string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind = r.Header.Get("Content-Type")
		w.WriteHeader(status)
	}))
	defer server.Close()
	s, store := open(t)
	exported(t, s, store, 3)
	w := witness(t, server.URL, "")
	if w.String() != server.URL {
		t.Error(w)
	}
	for code, ok := range map[int]bool{200: true, 204: true, 299: true, 304: false, 400: false, 500: false} {
		status = code
		told, err := s.tellWitness(t.Context(), w, 0)
		if (err == nil) != ok || kind != "application/json" {
			t.Errorf("%d: %v (%s)", code, err, kind)
		}
		if told != 3 {
			t.Errorf("%d: told %d", code, told)
		}
	}
}

// A repository without a remote gets commits, and no empty ones.
func TestGitWitnessWithoutRemote(t *testing.T) {
	wants(t, "git")
	dir := t.TempDir()
	ran(t, dir, "git", "init", "-q")
	ran(t, dir, "git", "config", "user.name", "assent")
	ran(t, dir, "git", "config", "user.email", "assent@localhost")
	s, store := open(t)
	exported(t, s, store, 3)
	w := witness(t, "git:"+dir, "")
	if w.String() != "git:"+dir {
		t.Error(w)
	}
	for range 2 {
		_, err := s.tellWitness(t.Context(), w, 0)
		must(t, err)
	}
	if log := ran(t, dir, "git", "log", "--format=%s"); strings.Count(log, "\n") != 1 {
		t.Error(log)
	}
}

// A timestamp service's answer that is not a timestamp is not stored.
func TestAnswersThatAreNoStamp(t *testing.T) {
	type status struct{ Code int }
	type reply struct{ Status status }
	for want, answer := range map[string]any{
		"no timestamp was granted (status [2])": reply{status{2}},
		"no timestamp was granted (status [5])": reply{status{5}},
		"the response contains no timestamp":    reply{status{0}},
		"the response contains no timestamp: ":  reply{status{1}},
	} {
		der, err := asn1.Marshal(answer)
		must(t, err)
		if err := checkStamp(der, nil, big.NewInt(1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", answer, err)
		}
	}
	err := checkStamp([]byte("<html>"), nil, big.NewInt(1))
	if err == nil || !strings.Contains(err.Error(), "is not a valid timestamp") {
		t.Error(err)
	}
}

// stamp is an answer of a timestamp service, as far as it is parsed.
func stamp(t *testing.T, status int, kind asn1.ObjectIdentifier, sum []byte, nonce int64) []byte {
	t.Helper()
	der := func(v any) []byte {
		b, err := asn1.Marshal(v)
		must(t, err)
		return b
	}
	type content struct {
		Type asn1.ObjectIdentifier
		Info []byte `asn1:"explicit,tag:0"`
	}
	type signed struct {
		Version int
		Digests []int `asn1:"set"`
		Content content
	}
	info := der(struct {
		Version int
		Policy  asn1.ObjectIdentifier
		About   imprint
		Nonce   *big.Int
	}{1, asn1.ObjectIdentifier{1, 2, 3}, imprint{algorithm{oidSHA256, asn1.NullRawValue}, sum}, big.NewInt(nonce)})
	return der(struct {
		Status struct{ Code int }
		Token  struct {
			Type    asn1.ObjectIdentifier
			Content signed `asn1:"explicit,tag:0"`
		}
	}{struct{ Code int }{status}, struct {
		Type    asn1.ObjectIdentifier
		Content signed `asn1:"explicit,tag:0"`
	}{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}, signed{3, []int{1}, content{kind, info}}}})
}

// A timestamp covers the request, and answers only that request.
func TestStampsAreCompared(t *testing.T) {
	sum, other := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	const nonce = 1 << 40
	for _, c := range []struct {
		name, want string
		answer     []byte
	}{
		{"granted", "", stamp(t, 0, oidTSTInfo, sum, nonce)},
		{"granted with changes", "", stamp(t, 1, oidTSTInfo, sum, nonce)},
		{"refused", "no timestamp was granted", stamp(t, 2, oidTSTInfo, sum, nonce)},
		{"a strange status", "no timestamp was granted", stamp(t, 256, oidTSTInfo, sum, nonce)},
		{"something else", "the response contains something other", stamp(t, 0, oidSHA256, sum, nonce)},
		{"another document", "is for another digest", stamp(t, 0, oidTSTInfo, other, nonce)},
		{"another question", "is for another digest", stamp(t, 0, oidTSTInfo, sum, nonce+1)},
	} {
		err := checkStamp(c.answer, sum, big.NewInt(nonce))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
