import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../lib/browser/browser.ts'
import { startOnLocalhost } from '../lib/browser/localhost-service.ts'
import { openProfiles } from '../lib/browser/shared-browser.ts'
import { addAuthenticator } from '../lib/browser/virtual-authenticator.ts'

/** The members of a page that the functions below use. */
interface InPage {
  navigator: { credentials: Record<'create' | 'get', (options: object) => Promise<{ toJSON(): object }>> }
  PublicKeyCredential: Record<
    'parseCreationOptionsFromJSON' | 'parseRequestOptionsFromJSON',
    (options: object) => object
  >
}

/** Performs the steps of a client in the page: gets options, calls the authenticator, and sends the result. */
function usePasskey(page: Page, way: 'register' | 'login', token: string): Promise<{ status: number; body: object }> {
  return page.evaluate(
    async ([way, token]) => {
      const { navigator, PublicKeyCredential } = globalThis as unknown as InPage
      const post = async (path: string, body: object) => {
        const headers = {
          'content-type': 'application/json',
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        }
        return fetch(`/v1/api/auth/webauthn/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      }
      const { challengeId, publicKey } = (await (await post(way, {})).json()) as {
        challengeId: string
        publicKey: object
      }
      const credential =
        way === 'register'
          ? await navigator.credentials.create({
              publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey),
            })
          : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) })
      const answer = await post(`${way}/verify`, { challengeId, credential: credential.toJSON() })
      return { status: answer.status, body: (await answer.json()) as object }
    },
    [way, token] as const,
  )
}

test('WA-1, WA-5: a real browser creates a passkey once and signs in with it', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const service = await startOnLocalhost(t)
  const { accessToken, userId } = await service.signUp()
  const page = await (await openProfiles(t)).newPage()
  await page.goto(`${service.config.origin}/problems`)
  const authenticator = await addAuthenticator(page)

  const added = await usePasskey(page, 'register', accessToken)
  assert.equal(added.status, 201, JSON.stringify(added.body))
  await assert.rejects(usePasskey(page, 'register', accessToken), /InvalidStateError/)

  const signedIn = await usePasskey(page, 'login', '')
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
  const { accessToken: token } = signedIn.body as { accessToken: string }
  assert.equal((await service.request('GET', '/me', { token })).body.id, userId)

  await authenticator.setVerified(false)
  await assert.rejects(usePasskey(page, 'login', ''), /NotAllowedError/)
})
