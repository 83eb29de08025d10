import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { prepareFirstStart } from './first-start.ts'

test('HD-5: a start in production creates no account, says so, and a later one with the settings creates it', async (t) => {
  const service = await startService(t)
  const production = { ...service.config, production: true }
  const start = async (admin: { email: string; password: string | undefined }): Promise<boolean> => {
    const before = service.logLines().length
    await prepareFirstStart({ ...production, admin }, service.services, (line) => assert.fail(line))
    return service.logLines().slice(before).includes('there is no administrator: set PLATEN_ADMIN_EMAIL')
  }
  const [email, password] = ['root@example.com', 'a quiet lake at dusk']
  assert.equal(await start({ email, password: undefined }), true)
  assert.deepEqual(await service.db.selectFrom('users').select('email').execute(), [])
  assert.equal(await start({ email, password }), false)
  assert.equal(await start({ email, password: undefined }), false)
  // The settings do not replace the password of an administrator that exists.
  assert.equal(await start({ email, password: 'another quiet lake' }), false)
  const signIn = (given: string) => service.request('POST', '/api/auth/login', { body: { email, password: given } })
  assert.equal((await signIn('another quiet lake')).status, 401)
  assert.equal((await signIn(password)).status, 200)
})
