package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// AddFlags adds the flags of these settings to a command, or of all if none is named.
func AddFlags(flags *pflag.FlagSet, names ...string) {
	for _, st := range settings {
		if len(names) > 0 && !slices.Contains(names, st.name) {
			continue
		}
		name := strings.TrimPrefix(st.flag(), "--")
		usage := fmt.Sprintf("%s (%s)", st.usage, st.env())
		switch {
		case st.bool:
			flags.Bool(name, false, usage)
		case st.list != "":
			flags.StringArray(name, nil, usage)
		default:
			flags.String(name, st.fallback[0], usage)
		}
	}
	if flags.Lookup("config") == nil {
		flags.String("config", "", "settings file (ASSENT_CONFIG); default: assent.yaml in the current directory, if present")
	}
}

// FromFlags loads the settings of a command with flags for them.
func FromFlags(flags *pflag.FlagSet, getenv func(string) string) (*Config, error) {
	s := Sources{Flags: map[string][]string{}, Getenv: getenv}
	for _, st := range settings {
		f := flags.Lookup(strings.TrimPrefix(st.flag(), "--"))
		if f == nil || !f.Changed {
			continue
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			s.Flags[st.name] = st.words(list.GetSlice())
		} else {
			s.Flags[st.name] = []string{f.Value.String()}
		}
	}
	if f := flags.Lookup("config"); f != nil {
		s.File = f.Value.String()
	}
	return Load(s)
}
