import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'

// Otherwise, the limits of an IP address would not apply to callers who send the credential of an account of theirs.
test('every route of sign-in that needs no credential ignores one', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const document = (await service.request('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string; security?: unknown[] }>>
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => path.includes('/api/auth/') && security?.length === 0)
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  )
  assert.ok(operations.length > 15, String(operations.length))
  const loggedCaller = (requestId: string): { credentialId?: string } | undefined => {
    const lines = service.logLines().split('\n')
    const line = lines.find((text) => text.includes(`"${requestId}"`) && text.includes('"msg":"request"'))
    return line === undefined ? undefined : JSON.parse(line)
  }
  for (const { method, path } of operations) {
    const { headers } = await service.request(method, path, { token, ...(method === 'GET' ? {} : { body: {} }) })
    const requestId = String(headers.get('x-request-id'))
    await until(`the log of ${method} ${path}`, () => loggedCaller(requestId) !== undefined)
    assert.equal(loggedCaller(requestId)?.credentialId, undefined, `${method} ${path}`)
  }
})
