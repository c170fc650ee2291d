// An identity provider for tests: the real thing, with people who sign in by
// themselves. Usage: node server.mjs CONFIG
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { Provider } from 'oidc-provider'

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'))

const provider = new Provider(config.issuer, {
  clients: [
    {
      client_id: config.client_id,
      client_secret: config.client_secret,
      redirect_uris: [config.redirect_uri],
      grant_types: ['authorization_code', 'client_credentials'],
      response_types: ['code'],
    },
  ],
  pkce: { required: () => true },
  scopes: ['openid', 'profile', 'email', 'groups'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'], groups: ['groups'] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      getResourceServerInfo: (_ctx, resource) => ({ scope: 'runs', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 300, jwt: { sign: { alg: 'RS256' } } }),
    },
  },
  extraTokenClaims: (_ctx, token) => (token.kind === 'ClientCredentials' ? { groups: config.program_groups } : undefined),
  findAccount: (_ctx, id) => config.people[id] && { accountId: id, claims: () => ({ sub: id, ...config.people[id] }) },
  interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  cookies: { keys: ['a key for tests alone'] },
  ttl: { AccessToken: 300, AuthorizationCode: 60, IdToken: 300, Interaction: 300, Session: 300, Grant: 300, ClientCredentials: 300 },
})

// Every visitor is signed in as the user that login_hint names, and consents to everything.
async function interact(req, res) {
  const { prompt, params, session } = await provider.interactionDetails(req, res)
  if (prompt.name === 'login') {
    const person = params.login_hint ?? config.first
    if (!config.people[person]) return provider.interactionFinished(req, res, { error: 'access_denied' })
    return provider.interactionFinished(req, res, { login: { accountId: person } })
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id })
  grant.addOIDCScope('openid profile email groups')
  grant.addOIDCClaims(prompt.details.missingOIDCClaims ?? [])
  return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true })
}

const callback = provider.callback()
http
  .createServer((req, res) => {
    if (!req.url.startsWith('/interaction/')) return callback(req, res)
    interact(req, res).catch((err) => {
      console.error(err)
      res.writeHead(500).end()
    })
  })
  .listen(Number(new URL(config.issuer).port), '127.0.0.1', () => console.log('ready'))

process.stdin.on("end", () => process.exit()).resume();
