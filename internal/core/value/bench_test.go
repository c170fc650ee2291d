package value

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// tenMB resembles typical tool output: many small records.
func tenMB(indent bool) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"records":[`)
	for i := 0; b.Len() < 10<<20; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"customer %d","email":"c%d@example.com","tags":["a","b"],"note":"said \"hello\" & <left>, then came back for a longer talk","total":%d.10,"ok":true}`, i, i, i, i)
	}
	b.WriteString(`],"last":{"found":1}}`)
	if !indent {
		return raw(b.String())
	}
	var v json.RawMessage = raw(b.String())
	out, _ := json.MarshalIndent(v, "", "  ")
	return out
}

func BenchmarkTenMB(b *testing.B) {
	doc, pretty := tenMB(false), tenMB(true)
	run := func(name string, in json.RawMessage, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	run("json.Valid", doc, func() { json.Valid(doc) })
	run("Valid", doc, func() { Valid(doc) })
	run("Compact", doc, func() { _, _ = Compact(doc) })
	run("Strict", doc, func() { _, _ = Strict(doc) })
	run("CompactPretty", pretty, func() { _, _ = Compact(pretty) })
	run("Get", doc, func() { Get(doc, "last", "found") })
	run("Canonical", doc, func() { Canonical(doc) })
	canonical := Canonical(doc)
	run("CanonicalSorted", doc, func() { Canonical(canonical) })
	patch := raw(`{"last":{"found":2}}`)
	run("MergePatch", doc, func() { MergePatch(doc, patch) })
	next := MergePatch(doc, patch)
	run("Diff", doc, func() { Diff(doc, next) })
}
