package config

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/audit"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/mask"
)

const envPrefix = "ASSENT_"

// setting is one setting. From any source, a value arrives as words: one for most, several for lists.
type setting struct {
	name     string
	usage    string
	fallback []string
	list     string // the characters that separate a list's words in a variable
	commas   bool   // no word contains a comma, so flags and files may use commas as well
	bool     bool
	secret   bool // its value is one, or may contain one
	set      func(*Config, []string) error
	show     func(*Config) string
}

func (st setting) env() string  { return envPrefix + strings.ToUpper(st.name) }
func (st setting) flag() string { return "--" + strings.ReplaceAll(st.name, "_", "-") }

func (st setting) split(v string) []string {
	if st.list == "" {
		return []string{v}
	}
	return st.words(strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(st.list, r) }))
}

// words are those of a flag or a file. A flag may be repeated, and a list in a file may have several members;
// if no word can contain a comma, commas separate words as they do in variables.
func (st setting) words(given []string) []string {
	if !st.commas {
		return given
	}
	var out []string
	for _, one := range given {
		for word := range strings.SplitSeq(one, ",") {
			if word = strings.TrimSpace(word); word != "" {
				out = append(out, word)
			}
		}
	}
	return out
}

// Defaults of settings that are rarely changed.
const (
	DefaultAddr = "127.0.0.1:8080"
	DefaultData = "./.assent"
)

var settings = slices.Concat(serverSettings, encryptionSettings, signInSettings)

