import type { ListRequestLogQuery } from '@platen/client'
import { timesOfDays } from '../../parts/table/days.ts'
import type { TableState } from '../../parts/table/use-table-state.ts'

/** The filters, by their names in the URL. */
export type RequestFilter = 'id' | 'status' | 'route' | 'user' | 'key' | 'from' | 'to'

/** The statuses that the filter offers. A URL may name another one. */
export const STATUSES = ['5xx', '4xx', '2xx', '401', '403', '404', '409', '422', '429'] as const

const PAGE_SIZE = 50

/** The service refuses longer values. */
const MAX_ID = 64
const MAX_ROUTE = 200

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isRequestId = (text: string): boolean => UUID.test(text)

/** Leaves out what the service would refuse, because a URL may have been typed. */
export function queryOf(state: TableState<RequestFilter>): ListRequestLogQuery {
  const [id, status, route] = [state.get('id').trim(), state.get('status'), state.get('route').trim()]
  const [userId, keyId, cursor] = [state.get('user').trim(), state.get('key').trim(), state.get('cursor')]
  return {
    limit: PAGE_SIZE,
    ...(isRequestId(id) ? { requestId: id } : {}),
    ...(/^[1-5](\d\d|xx)$/.test(status) ? { status } : {}),
    ...(route === '' ? {} : { route: route.slice(0, MAX_ROUTE) }),
    ...(userId === '' ? {} : { userId: userId.slice(0, MAX_ID) }),
    ...(keyId === '' ? {} : { keyId: keyId.slice(0, MAX_ID) }),
    ...timesOfDays(state.get('from'), state.get('to')),
    ...(cursor === '' ? {} : { cursor }),
  }
}
