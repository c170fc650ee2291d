package cli

import (
	"strings"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/cli/config"
)

// shownSettings are the settings in force as administrators see them in the browser.
func shownSettings(c *config.Config) []contract.Setting {
	var out []contract.Setting
	for _, v := range c.Shown() {
		out = append(out, contract.Setting{Name: v.Name, Summary: v.Usage, Value: v.Value, Secret: v.Secret, Set: v.Set,
			Source: sourceOf(v.From), From: v.From, Flag: v.Flag, Env: v.Env})
	}
	return out
}

func sourceOf(from string) contract.SettingSource {
	switch {
	case from == config.Default:
		return contract.FromDefault
	case strings.HasPrefix(from, "--"):
		return contract.FromFlag
	case strings.Contains(from, ":"):
		return contract.FromFile
	}
	return contract.FromEnvironment
}
