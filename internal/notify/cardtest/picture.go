package cardtest

import (
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
	"testing"
)

// Shrink rewrites a picture with a palette of its most frequent colors, which is enough for text on plain backgrounds.
func Shrink(t testing.TB, path string) {
	t.Helper()
	const colors = 128
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	full, err := png.Decode(f)
	_ = f.Close() // it was only read
	if err != nil {
		t.Fatal(err)
	}
	box, count := full.Bounds(), map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	often := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	for _, c := range often[:min(len(often), colors)] {
		palette = append(palette, c)
	}
	small, near := image.NewPaletted(box, palette), map[color.RGBA]uint8{}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			c := at(x, y)
			index, ok := near[c]
			if !ok {
				index = uint8(palette.Index(c)) //nolint:gosec // at most 128
				near[c] = index
			}
			small.SetColorIndex(x, y, index)
		}
	}
	out, err := os.Create(path)
	if err == nil {
		err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(out, small)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
