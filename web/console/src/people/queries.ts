import { OWN, platen } from '@platen/app/session'
import type { ListFactorResetsQuery, ListInvitationsQuery, ListUsersQuery } from '@platen/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'

/** Keys of everything about accounts begin with this. */
export const PEOPLE = [OWN, 'people'] as const

// Others change accounts at the same time, so each visit of a list reads it again, and shows what it knows until then.
const LIST = { placeholderData: keepPreviousData, staleTime: 0 } as const

/** A page of the table. */
export const userListQuery = (query: ListUsersQuery) =>
  queryOptions({
    queryKey: [...PEOPLE, 'list', query],
    queryFn: ({ signal }) => platen.users.list(query, { signal }),
    ...LIST,
  })

export const userQuery = (userId: string) =>
  queryOptions({
    queryKey: [...PEOPLE, 'user', userId],
    queryFn: ({ signal }) => platen.users.get(userId, { signal }),
  })

/** The devices on which a user is signed in. An account with more of them than this is rare. */
export const userSessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...PEOPLE, 'sessions', userId],
    queryFn: async ({ signal }) => (await platen.users.listSessions(userId, { limit: 100 }, { signal })).data,
  })

/** The newest events of an account in the audit log. */
export const userEventsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...PEOPLE, 'events', userId],
    queryFn: async ({ signal }) => (await platen.securityEvents.list({ userId, limit: 100 }, { signal })).data,
  })

export const invitationListQuery = (query: ListInvitationsQuery) =>
  queryOptions({
    queryKey: [...PEOPLE, 'invitations', query],
    queryFn: ({ signal }) => platen.invitations.list(query, { signal }),
    ...LIST,
  })

export const factorResetListQuery = (query: ListFactorResetsQuery) =>
  queryOptions({
    queryKey: [...PEOPLE, 'factor resets', query],
    queryFn: ({ signal }) => platen.factorResets.list(query, { signal }),
    ...LIST,
  })
