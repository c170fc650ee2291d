package config

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/seal"
)

// encryptionSettings are the settings for encryption at rest.
var encryptionSettings = []setting{{
	name: "encryption_keys", usage: "encryption keys, the one for new values first: ${file:PATH} or ${env:NAME}; " +
		"without one, nothing is encrypted", list: ",", commas: true, secret: true,
	set: func(c *Config, words []string) (err error) {
		c.EncryptionKeys = nil
		for i, w := range words {
			// A key in the settings themselves would be stored next to the data it encrypts, and a message
			// about it must not quote it.
			if !reference.MatchString(w) {
				return fmt.Errorf("number %d is not a reference; keys are not stored in the settings: write "+
					"${file:PATH} or ${env:NAME}", i+1)
			}
			secret, err := definition.ParseSecret(w)
			if err != nil {
				return err
			}
			c.EncryptionKeys = append(c.EncryptionKeys, secret)
		}
		return nil
	},
	show: func(c *Config) string {
		names := make([]string, len(c.EncryptionKeys))
		for i, k := range c.EncryptionKeys {
			names[i] = k.String()
		}
		return strings.Join(names, ",")
	},
}}

var reference = regexp.MustCompile(`^\$\{(env|file):[^{}]+\}$`)

// Keys reads the encryption keys, the first one first. Warnings point out problems. Neither quotes a key.
func (c *Config) Keys() (keys []seal.Key, warnings []string, err error) {
	seen := map[string]definition.Reference{}
	for _, secret := range c.EncryptionKeys {
		ref := secret.References()[0] // set made sure
		text, err := secret.Expand(Lookup)
		if err != nil {
			return nil, nil, fmt.Errorf("encryption_keys: %w", err)
		}
		key, err := seal.ParseKey(text)
		if err != nil {
			// the location matters more than the code
			return nil, nil, fmt.Errorf("encryption_keys: %s: %v; %s", ref, err, fault.HintOf(err))
		}
		if other, twice := seen[key.ID()]; twice {
			return nil, nil, fmt.Errorf("encryption_keys: %s and %s are the same key; name it once", other, ref)
		}
		seen[key.ID()] = ref
		keys = append(keys, key)
		if ref.Scheme != "file" || runtime.GOOS == "windows" {
			continue
		}
		if info, err := os.Stat(ref.Name); err == nil && info.Mode().Perm()&0o004 != 0 {
			warnings = append(warnings, fmt.Sprintf("every user of this machine can read the encryption key "+
				"in %s; chmod 600 %s", ref.Name, ref.Name))
		}
	}
	return keys, warnings, nil
}
