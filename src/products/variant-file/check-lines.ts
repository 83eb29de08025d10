import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NewProductBody, Product } from '../schemas.ts'
import { applyLines } from './apply-lines.ts'
import { type Columns, TITLES } from './columns.ts'
import { newProductOf } from './new-product.ts'
import type { ReadFile } from './read-file.ts'
import type { ImportLine } from './read-line.ts'
import type { LineBody, Outcome, VariantImportBody } from './schemas.ts'

export interface CheckedLine extends ImportLine {
  outcome: Outcome
}

interface Checks {
  findProduct(id: string): Promise<Product | undefined>
  /** Finds the ids of the products with these names. */
  findIdsByName(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Gets each product that the lines change, before and after, if none of them is faulty. */
  onChange?(before: Product, after: Product): Promise<void>
  /** Gets each new product if none of its lines is faulty. Returns its id. */
  onCreate?(product: NewProductBody): Promise<string>
}

/**
 * Checks all lines, product by product in the order of their ids, so that two imports lock products in the same order
 * and no more than one product is in memory. Lines of a product that is changed or created are `ready`.
 */
export async function checkLines({ lines, columns }: ReadFile, checks: Checks): Promise<CheckedLine[]> {
  const checked = new Map<ImportLine, CheckedLine>()
  const note = (own: readonly ImportLine[], results: readonly CheckedLine[]): void => {
    for (const [index, result] of results.entries()) checked.set(own[index] as ImportLine, result)
  }
  const known = lines.filter(({ newProduct }) => newProduct === undefined)
  const byProduct = Map.groupBy(known, ({ productId }) => productId)
  for (const productId of [...byProduct.keys()].sort()) {
    await nextTurn()
    const own = byProduct.get(productId) ?? []
    const product = productId === '' ? undefined : await checks.findProduct(productId)
    const results =
      product === undefined ? own.map((line) => unknownProduct(line, columns)) : judge(product, own, columns)
    note(own, results)
    const isReady = results.some(({ outcome }) => outcome === 'ready') && !hasFaults(results)
    if (product !== undefined && isReady) await checks.onChange?.(product, applyLines(product, own, columns).product)
  }
  const added = lines.filter(({ newProduct }) => newProduct !== undefined)
  const byName = Map.groupBy(added, ({ newProduct }) => newProduct?.name ?? '')
  const idsByName = await checks.findIdsByName([...byName.keys()])
  for (const [name, own] of byName) {
    await nextTurn()
    note(own, await checkNew(own, columns, { ...checks, ids: idsByName.get(name) ?? [] }))
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

/**
 * Checks the lines of a new product. If a product of this name has the variants of the lines, an earlier import has
 * created it, and the lines are `unchanged`.
 *
 * @param ids the products of this name
 */
async function checkNew(
  own: readonly ImportLine[],
  columns: Columns,
  { ids, findProduct, onCreate }: Checks & { ids: readonly string[] },
): Promise<CheckedLine[]> {
  for (const id of ids) {
    const product = await findProduct(id)
    const results = product === undefined ? [] : judge(product, own, columns)
    if (results.length > 0 && results.every(({ outcome }) => outcome === 'unchanged')) {
      return results.map((line) => ({ ...line, productId: id }))
    }
  }
  const { body, faultsOf } = newProductOf(own, columns)
  const results = own.map((line): CheckedLine => {
    const errors = [...(faultsOf.get(line) ?? []), ...(ids.length === 0 ? [] : [nameIsTaken(columns)])]
    return { ...line, errors, outcome: errors.length > 0 ? 'faulty' : 'ready' }
  })
  if (hasFaults(results)) return results
  await nextTurn()
  const id = await onCreate?.(body)
  return id === undefined ? results : results.map((line) => ({ ...line, productId: id }))
}

function nameIsTaken({ found }: Columns) {
  const column = found.get('product')?.title ?? TITLES.product
  const detail = 'A product has this name. To change it, name it by its id; for another one, use another name.'
  return { code: 'product_exists', column, detail }
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
  const added = lines.flatMap(({ newProduct, outcome }) => (outcome === 'ready' && newProduct ? [newProduct.name] : []))
  return { dryRun, counts, newProducts: new Set(added).size, ignoredColumns: ignored, lines: bodies }
}

function toLineBody(line: CheckedLine, dryRun: boolean): LineBody {
  const { productId, variantId, sku, outcome, errors, newProduct } = line
  return {
    line: line.line,
    productId,
    variant: variantId ?? sku ?? '',
    ...(newProduct === undefined ? {} : { newProduct: newProduct.name.slice(0, 64) }),
    outcome: outcome === 'ready' && !dryRun ? 'imported' : outcome,
    ...(outcome === 'faulty' ? { errors } : {}),
  }
}
