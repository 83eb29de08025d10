import {
  checkPersonalizations,
  findFillables,
  type OrderableDesign,
  type PersonalizationDeps,
  PersonalizationTooComplex,
  TooMuchToCheck,
} from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { escapePointer } from '../../platform/http/input/strict-json.ts'
import type { Problem } from '../../platform/problem.ts'
import { orderProblems } from '../problems.ts'

export interface TextsDeps {
  db: Db
  designs: PersonalizationDeps
}

export interface ItemTexts {
  designId: string
  data?: Record<string, string>
}

export interface TextsRequest {
  ownerId: string
  items: readonly ItemTexts[]
  /** Removes waiting checks from the queue when the client disconnects. */
  signal?: AbortSignal
}

export interface CheckedTexts {
  /** For each item, by its position: the finalization with whose design its texts were laid out. */
  finalizationIds: ReadonlyMap<number, string>
  /** Reason why the texts cannot be printed: `preflight_failed`, `text_too_complex` or `items_too_long`. */
  problem?: Problem
}

/** Means that the texts were checked with an earlier finalization of the design, and must be checked again. */
class TextsUnchecked extends Error {
  override readonly name = 'TextsUnchecked'
}

/**
 * Lays out texts before `work`, because `work` locks designs in a transaction and must be short. A problem of the texts
 * is passed to `work` instead of thrown, so that `work` can report other faults first.
 *
 * @param work calls `requirePrintable`
 */
export async function withCheckedTexts<T>(
  deps: TextsDeps,
  request: TextsRequest,
  work: (texts: CheckedTexts) => Promise<T>,
): Promise<T> {
  const texts = await checkTexts(deps, request)
  try {
    return await work(texts)
  } catch (error) {
    if (!(error instanceof TextsUnchecked)) throw error
    // `work` found a design that was finalized after the check. One repetition suffices, because a finalization never
    // changes.
    return work(await checkTexts(deps, request))
  }
}

async function checkTexts({ db, designs }: TextsDeps, { ownerId, items, signal }: TextsRequest): Promise<CheckedTexts> {
  const withTexts = items.filter(({ data = {} }) => Object.keys(data).length > 0)
  if (withTexts.length === 0) return { finalizationIds: new Map() }
  const ids = [...new Set(withTexts.map(({ designId }) => designId))]
  const fillables = new Map((await findFillables(db, ownerId, ids)).map((one) => [one.designId, one]))
  const filled = items.flatMap(({ designId, data = {} }, item) => {
    const fillable = fillables.get(designId)
    // `work` reports missing texts, so they are not checked here.
    if (fillable?.placeholders.every((name) => Object.hasOwn(data, name)) !== true) return []
    return [{ item, finalizationId: fillable.finalizationId, values: data }]
  })
  const finalizationIds = new Map(filled.map(({ item, finalizationId }) => [item, finalizationId]))
  try {
    const faults = await checkPersonalizations(db, { ...designs, signal }, filled)
    if (faults.length === 0) return { finalizationIds }
    const errors = faults.map(({ index, name, message, ...fault }) => ({
      ...fault,
      pointer: `/items/${filled[index]?.item}/data/${escapePointer(name)}`,
      detail: message,
    }))
    return { finalizationIds, problem: orderProblems.preflight_failed({ errors }) }
  } catch (error) {
    if (error instanceof TooMuchToCheck) return { finalizationIds, problem: orderProblems.items_too_long() }
    if (error instanceof PersonalizationTooComplex) {
      return { finalizationIds, problem: tooComplex(error, filled[error.index]?.item) }
    }
    throw error
  }
}

function tooComplex({ message: detail, layer, fontFamily }: PersonalizationTooComplex, item = 0): Problem {
  const code = 'text_too_complex'
  const font = fontFamily === undefined ? {} : { fontFamily }
  return orderProblems.text_too_complex({ errors: [{ code, pointer: `/items/${item}/data`, layer, ...font, detail }] })
}

/**
 * Throws if texts do not fit, or if the font has no glyphs for them.
 *
 * @param designs of all items, locked
 * @throws `preflight_failed`, `text_too_complex`, `items_too_long`; `TextsUnchecked`, which `withCheckedTexts` handles
 */
export function requirePrintable(
  items: readonly ItemTexts[],
  designs: ReadonlyMap<string, OrderableDesign>,
  { finalizationIds, problem }: CheckedTexts,
): void {
  for (const [item, { designId }] of items.entries()) {
    const design = designs.get(designId)
    if (design === undefined || design.placeholders.length === 0) continue
    if (finalizationIds.get(item) !== design.finalizationId) throw new TextsUnchecked(design.finalizationId)
  }
  if (problem !== undefined) throw problem
}
