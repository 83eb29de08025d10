import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { mailedToken } from '../../../test/people.ts'

test('EM-3: opening a mailed link consumes nothing, sending its token does', async (t) => {
  const service = await startService(t)
  const email = 'ada@example.com'
  await service.request('POST', '/api/auth/register', { body: { email, password: 'a quiet lake at dusk' } })
  const token = await mailedToken(service.request, service.origin, email)
  for (let opened = 0; opened < 3; opened += 1) {
    const page = await service.request('GET', `${service.origin}/verify-email?token=${token}`)
    assert.equal(page.status, 200)
    assert.ok(!page.text.includes(token), 'the page does not repeat the token')
  }
  assert.equal((await service.request('POST', '/api/auth/email/verify', { body: { token } })).status, 200)
})

test('HD-1: the pages restrict the content security policy and load resources of this origin only', async (t) => {
  const service = await startService(t)
  for (const path of ['/verify-email', '/reset-password', '/confirm-email']) {
    const page = await service.request('GET', `${service.origin}${path}?token=x`)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.match(
      page.text,
      /<meta http-equiv="Content-Security-Policy" content="base-uri 'none'; object-src 'none'; form-action 'self'" \/>/,
    )
    // Requests for the files below would otherwise name the URL with the token.
    const noReferrer = page.text.indexOf('<meta name="referrer" content="no-referrer"')
    assert.ok(noReferrer > 0 && noReferrer < page.text.search(/ (src|href)=/))
    assert.doesNotMatch(page.text, /<script>|<style>| on\w+=| style=/)
    for (const [, path] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      assert.equal((await service.request('GET', `${service.origin}${path}`)).status, 200)
    }
  }
})
