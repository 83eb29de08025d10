import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { until } from '../until.ts'
import { showPanel } from './open-editor.ts'
import { type Shop, startDesign } from './shop.ts'

interface TestLayer {
  id: string
  type: string
  x: number
  y: number
  text?: string
  [field: string]: unknown
}

interface ElementClient {
  designs: {
    get(id: string): Promise<{ document: { placements: { layers: TestLayer[] }[] } }>
    change(id: string, body: object): Promise<object>
  }
}

/** A text of one line, whose name in the list of layers is its content. */
export const textLayer = (text: string, more: object = {}): object => {
  const box = { x: 20, y: 20, width: 60, height: 12 }
  return { id: text.toLowerCase(), type: 'text', ...box, text, fontFamily: 'Inter', fontSizePt: 18, ...more }
}

/** Starts a postcard with layers on its front, and opens it. Returns the id of the design. */
export async function openPostcard(page: Page, layers: readonly object[]): Promise<string> {
  const designId = await startDesign(page, 'A6 postcard')
  await editorReady(page)
  await page.locator('platen-editor').evaluate(
    async (element, [id, json]) => {
      const { client } = element as unknown as { client: ElementClient }
      const placements = [{ printAreaId: 'front', layers: JSON.parse(json) }]
      await client.designs.change(id, { document: { version: 1, placements } })
    },
    [designId, JSON.stringify(layers)] as const,
  )
  await page.reload()
  await editorReady(page)
  return designId
}

/** Waits until the editor has opened a design. */
export const editorReady = (page: Page): Promise<void> => page.getByRole('button', { name: 'Finalize' }).waitFor()

/** Opens the design of a page in another tab. */
export async function openAgain({ open }: Pick<Shop, 'open'>, url: string): Promise<Page> {
  const page = await open(url)
  await editorReady(page)
  return page
}

/** Selects a layer in the list of layers. Shortcuts act on it afterwards. */
export async function select(page: Page, name: string): Promise<void> {
  await showPanel(page, 'Layers')
  const row = page.getByRole('row', { name })
  await row.getByRole('gridcell').first().click()
  await page.locator('platen-editor').evaluate((element) => {
    const { shadowRoot } = element as unknown as { shadowRoot: { activeElement: { blur(): void } | null } }
    shadowRoot.activeElement?.blur()
  })
}

/** Moves a layer by 1 mm for each key, such as `ArrowRight`. */
export async function nudge(page: Page, name: string, ...keys: string[]): Promise<void> {
  await select(page, name)
  for (const key of keys) await page.keyboard.press(key)
}

/** Returns the layers of a design as the service has them. */
export async function storedLayers({ service }: Pick<Shop, 'service'>, designId: string): Promise<TestLayer[]> {
  const { document } = await service.db
    .selectFrom('designs')
    .select('document')
    .where('id', '=', designId)
    .executeTakeFirstOrThrow()
  const { placements } = document as unknown as { placements: { layers: TestLayer[] }[] }
  return placements.flatMap(({ layers }) => layers)
}

/** Waits until the service has the layer with the given members. */
export async function untilStored(shop: Pick<Shop, 'service'>, designId: string, expected: object): Promise<void> {
  const { id } = expected as { id: string }
  let found: TestLayer | undefined
  const isStored = async (): Promise<boolean> => {
    found = (await storedLayers(shop, designId)).find((layer) => layer.id === id)
    return found !== undefined && Object.entries(expected).every(([name, value]) => found?.[name] === value)
  }
  await until('the layer', isStored).catch(() => assert.partialDeepStrictEqual(found, expected))
}
