import { assetUses } from '../assets/index.ts'
import { checkDocument, type DesignDocument, type DesignDocumentInput, normalizeDocument } from '../drawing/index.ts'
import { fontUses } from '../fonts/index.ts'
import type { Trx } from '../platform/db/index.ts'
import { newId } from '../platform/ids.ts'
import { emit } from '../platform/outbox/index.ts'
import { findProduct, type Product } from '../products/index.ts'
import { checkDesign } from './check-design.ts'
import type { OpenFonts } from './fonts/with-open-fonts.ts'
import { designProblems } from './problems.ts'
import { type DesignChangesBody, type NewDesignBody, toDesignBody } from './schemas.ts'
import { nextStatus, statusAt } from './state.ts'
import {
  type Design,
  type DesignKey,
  findDesign,
  insertDesign,
  lockDesign,
  setDesignStatus,
  updateDraft,
} from './store.ts'

/** Refuses the change when it was meant for another version of the design; see `requireIfMatch`. */
type RequireVersion = (design: Design, now: Date) => void

const EMPTY_DOCUMENT: DesignDocumentInput = { version: 1, placements: [] }

/**
 * Adds a draft with its preflight report.
 *
 * @throws `product_not_found`, `variant_not_found`, `document_invalid`
 */
export async function createDesign(
  trx: Trx,
  open: OpenFonts,
  { ownerId, input, now }: { ownerId: string; input: NewDesignBody; now: Date },
): Promise<Design> {
  const { productId, variantId } = input
  const product = await findProduct(trx, productId)
  if (product === undefined) throw pointed('product_not_found', '/productId')
  requireVariant(product, variantId)
  const document = acceptDocument(input.document ?? EMPTY_DOCUMENT)
  const content = { ownerId, productId, variantId, document }
  return insertDraft(trx, open, {
    ...content,
    name: input.name ?? product.name,
    metadataJson: JSON.stringify(input.metadata ?? {}),
    now,
  })
}

/**
 * Makes a new draft with the content of a design in any state.
 *
 * @throws `design_not_found`
 */
export async function duplicateDesign(trx: Trx, open: OpenFonts, key: DesignKey, now: Date): Promise<Design> {
  const original = await findDesign(trx, key)
  if (original === undefined) throw designProblems.design_not_found()
  const { ownerId, productId, variantId, name, metadataJson } = original
  const document = JSON.parse(original.documentJson) as DesignDocument
  return insertDraft(trx, open, { ownerId, productId, variantId, document, name, metadataJson, now })
}

/**
 * Replaces the named members of a draft and checks it anew.
 *
 * @throws `design_not_found`, `design_not_draft`, `precondition_failed`, `variant_not_found`, `document_invalid`
 */
export async function changeDesign(
  trx: Trx,
  open: OpenFonts,
  change: { key: DesignKey; changes: DesignChangesBody; requireVersion: RequireVersion; now: () => Date },
): Promise<Design> {
  const { key, changes } = change
  const before = await lockDesign(trx, key)
  if (before === undefined) throw designProblems.design_not_found()
  const now = change.now()
  const status = statusAt(before, now)
  if (nextStatus(status, 'change') === undefined) {
    throw designProblems.design_not_draft({ members: { designStatus: status } })
  }
  change.requireVersion(before, now)
  const document =
    changes.document === undefined
      ? (JSON.parse(before.documentJson) as DesignDocument)
      : acceptDocument(changes.document)
  const variantId = changes.variantId ?? before.variantId
  const { product, report } = await checkDesign(trx, open, { ...before, variantId, document })
  if (changes.variantId !== undefined) requireVariant(product, variantId)
  const design: Design = {
    ...before,
    status: 'draft',
    leaseToken: null,
    leaseUntil: null,
    revision: before.revision + 1,
    name: changes.name ?? before.name,
    variantId,
    documentJson: JSON.stringify(document),
    preflightJson: JSON.stringify(report),
    metadataJson: changes.metadata === undefined ? before.metadataJson : JSON.stringify(changes.metadata),
    updatedAt: now,
  }
  await updateDraft(trx, design)
  return design
}

/**
 * Puts a design away: it can still be read, but no longer be changed, finalized or ordered. Once more is the same as once.
 *
 * @throws `design_not_found`, `design_finalizing`, `precondition_failed`
 */
export async function archiveDesign(
  trx: Trx,
  { key, requireVersion, now: readClock }: { key: DesignKey; requireVersion: RequireVersion; now: () => Date },
): Promise<void> {
  const before = await lockDesign(trx, key)
  if (before === undefined) throw designProblems.design_not_found()
  const now = readClock()
  const status = statusAt(before, now)
  if (status === 'archived') return
  const archived = nextStatus(status, 'archive')
  if (archived === undefined) throw designProblems.design_finalizing({ headers: { 'Retry-After': '2' } })
  requireVersion(before, now)
  await setDesignStatus(trx, { id: key.id, status: archived, updatedAt: now })
  await assetUses.release(trx, key.id)
  await fontUses.release(trx, key.id)
  const design = { ...before, status: archived, leaseToken: null, leaseUntil: null, updatedAt: now }
  await emit(trx, {
    type: 'design.archived',
    subject: key.id,
    ownerId: key.ownerId,
    data: toDesignBody(design, now),
    at: now,
  })
}

interface DraftContent {
  ownerId: string
  productId: string
  variantId: string
  document: DesignDocument
  name: string
  metadataJson: string
  now: Date
}

async function insertDraft(trx: Trx, open: OpenFonts, content: DraftContent): Promise<Design> {
  const { document, now, ...rest } = content
  const { report } = await checkDesign(trx, open, content)
  const design = {
    ...rest,
    id: newId('design'),
    documentJson: JSON.stringify(document),
    preflightJson: JSON.stringify(report),
    createdAt: now,
  }
  await insertDesign(trx, design)
  return {
    ...design,
    status: 'draft',
    revision: 1,
    leaseToken: null,
    leaseUntil: null,
    updatedAt: now,
    finalization: null,
  }
}

/** The document as it is stored: complete, and free of what its schema cannot rule out. */
function acceptDocument(input: DesignDocumentInput): DesignDocument {
  const document = normalizeDocument(input)
  const errors = checkDocument(document).map(({ code, pointer, detail }) => ({
    code,
    pointer: `/document${pointer}`,
    detail,
  }))
  if (errors.length > 0) throw designProblems.document_invalid({ errors })
  return document
}

function requireVariant(product: Product, variantId: string): void {
  if (!product.variants.some(({ id }) => id === variantId)) throw pointed('variant_not_found', '/variantId')
}

function pointed(code: 'product_not_found' | 'variant_not_found', pointer: string) {
  const problem = designProblems[code]()
  return designProblems[code]({ errors: [{ code, pointer, detail: `${problem.title}.` }] })
}
