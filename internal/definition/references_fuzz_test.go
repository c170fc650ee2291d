package definition

import (
	"path/filepath"
	"strings"
	"testing"
)

// FuzzSecret reads references. What is not one never shows, and every reference
// that is looked up is one that is listed.
func FuzzSecret(f *testing.F) {
	for _, s := range []string{"Bearer ${env:TOKEN}", "$${env:A}", "${file:/run/secrets/x}${env:B}", "${env:}", "${",
		"$$${env:A}", "${file:\x00}", "${env:A}}", "***"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSecret(text)
		if err != nil {
			return
		}
		listed := map[Reference]bool{}
		for _, r := range s.References() {
			listed[r] = true
		}
		asked := 0
		whole, err := s.Expand(func(r Reference) (string, error) {
			if asked++; !listed[r] {
				t.Fatalf("%s is looked up and not listed", r)
			}
			return "", nil
		})
		if err != nil || asked == 0 && len(listed) > 0 {
			t.Fatalf("%d of %d looked up: %v", asked, len(listed), err)
		}
		if len(listed) == 0 && whole != "" && strings.Trim(s.String(), "*") == whole {
			t.Fatalf("%q shows", whole)
		}
	})
}

// FuzzAllowed holds references against what is allowed: no file outside the
// folder, and no other variable, passes.
func FuzzAllowed(f *testing.F) {
	for _, s := range []string{"/run/secrets/a", "/run/secrets/../../etc/shadow", "/run/secrets", "/run/secretsx/a",
		"run/secrets/a", "/run/secrets//a/./b", "RISK_A", "RISK_", "XRISK_A"} {
		f.Add(s)
	}
	allowed, err := ParseAllowed("env:RISK_*", "file:/run/secrets")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if allowed.has(Reference{"env", name}) && !strings.HasPrefix(name, "RISK_") {
			t.Fatalf("the variable %q is allowed", name)
		}
		if clean := filepath.Clean(name); allowed.has(Reference{"file", name}) && !strings.HasPrefix(clean, "/run/secrets/") {
			t.Fatalf("the file %q is allowed", name)
		}
		if allowed.has(Reference{"vault", name}) {
			t.Fatal("an unknown scheme is allowed")
		}
		if a, err := ParseAllowed(name); err == nil {
			if again, err := ParseAllowed(a.Strings()...); err != nil ||
				strings.Join(again.Strings(), "\n") != strings.Join(a.Strings(), "\n") {
				t.Fatalf("%q is read as %v, then as %v: %v", name, a.Strings(), again.Strings(), err)
			}
		}
	})
}
