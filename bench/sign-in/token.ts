import type { FastifyRequest } from 'fastify'
import { createAuth } from '../../src/auth/index.ts'
import { readConfig } from '../../src/config/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { createMetrics } from '../../src/platform/telemetry/metrics.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const CHECKS = 200_000
const LIMIT_MICROSECONDS = 20

/** Measures the time and the number of queries for authenticating a cached access token. */
export async function benchToken({ service, token, connectionString, dataDir }: Subject): Promise<void> {
  const log = createLog({ level: 'warn' })
  const database = openDatabase({ connectionString }, log)
  const config = readConfig({ PLATEN_DATA_DIR: dataDir, PLATEN_PUBLIC_URL: service.origin })
  const auth = await createAuth({
    config,
    db: database.db,
    pool: database.pool,
    openApart: database.openApart,
    replica: { read: (read) => read(database.db) },
    clock: systemClock,
    log,
    metrics: createMetrics(),
    accountData: [],
    quota: {
      read: async () => ({ used: 0, quota: null }),
      accounts: {
        defaultQuota: null,
        find: async (ownerId) => ({ ownerId, used: 0, quota: null, ownQuota: null }),
        list: async () => [],
        sum: async () => 0,
      },
      requireRoomFor: async () => undefined,
      requireWithin: async () => undefined,
    },
  })
  const request = {
    headers: { authorization: `Bearer ${token}` },
    raw: { rawHeaders: [] },
  } as unknown as FastifyRequest
  const check = async (): Promise<void> => {
    if ((await auth.authenticate(request)) === undefined) throw new Error('the token was not accepted')
  }
  await check()
  let queries = 0
  database.pool.on('acquire', () => {
    queries += 1
  })
  for (let warm = 0; warm < CHECKS / 10; warm += 1) await check()
  const begin = performance.now()
  for (let done = 0; done < CHECKS; done += 1) await check()
  const microseconds = ((performance.now() - begin) * 1000) / CHECKS
  await auth.close()
  await database.close()
  report({
    figure: 'verifying a cached access token',
    value: microseconds,
    limit: LIMIT_MICROSECONDS,
    unit: 'µs',
    ratio: microseconds / LIMIT_MICROSECONDS,
    aim: `under ${LIMIT_MICROSECONDS} µs, no SQL`,
    reached: microseconds < LIMIT_MICROSECONDS && queries === 0,
    queries,
  })
}
