import { OWN, platen } from '@platen/app/session'
import type { ListEventsQuery, ListRequestLogQuery, ListWebhookDeliveriesQuery } from '@platen/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'

/** Keys of everything about webhooks and API keys begin with this. */
export const DEVELOPERS = [OWN, 'developers'] as const

/** Between two readings of deliveries that are pending. */
const PENDING_MS = 2_000

/** An account has at most 20 endpoints, which is one page. */
export const endpointListQuery = () =>
  queryOptions({
    queryKey: [...DEVELOPERS, 'endpoints'],
    queryFn: async ({ signal }) => (await platen.webhookEndpoints.list({ limit: 100 }, { signal })).data,
  })

export const endpointQuery = (endpointId: string) =>
  queryOptions({
    queryKey: [...DEVELOPERS, 'endpoint', endpointId],
    queryFn: ({ signal }) => platen.webhookEndpoints.get(endpointId, { signal }),
  })

/** A page of the deliveries of an endpoint. It is read again while a delivery is pending. */
export const deliveryListQuery = (endpointId: string, query: ListWebhookDeliveriesQuery) =>
  queryOptions({
    queryKey: [...DEVELOPERS, 'deliveries', endpointId, query],
    queryFn: ({ signal }) => platen.webhookEndpoints.listDeliveries(endpointId, query, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.data.some(({ status }) => status === 'pending') ? PENDING_MS : false),
  })

export const deliveryQuery = (endpointId: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...DEVELOPERS, 'delivery', endpointId, deliveryId],
    queryFn: ({ signal }) => platen.webhookEndpoints.getDelivery(endpointId, deliveryId, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? PENDING_MS : false),
  })

/** A page of the log of events. New ones do not move its rows. */
export const eventListQuery = (query: ListEventsQuery) =>
  queryOptions({
    queryKey: [...DEVELOPERS, 'events', query],
    queryFn: ({ signal }) => platen.events.list(query, { signal }),
    placeholderData: keepPreviousData,
  })

export const eventQuery = (eventId: string) =>
  queryOptions({
    queryKey: [...DEVELOPERS, 'event', eventId],
    queryFn: ({ signal }) => platen.events.get(eventId, { signal }),
  })

/** A page of the log of requests, to which every second may add. */
export const requestListQuery = (query: ListRequestLogQuery) =>
  queryOptions({
    queryKey: [...DEVELOPERS, 'requests', query],
    queryFn: ({ signal }) => platen.system.listRequestLog(query, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

export const requestQuery = (requestId: string) =>
  queryOptions({
    queryKey: [...DEVELOPERS, 'request', requestId],
    queryFn: ({ signal }) => platen.system.getRequestLogEntry(requestId, { signal }),
  })

/** An account has at most 50 active keys, which is one page. */
export const apiKeysQuery = () =>
  queryOptions({
    queryKey: [...DEVELOPERS, 'api-keys'],
    queryFn: async ({ signal }) => (await platen.apiKeys.list({ limit: 100 }, { signal })).data,
  })
