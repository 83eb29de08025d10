import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../../../../test/lib/browser/browser.ts'
import { startPages } from '../../../../editor/src/saving/journal/journal-page.fixture.ts'
import type * as Kit from './descriptions.fixture.ts'

declare const kit: typeof Kit

const FIELDS = ['Text', 'Lines', 'Number', 'Select', 'Search']

/** The descriptions that assistive technology gets, by the name of the control. */
async function descriptionsOf(page: Page, role: RegExp): Promise<Record<string, string>> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  // The buttons of a field come after its input, and the last entry of a name counts.
  const found = nodes.filter((node) => !node.ignored && role.test(String(node.role?.value))).reverse()
  // The name of a list begins with its value.
  const nameOf = (name: string): string => FIELDS.find((field) => name.endsWith(field)) ?? name
  return Object.fromEntries(
    found.map((node) => [nameOf(String(node.name?.value)), String(node.description?.value ?? '')]),
  )
}

test('fields in a shadow root are described by their hints and errors', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open, errors } = await startPages(t, new URL('descriptions.fixture.ts', import.meta.url))
  for (const [notes, expected] of [
    [{}, ''],
    [{ description: 'A hint.' }, 'A hint.'],
    [{ error: 'Too long.' }, 'Too long.'],
    [{ description: 'A hint.', error: 'Too long.' }, 'A hint. Too long.'],
  ] as const) {
    const page = await open()
    await page.evaluate((given) => kit.show(given), notes)
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    const found = await descriptionsOf(page, /^(textbox|spinbutton|combobox|button)$/i)
    assert.deepEqual(
      FIELDS.map((name) => [name, found[name]]),
      FIELDS.map((name) => [name, expected]),
    )
    await page.close()
  }
  assert.deepEqual(errors, [])
})

test('in a shadow root, the keys of a menu item describe it and are no part of its name', async (t) => {
  if (noBrowser !== undefined) return t.skip(noBrowser)
  const { open } = await startPages(t, new URL('descriptions.fixture.ts', import.meta.url))
  const page = await open()
  await page.evaluate(() => kit.show({}))
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).waitFor()
  assert.deepEqual(await descriptionsOf(page, /^menuitem$/), { Delete: 'Ctrl+D' })
})
