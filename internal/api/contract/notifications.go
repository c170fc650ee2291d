package contract

import (
	"net/http"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/outbox"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// notificationOperations are about channels and what was sent on them.
func notificationOperations() []Operation {
	all, one, mine := Base+"/channels", Base+"/channels/{name}", Base+"/me/notifications"
	statuses := make([]string, len(port.DeliveryStatuses))
	for i, s := range port.DeliveryStatuses {
		statuses[i] = string(s)
	}
	const tag = "Notifications"
	return []Operation{
		{
			Method: "GET", Path: Base + "/deliveries", ID: "listDeliveries", Tag: tag, Summary: "List messages, newest first",
			Description: "With their recipients and status. Administrators see all messages, others only their own. " +
				"Messages are listed for 90 days.",
			Gives: view.List[outbox.Delivery]{}, Params: append([]request.Param{
				{Name: "status", Kind: request.List, Words: statuses, Doc: "Only those with one of these statuses."},
				{Name: "approval", Doc: "Only those about this approval."},
				{Name: "run", Doc: "Only those about this run."},
				{Name: "channel", Doc: "Only those on this channel."},
			}, request.Paging...),
		},
		{
			Method: "POST", Path: Base + "/deliveries/{id}/retry", ID: "retryDelivery", Tag: tag,
			Summary: "Resend a message that failed or was suppressed", Changes: true,
			Gives: outbox.Delivery{},
		},
		{
			Method: "GET", Path: all, ID: "listChannels", Tag: tag, Summary: "List the channels in force, by name",
			Gives: view.List[outbox.Channel]{}, Params: request.Paging,
		},
		{
			Method: "GET", Path: one, ID: "getChannel", Tag: tag, Summary: "Show a channel",
			Description: "Secrets are hidden. With Accept: application/yaml, the response is a file.",
			Gives:       outbox.Channel{}, Tagged: true, YAML: true,
		},
		{
			Method: "PUT", Path: one, ID: "saveChannel", Tag: tag, Summary: "Save a channel and put it in force",
			Description: saves + " A disabled channel is enabled again.",
			Takes:       TakesDocument, Gives: registry.Document{}, Params: []request.Param{forced},
			Status: http.StatusCreated, Also: http.StatusOK, Changes: true,
			Example: `{"channel":"browser","kind":"push"}`,
		},
		{
			Method: "DELETE", Path: one, ID: "deleteChannel", Tag: tag, Summary: "Delete a channel",
			Description: "Messages that were not sent are suppressed. The response shows it as it was.",
			Gives:       outbox.Channel{}, Changes: true,
		},
		{
			Method: "POST", Path: one + "/test", ID: "testChannel", Tag: tag,
			Summary:     "Send a test message on a channel",
			Description: "To its room, or to you. If it arrives, a disabled channel is enabled again.",
			Gives:       outbox.ChannelTest{}, Changes: true,
		},
		{
			Method: "GET", Path: Base + "/notifications", ID: "getNotifications", Tag: tag,
			Summary: "Show the default channels of each event",
			Description: "Version 0 until one is saved: what applies without it. With Accept: application/yaml, " +
				"the response is a file.",
			Gives: registry.Document{}, Tagged: true, YAML: true,
		},
		{
			Method: "PUT", Path: Base + "/notifications", ID: "saveNotifications", Tag: tag,
			Summary: "Set the default channels of each event", Description: saves,
			Takes: TakesDocument, Gives: registry.Document{}, Params: []request.Param{forced},
			Status: http.StatusCreated, Also: http.StatusOK, Changes: true,
			Example: `{"notifications":"default","events":{"approval.needed":["email"]}}`,
		},
		{
			Method: "GET", Path: mine, ID: "getMyNotifications", Tag: tag, Summary: "Show your notification preferences",
			Gives: outbox.MyNotifications{},
		},
		{
			Method: "PUT", Path: mine, ID: "saveMyNotifications", Tag: tag, Summary: "Set your notification preferences",
			Description: "The body replaces your preferences.",
			Takes:       TakesJSON, Body: notify.Preferences{}, Gives: outbox.MyNotifications{}, Changes: true,
			Example: `{"email":"ann@example.com","quiet_hours":{"from":"22:00","to":"07:00","timezone":"Europe/Berlin"}}`,
		},
	}
}
