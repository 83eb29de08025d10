import { documentOf, textLayer } from '../../../src/designs/factory.ts'
import { until } from '../../lib/until.ts'
import type { BreakableRenderer } from './breakable-renderer.ts'
import type { Stage } from './stage.ts'

/** A text that is too small, so that the preflight report has an issue with a fix. */
const SMALL = documentOf([textLayer('Ada Example', { id: 'name', fontSizePt: 4 })])

/** The texts of each piece replace `{{name}}`. */
const PERSONAL = documentOf([textLayer('Hello {{name}}', { width: 70 })])

/** Designs from the first draft to the files. Returns the finalized design. */
export async function recordDesigns(stage: Stage): Promise<string> {
  const { service, call, customer, product } = stage
  const token = customer.accessToken
  const made = { productId: product.id, variantId: product.variants[0].id }
  const draft = { ...made, name: 'My card', document: SMALL, metadata: { campaign: 'spring' } }
  const { id: designId } = await call('createDesign', { token, body: { ...draft, externalReference: 'card-1' } })
  const params = { designId }
  await call('preflightDesign', { token, params })
  await call('applyDesignFixes', { token, params, body: { codes: ['text_too_small'] } })
  await call('changeDesign', { token, params, body: { document: PERSONAL } })
  await call('listDesignRevisions', { token, params })
  await call('getDesignRevision', { token, params: { ...params, revision: '1' } })
  const copy = await call('duplicateDesign', { token, params })
  await call('previewDesign', { token, params, query: 'printAreaId=front&width=100' })
  const preview = await call('createDesignLink', { token, params, body: { file: 'preview', expiresInSeconds: 3_600 } })
  await call('getLinkedDesignPreview', { params, query: new URL(preview.url).search.slice(1) })
  await call('finalizeDesign', { token, params })
  await call('getDesign', { token, params })
  await call('listDesigns', { token, query: 'limit=1&view=summary' })
  await call('getDesignFile', { token, params: { ...params, fileId: 'print' } })
  await call('getDesignReceipt', { token, params })
  const print = await service.request('POST', `/designs/${designId}/links`, { token, body: { file: 'print' } })
  const query = new URL(print.body.url).search.slice(1)
  await call('getLinkedDesignFile', { params: { ...params, fileId: 'print' }, query })
  await call('restoreDesignRevision', { token, params: { designId: copy.id, revision: '1' } })
  await call('archiveDesign', { token, params: { designId: copy.id } })
  return designId
}

/** A template of the shop and a design that starts from it. */
export async function recordTemplates({ service, call, admin, customer, product }: Stage): Promise<void> {
  const token = admin.accessToken
  const made = { productId: product.id, variantId: product.variants[0].id }
  const lock = { move: true, style: true, remove: true }
  const document = documentOf([textLayer('Your name', { id: 'name', lock })])
  const { body: draft } = await service.request('POST', '/designs', { token, body: { ...made, document } })
  const input = { designId: draft.id, name: 'Autumn', categories: ['Seasons'] }
  const { id: templateId } = await call('createTemplate', { token, body: input })
  const params = { templateId }
  await call('changeTemplate', { token, params, body: { name: 'Autumn leaves' } })
  await call('listTemplates', { query: 'category=Seasons' })
  await call('getTemplate', { params })
  await call('previewTemplate', { params, query: 'width=320' })
  const body = { ...made, templateId }
  await service.request('POST', '/designs', { token: customer.accessToken, body })
  await call('archiveTemplate', { token, params })
  await call('restoreTemplate', { token, params })
}

/** A finalization that ends later, with an event about its failure. Starts the jobs of the service. */
export async function failFinalization(
  { service, customer, product }: Stage,
  renderer: BreakableRenderer,
): Promise<void> {
  const token = customer.accessToken
  const body = { productId: product.id, variantId: product.variants[0].id, document: PERSONAL }
  const { body: design } = await service.request('POST', '/designs', { token, body })
  renderer.isBroken = true
  service.startJobs()
  const headers = { Prefer: 'respond-async' }
  await service.request('POST', `/designs/${design.id}/finalize`, { token, headers })
  await until('the finalization to fail', async () => {
    const { body: read } = await service.request('GET', `/designs/${design.id}`, { token })
    return read.lastFinalizationError !== null
  })
}
