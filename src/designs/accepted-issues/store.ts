import { type RawBuilder, sql } from 'kysely'
import type { PreflightIssue } from '../../drawing/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'

/** A design can have thousands of issues, and an order 100 designs. */
export const MOST_ISSUES = 20
const NAME_LENGTH = 80

export interface AcceptedIssue extends Omit<PreflightIssue, 'fix'> {
  layer?: { id: string; type: string; name: string | null }
}

export interface AcceptedIssues {
  issues: AcceptedIssue[]
  issueCount: number
}

/**
 * Finds the issues with which designs were finalized, of any owner. The caller decides about access. A finalized
 * design never changes, so the pointers of the issues lead to layers of its present document.
 */
export async function findAcceptedIssues(
  db: Db | Trx,
  finalizationIds: readonly string[],
): Promise<Map<string, AcceptedIssues>> {
  if (finalizationIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; issues: AcceptedIssue[]; count: number }>`
    select f.id, json_array_length(f.warnings) as count, coalesce(f.accepted_issues, ${issuesOf('f')}) as issues
    from finalizations f where f.id = any(${finalizationIds}::text[])`.execute(db)
  return new Map(rows.map(({ id, issues, count }) => [id, { issues, issueCount: count }]))
}

/** Stores the issues of a new finalization, so that orders of a hundred large designs are read without parsing them. */
export async function keepAcceptedIssues(trx: Trx, finalizationId: string): Promise<void> {
  await sql`
    update finalizations f set accepted_issues = ${issuesOf('f')} where f.id = ${finalizationId}`.execute(trx)
}

/**
 * Reads the first issues of the finalization with the alias `f`, each with its layer.
 *
 * The conversion to jsonb parses the document once; operators of json would parse it once for each issue.
 */
function issuesOf(f: string): RawBuilder<unknown> {
  const warnings = sql.ref(`${f}.warnings`)
  return sql`coalesce((
    select json_agg(w.issue || case when l.layer ? 'id' then jsonb_build_object('layer', jsonb_build_object(
        'id', l.layer ->> 'id', 'type', l.layer ->> 'type', 'name', left(coalesce(
          nullif(l.layer ->> 'name', ''), nullif(l.layer ->> 'text', ''), l.layer ->> 'value'), ${sql.lit(NAME_LENGTH)})))
      else '{}' end order by w.position)
    from (
      select document::jsonb as document from designs
      where id = ${sql.ref(`${f}.design_id`)} and json_array_length(${warnings}) > 0 offset 0
    ) d
    cross join lateral (
      select issue::jsonb - 'fix' as issue, position from json_array_elements(${warnings})
      with ordinality as listed (issue, position) limit ${sql.lit(MOST_ISSUES)}
    ) w
    -- The first four keys of a pointer lead to the layer, and further ones to its fields.
    cross join lateral (
      select d.document #> (string_to_array(ltrim(w.issue ->> 'pointer', '/'), '/'))[1:4] as layer
    ) l
  ), '[]')`
}