var serverSettings = []setting{
	text("addr", "where to listen: HOST:PORT; port 0 picks a free one", DefaultAddr,
		func(c *Config) *string { return &c.Addr }),
	text("data", "directory of the embedded store", DefaultData, func(c *Config) *string { return &c.Data }),
	{
		name: "db", usage: "Use this PostgreSQL database instead of the embedded store: postgres://USER:PASSWORD@HOST/NAME",
		fallback: []string{""}, secret: true,
		set: func(c *Config, words []string) (err error) {
			v, err := one(words)
			if err == nil {
				c.DB, err = definition.ParseSecret(v)
			}
			return err
		},
		show: func(c *Config) string { return maskURL(c.DB) },
	},
	optional("held_results", "directory for results of agents that the store does not accept yet, such as one on "+
		"another disk; otherwise data", func(c *Config) *string { return &c.HeldResults }),
	oneOf("engine", "engine that drives runs", "local", func(c *Config) *string { return &c.Engine }, "local", "temporal"),
	optional("temporal", "address of Temporal for that engine: HOST:PORT",
		func(c *Config) *string { return &c.Temporal }),
	optional("temporal_namespace", "namespace of Temporal", func(c *Config) *string { return &c.TemporalNamespace }),
	{
		name: "load", usage: "load the documents of a folder and watch it (repeatable)",
		list: string(os.PathListSeparator) + ",",
		set:  func(c *Config, words []string) error { c.Load = slices.Clone(words); return nil },
		show: func(c *Config) string { return strings.Join(c.Load, string(os.PathListSeparator)) },
	},
	flag("allow_commands", "allow agents that are local programs", func(c *Config) *bool { return &c.AllowCommands }),
	flag("allow_private", "allow HTTP agents on private networks", func(c *Config) *bool { return &c.AllowPrivate }),
	{
		name: "references", usage: "secrets that documents sent to the API may refer to: env:NAME, where * matches any " +
			"characters, and file:DIRECTORY",
		list: ",", commas: true, fallback: []string{"env:ASSENT_SECRET_*", "file:/run/secrets"},
		set: func(c *Config, words []string) (err error) {
			c.References, err = definition.ParseAllowed(words...)
			return err
		},
		show: func(c *Config) string { return strings.Join(c.References.Strings(), ",") },
	},
	{
		name: "workers", usage: "how many agents run at once, by kind: KIND=N, such as http=16; default=N for all others",
		list: ",", commas: true, set: setWorkers,
		show: func(c *Config) string {
			var out []string
			for _, kind := range slices.Sorted(maps.Keys(c.Workers)) {
				out = append(out, fmt.Sprintf("%s=%d", cmp.Or(kind, otherKinds), c.Workers[kind]))
			}
			return strings.Join(out, ",")
		},
	},
	{
		name: "confidence_threshold", usage: "confidence below which people are asked, 0 to 1, unless the agent or the " +
			"workflow sets its own", fallback: []string{"0.7"},
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err != nil {
				return err
			}
			f, err := strconv.ParseFloat(v, 64)
			if err != nil || !(f >= 0 && f <= 1) {
				return fmt.Errorf("%q is not a number between 0 and 1; write one such as 0.7", v)
			}
			c.ConfidenceThreshold = f
			return nil
		},
		show: func(c *Config) string { return strconv.FormatFloat(c.ConfidenceThreshold, 'g', -1, 64) },
	},
	{
		name: "default_role", usage: "role to ask where no gate, rule, workflow or agent names one",
		fallback: []string{plan.DefaultRole},
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err == nil && (v == "" || strings.ContainsAny(v, ": \t,")) {
				err = fmt.Errorf("%q is not the name of a role; write one such as %s", v, plan.DefaultRole)
			}
			c.DefaultRole = v
			return err
		},
		show: func(c *Config) string { return c.DefaultRole },
	},
	{
		name: "gates_if_missing", usage: "what a gate without if_missing does when a field of its condition is missing: " +
			"ask, or ignore (the condition is not met, with a warning on the run)", fallback: []string{plan.MissingIgnored},
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err == nil && v != plan.MissingAsks && v != plan.MissingIgnored {
				err = fmt.Errorf("%q is not valid; write %s or %s", v, plan.MissingAsks, plan.MissingIgnored)
			}
			c.GatesIfMissing = v
			return err
		},
		show: func(c *Config) string { return c.GatesIfMissing },
	},
	{
		name: "rate_limit", usage: "requests per second that one identity may send, 0 for no limit; auto: 200 " +
			"where people sign in, no limit elsewhere", fallback: []string{"auto"},
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err != nil || v == "auto" {
				c.RateLimit = nil
				return err
			}
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 || n > 1_000_000 {
				return fmt.Errorf("%q is neither auto nor a whole number; write one such as 200", v)
			}
			c.RateLimit = &n
			return nil
		},
		show: func(c *Config) string {
			if c.RateLimit == nil {
				return "auto"
			}
			return strconv.Itoa(*c.RateLimit)
		},
	},
	oneOf("log_level", "log level", "warn", func(c *Config) *string { return &c.LogLevel }, "debug",
		"info", "warn", "error"),
	oneOf("log_format", "log format", "text", func(c *Config) *string { return &c.LogFormat }, "text", "json"),
	{
		name: "drain", usage: "how long agents may take to finish after SIGTERM", fallback: []string{"30s"},
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err != nil {
				return err
			}
			d, err := quantity.ParseDuration(v)
			if err != nil || d < 0 {
				return fmt.Errorf("%q is not a duration; write one such as 30s", v)
			}
			c.Drain = time.Duration(d)
			return nil
		},
		show: func(c *Config) string { return c.Drain.String() },
	},
	secretIn("audit_key", "the Ed25519 key that signs the audit log, instead of audit.key in the data directory: "+
		"${env:NAME} or ${file:PATH}",
		func(c *Config) *definition.Secret { return &c.AuditKey }),
	secretIn("audit_key_previous", "the key that audit_key replaces; both sign each other when the new one first "+
		"signs: ${env:NAME} or ${file:PATH}",
		func(c *Config) *definition.Secret { return &c.AuditKeyPrevious }),
	{
		name: "audit_witnesses", usage: "witness that keeps signed heads of the audit log: https://… (a webhook), " +
			"git:DIRECTORY (a clone), tsa:https://… (RFC 3161)", list: ",", commas: true, secret: true, // a webhook's token
		set: func(c *Config, words []string) error {
			for _, w := range words {
				if _, err := audit.OpenWitness(w, "", nil); err != nil {
					return err
				}
			}
			c.AuditWitnesses = slices.Clone(words)
			return nil
		},
		show: func(c *Config) string { return strings.Join(c.AuditWitnesses, ",") },
	},
	{
		name: "mask_fields", usage: "fields shown only with the permission sensitive: names such as " +
			"iban, or paths such as customer.email", list: ",", commas: true,
		set: func(c *Config, words []string) error {
			if _, err := mask.Parse(words...); err != nil {
				return err
			}
			c.MaskFields = slices.Clone(words)
			return nil
		},
		show: func(c *Config) string { return strings.Join(c.MaskFields, ",") },
	},
	keeping("retain_runs", "how long deliverables and stored bytes are kept after the end of their run", "0",
		func(c *Config) *time.Duration { return &c.RetainRuns }),
	keeping("retain_payloads", "how long payloads are kept after their run has ended", "0",
		func(c *Config) *time.Duration { return &c.RetainPayloads }),
	keeping("retain_archived", "how long deliverables are kept after they were archived", "0",
		func(c *Config) *time.Duration { return &c.RetainArchived }),
	keeping("retain_workspaces", "how long agents' files are kept after the end of their run", "7d",
		func(c *Config) *time.Duration { return &c.RetainWorkspaces }),
}

