package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// driven are the requests sent by tests: method and path.
var driven struct {
	sync.Mutex
	all map[string]bool
}

func drive(method, path string) {
	driven.Lock()
	defer driven.Unlock()
	if driven.all == nil {
		driven.all = map[string]bool{}
	}
	path, _, _ = strings.Cut(path, "?")
	driven.all[method+" "+path] = true
}

// undriven lists the operations of the OpenAPI document that no test sent. It is only checked when all tests
// ran.
func undriven() ([]string, error) {
	if f := flag.Lookup("test.run"); f != nil && f.Value.String() != "" {
		return nil, nil
	}
	raw, err := os.ReadFile("../docs/openapi.json")
	if err != nil {
		return nil, err
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	var out []string
	parameter := regexp.MustCompile(`\\\{[^}]+\\\}`)
	for path, methods := range document.Paths {
		// A literal segment does not match a parameter: /policy/versions is not /policy/{n}.
		pattern := parameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
		for method := range methods {
			want := regexp.MustCompile("^" + strings.ToUpper(method) + " " + pattern + "$")
			if !slices.ContainsFunc(keys(driven.all), func(sent string) bool { return want.MatchString(sent) }) {
				out = append(out, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

func keys(m map[string]bool) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}

// complain reports the missing operations.
func complain(code int) int {
	left, err := undriven()
	if err != nil || len(left) > 0 {
		fmt.Fprintf(os.Stderr, "operations that no test drives: %s %v\n", strings.Join(left, ", "), err)
		return max(code, 1)
	}
	return code
}
