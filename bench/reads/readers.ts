import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { call, signUp } from '../../scripts/lib/client.ts'
import { startServiceProcess } from '../../scripts/lib/service-process.ts'
import { type Db, openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { fillDesigns, fillEvents } from '../../test/limits/fill.ts'
import { get } from '../lib/get.ts'
import { quantile } from '../lib/load.ts'
import { residentMegabytesOfAll } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const ACCOUNTS = 110
/**
 * The number of designs per account. Each has about 450 kB, so that `GET /designs?limit=100` would return 45 MB if its
 * response had no limit.
 */
const DESIGNS = 100
const EVENTS = 20
const LARGE_JSON = JSON.stringify({ version: 1, placements: [], filler: 'x'.repeat(450_000) })
const PIPELINED = 2
const WAVES = 4
const WAVE_MS = 10_000
const LIMIT_MB = 1_000
const SCRIPT = `${import.meta.dirname}/hostile-readers.ts`

/**
 * Measures the memory of the service while clients of many accounts request large responses without reading them, and
 * send bodies that never end. Rate limits are off, because the memory limits must hold without them.
 */
export async function benchReaders({ service: first, connectionString, dataDir }: Subject): Promise<void> {
  const service = await startServiceProcess({
    PLATEN_DATA_DIR: dataDir,
    PLATEN_DATABASE_URL: connectionString,
    PLATEN_RATE_LIMITS: 'off',
    // The access tokens have the origin of the first service as issuer.
    PLATEN_PUBLIC_URL: first.origin,
  })
  const database = openDatabase({ connectionString, max: 1 }, createLog({ level: 'warn' }))
  const pid = service.child.pid ?? 0
  const child = spawn(process.execPath, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const tokens = await openAccounts(first.origin, database.db)
    const [honest = '', ...hostile] = tokens
    const before = await residentMegabytesOfAll(pid)
    const paths = ['/v1/designs?limit=100', '/v1/events?limit=100', '/v1/me/export', '/v1/openapi.json']
    const port = Number(new URL(service.origin).port)
    const plan = {
      port,
      tokens: hostile,
      paths,
      pipelined: PIPELINED,
      waves: WAVES,
      waveMs: WAVE_MS,
      bodyBytes: 500_000,
    }
    child.stdin.end(JSON.stringify(plan))
    const lines = text(child.stdout)
    const memory: number[] = []
    const latencies: number[] = []
    let refused = 0
    while (child.exitCode === null) {
      memory.push(await residentMegabytesOfAll(pid))
      const begin = performance.now()
      await get(`${service.origin}/v1/designs?limit=1`, honest).catch(() => {
        refused += 1
      })
      latencies.push(performance.now() - begin)
      await delay(200)
    }
    const value = Math.max(...memory)
    latencies.sort((a, b) => a - b)
    report({
      figure: 'memory of the service and its child processes with hostile clients',
      value,
      limit: LIMIT_MB,
      unit: 'MB',
      ratio: value / LIMIT_MB,
      aim: 'under 1 GB',
      reached: value < LIMIT_MB,
      before,
      accounts: hostile.length,
      connections: Math.max(...(await lines).trim().split('\n').map(Number)),
      honestReads: latencies.length,
      honestRefused: refused,
      honestP50Ms: quantile(latencies, 0.5),
      honestP99Ms: quantile(latencies, 0.99),
    })
  } finally {
    if (child.exitCode === null) {
      child.kill()
      await once(child, 'exit')
    }
    await database.close()
    await service.stop()
  }
}

/** Creates accounts with large designs and events, and returns an access token for each. */
async function openAccounts(origin: string, db: Db): Promise<string[]> {
  const tokens: string[] = []
  for (let made = 0; made < ACCOUNTS; made += 1) {
    const { accessToken } = await signUp(
      origin,
      `reader-${randomUUID()}@example.com`,
      `a measured walk ${randomUUID()}`,
    )
    const { body: me } = await call('GET', `${origin}/v1/me`, { token: accessToken })
    await fillDesigns(db, { ownerId: me.id, count: DESIGNS, documentJson: LARGE_JSON })
    await fillEvents(db, { ownerId: me.id, count: EVENTS, dataJson: LARGE_JSON })
    tokens.push(accessToken)
  }
  return tokens
}
