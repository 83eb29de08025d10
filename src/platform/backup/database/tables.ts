import pg, { type ClientBase } from 'pg'
import { UNFINISHED_RESTORE } from '../../db/migrations/unfinished-restore.ts'

/** A table as a backup names it: without a schema, or with that of the job queue. */
export interface Table {
  name: string
  /** All columns but generated ones, in the order of the table. */
  columns: string[]
  /** The expressions by which its rows are ordered, which are the same on every server. */
  order: string[]
}

const JOB_SCHEMA = 'graphile_worker'

/** Tables whose rows follow from the migrations, which a restore runs. */
const OF_MIGRATIONS = ['schema_migrations', `${JOB_SCHEMA}.migrations`, UNFINISHED_RESTORE]

/** Selects the schema of the tables of the service and that of the job queue. */
const OF_SERVICE = `n.nspname in (current_schema(), '${JOB_SCHEMA}')`
const NAME = `case n.nspname when '${JOB_SCHEMA}' then n.nspname || '.' else '' end || c.relname`

/**
 * Lists the tables whose rows a backup contains, ordered by name. Their rows are ordered by the primary key, so that
 * equal tables give equal files, which are stored once.
 */
export async function listTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select ${NAME} as name, array_agg(a.attname::text order by a.attnum) as columns,
       coalesce(
         array_agg(quote_ident(a.attname) || case when a.attcollation = 0 then '' else ' collate "C"' end
           order by array_position(i.indkey::int2[], a.attnum)) filter (where a.attnum = any(i.indkey)),
         array_agg(quote_ident(a.attname) || '::text collate "C"' order by a.attnum)
       ) as order
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
       left join pg_index i on i.indrelid = c.oid and i.indisprimary
     where ${OF_SERVICE} and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and not (${NAME} = any($1))
     group by 1 order by 1`,
    [OF_MIGRATIONS],
  )
  return rows
}

/** Lists how tables refer to each other, without tables that refer to themselves and deferred constraints. */
export async function listDependencies(client: ClientBase): Promise<{ table: string; needs: string }[]> {
  const nameOf = (relation: string) =>
    `(select ${NAME} from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = ${relation})`
  const { rows } = await client.query<{ table: string; needs: string }>(
    `select ${nameOf('conrelid')} as table, ${nameOf('confrelid')} as needs from pg_constraint
     where contype = 'f' and not condeferrable and conrelid <> confrelid`,
  )
  return rows
}

/**
 * Orders tables so that each comes after the tables to which it refers. Rows that are loaded in this order satisfy all
 * foreign keys, which the owner of a database on a hosted server may not disable.
 *
 * @throws if tables refer to each other in a circle
 */
export function orderByDependency(
  names: readonly string[],
  dependencies: readonly { table: string; needs: string }[],
): string[] {
  const ordered: string[] = []
  const waiting = new Set(names)
  while (waiting.size > 0) {
    const free = [...waiting].filter(
      (name) => !dependencies.some(({ table, needs }) => table === name && waiting.has(needs)),
    )
    if (free.length === 0) throw new Error(`these tables refer to each other in a circle: ${[...waiting].join(', ')}`)
    for (const name of free) {
      ordered.push(name)
      waiting.delete(name)
    }
  }
  return ordered
}

export interface Sequence {
  name: string
  last: string
  isCalled: boolean
}

/**
 * Reads where the sequences of all tables stand. Sequences have no snapshot, so read them after the rows. They then
 * stand behind all numbers of these rows.
 */
export async function readSequences(client: ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `select ${NAME} as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${OF_SERVICE} and c.relkind = 'S' order by 1`,
  )
  const sequences: Sequence[] = []
  for (const { name } of rows) {
    const state = await client.query<Omit<Sequence, 'name'>>(
      `select last_value::text as last, is_called as "isCalled" from ${quote(name)}`,
    )
    for (const { last, isCalled } of state.rows) sequences.push({ name, last, isCalled })
  }
  return sequences
}

/** Quotes the name of a table or a sequence. */
export function quote(name: string): string {
  return name.split('.').map(pg.escapeIdentifier).join('.')
}

export function quoteColumns(columns: readonly string[]): string {
  return columns.map(pg.escapeIdentifier).join(', ')
}
