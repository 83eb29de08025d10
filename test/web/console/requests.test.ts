import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from '../../lib/browser/watched-page.ts'
import { openConsole } from '../../lib/pages/console.ts'
import { button, heading, link, startShop } from '../../lib/pages/shop.ts'

test('an operator finds a failed request by its id, and reads why it failed', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { env: { PLATEN_REQUEST_LOG: 'on' } })
  const { service, url } = shop
  const { accessToken: token, userId } = await service.signUp()
  const failed = await service.request('GET', `/orders/${randomUUID()}`, { token })
  await service.request('GET', '/designs', { token })
  await service.services.requestLog?.flush()
  const page = await openConsole(shop, await service.signUp({ role: 'operator' }), '/developers/webhooks')
  await link(page, 'Requests').click()
  await heading(page, 'Requests').waitFor()
  const row = page.getByRole('row', { name: /GET \/orders\/\{orderId\}/ })
  await row.getByText('order_not_found').waitFor()
  await expectAccessible(page, 'the log of requests')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'the log of requests')
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByLabel('Status').selectOption('4xx')
  await page.getByRole('row', { name: /GET \/designs/ }).waitFor({ state: 'detached' })
  await page.getByRole('searchbox', { name: 'Request id' }).fill(failed.body.requestId)
  await page.waitForURL(`${url}/console/developers/requests?status=4xx&id=${failed.body.requestId}`)
  await row.getByRole('link').click()
  await heading(page, 'GET /orders/{orderId}').waitFor()
  await page.getByText(failed.body.requestId).waitFor()
  assert.equal(await link(page, 'order_not_found').getAttribute('href'), '/problems/order_not_found')
  assert.equal(await link(page, 'getOrder').getAttribute('href'), '/docs/search?q=getOrder')
  await expectAccessible(page, 'a request')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page, 'a request')
  await page.setViewportSize({ width: 1280, height: 800 })
  await link(page, userId).click()
  await page.getByRole('row', { name: /GET \/designs/ }).waitFor()

  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill(failed.body.requestId)
  await page.getByRole('option', { name: /GET \/orders\/\{orderId\}/ }).waitFor()
  await expectAccessible(page, 'the palette with a request')
  await page.keyboard.press('Enter')
  await heading(page, 'GET /orders/{orderId}').waitFor()
})

test('the log of requests in German', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await startShop(t, { locale: 'de-DE', env: { PLATEN_REQUEST_LOG: 'on' } })
  const { service } = shop
  const operator = await service.signUp({ role: 'operator' })
  await service.request('GET', '/nothing')
  await service.services.requestLog?.flush()
  const page = await shop.open(`${shop.url}/console/developers/requests`)
  await page.getByLabel('E-Mail-Adresse').fill(operator.email)
  await page.getByLabel('Passwort', { exact: true }).fill(operator.password)
  await button(page, 'Anmelden').click()
  await heading(page, 'Anfragen').waitFor()
  await link(page, 'GET unbekannter Pfad').click()
  await page.getByText('Anonym').waitFor()
  await expectAccessible(page, 'a request in German')
})
