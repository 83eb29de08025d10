import { assetUses } from '../assets/index.ts'
import type { DesignDocument } from '../drawing/index.ts'
import { fontUses } from '../fonts/index.ts'
import type { Db, Trx } from '../platform/db/index.ts'
import { EVENTS_KEPT_SECONDS } from '../platform/outbox/index.ts'
import { claimReference } from '../platform/records/external-reference.ts'
import { chargeFor, type StorageQuota } from '../platform/storage/index.ts'
import { findProduct, type Product } from '../products/index.ts'
import { type CheckInputs, type DesignContent, findCheckInputs } from './checking/check-inputs.ts'
import { requireValid, type SubmittedDocument } from './checking/submitted-document.ts'
import type { Checks } from './checking/with-checks.ts'
import { emitDesignEvent } from './events.ts'
import { copyTemplate, type TemplateCopy } from './from-templates/copy-template.ts'
import { requireLocksKept } from './from-templates/require-locks-kept.ts'
import { chargeSave } from './history/charge-save.ts'
import { keepRevision } from './history/store.ts'
import { newId } from './ids.ts'
import { designProblems } from './problems.ts'
import { type DesignChangesBody, type NewDesignBody, toDesignBody } from './schemas.ts'
import { nextStatus, statusAt } from './state.ts'
import {
  type Design,
  type DesignKey,
  draftBytes,
  findDesign,
  insertDesign,
  lockDesign,
  setDesignStatus,
  updateDraft,
} from './store.ts'

export interface SaveDeps extends Checks {
  quota: Pick<StorageQuota, 'charge'>
}

/** Throws if the change requires another version of the design (`requireIfMatch`). */
type RequireVersion = (design: Design, now: Date) => void

export interface Creation {
  ownerId: string
  input: Omit<NewDesignBody, 'document'>
  document: SubmittedDocument
  now: Date
}

/**
 * Creates a draft with its preflight report.
 *
 * @param deps with the reports of `withChecks`, around the transaction
 * @throws `product_not_found`, `variant_not_found`, `template_not_found`, `template_product_mismatch`,
 *   `document_invalid`, `external_reference_taken`, `storage_quota_exceeded`, and the errors of `checkDesign`
 */
export async function createDesign(trx: Trx, deps: SaveDeps, creation: Creation): Promise<Design> {
  const { template, ...inputs } = await readCreation(trx, creation)
  const { input, now } = creation
  const metadataJson = JSON.stringify(input.metadata ?? {})
  const { externalReference = null } = input
  return insertDraft(trx, deps, {
    inputs,
    name: input.name ?? template?.name ?? inputs.product.name,
    metadataJson,
    externalReference,
    now,
  })
}

/**
 * Reads the inputs of the report for a new draft.
 *
 * @throws `product_not_found`, `variant_not_found`, `template_not_found`, `template_product_mismatch`,
 *   `document_invalid`, `too_many_fonts`
 */
export async function inputsOfCreation(db: Db, creation: Creation): Promise<CheckInputs> {
  const { template: _, ...inputs } = await readCreation(db, creation)
  return inputs
}

async function readCreation(
  db: Db | Trx,
  { ownerId, input, document }: Creation,
): Promise<CheckInputs & { template: TemplateCopy | undefined }> {
  const { productId, variantId, templateId } = input
  const product = await findProduct(db, productId)
  if (product === undefined) throw pointed('product_not_found', '/productId')
  requireVariant(product, variantId)
  const template = templateId === undefined ? undefined : await copyTemplate(db, templateId, productId)
  const content = template ?? requireValid(document)
  const { documentJson } = content
  const design = {
    ownerId,
    productId,
    variantId,
    templateId: template?.id ?? null,
    document: content.document,
    documentJson,
  }
  return { ...(await findCheckInputs(db, design, { product })), template }
}

/**
 * Creates a draft with the content of a design in any state.
 *
 * @param deps includes the reports that `withChecks` made before the transaction
 * @throws `design_not_found`, `storage_quota_exceeded`, and the errors of `checkDesign`
 */
export async function duplicateDesign(trx: Trx, deps: SaveDeps, key: DesignKey, now: Date): Promise<Design> {
  const { original, inputs } = await readOriginal(trx, key)
  const { name, metadataJson } = original
  return insertDraft(trx, deps, { inputs, name, metadataJson, externalReference: null, now })
}

export async function inputsOfDuplicate(db: Db, key: DesignKey): Promise<CheckInputs> {
  return (await readOriginal(db, key)).inputs
}

async function readOriginal(db: Db | Trx, key: DesignKey): Promise<{ original: Design; inputs: CheckInputs }> {
  const original = await findDesign(db, key)
  if (original === undefined) throw designProblems.design_not_found()
  return { original, inputs: await findCheckInputs(db, contentOf(original)) }
}

/** Selects the part of a stored design that preflight checks. */
export function contentOf({ ownerId, templateId, productId, variantId, documentJson }: Design): DesignContent {
  return {
    ownerId,
    templateId,
    productId,
    variantId,
    document: JSON.parse(documentJson) as DesignDocument,
    documentJson,
  }
}

export interface Change {
  key: DesignKey
  changes: Omit<DesignChangesBody, 'document'>
  document?: SubmittedDocument | undefined
  requireVersion: RequireVersion
  now: () => Date
  /** An earlier revision may name a variant that the product no longer has. Preflight reports it. */
  isRestoration?: boolean
}

