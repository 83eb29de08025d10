import { checkDashes, spareDashesOf } from '../check-dashes.ts'
import type { CheckContext } from '../checks/context.ts'
import type { Finding, PreflightIssue, PreflightReport } from '../checks/issue.ts'
import { checkDocument } from '../document/check-document.ts'
import type { AssetSize, DesignDocument, Placement, PrintArea } from '../document/design-document.ts'
import type { Layer } from '../document/layer-types.ts'
import type { PlaceholderData } from '../document/placeholders.ts'
import { engineOf } from '../layer-engines.ts'
import type { FontBook } from '../text/fonts/font-book.ts'
import { createTrimShape } from '../trim/create-trim-shape.ts'
import { findFix } from './find-fix.ts'

export interface PreflightInput {
  document: DesignDocument
  product: {
    status: string
    printAreas: readonly PrintArea[]
    /** Whether the chosen variant is available; true if left out. */
    variantAvailable?: boolean
  }
  /** The images that the owner of the design may use, by asset id. */
  assets: ReadonlyMap<string, AssetSize>
  fonts: FontBook
  /** Values of placeholders. Without values, texts are checked as written. */
  data?: PlaceholderData
  /** Whether to search for fixes, which takes longer than the checks; true if left out. */
  withFixes?: boolean
  /**
   * Called before each layer is checked. If the process is stopped, the caller can name the layer that took too long.
   */
  onLayer?: (layer: Layer) => void
}

/**
 * Checks whether a document can be printed on a product. Pure and synchronous, so that saving, reports, finalization
 * and an editor in a browser use the same function. The report lists the faults from `checkDocument` and `checkDashes`
 * as errors.
 *
 * The effort of searching for fixes is limited: a document with a thousand faults gets few fixes, so that its report is
 * not slow. Never throws for a document that is valid against the schema, whatever its numbers are.
 */
export function preflight(input: PreflightInput): PreflightReport {
  const { document, product } = input
  const faults = [...checkDocument(document), ...checkDashes(document)]
  const unusable = faults.filter(({ code }) => MEANINGLESS.has(code)).map(({ pointer }) => pointer)
  const effort = { work: { left: input.withFixes === false ? 0 : WORK_ON_FIXES }, spareDashes: spareDashesOf(document) }
  const issues: PreflightIssue[] = [
    ...faults.map(({ code, pointer, detail }) => error(code, pointer, detail)),
    ...checkProduct(product),
    ...document.placements.flatMap((placement, index) => checkPlacement(placement, index, input, unusable, effort)),
    ...checkRequiredAreas(document, product.printAreas),
  ]
  return { ok: issues.every(({ severity }) => severity !== 'error'), issues }
}

// Faults that prevent measuring a layer. A layer with such a fault gets no other checks.
const MEANINGLESS: ReadonlySet<string> = new Set(['number_not_finite', 'size_not_positive'])

// The unit is the layout of one character; the total takes about a tenth of a second. Without fixes, a document at its
// limits already has 20,000 characters.
const WORK_ON_FIXES = 50_000

function error(code: PreflightIssue['code'], pointer: string, message: string): PreflightIssue {
  return { code, severity: 'error', pointer, message }
}

function checkProduct({ status, variantAvailable = true }: PreflightInput['product']): PreflightIssue[] {
  if (status === 'active' && variantAvailable) return []
  return [error('product_unavailable', '', 'The product or the chosen variant is no longer available.')]
}

function checkPlacement(
  { printAreaId, layers }: Placement,
  index: number,
  { product, assets, fonts, data, onLayer }: PreflightInput,
  unusable: readonly string[],
  effort: Pick<CheckContext, 'work' | 'spareDashes'>,
): PreflightIssue[] {
  const area = product.printAreas.find(({ id }) => id === printAreaId)
  if (area === undefined) {
    const message = `The product has no print area ${printAreaId}.`
    return [error('print_area_unknown', `/placements/${index}/printAreaId`, message)]
  }
  const outlineOf = (layer: Layer) => engineOf(layer).outline(layer, assets)
  const context: CheckContext = { area, trim: createTrimShape(area), layers, assets, fonts, data, outlineOf, ...effort }
  return layers.flatMap((layer, l) => {
    const pointer = `/placements/${index}/layers/${l}`
    if (unusable.some((at) => at.startsWith(`${pointer}/`))) return []
    onLayer?.(layer)
    const findings = engineOf(layer).check(layer, context)
    return findings.map((finding) => toIssue(finding, pointer, findFix(layer, finding, findings, pointer, context)))
  })
}

function toIssue(finding: Finding, pointer: string, fix: PreflightIssue['fix']): PreflightIssue {
  const { code, severity, field, message, measured, limit, unit } = finding
  return {
    code,
    severity,
    pointer: field === '' ? pointer : `${pointer}/${field}`,
    message,
    ...(measured === undefined ? {} : { measured: roundMeasured({ measured, limit, unit }) }),
    ...(limit === undefined ? {} : { limit }),
    ...(unit === undefined ? {} : { unit }),
    ...(fix === undefined ? {} : { fix }),
  }
}

interface Measurement {
  measured: number
  limit: number | undefined
  unit: string | undefined
}

/**
 * Rounds a measured value to remove float noise. If the value misses its limit but the rounded value would meet it,
 * changes the last decimal by one, so that the report does not contradict itself.
 */
function roundMeasured({ measured, limit = measured, unit }: Measurement): number {
  const decimals = unit === 'dpi' ? 2 : 3
  const step = 10 ** -decimals
  const round = (value: number) => Number(value.toFixed(decimals)) + 0
  const rounded = round(measured)
  if (measured < limit && rounded >= limit) return round(rounded - step)
  if (measured > limit && rounded <= limit) return round(rounded + step)
  return rounded
}

function checkRequiredAreas(document: DesignDocument, areas: readonly PrintArea[]): PreflightIssue[] {
  return areas.flatMap((area) => {
    if (!area.required) return []
    const index = document.placements.findIndex(({ printAreaId }) => printAreaId === area.id)
    if (document.placements.some(({ printAreaId, layers }) => printAreaId === area.id && !layers.every(showsNothing))) {
      return []
    }
    const pointer = index === -1 ? '/placements' : `/placements/${index}/layers`
    return [error('print_area_empty', pointer, `The print area "${area.name}" must not be empty.`)]
  })
}

function showsNothing(layer: Layer): boolean {
  return layer.opacity === 0 || engineOf(layer).showsNothing?.(layer) === true
}
