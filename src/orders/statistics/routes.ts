import { hasPermission, requireRole } from '../../auth/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Replica } from '../../platform/db/reading/replica.ts'
import type { App } from '../../platform/http/server.ts'
import { type ReadFailures, readOrderStatistics } from './read-statistics.ts'
import { OrderStatisticsBody, StatisticsQuery } from './schemas.ts'

export interface StatisticsDeps extends ReadFailures {
  replica: Replica
  clock: Clock
}

export function statisticsRoutes(app: App, { replica, clock, ...failures }: StatisticsDeps): void {
  app.get(
    '/production/statistics',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'getOrderStatistics',
        tags: ['Production'],
        summary: 'Read figures of orders and payments by day',
        description:
          'For charts and a first look at what waits. An order counts on the day on which it was placed, a payment on the day on which it arrived, and a refund on the day on which it succeeded, so the figures of a day that is over do not change. A refund that the bank returned still counts. Cancelled and unpaid orders count as ordered. `failingEndpoints` needs `webhooks:read` as well.',
        querystring: StatisticsQuery,
        response: { 200: OrderStatisticsBody },
      },
    },
    (request) => {
      const listsEndpoints = hasPermission(request, 'webhooks:read')
      return replica.read((db) => readOrderStatistics({ ...failures, db, clock }, { ...request.query, listsEndpoints }))
    },
  )
}
