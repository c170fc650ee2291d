package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// Cost is the cost of one guess at a password.
type Cost struct {
	MemoryKiB, Rounds uint32
	Lanes             uint8
}

// defaultCost is used unless the configuration sets another. Hashes of another cost are replaced at the next sign-in.
var defaultCost = Cost{MemoryKiB: 46 << 10, Rounds: 2, Lanes: 1}

const (
	passwordMin = 12   // characters
	passwordMax = 1024 // bytes
	saltLength  = 16
	hashLength  = 32
)

//go:embed common.txt
var commonText string

// common are the passwords that guessers try first.
var common = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(commonText) {
		out[strings.TrimSpace(line)] = true
	}
	return out
})

// checkPassword lists the problems of a new password. Only length matters, unless it is a common one.
func checkPassword(password, name string) []fault.Problem {
	bad := func(message string) []fault.Problem {
		return []fault.Problem{{Path: "password", Message: message}}
	}
	plain := strings.ToLower(password)
	switch {
	case !utf8.ValidString(password):
		return bad("must be text in UTF-8")
	case utf8.RuneCountInString(norm.NFC.String(password)) < passwordMin:
		return bad(fmt.Sprintf("must have at least %d characters; a few words are easy to remember", passwordMin))
	case len(password) > passwordMax:
		return bad(fmt.Sprintf("must have at most %d bytes", passwordMax))
	case common()[plain] || common()[strings.TrimRight(plain, "0123456789!?.")]:
		return bad("is a common password; use a few words instead")
	case strings.Trim(plain, plain[:1]) == "" || plain == strings.ToLower(name):
		return bad("is too easy to guess; use a few words instead")
	}
	return nil
}

// phc is a hash in its stored form: $argon2id$v=19$m=…,t=…,p=…$salt$hash.
type phc struct {
	cost       Cost
	salt, hash []byte
}

var errPHC = errors.New("not a valid argon2id hash")

// parsePHC reads a hash. Costs are bounded: checking must not use up all memory.
func parsePHC(text string) (p phc, err error) {
	parts := strings.Split(text, "$")
	if len(text) > 512 || len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" ||
		parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return p, errPHC
	}
	costs := strings.Split(parts[3], ",")
	if len(costs) != 3 {
		return p, errPHC
	}
	var numbers [3]uint64
	for i, c := range []struct {
		name      string
		low, high uint64
	}{{"m=", 8, 1 << 20}, {"t=", 1, 64}, {"p=", 1, 16}} {
		digits, ok := strings.CutPrefix(costs[i], c.name)
		n, err := strconv.ParseUint(digits, 10, 32)
		if !ok || err != nil || n < c.low || n > c.high || digits != strconv.FormatUint(n, 10) {
			return p, errPHC
		}
		numbers[i] = n
	}
	p.cost = Cost{MemoryKiB: uint32(numbers[0]), Rounds: uint32(numbers[1]),
		Lanes: uint8(numbers[2])} //nolint:gosec // bounded above
	salt, err1 := base64.RawStdEncoding.Strict().DecodeString(parts[4])
	hash, err2 := base64.RawStdEncoding.Strict().DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(salt) < 8 || len(salt) > 64 || len(hash) < 16 || len(hash) > 64 {
		return phc{}, errPHC
	}
	p.salt, p.hash = salt, hash
	return p, nil
}

func (p phc) String() string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.cost.MemoryKiB, p.cost.Rounds,
		p.cost.Lanes, b64(p.salt), b64(p.hash))
}

// hasher hashes passwords, a few at a time, so that guessing does not occupy every processor.
type hasher struct {
	cost    Cost
	slots   chan struct{}
	waiting atomic.Int64
	decoy   phc // checked when there is no account, so that it takes as long
}

// waitingMax is how many may wait for their turn; others have to try again later.
const waitingMax = 64

func newHasher(c Cost) *hasher {
	h := &hasher{cost: c, slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))}
	h.decoy = phc{cost: c, salt: make([]byte, saltLength), hash: make([]byte, hashLength)}
	rand.Read(h.decoy.salt) // never fails
	rand.Read(h.decoy.hash)
	return h
}

// derive is slow on purpose. It waits for a turn, as long as ctx lasts.
func (h *hasher) derive(ctx context.Context, password string, p phc, length int) ([]byte, error) {
	if h.waiting.Add(1) > waitingMax {
		h.waiting.Add(-1)
		return nil, tooOften(5 * time.Second)
	}
	defer h.waiting.Add(-1)
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.slots }()
	// Two ways to write é are one password.
	plain := []byte(norm.NFC.String(password))
	return argon2.IDKey(plain, p.salt, p.cost.Rounds, p.cost.MemoryKiB, p.cost.Lanes, uint32(length)),
		nil //nolint:gosec // at most 64
}

// hash creates a hash with a salt of its own.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	p := phc{cost: h.cost, salt: make([]byte, saltLength)}
	rand.Read(p.salt) // never fails
	hash, err := h.derive(ctx, password, p, hashLength)
	if err != nil {
		return "", err
	}
	p.hash = hash
	return p.String(), nil
}

// check compares a password with a hash. An empty hash belongs to no account: the check fails, and takes as long.
// Outdated means that the hash has another cost than the current one.
func (h *hasher) check(ctx context.Context, password, hash string) (ok, outdated bool, err error) {
	p, known := h.decoy, false
	if hash != "" && len(password) <= passwordMax && utf8.ValidString(password) {
		if p, err = parsePHC(hash); err != nil {
			return false, false, err
		}
		known = true
	}
	if len(password) > passwordMax {
		password = password[:passwordMax]
	}
	got, err := h.derive(ctx, password, p, len(p.hash))
	if err != nil {
		return false, false, err
	}
	same := subtle.ConstantTimeCompare(got, p.hash) == 1
	return same && known, p.cost != h.cost, nil
}

// tooOften asks the caller to try again later.
func tooOften(wait time.Duration) error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return fault.New(fault.RateLimited, "too many attempts to sign in",
		fmt.Sprintf("try again in %d s", seconds)).With("retry_after_s", seconds)
}
