// Package auth authenticates callers: by a password, by a token, or by the claims of an identity provider. Permissions
// are not its concern.
//
//	a, err := auth.New(store, auth.Config{Password: true})
//	in, err := a.SignIn(ctx, "ann", password, "192.0.2.7")
//	who, err := a.Cookie(ctx, in.Secret)       // ann, until she signs out
//	who, err = a.Bearer(ctx, "ast_…")          // a program with a token
//
// No credential is stored: passwords are stored as argon2id hashes, tokens and sessions as digests of secrets with 256
// random bits. Without a sign-in method (the zero Config) only tokens are accepted: that is local mode.
package auth
