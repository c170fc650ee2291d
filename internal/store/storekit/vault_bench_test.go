package storekit

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/assent-run/assent/internal/seal"
)

// BenchmarkVault measures encrypting and decrypting a value.
func BenchmarkVault(b *testing.B) {
	key, err := seal.ParseKey(seal.NewKey())
	if err != nil {
		b.Fatal(err)
	}
	for _, on := range []bool{false, true} {
		v := &Vault{}
		var keys []seal.Key
		if on {
			keys = append(keys, key)
		}
		if err := v.Start(b.Context(), &keysInMemory{}, keys); err != nil {
			b.Fatal(err)
		}
		for _, size := range []int{512, 64 << 10, 10 << 20} {
			plain := bytes.Repeat([]byte("x"), size)
			b.Run(fmt.Sprintf("sealed=%v/bytes=%d", on, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					if _, err := v.Open(v.Bytes(plain, anywhere), anywhere); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
