import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { type Shop, type ShopOptions, startDesign, startShop } from './shop.ts'

/** A layer of a design document. Fields of its type are optional, because tests know which type they expect. */
export interface TestLayer {
  id: string
  type: 'text' | 'image' | 'shape' | 'qr'
  x: number
  y: number
  width: number
  height: number
  rotation?: number
  opacity?: number
  text?: string
  fontFamily?: string
  value?: string
  shape?: string
  group?: string
}

interface TestDocument {
  placements: { printAreaId: string; layers: TestLayer[] }[]
}

export interface OpenEditor extends Shop {
  page: Page
  designId: string
  /** The layers of a side, as the last event `change` told them. */
  layers(side?: string): Promise<TestLayer[]>
  /** Waits until the layers of a side are as expected, and returns them. */
  untilLayers(expected: (layers: TestLayer[]) => boolean, side?: string): Promise<TestLayer[]>
  /** Converts millimetres of the shown side to pixels of the window. */
  pointOf(mm: { x: number; y: number }): Promise<{ x: number; y: number }>
  /** Pixels of the window for a millimetre of the page. */
  pxPerMm(): Promise<number>
}

/** The width of the product that `openEditor` designs. */
const WIDTH_MM = 148

/** Starts a shop, and opens a new postcard of 148 × 105 mm in the editor, as a guest does. */
export async function openEditor(t: TestContext, options: ShopOptions = {}): Promise<OpenEditor> {
  const shop = await startShop(t, options)
  await shop.context.addInitScript(recordDocuments)
  const page = await shop.open(shop.url)
  const designId = await startDesign(page, 'A6 postcard')
  await stageOf(page).waitFor()
  const trim = page.locator('.pe-trim')
  await trim.waitFor({ state: 'attached' })
  const layers = async (side = 'front'): Promise<TestLayer[]> => {
    const found = await page.evaluate(
      () => (globalThis as { platenDocument?: unknown }).platenDocument as TestDocument | undefined,
    )
    return found?.placements.find(({ printAreaId }) => printAreaId === side)?.layers ?? []
  }
  const view = async () => {
    const box = await stageOf(page).boundingBox()
    // The box of the line would include its stroke.
    const [, x, y, width] = /^M([\d.-]+) ([\d.-]+)v[\d.]+h([\d.]+)/.exec((await trim.getAttribute('d')) ?? '') ?? []
    assert.ok(box !== null && width !== undefined)
    return { x: box.x + Number(x), y: box.y + Number(y), pxPerMm: Number(width) / WIDTH_MM }
  }
  return {
    ...{ ...shop, page, designId, layers },
    untilLayers: (expected, side) => until(() => layers(side), expected),
    pxPerMm: async () => (await view()).pxPerMm,
    async pointOf({ x, y }) {
      const { pxPerMm, ...at } = await view()
      return { x: at.x + x * pxPerMm, y: at.y + y * pxPerMm }
    },
  }
}

/** Runs in the page. */
function recordDocuments(): void {
  interface Change {
    detail?: { design?: { document: unknown } }
  }
  const scope = globalThis as unknown as {
    platenDocument?: unknown
    addEventListener(type: string, listener: (event: Change) => void): void
  }
  scope.addEventListener('change', ({ detail }) => {
    if (detail?.design !== undefined) scope.platenDocument = detail.design.document
  })
}

const STEP_MS = 20
/** The time is long, because other processes can take the processor from the page for many seconds. */
const PATIENCE_MS = 60_000

/** Reads a value until it is as expected. Fails with the last value. */
export async function until<T>(read: () => Promise<T>, expected: (value: T) => boolean): Promise<T> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const value = await read()
    if (expected(value)) return value
    assert.ok(Date.now() < end, `this did not become as expected: ${JSON.stringify(value)}\n${expected}`)
    await delay(STEP_MS)
  }
}

export const stageOf = (page: Page): Locator => page.getByRole('region', { name: /^Canvas: / })

/** The invisible field that takes what is typed on the canvas. */
export const textField = (page: Page): Locator => page.locator('.pe-text-field')

/** Waits until the live region has announced a text. */
export async function untilAnnounced(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('.pe-announcer').filter({ hasText: text }).waitFor({ state: 'attached' })
}

/** Shows a panel. */
export async function showPanel(page: Page, name: string): Promise<void> {
  const tab = page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name, exact: true })
  if ((await tab.getAttribute('aria-pressed')) !== 'true') await tab.click()
  await page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
}
