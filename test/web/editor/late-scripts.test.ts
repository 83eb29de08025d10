import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../lib/browser/browser.ts'
import { expectAccessible } from '../../lib/browser/watched-page.ts'
import { button, startShop } from '../../lib/pages/shop.ts'
import {
  editorReady,
  nudge,
  openAgain,
  openPostcard,
  select,
  storedLayers,
  textLayer,
  untilStored,
} from '../../lib/pages/stored-layers.ts'
import { until } from '../../lib/until.ts'

const LAYERS = [textLayer('One', { text: 'One {{name}}' }), textLayer('Two', { y: 50 })]
const FAILED = 'This part of the editor could not be loaded. Nothing is lost.'

async function openShop(t: TestContext) {
  const shop = await startShop(t)
  const page = await shop.open(shop.url)
  const designId = await openPostcard(page, LAYERS)
  shop.expectErrors(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/)
  return { ...shop, page, designId }
}

const DIALOGS: readonly [name: string, open: (page: Page) => Promise<void>, content: (page: Page) => Promise<void>][] =
  [
    [
      'Keyboard shortcuts',
      (page) => page.keyboard.press('?'),
      (page) => page.getByRole('heading', { name: 'Arranging' }).waitFor(),
    ],
    [
      'Version history',
      (page) => button(page, 'History').click(),
      (page) => button(page, 'Restore this version').waitFor(),
    ],
    [
      'Fill many from a CSV file',
      async (page) => {
        await button(page, 'Fields').click()
        await button(page, 'Fill many from a CSV file').click()
      },
      (page) => button(page, 'Choose a CSV file').waitFor(),
    ],
  ]

// Browsers remember that they could not download a module, and refuse all later imports of it.
for (const [name, open, content] of DIALOGS) {
  test(`without a network, the dialog "${name}" says why it is empty, and another attempt shows it`, async (t) => {
    if (noBrowser !== undefined) return t.skip(noBrowser)
    const shop = await openShop(t)
    const { page, context, designId } = shop
    await select(page, 'Two')
    await context.setOffline(true)
    await page.keyboard.press('ArrowRight')
    await open(page)
    const dialog = page.getByRole('dialog', { name })
    await dialog.getByRole('alert').getByText(FAILED).waitFor()
    await expectAccessible(page, `${name} without its program`)
    await button(page, 'Try again').click()
    await dialog.getByRole('alert').getByText(FAILED).waitFor()
    await context.setOffline(false)
    await button(page, 'Try again').click()
    await content(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await untilStored(shop, designId, { id: 'two', x: 21 })
  })
}

test('a conflict waits for its dialog, and is decided after another attempt', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await openShop(t)
  const { page, designId } = shop
  shop.expectErrors(/status of 412/)
  const script = '**/static/conflict-dialog-*.js'
  const other = await openAgain(shop, page.url())
  await other.route(script, (route) => route.abort())
  await nudge(page, 'Two', 'ArrowRight')
  await untilStored(shop, designId, { id: 'two', x: 21 })
  await nudge(other, 'Two', 'ArrowDown', 'ArrowLeft')
  const dialog = other.getByRole('dialog', { name: 'Changed in two places' })
  await dialog.getByText(FAILED).waitFor()
  await other.unroute(script)
  await button(other, 'Try again').click()
  await dialog.getByText('Keep mine').click()
  await button(other, 'Apply and save').click()
  await untilStored(shop, designId, { id: 'two', x: 19, y: 51 })
})

