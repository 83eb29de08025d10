import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import sharp from 'sharp'
import { upload } from '../../../src/assets/factory.ts'
import { noBrowser } from '../../lib/browser.ts'
import { openConsole } from '../../lib/console.ts'
import { button, heading, link, startShop } from '../../lib/shop.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/watched-page.ts'

/** The frame of the formatted mail, which has a heading as soon as the mail is in it. */
async function mailFrame(page: Page, subject: RegExp): Promise<Frame> {
  const element = page.getByTitle(subject)
  await element.contentFrame().getByRole('heading', { level: 1 }).waitFor()
  const frame = await (await element.elementHandle())?.contentFrame()
  assert.ok(frame)
  return frame
}

test('an administrator sees each mail as customers get it, in each language, and sends a test', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const token = admin.accessToken
  const logo = await sharp({ create: { width: 480, height: 120, channels: 3, background: '#c8322b' } })
    .png()
    .toBuffer()
  const { body: asset } = await upload(service, token, logo)
  const look = { name: 'Ada’s Cards', accentColor: '#ffe600', logoAssetId: asset.id }
  await service.request('PATCH', '/shop-settings', { token, body: look })
  const page = await openConsole(shop, admin, '/settings/mails')
  await link(page, 'Parcel shipped').waitFor()
  await expectAccessible(page, 'the mails')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the mails')

  await link(page, 'Parcel shipped').click()
  await heading(page, 'Parcel shipped').waitFor()
  const english = await mailFrame(page, /PL-7KQ4-M2XD/)
  await english.getByText('00340434').waitFor()
  await english.getByRole('img', { name: 'Ada’s Cards' }).waitFor()
  const colors = await english.evaluate(() => {
    const { document, getComputedStyle } = globalThis as unknown as {
      document: { querySelectorAll(selector: string): Iterable<object> }
      getComputedStyle(element: object): { backgroundColor: string }
    }
    return [...document.querySelectorAll('td')].map((cell) => getComputedStyle(cell).backgroundColor)
  })
  assert.ok(colors.includes('rgb(255, 230, 0)'), 'the button has the colour of the shop')
  await expectAccessible(page, 'a mail')
  await expectNoSidewaysScroll(page, 'a mail on a phone')
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByLabel('Language of the mail').selectOption('de')
  await mailFrame(page, /unterwegs/)
  await page.getByRole('tab', { name: 'Plain text' }).click()
  await page.getByText('Sendungsnummer').waitFor()
  await expectAccessible(page, 'the text of a mail')
  await button(page, 'Send me a test').click()
  await page.getByText(`The test for ${admin.email} is stored in its outbox and not sent.`).waitFor()
  await expectAccessible(page, 'a sent test')
  const { body: outbox } = await service.request('GET', `${service.origin}/dev/outbox`)
  const { kind, to, subject } = outbox[0]
  assert.deepEqual([kind, to], ['test_mail', admin.email])
  assert.match(subject, /^\[Test\] .*unterwegs/)
})

const HOSTILE = `<html><head><style>body { background: url(https://a.example/1) } @import "https://a.example/2";</style>
<script>document.title = 'taken'</script><link rel="stylesheet" href="https://a.example/3"></head>
<body background="https://a.example/4" onload="document.title = 'taken'"><h1 style="color: rgb(1, 2, 3)">Paid</h1>
<img src="https://a.example/5" onerror="document.title = 'taken'" alt="A picture elsewhere">
<iframe src="https://a.example/6"></iframe><p title=' style="x"' style='background-image: url("https://a.example/7")'>x</p>
<a href="https://a.example/8">Leave</a></body></html>`

test('a mail of another template runs and loads nothing', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const folder = await mkdtemp(join(tmpdir(), 'platen-mails-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'order_paid.html.liquid'), HOSTILE)
  const shop = await startShop(t, { env: { PLATEN_MAIL_TEMPLATES_DIR: folder } })
  const asked: string[] = []
  shop.context.on('request', (request) => asked.push(request.url()))
  const page = await openConsole(shop, await shop.service.signUp({ role: 'admin' }), '/settings/mails/order_paid')
  const frame = await mailFrame(page, /PL-7KQ4-M2XD/)
  await frame.getByText('A picture elsewhere').waitFor()
  await frame.getByText('Leave').click()
  await expectAccessible(page, 'a mail of another template')
  assert.equal(await frame.getByRole('link').count(), 0)
  assert.notEqual(await frame.title(), 'taken')
  assert.deepEqual(
    asked.filter((url) => url.includes('a.example')),
    [],
  )
})
