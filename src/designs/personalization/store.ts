import { sql } from 'kysely'
import type { DesignDocument } from '../../drawing/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { PrintArea } from '../../products/index.ts'

/** What is printed for an order item before its placeholders are filled. A template never changes. */
export interface Template {
  finalizationId: string
  designId: string
  ownerId: string
  /** The template of the shop from which the design was made. */
  templateId: string | null
  document: DesignDocument
  printAreas: PrintArea[]
  /** SHA-256 of the colour profile that its print files name. Null for sRGB. */
  outputProfile: string | null
  /** Names of the placeholders. */
  placeholders: string[]
}

/**
 * Reads a finalization as a template, whatever the owner and the state of its design. The caller decides about access.
 */
export async function findTemplate(db: Db | Trx, finalizationId: string): Promise<Template | undefined> {
  const { rows } = await sql<Template>`
    select f.id as "finalizationId", d.id as "designId", d.owner_id as "ownerId", d.template_id as "templateId", d.document, f.print_areas as "printAreas",
      f.output_profile_sha256 as "outputProfile", f.placeholders
    from finalizations f join designs d on d.id = f.design_id
    where f.id = ${finalizationId}`.execute(db)
  return rows[0]
}

/** Selects those of the finalizations that have placeholders. */
export async function listPersonalizable(db: Db | Trx, finalizationIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from finalizations
    where id = any(${[...finalizationIds]}) and json_array_length(placeholders) > 0`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** The finalization of a design, and the names of the placeholders that its order items fill. */
export interface Fillable {
  designId: string
  finalizationId: string
  placeholders: string[]
}

/** Finds the finalized designs of an account that have placeholders. Others are left out. */
export async function findFillables(db: Db, ownerId: string, designIds: readonly string[]): Promise<Fillable[]> {
  const { rows } = await sql<Fillable>`
    select d.id as "designId", f.id as "finalizationId", f.placeholders
    from designs d join finalizations f on f.design_id = d.id
    where d.id = any(${[...designIds]}) and d.owner_id = ${ownerId} and d.status = 'finalized'
      and json_array_length(f.placeholders) > 0`.execute(db)
  return rows
}
