package api

import (
	"slices"

	"github.com/assent-run/assent/internal/api/contract"
)

func (s *Server) settings(c *call) (reply, error) {
	if err := s.app.Access.MayGiveAccess(c.who); err != nil {
		return reply{}, err
	}
	out := contract.Settings{Version: s.o.Version, File: s.o.SettingsFile, Items: []contract.Setting{}}
	for _, v := range slices.Clone(s.o.Settings) {
		if v.Secret {
			v.Value = "" // whatever the caller of New thought
		}
		out.Items = append(out.Items, v)
	}
	return reply{body: out}, nil
}
