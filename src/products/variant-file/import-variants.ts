import type { Editor } from '../../change-records/index.ts'
import type { LineFaultBody } from '../../platform/csv/csv-body.ts'
import type { Trx } from '../../platform/db/index.ts'
import { createProduct } from '../change-product.ts'
import { recordProduct } from '../history/record-product.ts'
import { productProblems } from '../problems.ts'
import type { Product } from '../schemas.ts'
import { findIdsByName, lockProduct, lockProductImports, updateProduct } from '../store.ts'
import { type CheckedLine, checkLines } from './check-lines.ts'
import type { ReadFile } from './read-file.ts'

interface Import {
  now: Date
  editor: Editor
  /** Records the change of a product in the security events. */
  record(product: Product): Promise<void>
}

/**
 * Changes the variants that a file names, and creates its new products, all of them or none. New products are archived,
 * so that an administrator completes them before customers see them.
 *
 * @throws `variant_file_faulty`
 */
export async function importVariants(
  trx: Trx,
  file: ReadFile,
  { now, editor, record }: Import,
): Promise<CheckedLine[]> {
  const hasNew = file.lines.some(({ newProduct }) => newProduct !== undefined)
  // A copy of this import that runs at the same time must find the products of this one.
  if (hasNew) await lockProductImports(trx)
  const lines = await checkLines(file, {
    findProduct: (id) => lockProduct(trx, id),
    findIdsByName: (names) => findIdsByName(trx, names),
    onCreate: async (input) => {
      const product = await createProduct(trx, input, now, editor, 'archived')
      await record(product)
      return product.id
    },
    onChange: async (before, changed) => {
      const after = await updateProduct(trx, { ...changed, updatedAt: now })
      await recordProduct(trx, { before, after, type: 'imported', editor })
      await record(after)
    },
  })
  refuseFaults(lines)
  return lines
}

/** The most faults that a refusal lists. A dry run lists all of them. */
const MAX_FAULTS = 100

/** The error rolls the transaction back, with what good lines have changed. */
function refuseFaults(lines: readonly CheckedLine[]): void {
  const faults = lines.flatMap(({ line, outcome, errors }) =>
    outcome === 'faulty' ? errors.map((fault: LineFaultBody) => ({ ...fault, line })) : [],
  )
  if (faults.length > 0) throw productProblems.variant_file_faulty({ errors: faults.slice(0, MAX_FAULTS) })
}
