import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { CARD } from '../../../../../src/designs/factory.ts'
import { startService } from '../../../../../test/harness.ts'
import { noBrowser } from '../../../../../test/lib/browser/browser.ts'
import { crash, type PageKit, startPages } from './journal-page.fixture.ts'

declare const kit: PageKit
declare const editor: Awaited<ReturnType<PageKit['openEditor']>>

async function start(t: TestContext) {
  const pages = await startPages(t)
  const service = await startService(t, { env: { PLATEN_CORS_ORIGINS: pages.origin } })
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const { body: product } = await service.request('POST', '/products', { token: admin, body: CARD })
  const { accessToken: token } = await service.signUp()
  const body = { productId: product.id, variantId: product.variants[0].id, name: 'Card' }
  const { body: design } = await service.request('POST', '/designs', { token, body })
  const opening = { url: service.origin, token, designId: design.id }
  const path = `/designs/${design.id}`
  const openEditor = async (): Promise<Page> => {
    const page = await pages.open()
    await page.evaluate(async (given) => {
      Object.assign(globalThis, { editor: await kit.openEditor(given) })
    }, opening)
    return page
  }
  return {
    ...pages,
    openEditor,
    change: (changes: object) => service.request('PATCH', path, { token, body: changes }),
    stored: async () => (await service.request('GET', path, { token })).body,
  }
}

const stateOf = (page: Page) => page.evaluate(() => editor.state())
const untilSaved = (page: Page) => page.waitForFunction(() => editor.state().save === 'saved')
/** Lets no request of the page reach the service. */
const disconnect = (page: Page) => page.route('**/v1/**', (route) => route.abort('connectionfailed'))

test('changes that a crashed tab could not save are restored with a notice, and saved', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { openEditor, stored } = await start(t)
  const first = await openEditor()
  await disconnect(first)
  await first.evaluate(() => {
    editor.add('b')
    editor.rename('Kept')
  })
  await first.waitForFunction(() => editor.state().save === 'offline')
  await first.evaluate(() => editor.add('c'))
  await first.evaluate(() => kit.untilKept('c'))
  await crash(first)
  const page = await openEditor()
  const { ids, name, notices } = await stateOf(page)
  assert.deepEqual([ids, name, notices.map(({ kind }) => kind)], [['b', 'c'], 'Kept', ['restored']])
  await untilSaved(page)
  assert.equal((await stored()).name, 'Kept')
  await page.evaluate(() => kit.untilStored(0))
  await page.evaluate(() => {
    editor.saver.undoRestore()
    return editor.saver.flush()
  })
  assert.deepEqual([(await stored()).name, (await stateOf(page)).notices], ['Card', []])
  assert.deepEqual((await stateOf(page)).ids, [])
})

test('what the service has already is not restored', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { openEditor, stored } = await start(t)
  const first = await openEditor()
  // The service gets the save, and the tab dies before the response.
  await first.route('**/v1/**', async (route) => {
    await route.fetch()
    await new Promise(() => undefined)
  })
  await first.evaluate(() => editor.add('b'))
  while ((await stored()).revision === 1) await first.waitForTimeout(20)
  await crash(first)
  const page = await openEditor()
  const { ids, notices, save } = await stateOf(page)
  assert.deepEqual([ids, notices, save], [['b'], [], 'saved'])
  await page.evaluate(() => kit.untilStored(0))
  assert.equal((await stored()).revision, 2)
})

// Only the journal knows that the version of the service is an earlier state of the same changes.
test('changes after a save whose response was lost are restored without a conflict', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { openEditor, stored } = await start(t)
  const first = await openEditor()
  await first.evaluate(() => editor.add('b'))
  await untilSaved(first)
  await first.route('**/v1/**', async (route) => {
    await route.fetch()
    await new Promise(() => undefined)
  })
  await first.evaluate(() => editor.set('b', { fill: '#ff0000' }))
  while ((await stored()).revision === 2) await first.waitForTimeout(20)
  await first.evaluate(() => editor.set('b', { fill: '#00ff00' }))
  await first.evaluate(() => kit.untilKept('#00ff00'))
  await crash(first)
  const page = await openEditor()
  await untilSaved(page)
  assert.equal((await stateOf(page)).conflicts, 0)
  assert.equal((await stored()).document.placements[0].layers[0].fill, '#00ff00')
})

test('restored changes are merged with what was saved elsewhere, and conflicts are shown', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { openEditor, stored, change } = await start(t)
  const first = await openEditor()
  await first.evaluate(() => editor.add('a'))
  await untilSaved(first)
  await disconnect(first)
  await first.evaluate(() => {
    editor.set('a', { fill: '#ff0000' })
    editor.add('b')
  })
  await first.evaluate(() => kit.untilKept('#ff0000', 'b'))
  await crash(first)
  const { document } = await stored()
  document.placements[0].layers[0].fill = '#00ff00'
  document.placements[0].layers[0].opacity = 0.5
  await change({ document })
  const page = await openEditor()
  assert.equal((await stateOf(page)).conflicts, 1)
  await crash(page)
  const again = await openEditor()
  assert.equal((await stateOf(again)).conflicts, 1)
  await again.evaluate(() => editor.saver.decide(new Map([['a', 'theirs']])))
  await untilSaved(again)
  const [a, b] = (await stored()).document.placements[0].layers
  assert.deepEqual([a.fill, a.opacity, b.id], ['#00ff00', 0.5, 'b'])
})

test('a problem says whether the device has the changes', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { openEditor, context, origin } = await start(t)
  const page = await openEditor()
  // A quota that shrinks later takes effect after half a minute only.
  const session = await context.newCDPSession(page)
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 500_000 })
  await disconnect(page)
  await page.evaluate(() => editor.add('b'))
  await page.waitForFunction(() => editor.state().values?.['kept'] === 'yes')
  await page.evaluate(() => editor.set('b', { name: 'x'.repeat(1_000_000) }))
  await page.waitForFunction(() => {
    editor.saver.resume()
    return editor.state().values?.['kept'] === 'no'
  })
})

test('a tab that is left stores its last change', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { openEditor } = await start(t)
  const first = await openEditor()
  await disconnect(first)
  await first.evaluate(() => editor.add('b'))
  await first.goto('about:blank')
  const page = await openEditor()
  assert.deepEqual((await stateOf(page)).ids, ['b'])
})

test('changes of the moment before a tab is left are stored', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { openEditor } = await start(t)
  const page = await openEditor()
  await disconnect(page)
  const ids = await page.evaluate(async () => {
    editor.add('b')
    editor.add('c')
    dispatchEvent(new PageTransitionEvent('pagehide'))
    const [[, entry]] = (await kit.stored()) as [[unknown, Parameters<typeof kit.idsOfEntry>[0]]]
    return kit.idsOfEntry(entry)
  })
  assert.deepEqual(ids, ['b', 'c'])
})
