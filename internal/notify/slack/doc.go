// Package slack sends messages to Slack, and reads what people do with them.
//
//	c, err := slack.New(slack.Config{Name: "team", Token: token, SigningSecret: secret, To: "#approvals"})
//	ref, err := c.Send(ctx, notify.Recipient{}, message)
//
// Text that people and agents wrote is shown as plain text: it can neither mention people, nor contain links, nor look
// like part of the message. A message has buttons only if everything that is decided on is in it, whole.
//
// Requests by Slack are checked with Verify and read with Read. This package knows neither who a Slack user is here,
// nor what they may do.
package slack
