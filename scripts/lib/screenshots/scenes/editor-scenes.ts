import type { Page } from 'playwright-core'
import { call, signIn as callSignIn } from '../../client.ts'
import { button, type Scene, type SceneData, signIn } from '../scene.ts'

type Show = Scene['show']
type DesignOf = (data: SceneData) => string

/** Waits until the stage shows the design: the editor draws in the frames after its last file has arrived. */
export async function untilDrawn(page: Page): Promise<void> {
  await page.locator('platen-editor .pe-trim').waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
}

async function openDraft(page: Page, data: SceneData, design: DesignOf = ({ draftId }) => draftId): Promise<void> {
  await signIn(page, data, `/designs/${design(data)}`)
  await untilDrawn(page)
}

type Panel = 'properties' | 'layers' | 'images' | 'preflight' | 'placeholders'

async function showPanel(page: Page, { text }: SceneData, panel: Panel): Promise<void> {
  const name = text(`editor.${panel}`)
  const tab = page.getByRole('navigation', { name: text('editor.panels') }).getByRole('button', { name, exact: true })
  if ((await tab.getAttribute('aria-pressed')) !== 'true') await tab.click()
  await page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
}

/** Selects a layer of the draft by its name, and shows its properties. */
async function selectLayer(page: Page, data: SceneData, name: string): Promise<void> {
  await openDraft(page, data)
  await showPanel(page, data, 'layers')
  await page.getByRole('row', { name }).getByRole('gridcell').first().click()
  await showPanel(page, data, 'properties')
}

const panel = (name: Panel, design?: DesignOf): Show => {
  return async (page, data) => {
    await openDraft(page, data, design)
    await showPanel(page, data, name)
    await page.waitForLoadState('networkidle')
  }
}

const properties = (layer: string): Show => {
  return (page, data) => selectLayer(page, data, layer)
}

const openColors: Show = async (page, data) => {
  await selectLayer(page, data, 'Panel')
  await page.getByRole('button', { name: new RegExp(`^${data.text('editor.fillColor')}: `) }).click()
  await page.getByRole('dialog').waitFor()
}

const openHistory: Show = async (page, data) => {
  await openDraft(page, data)
  await button(page, data.text('editor.history')).click()
  await page.getByRole('option').nth(1).click()
  await page.locator('.pe-revision-side canvas').first().waitFor()
}

const openShortcuts: Show = async (page, data) => {
  await openDraft(page, data)
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
}

const fillFromCsv: Show = async (page, data) => {
  await panel('placeholders', ({ fieldsId }) => fieldsId)(page, data)
  await button(page, data.text('editor.fillFromCsv')).click()
  const chooser = page.waitForEvent('filechooser')
  await button(page, data.text('editor.csvChoose')).click()
  const buffer = Buffer.from('name;table;seat\nAda Lovelace;7;1\nGrace Hopper;8;2\nHedy Lamarr;;3\n')
  await (await chooser).setFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer })
  await page.locator('.pe-csv-item canvas').first().waitFor()
}

/** On narrow windows, the kinds of layers are in a menu. */
const openInsert: Show = async (page, data) => {
  await openDraft(page, data)
  const name = (await button(page, data.text('editor.insert')).isVisible()) ? 'editor.insert' : 'editor.insertShape'
  await button(page, data.text(name)).click()
  await page.getByRole('menu').waitFor()
}

const writeText: Show = async (page, data) => {
  await openDraft(page, data)
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const box = (await page.locator('.pe-trim').boundingBox()) ?? { x: 0, y: 0, width, height }
  await page.mouse.dblclick(box.x + box.width * 0.3, box.y + box.height * 0.17)
  await page.locator('[data-pe-canvas-text]').waitFor({ state: 'attached' })
}

const goOffline: Show = async (page, data) => {
  await selectLayer(page, data, 'Greeting')
  await page.context().setOffline(true)
  await page.getByRole('slider').first().press('ArrowLeft')
  await page.locator('.pe-save-status.offline').waitFor()
}

/** Another program changes the same layer meanwhile. */
const meetConflict: Show = async (page, data) => {
  await selectLayer(page, data, 'Greeting')
  const { accessToken: token } = await callSignIn(data.origin, data.email, data.password)
  const path = `${data.origin}/v1/designs/${data.draftId}`
  const { body } = await call('GET', path, { token })
  const [front, ...others] = body.document.placements
  const layers = front.layers.map((layer: { name?: string; opacity: number }) =>
    layer.name === 'Greeting' ? { ...layer, opacity: layer.opacity > 0.6 ? 0.4 : 1 } : layer,
  )
  await call('PATCH', path, {
    token,
    json: { document: { version: 1, placements: [{ ...front, layers }, ...others] } },
  })
  await page.getByRole('slider').first().press('ArrowLeft')
  await page.getByRole('dialog', { name: data.text('editor.conflictTitle') }).waitFor()
}

const crop: Show = async (page, data) => {
  await selectLayer(page, data, 'Lake')
  await button(page, data.text('editor.crop')).click()
  await page.locator('.pe-crop-bar').waitFor()
}

const selectAll: Show = async (page, data) => {
  await openDraft(page, data)
  await page.keyboard.press('Control+a')
  await showPanel(page, data, 'properties')
}

/** The session ends while the customer edits. */
const loseSession: Show = async (page, data) => {
  await selectLayer(page, data, 'Greeting')
  const { accessToken: token } = await callSignIn(data.origin, data.email, data.password)
  await call('POST', `${data.origin}/v1/api/auth/sessions/revoke-others`, { token })
  await page.getByRole('slider').first().press('ArrowLeft')
  await page.getByRole('dialog').waitFor()
}

const SHOWS: Readonly<Record<string, Show>> = {
  '': openDraft,
  '-layers': panel('layers'),
  '-text': properties('Greeting'),
  '-photo': properties('Lake'),
  '-shape': properties('Panel'),
  '-code': properties('Link'),
  '-nothing-selected': panel('properties'),
  '-photos': panel('images'),
  '-check': panel('preflight'),
  '-faults': panel('preflight', ({ faultyId }) => faultyId),
  '-fields': panel('placeholders', ({ fieldsId }) => fieldsId),
  '-csv': fillFromCsv,
  '-colors': openColors,
  '-history': openHistory,
  '-shortcuts': openShortcuts,
  '-insert': openInsert,
  '-typing': writeText,
  '-crop': crop,
  '-several': selectAll,
  '-session-ended': loseSession,
  '-offline': goOffline,
  '-conflict': meetConflict,
}

export const EDITOR_SCENES: readonly Scene[] = Object.entries(SHOWS).map(([name, show]) => ({
  name: `editor${name}`,
  isFullPage: false,
  show,
}))
