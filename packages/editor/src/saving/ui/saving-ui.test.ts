import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { CARD } from '../../../../../src/designs/factory.ts'
import { startService } from '../../../../../test/harness.ts'
import { noBrowser } from '../../../../../test/lib/browser/browser.ts'
import { rect } from '../../factory.ts'
import { startPages } from '../journal/journal-page.fixture.ts'
import type * as Kit from './ui-kit.fixture.ts'

declare const kit: typeof Kit
declare const editor: Awaited<ReturnType<typeof Kit.show>>

async function start(t: TestContext) {
  const pages = await startPages(t, new URL('ui-kit.fixture.ts', import.meta.url))
  const service = await startService(t, { env: { PLATEN_CORS_ORIGINS: pages.origin } })
  const { accessToken: admin } = await service.signUp({ role: 'admin' })
  const { body: product } = await service.request('POST', '/products', { token: admin, body: CARD })
  const { accessToken: token } = await service.signUp()
  const documentOf = (...layers: object[]) => ({ version: 1, placements: [{ printAreaId: 'front', layers }] })
  const body = {
    productId: product.id,
    variantId: product.variants[0].id,
    name: 'Card',
    document: documentOf(rect('a')),
  }
  const { body: design } = await service.request('POST', '/designs', { token, body })
  const path = `/designs/${design.id}`
  return {
    ...pages,
    documentOf,
    show: async (locale: 'en' | 'de' = 'en') => {
      const page = await pages.open()
      const opening = { url: service.origin, token, designId: design.id }
      await page.evaluate(
        async ([given, language]) => {
          Object.assign(globalThis, { editor: await kit.show(given, language) })
        },
        [opening, locale] as const,
      )
      return page
    },
    change: (changes: object) => service.request('PATCH', path, { token, body: changes }),
    stored: async () => (await service.request('GET', path, { token })).body,
  }
}

/** Browsers report each response with an error, and each lost connection. */
const ofScripts = (errors: readonly string[]) => errors.filter((message) => !/Failed to load resource/.test(message))

/** Fails if the page has a fault of accessibility. */
async function checkAccess(page: Page): Promise<void> {
  await page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'))
  const faults = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }
    return (await axe.run()).violations
  })
  assert.deepEqual(
    faults.map((fault) => JSON.stringify(fault).slice(0, 600)),
    [],
  )
}

test('the dialog of a conflict shows both sides, and the keyboard chooses', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { show, change, documentOf, stored, errors } = await start(t)
  const page = await show()
  await change({ document: documentOf(rect('a', { fill: '#ff0000' } as object)), name: 'Theirs' })
  await page.evaluate(() => {
    editor.set('a', { fill: '#00ff00' })
    editor.rename('Mine')
  })
  const dialog = page.getByRole('dialog', { name: 'Changed in two places' })
  await dialog.waitFor()
  await checkAccess(page)
  const layer = dialog.getByRole('radiogroup', { name: 'Rectangle' })
  assert.match((await layer.textContent()) ?? '', /#00ff00[\s\S]*#ff0000/)
  assert.equal(await layer.getByRole('radio').count(), 3)
  const name = dialog.getByRole('radiogroup', { name: 'Name of the design' })
  assert.equal(await name.getByRole('radio').count(), 2)
  assert.equal(await name.getByRole('radio', { name: /Mine/ }).isChecked(), true)
  await name.getByRole('radio', { name: /Mine/ }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowUp')
  await dialog.getByRole('button', { name: 'Apply and save' }).press('Enter')
  await page.getByText('Saved', { exact: true }).first().waitFor()
  const { name: saved, document } = await stored()
  assert.deepEqual([saved, document.placements[0].layers.length], ['Theirs', 2])
  assert.equal(await dialog.count(), 0)
  assert.deepEqual(ofScripts(errors), [])
})

test('closing the dialog of a conflict keeps the own changes', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { show, change, documentOf, stored } = await start(t)
  const page = await show('de')
  await change({ document: documentOf(rect('a', { fill: '#ff0000' } as object)) })
  await page.evaluate(() => editor.set('a', { fill: '#00ff00' }))
  await page.getByRole('dialog', { name: 'An zwei Stellen geändert' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Gespeichert', { exact: true }).first().waitFor()
  assert.equal((await stored()).document.placements[0].layers[0].fill, '#00ff00')
})

test('notices say what has happened, and their actions work', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { show, stored, errors } = await start(t)
  const first = await show()
  await first.route('**/v1/**', (route) => route.abort('connectionfailed'))
  await first.evaluate(() => editor.add('b'))
  await first.getByText(/No connection to the service\. Your changes are kept on this device/).waitFor()
  await first.getByText('Waiting to save').first().waitFor()
  await checkAccess(first)
  await first.close()
  const page = await show()
  await page.getByText(/Restored changes from .* that had not been saved\./).waitFor()
  await checkAccess(page)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  await page.evaluate(() => editor.saver.flush())
  assert.equal((await stored()).document.placements[0].layers.length, 1)
  await page.evaluate(() => editor.set('a', { x: 1.00001 }))
  await page.getByRole('button', { name: 'Show layer' }).click()
  assert.deepEqual(await page.evaluate(() => editor.store.get().selection), ['a'])
  await checkAccess(page)
  assert.deepEqual(ofScripts(errors), [])
})

test('a version of the history is drawn and restored', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { show, stored, errors } = await start(t)
  const page = await show()
  await page.evaluate(() => {
    editor.add('b')
    return editor.saver.flush()
  })
  await page.getByRole('button', { name: 'History' }).click()
  const dialog = page.getByRole('dialog', { name: 'Version history' })
  await dialog.locator('canvas[data-layers="a b"]').waitFor()
  await dialog.getByRole('img', { name: 'Preview of the version: front' }).waitFor()
  await dialog.getByRole('img', { name: 'Preview of the version: back' }).waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Restore this version' }).isEnabled(), false)
  await checkAccess(page)
  const versions = dialog.getByRole('option')
  assert.match((await versions.first().textContent()) ?? '', /^(today|yesterday) .*Current version$/)
  assert.match((await versions.nth(1).textContent()) ?? '', /^(today|yesterday) .*Version 1$/)
  await dialog.getByText('front: 2 layers').waitFor()
  await dialog.getByText('back: no layers').waitFor()
  await versions.nth(1).click()
  await dialog.locator('canvas[data-layers="a"]').waitFor()
  await dialog.getByRole('button', { name: 'Restore this version' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual([(await stored()).document.placements[0].layers.length, (await stored()).revision], [1, 3])
  assert.deepEqual(ofScripts(errors), [])
})

test('a history that could not be read is read by another attempt', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { show, errors } = await start(t)
  const page = await show()
  const dialog = page.getByRole('dialog', { name: 'Version history' })
  const failed = dialog.getByRole('alert').getByText(/The versions could not be loaded\./)
  const retry = dialog.getByRole('button', { name: 'Try again' })
  await page.route('**/revisions**', (route) => route.abort())
  await page.getByRole('button', { name: 'History' }).click()
  await failed.waitFor()
  await checkAccess(page)
  await retry.click()
  await failed.waitFor()
  await page.route('**/revisions?**', (route) => route.continue())
  await retry.click()
  await dialog.getByRole('option').first().waitFor()
  await failed.waitFor()
  await page.unroute('**/revisions**')
  await retry.click()
  await dialog.locator('canvas[data-layers="a"]').waitFor()
  assert.equal(await failed.count(), 0)
  assert.deepEqual(ofScripts(errors), [])
})
