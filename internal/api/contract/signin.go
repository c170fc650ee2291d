package contract

import (
	"net/http"
	"slices"

	"github.com/assent-run/assent/internal/api/request"
)

// The addresses of signing in: with a password, and with an identity provider.
const (
	PathSignIn = Base + "/sign-in"
	PathOIDC   = PathSignIn + "/oidc"
)

// CallbackPath is where identity providers redirect people to.
const CallbackPath = PathOIDC + "/callback"

func accessOperations() []Operation {
	signIn := []Operation{
		{
			Method: "GET", Path: PathSignIn, ID: "getSignIn", Tag: "Access", Summary: "List the available sign-in methods",
			Public: true, Gives: SignInView{},
		},
		{
			Method: "POST", Path: PathSignIn, ID: "signIn", Tag: "Access", Summary: "Sign in with a name and a password",
			Public: true, Forgets: true,
			Description: "The response sets a cookie. It does not reveal whether the name or the password is wrong; after " +
				"some failures, attempts are throttled, for longer each time.",
			Takes: TakesJSON, Body: SignIn{}, Gives: Me{}, Example: `{"name":"ann","password":"…"}`,
		},
		{
			Method: "POST", Path: Base + "/sign-out", ID: "signOut", Tag: "Access", Summary: "Sign out, here or everywhere",
			Takes: TakesMaybe, Body: SignOut{}, Gives: SignedOut{}, Example: `{"everywhere":true}`,
		},
		{
			Method: "GET", Path: PathOIDC, ID: "beginSignIn", Tag: "Access", Summary: "Go to the identity provider to sign in",
			Public: true, Status: http.StatusSeeOther,
			Params: []request.Param{{Name: "return",
				Doc: "The page of this server to return to; anything else means the first page."}},
		},
		{
			Method: "GET", Path: CallbackPath, ID: "finishSignIn", Tag: "Access",
			Summary: "Return from the identity provider", Public: true, Status: http.StatusSeeOther,
			Description: "For browsers. Errors are returned as a problem, or by a redirect to /?sign_in=CODE if the client " +
				"prefers a page.",
			Params: []request.Param{
				{Name: "code", Doc: "The code from the provider."}, {Name: "state", Doc: "The state sent to the provider."},
				{Name: "iss", Doc: "Who it is."},
				{Name: "error", Doc: "The provider's error code."},
				{Name: "error_description", Doc: "The provider's error message, which is not shown."},
				{Name: "error_uri", Doc: "The address of a page about it, which is not opened."},
				{Name: "session_state", Doc: "Not used."},
			},
		},
	}
	return slices.Concat(signIn, ownOperations(), pushOperations(), linkOperations(), accountOperations(),
		tokenOperations(), roleOperations(), subjectOperations(), peopleOperations())
}

// SignInView lists the sign-in methods.
type SignInView struct {
	Needed   bool          `json:"needed"`   // False if sign-in is not enabled.
	Password bool          `json:"password"` // True if people may sign in with a name and a password.
	OIDC     *ProviderView `json:"oidc"`     // The identity provider; null if there is none.
}

// ProviderView is an identity provider.
type ProviderView struct {
	Label string `json:"label"` // The label of the provider.
	URL   string `json:"url"`   // The address where browsers sign in; return is the page to come back to.
}

// SignIn is a name and a password.
type SignIn struct {
	Name     string `json:"name"`
	Password string `json:"password"` // The password.
}

// SignOut selects the sessions to end.
type SignOut struct {
	Everywhere bool `json:"everywhere,omitempty"` // True to end all of your sessions, not only this one.
}

// SignedOut reports which sessions ended.
type SignedOut struct {
	Ended int `json:"ended"` // The number of sessions that ended.
}
