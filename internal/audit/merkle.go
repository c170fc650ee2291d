package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// The Merkle tree over the hashes of a head's entries, as in RFC 6962: leaves and inner nodes are hashed
// differently, and the left half of n leaves is the largest power of two below n.

func leafHash(entry string) ([]byte, error) {
	b, err := hex.DecodeString(entry)
	if err != nil || len(b) != sha256.Size {
		return nil, fmt.Errorf("%q is not a valid hash", entry)
	}
	h := sha256.Sum256(append([]byte{0}, b...))
	return h[:], nil
}

func nodeHash(left, right []byte) []byte {
	b := make([]byte, 0, 1+2*sha256.Size)
	h := sha256.Sum256(append(append(append(b, 1), left...), right...))
	return h[:]
}

func leaves(entries []string) ([][]byte, error) {
	out := make([][]byte, len(entries))
	for i, e := range entries {
		var err error
		if out[i], err = leafHash(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// split is the size of the left half.
func split(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

func root(leaves [][]byte) []byte {
	if len(leaves) == 1 {
		return leaves[0]
	}
	k := split(len(leaves))
	return nodeHash(root(leaves[:k]), root(leaves[k:]))
}

// path lists the siblings from a leaf up to the root.
func path(leaves [][]byte, i int) [][]byte {
	if len(leaves) == 1 {
		return nil
	}
	k := split(len(leaves))
	if i < k {
		return append(path(leaves[:k], i), root(leaves[k:]))
	}
	return append(path(leaves[k:], i-k), root(leaves[:k]))
}

// climb computes the root from a leaf and its siblings.
func climb(leaf []byte, i, n int, neighbours [][]byte) ([]byte, error) {
	if n == 1 {
		if len(neighbours) > 0 {
			return nil, fmt.Errorf("the inclusion proof is too long")
		}
		return leaf, nil
	}
	if len(neighbours) == 0 {
		return nil, fmt.Errorf("the inclusion proof is too short")
	}
	last := len(neighbours) - 1
	k := split(n)
	if i < k {
		left, err := climb(leaf, i, k, neighbours[:last])
		return nodeHash(left, neighbours[last]), err
	}
	right, err := climb(leaf, i-k, n-k, neighbours[:last])
	return nodeHash(neighbours[last], right), err
}

// rootOf is the root over the hashes of entries.
func rootOf(entries []string) (string, error) {
	l, err := leaves(entries)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(root(l)), nil
}