test('a press outside or Escape does not decide a conflict whose dialog is not there', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await openShop(t)
  const { page, designId } = shop
  shop.expectErrors(/status of 412/)
  const other = await openAgain(shop, page.url())
  const blocked = Promise.withResolvers<void>()
  await other.route('**/static/conflict-dialog-*.js', async (route) => {
    await blocked.promise
    await route.abort()
  })
  await nudge(page, 'Two', 'ArrowRight')
  await untilStored(shop, designId, { id: 'two', x: 21 })
  await nudge(other, 'Two', 'ArrowDown', 'ArrowLeft')
  const dialog = other.getByRole('dialog', { name: 'Changed in two places' })
  const dismiss = async (): Promise<void> => {
    await other.mouse.click(5, 5)
    await other.keyboard.press('Escape')
  }
  await dialog.waitFor()
  await dismiss()
  assert.equal(await dialog.getByRole('button').count(), 0)
  blocked.resolve()
  await dialog.getByText(FAILED).waitFor()
  await dismiss()
  await expectAccessible(other, 'a conflict without its dialog')
  assert.equal((await storedLayers(shop, designId)).find(({ id }) => id === 'two')?.x, 21)
  await dialog.getByRole('button', { name: 'Keep all of mine' }).click()
  await untilStored(shop, designId, { id: 'two', x: 19, y: 51 })
})

for (const what of ['cannot be loaded', 'is slow'] as const) {
  test(`changes of an earlier tab whose check ${what} are restored by another attempt, with later ones`, async (t) => {
    if (noBrowser !== undefined) return t.skip(noBrowser)
    const shop = await openShop(t)
    const { page, designId } = shop
    const earlier = await openAgain(shop, page.url())
    await earlier.route('**/v1/**', (route) => route.abort())
    await nudge(earlier, 'Two', 'ArrowRight')
    await earlier.getByText(/Your changes are kept on this device/).waitFor()
    await earlier.close()
    const { promise: unblocked, resolve: unblock } = Promise.withResolvers<true>()
    await page.route('**/static/valid-entry-*.js', async (route) => {
      const isFree = await (what === 'is slow' ? unblocked : Promise.race([unblocked, false]))
      // A page that was loaded again no longer waits for its script.
      await (isFree ? route.continue() : route.abort()).catch(() => undefined)
    })
    const unread = page.getByText(/that had not been saved could not be restored/)
    // A browser that is busy still has the lock of the earlier tab.
    await until('the notice', async () => {
      await page.reload()
      await editorReady(page)
      return (await unread.count()) > 0
    })
    await expectAccessible(page, 'changes that could not be restored')
    await nudge(page, 'One', 'ArrowDown')
    await untilStored(shop, designId, { id: 'one', y: 21 })
    await button(page, 'Try again').click()
    if (what === 'cannot be loaded') await page.getByText('The last attempt also failed.').waitFor()
    unblock(true)
    if (what === 'cannot be loaded') await button(page, 'Try again').click()
    await page.getByText(/Restored changes from/).waitFor()
    await untilStored(shop, designId, { id: 'two', x: 21 })
    await untilStored(shop, designId, { id: 'one', y: 21 })
  })
}

test('layers of another program are pasted once the check of them can be loaded', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const shop = await openShop(t)
  const { page, designId } = shop
  const script = '**/static/valid-document-*.js'
  const clip = JSON.stringify({ platenLayers: 1, layers: [textLayer('Pasted', { y: 80 })] })
  const paste = (): Promise<unknown> =>
    page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', ${JSON.stringify(clip)})
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true }))
    }`)
  await page.route(script, (route) => route.abort())
  await paste()
  await page.getByText(FAILED).waitFor()
  await page.unroute(script)
  await paste()
  await until('the pasted layer', async () =>
    (await storedLayers(shop, designId)).some(({ text }) => text === 'Pasted'),
  )
})

for (const [what, script] of [
  ['the program of text layout', '**/static/engine-*.js'],
  ['the shaper', '**/static/dist-*.js'],
] as const) {
  test(`an editor whose page could not load ${what} opens after another attempt`, async (t) => {
    if (noBrowser !== undefined) return t.skip(noBrowser)
    const { page } = await openShop(t)
    await page.route(script, (route) => route.abort())
    await page.reload()
    await page.getByText('The design could not be opened.').waitFor()
    await page.unroute(script)
    await button(page, 'Try again').click()
    await editorReady(page)
  })
}
