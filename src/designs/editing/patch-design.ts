import type { DesignDocumentInput } from '../../drawing/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { createValueCheck } from '../../platform/http/input/check-value.ts'
import { applyPatch, type Operation, PatchFault } from '../../platform/json-patch/apply-patch.ts'
import type { JsonValue } from '../../platform/json-patch/pointer.ts'
import { readDocument } from '../checking/submitted-document.ts'
import { designProblems } from '../problems.ts'
import { DesignChangesBody } from '../schemas.ts'
import { type Design, readStoredSize } from '../store.ts'
import { changeFrom, type EditDeps, type PlannedChange, type Target } from './change-from.ts'

/** A result may be as large as a body, or as the design was. */
const MAX_BYTES = 1024 * 1024

/** A design that takes no more bytes in the database is small. PostgreSQL compresses larger ones. */
const SMALL_BYTES = 2_048

export interface DesignPatch extends Target {
  operations: readonly Operation[]
}

export interface PatchDeps extends EditDeps {
  /** Resolves when a design of so many characters may be patched. */
  untilMayEdit(characters: number): Promise<void>
  /** Runs the change of a large design. A change that waits for others does not hold its design in memory. */
  inTurn(change: () => Promise<Design>): Promise<Design>
}

/**
 * Applies a JSON Patch to `{ name, variantId, document, metadata, externalReference }` of a draft. A patch that changes
 * nothing leaves the revision as it is.
 *
 * @throws `patch_invalid`, `patch_test_failed`, `validation_failed`, `body_too_large`, and what `changeDesign` throws
 */
export async function patchDesign(deps: PatchDeps, { operations, ...target }: DesignPatch): Promise<Design> {
  const change = () => changeFrom(deps, target, (design) => planPatch(deps, design, operations))
  const bytes = await readStoredSize(deps.database.db, target.key)
  return bytes > SMALL_BYTES ? deps.inTurn(change) : change()
}

async function planPatch(
  deps: PatchDeps,
  design: Design,
  operations: readonly Operation[],
): Promise<PlannedChange | undefined> {
  await deps.untilMayEdit(design.documentJson.length + design.metadataJson.length)
  const { document, ...changes } = changedMembers(design, patched(design, operations))
  if (document === undefined && Object.keys(changes).length === 0) return undefined
  if (document === undefined) return { changes }
  return { changes, document: await readDocument(deps, design.ownerId, document as DesignDocumentInput) }
}

/** @throws `patch_invalid`, `patch_test_failed` */
function patched(design: Design, operations: readonly Operation[]): JsonValue {
  const { name, variantId, externalReference } = design
  const document = JSON.parse(design.documentJson) as JsonValue
  const metadata = JSON.parse(design.metadataJson) as JsonValue
  try {
    return applyPatch({ name, variantId, document, metadata, externalReference }, operations)
  } catch (error) {
    if (!(error instanceof PatchFault)) throw error
    const code = error.kind === 'test_failed' ? 'patch_test_failed' : 'patch_invalid'
    const detail = error.message
    throw designProblems[code]({ detail, errors: [{ code, pointer: `/${error.index}`, detail }] })
  }
}

const requireValidChanges = createValueCheck({ ...DesignChangesBody, minProperties: 0 })

/**
 * Selects what a patch has changed, so that members that it did not touch need not fulfil the rules of today.
 *
 * @throws `validation_failed` with pointers into the result; `body_too_large`
 */
function changedMembers(design: Design, result: JsonValue): DesignChangesBody {
  const after = { metadata: {}, externalReference: null, ...requireComplete(result) }
  const { name, variantId, documentJson, metadataJson, externalReference } = design
  const before: Record<string, string> = {
    name: JSON.stringify(name),
    variantId: JSON.stringify(variantId),
    document: documentJson,
    metadata: metadataJson,
    externalReference: JSON.stringify(externalReference),
  }
  const texts = Object.entries(after).map(([member, value]) => [member, JSON.stringify(value)] as const)
  const bytes = (list: readonly string[]) => list.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const most = Math.max(MAX_BYTES, bytes(Object.values(before)))
  if (bytes(texts.map(([, text]) => text)) > most) throw httpProblems.body_too_large('The result exceeds 1 MiB.')
  const changed = texts.filter(([member, text]) => before[member] !== text)
  const changes = Object.fromEntries(changed.map(([member]) => [member, after[member as keyof typeof after]]))
  requireValidChanges(changes)
  return changes as DesignChangesBody
}

const REQUIRED = ['name', 'variantId', 'document'] as const

function requireComplete(result: JsonValue): Record<string, JsonValue> {
  const isObject = typeof result === 'object' && result !== null && !Array.isArray(result)
  const missing = isObject ? REQUIRED.filter((member) => !Object.hasOwn(result, member)) : REQUIRED
  if (isObject && missing.length === 0) return result
  throw httpProblems.validation_failed({
    detail: 'The patched design lacks members.',
    errors: missing.map((member) => ({ code: 'required', pointer: `/${member}`, detail: 'This member is required.' })),
  })
}
