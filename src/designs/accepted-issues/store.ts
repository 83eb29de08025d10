import { sql } from 'kysely'
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
  // The conversion to jsonb parses each document once; operators of json would parse it once for each issue.
  const { rows } = await sql<{ id: string; issues: AcceptedIssue[]; count: number }>`
    with found as materialized (
      select f.id, f.warnings, json_array_length(f.warnings) as count,
        case when json_array_length(f.warnings) > 0 then d.document::jsonb end as document
      from finalizations f join designs d on d.id = f.design_id
      where f.id = any(${finalizationIds}::text[])
    )
    select found.id, found.count, coalesce((
      select json_agg(w.issue || case when l.layer ? 'id' then jsonb_build_object('layer', jsonb_build_object(
          'id', l.layer ->> 'id', 'type', l.layer ->> 'type', 'name', left(coalesce(
            nullif(l.layer ->> 'name', ''), nullif(l.layer ->> 'text', ''), l.layer ->> 'value'), ${NAME_LENGTH})))
        else '{}' end order by w.position)
      from (
        select issue::jsonb - 'fix' as issue, position from json_array_elements(found.warnings)
        with ordinality as listed (issue, position) limit ${MOST_ISSUES}
      ) w
      -- The first four keys of a pointer lead to the layer, and further ones to its fields.
      cross join lateral (
        select found.document #> (string_to_array(ltrim(w.issue ->> 'pointer', '/'), '/'))[1:4] as layer
      ) l
    ), '[]') as issues
    from found`.execute(db)
  return new Map(rows.map(({ id, issues, count }) => [id, { issues, issueCount: count }]))
}
