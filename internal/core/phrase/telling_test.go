package phrase

import (
	"encoding/json"
	"testing"
)

func TestTelling(t *testing.T) {
	for data, want := range map[string]string{
		`{"amount":2400,"currency":"EUR","customer":"Iben Dahl"}`: "2,400.00 EUR to Iben Dahl",
		`{"amount":12.5,"user":"u-0925"}`:                         "12.5 to u-0925",
		`{"total":1850}`:                                          "1,850",
		`{"to":"ann@example.com","text":"Hello"}`:                 "to ann@example.com",
		`{"recipient":{"name":"Ann"}}`:                            "to Ann",
		// Whom it is about is not whom it goes to.
		`{"user":"u-0925"}`:         "· u-0925",
		`{"account":"u-1377"}`:      "· u-1377",
		`{"name":"north","rows":3}`: "· north · 3",
		`{}`:                        "",
		`[1]`:                       "",
	} {
		if got := Telling(json.RawMessage(data)); got != want {
			t.Errorf("%s: got %q, want %q", data, got, want)
		}
	}
}
