package storekit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/seal"
)

// keysInMemory is a KeyTable.
type keysInMemory struct {
	keys   []seal.Wrapped
	claims map[int64]int
	broken error
}

func (k *keysInMemory) DataKeys(context.Context) ([]seal.Wrapped, error) {
	return append([]seal.Wrapped(nil), k.keys...), k.broken
}

func (k *keysInMemory) ClaimKey(_ context.Context, master string, since int64,
	fresh seal.Wrapped) (seal.Wrapped, error) {
	for i := len(k.keys) - 1; i >= 0; i-- {
		if w := k.keys[i]; w.Master == master && w.Created >= since && k.claims[w.ID] < ClaimsMax {
			k.claims[w.ID]++
			return w, k.broken
		}
	}
	if k.claims == nil {
		k.claims = map[int64]int{}
	}
	k.keys, k.claims[fresh.ID] = append(k.keys, fresh), 1
	return fresh, k.broken
}

func (k *keysInMemory) RewrapKeys(_ context.Context,
	change func(seal.Wrapped) (seal.Wrapped, bool, error)) (n int, err error) {
	for i := range k.keys {
		var changed bool
		if k.keys[i], changed, err = change(k.keys[i]); err != nil {
			return 0, err
		}
		if changed {
			n++
		}
	}
	return n, k.broken
}

func startVault(t *testing.T, table KeyTable, keys ...seal.Key) *Vault {
	t.Helper()
	v := &Vault{}
	if err := v.Start(t.Context(), table, keys); err != nil {
		t.Fatal(err)
	}
	return v
}

