import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../../scripts/lib/service-process.ts'
import type { TestService } from '../../harness.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { startShop } from '../../lib/pages/shop.ts'
import { editorReady, nudge } from '../../lib/pages/stored-layers.ts'

const SERVER = join(import.meta.dirname, '../../../examples/embedded-editor/server.ts')

/** Starts the example with an API key of an operator. Returns its origin. */
async function startExample(t: TestContext, service: TestService, port: number): Promise<string> {
  const { accessToken: token } = await service.signUp({ role: 'operator' })
  const areas = ['customers', 'designs', 'assets']
  const permissions = areas.flatMap((area) => [`${area}:read`, `${area}:write`])
  const key = await service.request('POST', '/api/api-keys', { token, body: { name: 'Shop', permissions } })
  assert.equal(key.status, 201, key.text)
  const env = { PLATEN_URL: service.config.origin, PLATEN_API_KEY: key.body.key, PORT: String(port) }
  const child = spawn(process.execPath, [SERVER], { env: { PATH: process.env['PATH'], ...env } })
  t.after(() => child.kill())
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stdout.once('data', () => resolve())
    child.once('exit', () => reject(new Error(output)))
  })
  t.after(() => assert.equal(output, ''))
  return `http://localhost:${port}`
}

test('a shop of another origin shows the editor under its own policy, and a visitor finalizes a design', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const port = await freePort()
  const shop = await startShop(t, { env: { PLATEN_CORS_ORIGINS: `http://localhost:${port}` } })
  const { service } = shop
  const url = await startExample(t, service, port)
  const page = await shop.open(url)
  await editorReady(page)
  assert.notEqual(new URL(page.url()).origin, service.config.origin)
  const { id } = await service.db.selectFrom('designs').select('id').executeTakeFirstOrThrow()
  const styleOf = (selector: string, property: string) =>
    page
      .locator(selector)
      .evaluate(
        (element, name) =>
          (globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> }).getComputedStyle(
            element,
          )[name],
        property,
      )
  assert.equal(await styleOf('.pe-stage', 'backgroundColor'), 'rgb(230, 221, 208)')
  assert.equal(await styleOf('.pe-finalize', 'backgroundColor'), 'rgb(122, 31, 61)')

  await page.getByText(/^To check: \d/).waitFor()
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await page.getByText('Changed', { exact: true }).waitFor()
  await page.getByText('Ready to print').waitFor()
  await page.keyboard.press('Escape')
  await nudge(page, 'Your text', 'ArrowRight')
  await page.locator('.pe-save-status.saved').waitFor()
  await page.getByRole('button', { name: 'Finalize' }).click()
  await page.getByText(`In the basket: ${id}`).waitFor({ timeout: 60_000 })
  const { status } = await service.db
    .selectFrom('designs')
    .select('status')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.equal(status, 'finalized')
})
