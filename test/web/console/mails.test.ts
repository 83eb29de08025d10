import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import sharp from 'sharp'
import { upload } from '../../../src/assets/factory.ts'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'

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

test('an administrator edits the text of a mail, tries it out, and resets it', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t)
  // The browser writes refusals to its console.
  shop.expectErrors(/status of (412|422)/)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const token = admin.accessToken
  const page = await openConsole(shop, admin, '/settings/mails/order_shipped')
  const subject = page.getByLabel('Subject', { exact: true })
  const body = page.getByLabel('Text', { exact: true })
  await subject.fill('{{nummer}} is coming')
  await page.getByText('{{nummer}} is no placeholder of this mail.').first().waitFor()
  await expectAccessible(page, 'a text with an unknown placeholder')
  await button(page, 'Save').click()
  await page.locator('.save-bar').getByText('{{nummer}} is no placeholder of this mail.').waitFor()

  await subject.fill('{{number}} is coming')
  await body.fill('Hello <b>Ada</b>, look for ')
  await button(page, 'Insert tracking in the text').click()
  const frame = await mailFrame(page, /PL-7KQ4-M2XD is coming/)
  await frame.getByText('Hello <b>Ada</b>, look for 00340434').last().waitFor()
  await button(page, 'Send me a test').click()
  await page.getByText(/The test for/).waitFor()
  const { body: outbox } = await service.request('GET', `${service.origin}/dev/outbox`)
  assert.equal(outbox[0].subject, '[Test] PL-7KQ4-M2XD is coming')

  // Another administrator saves in between.
  const path = '/mail-texts/order_shipped/en'
  await service.request('PUT', path, { token, body: { subject: 'Theirs', body: 'Theirs' } })
  await button(page, 'Save').click()
  await page
    .locator('.save-bar')
    .getByText('Someone changed the settings meanwhile. The page shows the new ones. Save again to apply yours.')
    .waitFor()
  assert.equal(await subject.inputValue(), '{{number}} is coming')
  assert.equal((await service.request('GET', path, { token })).body.subject, 'Theirs')
  await button(page, 'Save').click()
  await page.getByText('The text was saved').waitFor()
  assert.equal((await service.request('GET', path, { token })).body.body, 'Hello <b>Ada</b>, look for {{tracking}}')
  const history = page.locator('.history')
  await history.getByText('2 changes').nth(1).waitFor()
  await history.getByText('2 changes').first().click()
  await history.getByText('{{number}} is coming').waitFor()
  assert.equal(await history.getByText(admin.email).count(), 2)
  await expectAccessible(page, 'an edited mail')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'an edited mail on a phone')
  await page.setViewportSize({ width: 1280, height: 800 })

  await button(page, 'Use the text of the service').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Use the text of the service' }).click()
  await page.getByText('The text of the service applies again').waitFor()
  await mailFrame(page, /Your order PL-7KQ4-M2XD is on its way/)
  assert.equal(await button(page, 'Use the text of the service').count(), 0)
})