func masterKey(t *testing.T) seal.Key {
	t.Helper()
	k, err := seal.ParseKey(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var anywhere = seal.Place{Table: "batches.body", ID: "run_1", N: 1}

// TestDataKeysWearOut: a data key serves a limited number of openings, and a limited number of values in
// each; the switch to the next one is transparent.
func TestDataKeysWearOut(t *testing.T) {
	table, key := &keysInMemory{}, masterKey(t)
	for range ClaimsMax {
		startVault(t, table, key)
	}
	if len(table.keys) != 1 {
		t.Fatalf("%d data keys after %d openings", len(table.keys), ClaimsMax)
	}
	v := startVault(t, table, key)
	if len(table.keys) != 2 {
		t.Fatalf("%d data keys after one more", len(table.keys))
	}
	before := v.current.Load()
	if err := v.Refresh(t.Context()); err != nil || v.current.Load() != before {
		t.Errorf("a young key was replaced, %v", err)
	}
	stored := v.Bytes([]byte("value"), anywhere)
	before.used.Store(sealsMax)
	if err := v.Refresh(t.Context()); err != nil || v.current.Load() == before {
		t.Errorf("an old key stays, %v", err)
	}
	if got, err := v.Open(stored, anywhere); err != nil || string(got) != "value" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestEachValueCounts: every encrypted value wears its data key out, texts and bytes alike; empty ones do not.
func TestEachValueCounts(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	for i, use := range []func(){
		func() { v.Bytes(nil, anywhere) }, func() { v.Text("", anywhere) },
		func() { v.Bytes([]byte("value"), anywhere) }, func() { v.Text("a title", anywhere) },
	} {
		before := v.current.Load().used.Load()
		if use(); v.current.Load().used.Load()-before != int64(i/2) {
			t.Errorf("use %d counts %d times", i, v.current.Load().used.Load()-before)
		}
	}
	if got, err := v.OpenText(v.Text("a\x00b", anywhere), anywhere); err != nil || got != "a\uFFFDb" {
		t.Errorf("a text with NUL came back as %q, %v", got, err)
	}
	var damaged *seal.DamagedError
	if _, err := (&Vault{}).Open(v.Bytes([]byte("value"), anywhere), anywhere); !errors.As(err, &damaged) {
		t.Errorf("without keys: %v", err)
	}
}

// TestFirstKey: a store without keys encrypts from its first rotation on; a data key is taken up when the first master
// key changes, and only then.
func TestFirstKey(t *testing.T) {
	table, first, other := &keysInMemory{}, masterKey(t), masterKey(t)
	v := startVault(t, table)
	claims := func() (n int) {
		for _, c := range table.claims {
			n += c
		}
		return n
	}
	for i, c := range []struct {
		keys []seal.Key
		want int
	}{{[]seal.Key{first}, 1}, {[]seal.Key{first, other}, 1}, {[]seal.Key{other, first}, 2}, {[]seal.Key{other}, 2}} {
		if _, err := v.Rotate(t.Context(), c.keys); err != nil || !v.On() || claims() != c.want {
			t.Errorf("rotation %d: on %t, %d claims, %v", i, v.On(), claims(), err)
		}
	}
	table.keys = append(table.keys, seal.Wrapped{ID: 7, Master: "gone"}, seal.Wrapped{ID: 8, Master: "gone"})
	all, err := v.Keys(t.Context())
	if err != nil || len(all) != 2 || all[1].ID != "gone" || all[1].DataKeys != 2 || all[1].Here {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestKeysOfOthers: another process's key is looked up once; an unknown one is damage, and an unreadable
// table is neither.
func TestKeysOfOthers(t *testing.T) {
	table, key := &keysInMemory{}, masterKey(t)
	a, b := startVault(t, table, key), startVault(t, table, key)
	if err := b.fresh(t.Context(), time.Now().UnixNano()); err != nil {
		t.Fatal(err)
	}
	stored := b.Bytes([]byte("value"), anywhere)
	table.broken = errors.New("away")
	if _, err := a.Open(stored, anywhere); !errors.Is(err, table.broken) {
		t.Errorf("with the table away: %v", err)
	}
	table.broken = nil
	if got, err := a.Open(stored, anywhere); err != nil || string(got) != "value" {
		t.Errorf("%q, %v", got, err)
	}
	table.broken = errors.New("away")
	if _, err := a.Open(stored, anywhere); err != nil {
		t.Errorf("it was looked up again: %v", err)
	}
	table.broken = nil
	stored[6] ^= 1 // names another data key
	var damaged *seal.DamagedError
	if _, err := a.Open(stored, anywhere); !errors.As(err, &damaged) {
		t.Errorf("a key that nobody made: %v", err)
	}
	if err := a.Renew(t.Context()); err != nil || a.current.Load().key.ID != b.current.Load().key.ID {
		t.Errorf("the new key was not taken up, %v", err)
	}
}

// TestVaultOff: without a key values are stored unchanged, byte for byte.
func TestVaultOff(t *testing.T) {
	v := startVault(t, &keysInMemory{})
	for _, plain := range [][]byte{nil, {}, []byte("value"), {0, 1, 2}} {
		stored := v.Bytes(plain, anywhere)
		if (stored == nil) != (plain == nil) || string(stored) != string(plain) {
			t.Errorf("%q is stored as %q", plain, stored)
		}
	}
	if got := v.Text("a title", anywhere); got != "a title" {
		t.Errorf("a title is stored as %q", got)
	}
	on := startVault(t, &keysInMemory{}, masterKey(t))
	for _, hostile := range [][]byte{on.Bytes([]byte("x"), anywhere), []byte("\x00asl"), []byte("\x00asl\x00")} {
		stored := v.Bytes(hostile, anywhere)
		if got, err := v.Open(stored, anywhere); err != nil || string(got) != string(hostile) {
			t.Errorf("%q came back as %q, %v", hostile, got, err)
		}
	}
	hostile := on.Text("x", anywhere)
	if got, err := v.OpenText(v.Text(hostile, anywhere), anywhere); err != nil || got != hostile {
		t.Errorf("%q came back as %q, %v", hostile, got, err)
	}
}

// TestReadersDoNotWaitForRotation: a read inside a writer's transaction must not wait for a rotation that
// waits for that very writer.
func TestReadersDoNotWaitForRotation(t *testing.T) {
	table, key := &keysInMemory{}, masterKey(t)
	v := startVault(t, table, key)
	stored := v.Bytes([]byte("value"), anywhere)
	stored[6] ^= 1 // names an unknown data key, so it is looked up
	v.mu.Lock()    // as Rotate does while it waits for the writer
	defer v.mu.Unlock()
	done := make(chan error, 1)
	go func() {
		_, err := v.Open(stored, anywhere)
		done <- err
	}()
	select {
	case err := <-done:
		var damaged *seal.DamagedError
		if !errors.As(err, &damaged) {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("it waits for ever")
	}
}

// TestKeysAreListed: which master keys there are, and how many data keys need each.
func TestKeysAreListed(t *testing.T) {
	table, old, fresh := &keysInMemory{}, masterKey(t), masterKey(t)
	startVault(t, table, old)
	v := startVault(t, table, fresh, old)
	state := func() string {
		t.Helper()
		all, err := v.Keys(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, k := range all {
			fmt.Fprintf(&b, "%t %t %d, ", k.First, k.Here, k.DataKeys)
		}
		return b.String()
	}
	if got := state(); got != "true true 1, false true 1, " {
		t.Errorf("with both keys: %s", got)
	}
	stored := v.Bytes([]byte("value"), anywhere)
	if _, err := v.Rotate(t.Context(), nil); err == nil {
		t.Error("keys that are needed were given up")
	}
	n, err := v.Rotate(t.Context(), []seal.Key{fresh, old})
	if err != nil || n != 1 {
		t.Errorf("%d data keys were wrapped anew, %v", n, err)
	}
	if got := state(); got != "true true 2, false true 0, " {
		t.Errorf("after the rotation: %s", got)
	}
	if n, err := v.Rotate(t.Context(), []seal.Key{fresh}); err != nil || n != 0 {
		t.Errorf("%d data keys were wrapped again, %v", n, err)
	}
	if got := state(); got != "true true 2, " {
		t.Errorf("without the old key: %s", got)
	}
	table.keys[0].Master = old.ID()
	if got := state(); got != "true true 1, false false 1, " {
		t.Errorf("with a data key of a key that is not here: %s", got)
	}
	if got, err := v.Open(stored, anywhere); err != nil || string(got) != "value" {
		t.Errorf("%q, %v", got, err)
	}
	table.broken, table.keys[0].Master = errors.New("away"), fresh.ID()
	for what, err := range map[string]error{"list": second(v.Keys(t.Context())),
		"rotate": second(v.Rotate(t.Context(), []seal.Key{fresh})), "renew": v.Renew(t.Context())} {
		if !errors.Is(err, table.broken) {
			t.Errorf("%s with the table away: %v", what, err)
		}
	}
}
