// Package config contains all settings: one struct, filled from flags, the environment and a file, in that
// order.
//
//	c, err := config.Load(config.Sources{Flags: flags, Getenv: os.Getenv})
//	fmt.Println(c.Addr, c.From("addr")) // 127.0.0.1:8080 default
//
// Every setting has one name. It is the flag --log-level, the variable ASSENT_LOG_LEVEL and the key
// log_level.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/definition"
)

// Config is the configuration in force.
type Config struct {
	Addr string
	Data string
	DB   definition.Secret
	// HeldResults is the directory for results that the store does not accept; empty: Data.
	HeldResults string
	AuditKey    definition.Secret // empty: the one in the data directory
	// AuditWitnesses store signed heads of the audit log elsewhere.
	AuditWitnesses []string
	// AuditKeyPrevious is the key that AuditKey replaces.
	AuditKeyPrevious definition.Secret
	// EncryptionKeys encrypt stored values, the one for new values first; none: no encryption.
	EncryptionKeys []definition.Secret
	Engine         string
	// Temporal and TemporalNamespace are how to reach Temporal; empty: its own settings, or else this machine.
	Temporal, TemporalNamespace string

	Load          []string
	AllowCommands bool
	AllowPrivate  bool
	References    definition.Allowed
	Workers       map[string]int
	LogLevel      string
	LogFormat     string
	Drain         time.Duration

	RetainRuns, RetainArchived, RetainWorkspaces, RetainPayloads time.Duration // 0: forever
	// ConfidenceThreshold is the confidence from which people are not asked, unless the agent or the workflow
	// sets another.
	ConfidenceThreshold float64
	// DefaultRole is the role of default approvers.
	DefaultRole string
	// GatesIfMissing is how gates without if_missing handle a missing field of their condition.
	GatesIfMissing string
	// MaskFields are fields with restricted values.
	MaskFields []string
	// SignIn configures how people sign in.
	SignIn SignIn
	// RateLimit is how many requests per second one identity may send, 0 for no limit; nil: the default.
	RateLimit *int

	File string // the file that was read, if any
	from map[string]string
}

// Sources of values other than a flag, a variable or a file.
const Default = "default"

// From returns the source of a setting's value: "default", "--addr", "ASSENT_ADDR" or "assent.yaml:3".
func (c *Config) From(name string) string { return cmp.Or(c.from[name], Default) }

// Given reports whether it was set on the command line or in the environment.
func (c *Config) Given(name string) bool {
	return strings.HasPrefix(c.from[name], "--") || strings.HasPrefix(c.from[name], envPrefix)
}

// Sources are the sources of settings.
type Sources struct {
	Flags  map[string][]string // by name, only those that were set
	Getenv func(string) string
	File   string // empty: ASSENT_CONFIG, or else assent.yaml if it exists
}

// fileName is read if it is in the working directory.
const fileName = "assent.yaml"

// Load combines the settings. It reports all problems at once.
func Load(s Sources) (*Config, error) {
	c := &Config{from: map[string]string{}}
	var errs []error
	set := func(st setting, from string, words []string) {
		if err := st.set(c, words); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", from, err))
			return
		}
		c.from[st.name] = from
	}
	for _, st := range settings {
		if err := st.set(c, st.fallback); err != nil {
			return nil, fmt.Errorf("the default of %s: %w", st.name, err)
		}
	}
	found, path, err := s.readFile()
	errs = append(errs, err)
	c.File = path
	for _, st := range settings {
		if v, ok := found[st.name]; ok {
			set(st, fmt.Sprintf("%s:%d", path, v.line), st.words(v.words))
		}
	}
	for _, st := range settings {
		if v := s.Getenv(st.env()); v != "" {
			set(st, st.env(), st.split(v))
		}
	}
	for _, st := range settings {
		if words, ok := s.Flags[st.name]; ok {
			set(st, st.flag(), words)
		}
	}
	return c, errors.Join(errs...)
}

// readFile finds and reads the configuration file; it may be missing unless one was named.
func (s Sources) readFile() (map[string]fileValue, string, error) {
	path := cmp.Or(s.File, s.Getenv(envPrefix+"CONFIG"))
	named := path != ""
	path = cmp.Or(path, fileName)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && !named {
		return nil, "", nil
	}
	if err != nil {
		return nil, path, fmt.Errorf("read the settings: %w", err)
	}
	values, err := parseFile(path, data)
	return values, path, err
}

// DatabaseURL is the address of the database with its password.
func (c *Config) DatabaseURL() (string, error) {
	if c.DB.IsZero() {
		return "", nil
	}
	u, err := c.DB.Expand(Lookup)
	if err != nil {
		return "", fmt.Errorf("db: %w", err)
	}
	return u, nil
}

// AuditKeys are the key that signs the audit log and the one that it replaces, or empty.
func (c *Config) AuditKeys() (key, previous string, err error) {
	if !c.AuditKey.IsZero() {
		if key, err = c.AuditKey.Expand(Lookup); err != nil {
			return "", "", fmt.Errorf("audit_key: %w", err)
		}
	}
	if !c.AuditKeyPrevious.IsZero() {
		if previous, err = c.AuditKeyPrevious.Expand(Lookup); err != nil {
			return "", "", fmt.Errorf("audit_key_previous: %w", err)
		}
	}
	return key, previous, nil
}

// Lookup resolves a reference to a secret on this machine.
func Lookup(r definition.Reference) (string, error) {
	switch r.Scheme {
	case "env":
		if v, ok := os.LookupEnv(r.Name); ok {
			return v, nil
		}
		return "", fmt.Errorf("environment variable %s is not set", r.Name)
	case "file":
		b, err := os.ReadFile(r.Name)
		return strings.TrimRight(string(b), "\r\n"), err
	}
	return "", fmt.Errorf("unknown source of secrets %q; use env or file", r.Scheme)
}

// maskURL returns an address without its password. A malformed address is hidden completely.
func maskURL(s definition.Secret) string {
	if s.IsZero() {
		return ""
	}
	if len(s.References()) > 0 {
		return s.String()
	}
	u, err := url.Parse(s.Reveal())
	if err != nil || u.Host == "" {
		return "***"
	}
	q := u.Query()
	for _, secret := range []string{"password", "sslpassword"} {
		if q.Has(secret) {
			q.Set(secret, "***")
		}
	}
	u.RawQuery = strings.ReplaceAll(q.Encode(), "%2A%2A%2A", "***")
	return strings.Replace(u.Redacted(), ":xxxxx@", ":***@", 1)
}

// Value is one setting as shown.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// Shown is one setting for those who administrate the server but may not see its secrets.
type Shown struct {
	Name   string
	Usage  string
	Value  string // empty for secrets
	Secret bool   // only whether it is set may be shown
	Set    bool   // it has a value
	From   string // see From
	Flag   string
	Env    string
}

// Shown lists the settings in force without any part of a secret, not even the reference to it.
func (c *Config) Shown() []Shown {
	out := make([]Shown, len(settings))
	for i, st := range settings {
		v := Shown{Name: st.name, Usage: st.usage, Secret: st.secret, Value: st.show(c), From: c.From(st.name),
			Flag: st.flag(), Env: st.env()}
		v.Set = v.Value != ""
		if v.Secret {
			v.Value = ""
		}
		out[i] = v
	}
	return out
}

// Values lists the settings in force. Secrets are masked.
func (c *Config) Values() []Value {
	out := make([]Value, len(settings))
	for i, st := range settings {
		out[i] = Value{st.name, st.show(c), c.From(st.name)}
	}
	return out
}
