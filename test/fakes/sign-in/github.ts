import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createGrants, type FakeServer, type Handler, sendJson, startFakeServer } from './authorization-server.ts'

const CLIENT = { id: 'platen-at-github', secret: 'the secret that GitHub gave' }

export interface Github extends FakeServer {
  env: Record<string, string>
  /** The response to `GET /user`. */
  user: Record<string, unknown>
  /** The response to `GET /user/emails`. */
  emails: unknown[]
}

/**
 * Starts a fake of GitHub: its sign-in, and the two API endpoints with the user. In the fake, sign-in and API have the
 * same host.
 */
export async function startGithub(t: TestContext): Promise<Github> {
  const grants = createGrants(CLIENT)
  const tokens = new Set<string>()
  const fake = await startFakeServer(t, () => {
    const forBearer =
      (body: () => unknown): Handler =>
      async (request, response) => {
        const token = request.headers.authorization?.replace(/^bearer /i, '') ?? ''
        if (!tokens.has(token)) return sendJson(response, { message: 'Bad credentials' }, 401)
        sendJson(response, body())
      }
    return {
      // The issuer is always that of github.com, because the service expects it.
      '/login/oauth/authorize': async (_request, response, url) =>
        grants.authorize(url, response, { iss: 'https://github.com/login/oauth' }),
      '/login/oauth/access_token': async (request, response) => {
        // GitHub reports errors with status 200.
        if ((await grants.redeem(request)) === undefined) return sendJson(response, { error: 'bad_verification_code' })
        const token = `gho_${randomBytes(8).toString('hex')}`
        tokens.add(token)
        sendJson(response, { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' })
      },
      '/api/user': forBearer(() => github.user),
      '/api/user/emails': forBearer(() => github.emails),
    }
  })
  const github: Github = Object.assign(fake, {
    env: {
      PLATEN_GITHUB_URL: fake.url,
      PLATEN_GITHUB_API_URL: `${fake.url}/api`,
      PLATEN_GITHUB_CLIENT_ID: CLIENT.id,
      PLATEN_GITHUB_CLIENT_SECRET: CLIENT.secret,
    },
    user: { id: 583231, login: 'octocat', name: 'The Octocat' },
    emails: [{ email: 'octocat@example.com', primary: true, verified: true }],
  })
  return github
}
