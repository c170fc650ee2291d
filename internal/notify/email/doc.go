// Package email sends messages by e-mail.
//
//	channel, err := email.New(email.Config{
//		SMTP: "smtps://assent@mail.example:465", Password: "…", From: "Assent <assent@example.com>", Out: out,
//	})
//	ref, err := channel.Send(ctx, notify.Recipient{Address: "ann@example.com"}, message)
//
// # What a mail is
//
// Plain text and HTML that say the same. The only link opens the page of the approval or the run; nothing in a mail
// decides, so a program that follows its links decides nothing.
//
// # Threads
//
// The Message-ID follows from the key of the message, so a mail that was sent twice after a lost reply has the same id
// twice, and mail programs show it once. All mails of a thread refer to one id that follows from the thread. When an
// approval is settled, recipients who were asked get one short reply: see Edit.
//
// # Failures
//
//	4xx, no connection, disconnected    may pass
//	5xx, no encryption, bad address     permanent
//	no reply to the end of a message    unknown
package email