/**
 * Replaces the named members of a draft and checks it again.
 *
 * @param deps includes the reports that `withChecks` made before the transaction
 * @throws `design_not_found`, `design_not_draft`, `precondition_failed`, `variant_not_found`, `document_invalid`,
 *   `layer_locked`, `external_reference_taken`, `storage_quota_exceeded`, and the errors of `checkDesign`
 */
export async function changeDesign(trx: Trx, deps: SaveDeps, change: Change): Promise<Design> {
  const { key, changes } = change
  const before = await lockDesign(trx, key)
  const now = change.now()
  const inputs = await inputsAfter(trx, before, change, now)
  const { variantId, documentJson } = inputs.content
  const preflightJson = deps.reportOf(inputs)
  const design: Design = {
    ...inputs.before,
    status: 'draft',
    leaseToken: null,
    leaseUntil: null,
    revision: inputs.before.revision + 1,
    name: changes.name ?? inputs.before.name,
    variantId,
    documentJson,
    preflightJson,
    metadataJson: changes.metadata === undefined ? inputs.before.metadataJson : JSON.stringify(changes.metadata),
    externalReference:
      changes.externalReference === undefined ? inputs.before.externalReference : changes.externalReference,
    updatedAt: now,
  }
  if (changes.externalReference !== undefined) await claim(trx, design)
  const revisions = await keepRevision(trx, inputs.before)
  await updateDraft(trx, design)
  const draft = draftBytes(design) - draftBytes(inputs.before)
  await chargeSave(trx, deps.quota, { ownerId: design.ownerId, designId: design.id, draft, revisions })
  return design
}

function claim(trx: Trx, { id, ownerId, externalReference }: Design): Promise<void> {
  return claimReference(trx, { table: 'designs', id, ownerId, reference: externalReference })
}

/** Reads the inputs of the report for a changed draft. Throws if the design cannot be changed in this way. */
export async function inputsOfChange(db: Db, change: Change): Promise<CheckInputs> {
  return inputsAfter(db, await findDesign(db, change.key), change, change.now())
}

async function inputsAfter(
  db: Db | Trx,
  found: Design | undefined,
  { changes, document, requireVersion, isRestoration }: Change,
  now: Date,
): Promise<CheckInputs & { before: Design }> {
  const before = requireChangeable(found, requireVersion, now)
  const content = document === undefined ? contentOf(before) : requireValid(document)
  if (document !== undefined) requireLocksKept(before, content.document)
  const { ownerId, templateId, productId } = before
  const variantId = changes.variantId ?? before.variantId
  const inputs = await findCheckInputs(db, { ...content, ownerId, templateId, productId, variantId })
  if (changes.variantId !== undefined && isRestoration !== true) requireVariant(inputs.product, variantId)
  return { ...inputs, before }
}

/** @throws `design_not_found`, `design_not_draft`, `precondition_failed` */
export function requireChangeable(design: Design | undefined, requireVersion: RequireVersion, now: Date): Design {
  if (design === undefined) throw designProblems.design_not_found()
  const status = statusAt(design, now)
  if (nextStatus(status, 'change') === undefined) {
    throw designProblems.design_not_draft({ members: { designStatus: status } })
  }
  requireVersion(design, now)
  return design
}

/**
 * Archives a design: it can still be read, but no longer be changed, finalized or ordered. A repetition has no effect.
 * The event of a draft, with its document, counts towards the storage quota as long as it is retained.
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
  await emitDesignEvent(trx, {
    type: 'design.archived',
    subject: key.id,
    ownerId: key.ownerId,
    data: toDesignBody(design, now),
    at: now,
  })
  // The charge of a finalized design includes this event.
  if (before.finalization === null) {
    await chargeFor(trx, { ownerId: key.ownerId, bytes: draftBytes(before), seconds: EVENTS_KEPT_SECONDS })
  }
}

interface NewDraft {
  inputs: CheckInputs
  name: string
  metadataJson: string
  externalReference: string | null
  now: Date
}

async function insertDraft(trx: Trx, deps: SaveDeps, { inputs, name, now, ...draft }: NewDraft): Promise<Design> {
  const { document: _, ...content } = inputs.content
  const preflightJson = deps.reportOf(inputs)
  const inserted = { ...content, ...draft, id: newId('design'), name: oneLine(name), preflightJson, createdAt: now }
  const design: Design = {
    ...inserted,
    status: 'draft',
    revision: 1,
    leaseToken: null,
    leaseUntil: null,
    lastFinalizationErrorJson: null,
    finalizationFailures: 0,
    updatedAt: now,
    finalization: null,
  }
  await claim(trx, design)
  await insertDesign(trx, design)
  await deps.quota.charge(trx, design.ownerId, draftBytes(design))
  return design
}

/**
 * Replaces control characters by spaces. Names of products and of older designs may contain them, names in requests
 * must not.
 */
function oneLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
}

function requireVariant(product: Product, variantId: string): void {
  if (!product.variants.some(({ id }) => id === variantId)) throw pointed('variant_not_found', '/variantId')
}

function pointed(code: 'product_not_found' | 'variant_not_found', pointer: string) {
  const problem = designProblems[code]()
  return designProblems[code]({ errors: [{ code, pointer, detail: `${problem.title}.` }] })
}
