package assembly

import (
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/notify"
)

// channels open the channels of each kind. A document has been checked; secret looks up its secrets.
var channels = map[definition.ChannelKind]func(*Server, *definition.Channel) (notify.Channel, error){
	definition.ChannelPush: func(s *Server, _ *definition.Channel) (notify.Channel, error) { return s.Push, nil },
}

// channel opens the channel of a document.
func (s *Server) channel(doc *definition.Channel) (notify.Channel, error) {
	open, ok := channels[doc.Kind]
	if !ok {
		return nil, fault.Newf(fault.Unsupported, "channels of kind %s are not available here", doc.Kind)
	}
	return open(s, doc)
}
