import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { enqueue, startJobRunner } from '../../../src/platform/jobs/jobs.ts'
import { createLog } from '../../../src/platform/telemetry/log.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { button, heading, link, type Shop, startShop } from '../../lib/pages/shop.ts'

/** Stores a job whose attempts are used up. */
async function storeFailedJob({ service: { db } }: Shop, kind: string): Promise<void> {
  await enqueue(db, kind, { to: 'ada@example.com' }, { maxAttempts: 3 })
  await sql`
    update graphile_worker._private_jobs set attempts = 3, last_error = '550 <ada@example.com>: user unknown'
    where id = (select max(id) from graphile_worker._private_jobs)`.execute(db)
}

test('an administrator sees what fails, and retries a job until it has run', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  await storeFailedJob(shop, 'test.mail')
  await storeFailedJob(shop, 'test.other')
  t.mock.method(service.services.readiness, 'checkStorage', () => Promise.reject(new Error('the disk is gone')))
  const page = await openConsole(shop, await service.signUp({ role: 'admin' }), '/system')
  await heading(page, 'System').waitFor()
  await page.getByText('Does not work').waitFor()
  assert.equal(await page.getByText('Works', { exact: true }).count(), 4)
  await page.getByText('No process runs background jobs.').waitFor()
  const row = page.getByRole('row', { name: /test\.mail/ })
  await row.getByText('550 <[email address]>: user unknown').waitFor()
  assert.ok(!(await page.content()).includes('ada@example.com'))
  await expectAccessible(page, 'the state of a service with failed jobs')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the state of a service')
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByLabel('Kind').selectOption('test.mail')
  await page.getByRole('row', { name: /test\.other/ }).waitFor({ state: 'detached' })
  await button(page, 'Retry test.mail').click()
  await page.getByText('No jobs here').waitFor()
  await page.getByRole('navigation', { name: 'Views of jobs' }).getByRole('link', { name: 'Waiting' }).click()
  await row.waitFor()
  assert.match(page.url(), /state=waiting/)
  const log = createLog({ level: 'silent' })
  const jobs = [{ name: 'test.mail', handle: async () => undefined }]
  const runner = startJobRunner(service.services.database, jobs, log)
  t.after(() => runner.stop())
  await page.getByText('No jobs here').waitFor()
})

test('only administrators see the page, in German too', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { locale: 'de-DE' })
  const { service, url } = shop
  await storeFailedJob(shop, 'test.mail')
  const page = await shop.open(`${url}/console/system`)
  const signIn = async (role: 'admin' | 'operator') => {
    const { email, password } = await service.signUp({ role })
    await page.getByLabel('E-Mail-Adresse').fill(email)
    await page.getByLabel('Passwort', { exact: true }).fill(password)
    await button(page, 'Anmelden').click()
  }
  await signIn('operator')
  await heading(page, 'Ihre Rolle hat keinen Zugang zu dieser Seite').waitFor()
  assert.equal(await link(page, 'System').count(), 0)
  await page.context().clearCookies()
  await page.evaluate('localStorage.clear()')
  await page.reload()
  await signIn('admin')
  await link(page, 'System').waitFor()
  await button(page, 'test.mail wiederholen').waitFor()
  await expectAccessible(page, 'the state of the service in German')
})

test('the audit log shows who changed a role, and finds it by account and event', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const person = await service.signUp()
  const change = { token: admin.accessToken, body: { role: 'operator' } }
  assert.equal((await service.request('PATCH', `/users/${person.userId}`, change)).status, 200)
  const customer = { token: admin.accessToken, body: { externalId: 'grace', name: 'Grace Hopper' } }
  assert.equal((await service.request('POST', '/customers', customer)).status, 201)
  const gone = await service.signUp()
  await service.db.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', gone.userId).execute()
  const page = await openConsole(shop, admin, '/system')
  const ofOneAccount: string[] = []
  page.on('request', (request) => {
    if (/\/v1\/(users|customers)\/./.test(request.url())) ofOneAccount.push(request.url())
  })
  await link(page, 'Audit log').click()
  await heading(page, 'Audit log').waitFor()
  await page.getByRole('row').nth(2).waitFor()
  // A customer without an account has no page of an account, which would be an error of the console.
  await page
    .getByRole('row', { name: /Customer created/ })
    .getByRole('link', { name: 'Grace Hopper' })
    .waitFor()
  await page.getByRole('cell', { name: gone.userId, exact: true }).first().waitFor()
  assert.equal(await page.getByRole('link', { name: gone.userId }).count(), 0, 'an erased account has no page')
  // The list states the names. A request for each account would soon reach the limit of requests.
  assert.deepEqual(ofOneAccount, [])
  await expectAccessible(page, 'the audit log')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the audit log')
  const onPhone = page.getByRole('row', { name: /Role or access changed/ })
  await onPhone.getByRole('link', { name: person.email }).waitFor()
  await onPhone.getByRole('link', { name: admin.email }).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('searchbox', { name: 'Account' }).fill(person.userId)
  // The search waits until nothing has been typed for a moment.
  await page.waitForURL(/user=/)
  await page.getByLabel('Event').selectOption('Role or access changed')
  const entry = page.getByRole('row', { name: /user_access_changed/ })
  await entry.getByRole('link', { name: admin.email }).waitFor()
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
  await page.getByLabel('Result').selectOption('Failed')
  await page.getByText('No entries here').waitFor()
  const filter = Object.fromEntries(new URL(page.url()).searchParams)
  assert.deepEqual(filter, { user: person.userId, type: 'user_access_changed', result: 'failure' })
})

test('an administrator verifies the audit log, and sees which entry was changed', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const { jobs } = service.services.auth
  const verifying = jobs.filter(({ name }) => name === 'auth.verify_events')
  const runner = startJobRunner(service.services.database, verifying, createLog({ level: 'silent' }))
  t.after(() => runner.stop())
  const page = await openConsole(shop, await service.signUp({ role: 'admin' }), '/system/audit')
  await page.getByText('The audit log has not been verified yet.').waitFor()
  await button(page, 'Verify now').click()
  await page.getByText(/^Verified .*: \d+ entries, none changed or removed\.$/).waitFor()
  await expectAccessible(page, 'a verified audit log')

  await sql`alter table security_events disable trigger user`.execute(service.db)
  const { rows } = await sql<{ id: string }>`
    update security_events set type = 'sign_out' where sequence = 2 returning id`.execute(service.db)
  await button(page, 'Verify now').click()
  const warning = page.getByRole('alert').filter({ hasText: 'The audit log was tampered with.' })
  await warning.getByText(`Entry 2 (${rows[0]?.id}) was changed, inserted or replaced.`).waitFor()
  await expectAccessible(page, 'a broken audit log')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'a broken audit log')
  await page.setViewportSize({ width: 1280, height: 800 })
  await link(page, 'State').click()
  await heading(page, 'System').waitFor()
  await warning.waitFor()
})
