import type { ListSecurityEventsQuery } from '@platen/client'
import { EVENT_TYPES } from '../../parts/security-events.ts'
import { timesOfDays } from '../../parts/table/days.ts'
import type { TableState } from '../../parts/table/use-table-state.ts'

/** The filters, by their names in the URL. */
export type AuditFilter = 'user' | 'type' | 'result' | 'from' | 'to'

const PAGE_SIZE = 50

/** Ids are no longer than this. The service refuses longer ones. */
const MAX_ID = 64

/** Leaves out what the service would refuse, because a URL may have been typed. */
export function queryOf(state: TableState<AuditFilter>): ListSecurityEventsQuery {
  const type = EVENT_TYPES.find((known) => known === state.get('type'))
  const result = (['success', 'failure'] as const).find((known) => known === state.get('result'))
  const [userId, cursor] = [state.get('user').trim(), state.get('cursor')]
  return {
    limit: PAGE_SIZE,
    ...(userId === '' ? {} : { userId: userId.slice(0, MAX_ID) }),
    ...(type === undefined ? {} : { type }),
    ...(result === undefined ? {} : { result }),
    ...timesOfDays(state.get('from'), state.get('to')),
    ...(cursor === '' ? {} : { cursor }),
  }
}
