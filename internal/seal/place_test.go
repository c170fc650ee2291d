package seal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/seal"
)

// A value opens at its own place and nowhere else, however alike two places look
// when they are written one after the other.
func TestNoTwoPlacesAreAlike(t *testing.T) {
	d := dataKey(t)
	places := []seal.Place{
		{Table: "runs.title", ID: "a", N: 1},
		{Table: "runs.titl", ID: "ea", N: 1},
		{Table: "runs.titlea", ID: "", N: 1},
		{Table: "runs.about", ID: "a", N: 1},
		{Table: "runs.title", ID: "b", N: 1},
		{Table: "runs.title", ID: "a", N: 2},
		{Table: "", ID: "runs.titlea", N: 1},
		// These two would be alike but for the length of the table's name.
		{Table: "", ID: "\x40" + strings.Repeat("x", 64), N: 1},
		{Table: "A", ID: strings.Repeat("x", 64), N: 1},
	}
	for i, sealed := range places {
		for j, opened := range places {
			_, err := d.Open(d.Seal([]byte("secret"), sealed), opened)
			if (err == nil) != (i == j) {
				t.Errorf("sealed at %q, opened at %q: %v", sealed, opened, err)
			}
		}
	}
}

// A short envelope, one of another key and a text that is no envelope are damaged.
func TestNotAnEnvelope(t *testing.T) {
	d, other := dataKey(t), dataKey(t)
	whole := d.Seal(nil, here)
	if plain, err := d.Open(whole, here); err != nil || len(plain) != 0 {
		t.Errorf("an empty value: %q, %v", plain, err)
	}
	_, err := d.Open(whole[:len(whole)-1], here)
	wantDamaged(t, "cut", err)
	_, err = other.Open(whole, here)
	wantDamaged(t, "of another key", err)
	_, err = d.Open([]byte("plain text that is long enough for an envelope of its own, and more"), here)
	wantDamaged(t, "plain", err)
	text := d.SealText("secret", here)
	for what, bad := range map[string]string{"no mark": text[8:],
		"not base64": text[:len(text)-4] + "!!!!", "nothing": ""} {
		_, err = d.OpenText(bad, here)
		wantDamaged(t, what, err)
	}
}

func TestLookAtTheMarkAlone(t *testing.T) {
	sealed := dataKey(t).Seal([]byte("x"), here)
	mark := sealed[:len(sealed)-len("x")-seal.Overhead+seal.Head-1-8]
	if kind, _ := seal.Look(mark); kind != seal.Damaged {
		t.Errorf("the mark alone is of kind %d", kind)
	}
	if kind, _ := seal.Look(mark[:len(mark)-1]); kind != seal.Plain {
		t.Errorf("less than the mark is of kind %d", kind)
	}
}

func TestPlacesInWords(t *testing.T) {
	for want, p := range map[string]seal.Place{
		"runs.title":                         {Table: "runs.title"},
		"runs.title a":                       {Table: "runs.title", ID: "a"},
		"runs.title 7":                       {Table: "runs.title", N: 7},
		"runs.title a 7":                     {Table: "runs.title", ID: "a", N: 7},
		"t " + strings.Repeat("x", 80):       {Table: "t", ID: strings.Repeat("x", 80)},
		"t " + strings.Repeat("x", 80) + "…": {Table: "t", ID: strings.Repeat("x", 81)},
		"t \uFFFD":                           {Table: "t", ID: "\xff"},
	} {
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRings(t *testing.T) {
	a, _ := key(t)
	b, _ := key(t)
	both := ring(t, a, b)
	if ids := both.IDs(); len(ids) != 2 || slices.Contains(ids, "") || ids[0] == ids[1] || both.Empty() {
		t.Errorf("%v", ids)
	}
	var none *seal.Ring
	if none.IDs() != nil || !none.Empty() || !ring(t).Empty() {
		t.Error("there are keys where there are none")
	}
	w := ring(t, a).New(time.Unix(1, 0))
	var missing *seal.MissingError
	if _, changed, err := ring(t, b).Rewrap(w); changed || !errors.As(err, &missing) {
		t.Errorf("rewrapped without the key: %v, %v", changed, err)
	}
	w.Body = w.Body[:len(w.Body)-1]
	if _, changed, err := ring(t, b, a).Rewrap(w); changed || err == nil {
		t.Errorf("rewrapped what is damaged: %v, %v", changed, err)
	}
}

// What one passing key seals, no other opens.
func TestPassingKeysDiffer(t *testing.T) {
	_, err := seal.Passing().Open(seal.Passing().Seal([]byte("x"), here), here)
	wantDamaged(t, "of another passing key", err)
}
