import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Product } from '../schemas.ts'
import { applyLines } from './apply-lines.ts'
import { type Columns, TITLES } from './columns.ts'
import type { ReadFile } from './read-file.ts'
import type { ImportLine } from './read-line.ts'
import type { LineBody, Outcome, VariantImportBody } from './schemas.ts'

export interface CheckedLine extends ImportLine {
  outcome: Outcome
}

interface Checks {
  findProduct(id: string): Promise<Product | undefined>
  /** Gets each product that the lines change, before and after, if none of them is faulty. */
  onChange?(before: Product, after: Product): Promise<void>
}

/**
 * Checks all lines, product by product in the order of their ids, so that two imports lock products in the same order
 * and no more than one product is in memory. Lines of a product that is changed are `ready`.
 */
export async function checkLines(
  { lines, columns }: ReadFile,
  { findProduct, onChange }: Checks,
): Promise<CheckedLine[]> {
  const checked = new Map<ImportLine, CheckedLine>()
  const byProduct = Map.groupBy(lines, ({ productId }) => productId)
  for (const productId of [...byProduct.keys()].sort()) {
    await nextTurn()
    const own = byProduct.get(productId) ?? []
    const product = productId === '' ? undefined : await findProduct(productId)
    const results =
      product === undefined ? own.map((line) => unknownProduct(line, columns)) : judge(product, own, columns)
    for (const [index, result] of results.entries()) checked.set(own[index] as ImportLine, result)
    const isReady = results.some(({ outcome }) => outcome === 'ready') && !hasFaults(results)
    if (product !== undefined && isReady) await onChange?.(product, applyLines(product, own, columns).product)
  }
  return lines.flatMap((line) => checked.get(line) ?? [])
}

const hasFaults = (lines: readonly CheckedLine[]): boolean => lines.some(({ outcome }) => outcome === 'faulty')

function judge(product: Product, lines: readonly ImportLine[], columns: Columns): CheckedLine[] {
  const { faultsOf, unchanged } = applyLines(product, lines, columns)
  return lines.map((line) => {
    const errors = faultsOf.get(line) ?? []
    const outcome = errors.length > 0 ? 'faulty' : unchanged.has(line) ? 'unchanged' : 'ready'
    return { ...line, errors, outcome }
  })
}

function unknownProduct(line: ImportLine, { found }: Columns): CheckedLine {
  const column = found.get('productId')?.title ?? TITLES.productId
  const unknown = { code: 'product_not_found', column, detail: 'No product has this id.' }
  return { ...line, errors: line.productId === '' ? line.errors : [...line.errors, unknown], outcome: 'faulty' }
}

export function toImportBody(dryRun: boolean, lines: readonly CheckedLine[], { ignored }: Columns): VariantImportBody {
  const counts = { ready: 0, imported: 0, unchanged: 0, faulty: 0 }
  const bodies = lines.map((line) => toLineBody(line, dryRun))
  for (const { outcome } of bodies) counts[outcome] += 1
  return { dryRun, counts, ignoredColumns: ignored, lines: bodies }
}

function toLineBody({ line, productId, variantId, sku, outcome, errors }: CheckedLine, dryRun: boolean): LineBody {
  return {
    line,
    productId,
    variant: variantId ?? sku ?? '',
    outcome: outcome === 'ready' && !dryRun ? 'imported' : outcome,
    ...(outcome === 'faulty' ? { errors } : {}),
  }
}