// keeping is a retention setting.
func keeping(name, usage, fallback string, field func(*Config) *time.Duration) setting {
	return setting{
		name: name, usage: usage + ", such as 30d; 0 keeps them forever", fallback: []string{fallback},
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err != nil {
				return err
			}
			d, err := quantity.ParseDuration(v)
			if err != nil || d < 0 {
				return fmt.Errorf("%q is not a duration; write one such as 30d, or 0 for no limit", v)
			}
			*field(c) = time.Duration(d)
			return nil
		},
		show: func(c *Config) string { return quantity.Duration(*field(c)).String() },
	}
}

func one(words []string) (string, error) {
	if len(words) != 1 {
		return "", fmt.Errorf("expected one value, not %d", len(words))
	}
	return words[0], nil
}

func text(name, usage, fallback string, field func(*Config) *string) setting {
	return setting{
		name: name, usage: usage, fallback: []string{fallback},
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err == nil && v == "" {
				err = fmt.Errorf("must not be empty")
			}
			*field(c) = v
			return err
		},
		show: func(c *Config) string { return *field(c) },
	}
}

func oneOf(name, usage, fallback string, field func(*Config) *string, words ...string) setting {
	return setting{
		name: name, usage: usage + ": " + strings.Join(words, ", "), fallback: []string{fallback},
		set: func(c *Config, given []string) error {
			v, err := one(given)
			if err == nil && !slices.Contains(words, v) {
				err = fmt.Errorf("%q is not valid; use one of %s", v, strings.Join(words, ", "))
			}
			*field(c) = v
			return err
		},
		show: func(c *Config) string { return *field(c) },
	}
}

func flag(name, usage string, field func(*Config) *bool) setting {
	return setting{
		name: name, usage: usage, fallback: []string{"false"}, bool: true,
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err != nil {
				return err
			}
			b, err := strconv.ParseBool(v)
			if err != nil {
				return fmt.Errorf("%q is neither true nor false", v)
			}
			*field(c) = b
			return nil
		},
		show: func(c *Config) string { return strconv.FormatBool(*field(c)) },
	}
}

// otherKinds is the key for every kind of agent without its own number.
const otherKinds = "default"

func setWorkers(c *Config, words []string) error {
	c.Workers = map[string]int{}
	for _, w := range words {
		kind, number, ok := strings.Cut(w, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 {
			return fmt.Errorf("%q: expected KIND=N, such as http=16 or default=8", w)
		}
		if kind == otherKinds {
			kind = ""
		}
		c.Workers[kind] = n
	}
	return nil
}

// Names lists all settings, in display order.
func Names() []string {
	out := make([]string, len(settings))
	for i, st := range settings {
		out[i] = st.name
	}
	return out
}

// secretIn is a setting that names the location of a secret.
func secretIn(name, usage string, at func(*Config) *definition.Secret) setting {
	return setting{
		name: name, usage: usage, fallback: []string{""}, secret: true,
		set: func(c *Config, words []string) error {
			v, err := one(words)
			if err == nil && v != "" {
				*at(c), err = definition.ParseSecret(v)
			}
			return err
		},
		show: func(c *Config) string { return at(c).String() },
	}
}
