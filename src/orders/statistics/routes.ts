import { requireRole } from '../../auth/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Replica } from '../../platform/db/replica.ts'
import type { App } from '../../platform/http/server.ts'
import { readOrderStatistics } from './read-statistics.ts'
import { OrderStatisticsBody, StatisticsQuery } from './schemas.ts'

export function statisticsRoutes(app: App, { replica, clock }: { replica: Replica; clock: Clock }): void {
  app.get(
    '/production/statistics',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'getOrderStatistics',
        tags: ['Production'],
        summary: 'Read figures of orders and payments by day',
        description:
          'For charts and a first look at what waits. An order counts on the day on which it was placed, a payment on the day on which it arrived, and a refund on the day on which it succeeded, so the figures of a day that is over do not change. A refund that the bank returned still counts. Cancelled and unpaid orders count as ordered.',
        querystring: StatisticsQuery,
        response: { 200: OrderStatisticsBody },
      },
    },
    ({ query }) => replica.read((db) => readOrderStatistics({ db, clock }, query)),
  )
}
