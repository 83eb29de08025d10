import type { PreflightIssue, PreflightReport } from '../../drawing/index.ts'
import { applyPatch, PatchFault } from '../../platform/json-patch/apply-patch.ts'
import type { JsonValue } from '../../platform/json-patch/pointer.ts'
import { checkDesign, type DesignContent, findCheckInputs } from '../checking/check-inputs.ts'
import { readDocument } from '../checking/submitted-document.ts'
import { contentOf } from '../save-design.ts'
import type { Design } from '../store.ts'
import { changeFrom, type EditDeps, type Target } from './change-from.ts'

export type AppliedFix = Pick<PreflightIssue, 'code' | 'pointer'>

export interface FixRequest extends Target {
  /** Codes of the issues to fix; undefined for all. */
  codes: readonly string[] | undefined
}

/** Each round resolves at least one issue of each layer that has any, so a few rounds suffice for most documents. */
const MAX_ROUNDS = 10

/**
 * Applies the fixes of a new preflight report to a draft. A round applies one fix per layer, because the others were
 * computed for the layer as it was. Then the document is checked again, until no fix is left.
 *
 * @returns the design, unchanged if no fix applied, and the issues that were fixed
 * @throws what `changeDesign` throws
 */
export async function applyFixes(
  deps: EditDeps,
  { codes, ...target }: FixRequest,
): Promise<{ design: Design; applied: AppliedFix[] }> {
  let applied: AppliedFix[] = []
  const design = await changeFrom(deps, target, async (before) => {
    applied = []
    const content = contentOf(before)
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const fixed = await applyRound(deps, content, codes)
      if (fixed.length === 0) break
      applied.push(...fixed)
    }
    if (applied.length === 0) return undefined
    return { changes: {}, document: await readDocument(deps, before.ownerId, content.document) }
  })
  return { design, applied }
}

/** Applies one fix to each layer of the content that has a fixable issue. */
async function applyRound(deps: EditDeps, content: DesignContent, codes: FixRequest['codes']): Promise<AppliedFix[]> {
  const inputs = await findCheckInputs(deps.database.db, content)
  const { issues } = JSON.parse(await checkDesign(deps, inputs)) as PreflightReport
  const changed = new Set<string>()
  const applied: AppliedFix[] = []
  for (const { code, pointer, fix } of issues) {
    if (fix === undefined || codes?.includes(code) === false) continue
    const layers = fix.map(({ path }) => layerOf(path))
    if (layers.some((layer) => changed.has(layer)) || !tryFix(content, fix)) continue
    for (const layer of layers) changed.add(layer)
    applied.push({ code, pointer })
  }
  if (applied.length > 0) content.documentJson = JSON.stringify(content.document)
  return applied
}

/** The pointer of a layer is `/placements/0/layers/0`. */
function layerOf(path: string): string {
  return path.split('/', 5).join('/')
}

function tryFix({ document }: DesignContent, fix: NonNullable<PreflightIssue['fix']>): boolean {
  try {
    applyPatch(document as unknown as JsonValue, fix as Parameters<typeof applyPatch>[1])
    return true
  } catch (error) {
    if (error instanceof PatchFault) return false
    throw error
  }
}
