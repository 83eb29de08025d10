import { OWN, platen } from '@platen/app/session'
import type { ListJobsQuery, ListSecurityEventsQuery } from '@platen/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'

/** Keys of everything about the service begin with this. */
export const SYSTEM = [OWN, 'system'] as const

/** How often the state is read while the page is open. */
const STATUS_MS = 10_000

/** The same while a verification that an administrator waits for is pending. */
const PENDING_MS = 2_000

export const systemStatusQuery = () =>
  queryOptions({
    queryKey: [...SYSTEM, 'status'],
    queryFn: ({ signal }) => platen.system.getStatus({ signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.auditLog.pending === true ? PENDING_MS : STATUS_MS),
  })

export const jobListQuery = (query: ListJobsQuery) =>
  queryOptions({
    queryKey: [...SYSTEM, 'jobs', query],
    queryFn: ({ signal }) => platen.system.listJobs(query, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: STATUS_MS,
  })

export const auditLogQuery = (query: ListSecurityEventsQuery) =>
  queryOptions({
    queryKey: [...SYSTEM, 'audit log', query],
    queryFn: ({ signal }) => platen.securityEvents.list(query, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
