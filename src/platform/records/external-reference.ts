import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Trx } from '../db/index.ts'
import { lockName } from '../db/locking/locks.ts'
import { line } from '../http/input/text.ts'
import { defineProblems } from '../problem.ts'

const MAX_LENGTH = 200

export const externalReferenceProblems = defineProblems({
  external_reference_taken: {
    status: 409,
    title: 'External reference already in use',
    members: { id: Type.String({ description: 'Id of the record that has the reference.' }) },
    help: '`id` names the record of the same owner and kind that has it. Archived designs keep theirs. Use that record, or choose another reference.',
  },
})

/** The reference in a request. `null` stands for none. */
export const ExternalReferenceInput = Type.Union([line(MAX_LENGTH), Type.Null()], {
  description: 'Id of the record in the system of the client: one line of text, unique among the records of this kind.',
})

export const ExternalReferenceBody = Type.Union([Type.String(), Type.Null()], {
  description: 'Id of the record in the system of the client. Null if it has none.',
})

/** The filter of lists. */
export const ExternalReferenceFilter = Type.Optional(
  Type.String({ minLength: 1, maxLength: MAX_LENGTH, description: 'Only the record with this `externalReference`.' }),
)

export interface ReferenceClaim {
  table: 'designs' | 'orders'
  ownerId: string
  reference: string | null
  /** The record that is to have the reference. */
  id: string
}

/**
 * Reserves a reference for a record until the transaction ends. Requests for the same reference wait for each other, so
 * that the later one can name the record of the earlier one.
 *
 * @throws `external_reference_taken`
 */
export async function claimReference(trx: Trx, { table, ownerId, reference, id }: ReferenceClaim): Promise<void> {
  if (reference === null) return
  await lockName(trx, `external reference ${table} ${ownerId} ${reference}`)
  // A separate statement: its snapshot must be later than the wait.
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where owner_id = ${ownerId} and external_reference = ${reference}`.execute(trx)
  const other = rows.find((row) => row.id !== id)
  if (other === undefined) return
  const code = 'external_reference_taken'
  throw externalReferenceProblems[code]({
    members: { id: other.id },
    errors: [{ code, pointer: '/externalReference', detail: `${other.id} has this external reference.` }],
  })
}
