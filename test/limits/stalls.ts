import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type ServiceProcess, startServiceProcess } from '../../scripts/lib/service-process.ts'
import type { Db } from '../../src/platform/db/index.ts'
import { type LargeRequest, type MakeRequest, OPERATIONS } from './operations.ts'
import { PAGES } from './pages.ts'
import { openWorld, type World } from './world.ts'

export const STALL_MS = 200
const TRIES = 3
/**
 * The time for which to wait after a request, so that the service completes its consequences, such as events and jobs.
 */
const SETTLE_MS = 60

export interface Stall {
  /** The id of the operation, and the name of the input. */
  name: string
  /**
   * The longest wait during a try. Of several tries, the lowest result counts, because other load disturbs some of
   * them.
   */
  stallMs: number
  /** The reason why the operation could not be measured. */
  fault?: string
}

export function startMeasured(env: Record<string, string>): Promise<ServiceProcess> {
  return startServiceProcess({
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_PAYMENT_PROVIDER: 'test',
    PLATEN_LOGIN_ATTEMPTS_PER_IP: '100000',
    ...env,
  })
}

export interface OperationPlace {
  method: string
  path: string
  /** Whether the path is a page of the site, and not an operation of the API. */
  isPage?: boolean
}

/** Lists every operation of a service by its id. Reads the OpenAPI document of the service. */
export async function listOperations({ origin }: Pick<ServiceProcess, 'origin'>): Promise<Map<string, OperationPlace>> {
  const document = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  return new Map(
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => [
        operationId,
        { method: method.toUpperCase(), path },
      ]),
    ),
  )
}

/**
 * Calls every operation and each kind of page with its largest inputs. At the same time, a thread requests `/health/live` and measures how
 * long it waits.
 *
 * @param wanted selects the operations to measure; defaults to all
 * @returns the results, longest wait first. A result has a fault if the operation responded with an unexpected status
 */
export async function measureStalls(
  service: ServiceProcess,
  db: Db,
  wanted: (operationId: string) => boolean = () => true,
): Promise<Stall[]> {
  const places = await listOperations(service)
  const world = await openWorld(service.origin, db)
  const probe = await startProbe(service)
  const stalls: Stall[] = []
  try {
    for (const [operationId, place] of places) {
      if (!wanted(operationId)) continue
      for (const [name, make] of inputsOf(operationId)) {
        const time = async () => {
          const request = await make(world)
          return measureOnce({ place, request, world, probe })
        }
        stalls.push(await bestOf(name, time))
      }
    }
    for (const [name, { path, make }] of Object.entries(PAGES)) {
      if (!wanted(name)) continue
      const place = { method: 'GET', path, isPage: true }
      stalls.push(await bestOf(name, async () => measureOnce({ place, request: await make(world), world, probe })))
    }
  } finally {
    await probe.stop()
  }
  return stalls.sort((a, b) => b.stallMs - a.stallMs)
}

function inputsOf(operationId: string): [string, MakeRequest][] {
  const inputs = OPERATIONS[operationId]
  if (inputs === undefined) throw new Error(`test/limits/operations.ts has no largest input of ${operationId}`)
  if (typeof inputs === 'function') return [[operationId, inputs]]
  return Object.entries(inputs).map(([name, make]) => [`${operationId}: ${name}`, make])
}

async function bestOf(name: string, measure: () => Promise<number>): Promise<Stall> {
  let stallMs = Number.POSITIVE_INFINITY
  try {
    for (let tries = 0; tries < TRIES && stallMs > STALL_MS; tries += 1) stallMs = Math.min(stallMs, await measure())
    return { name, stallMs }
  } catch (error) {
    return { name, stallMs, fault: (error as Error).message }
  }
}

interface Measurement {
  place: OperationPlace
  request: LargeRequest
  world: World
  probe: Probe
}

async function measureOnce({ place, request, world, probe }: Measurement): Promise<number> {
  probe.reset()
  await Promise.all(Array.from({ length: request.copies ?? 1 }, () => send(place, request, world)))
  await delay(SETTLE_MS)
  return probe.read()
}

async function send(
  { method, path, isPage = false }: OperationPlace,
  request: LargeRequest,
  { base }: World,
): Promise<void> {
  const { token, params = {}, query, json, bytes, headers = {}, statuses, endless } = request
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => params[parameter] ?? '')
  const controller = new AbortController()
  const response = await fetch(
    `${isPage ? new URL(base).origin : base}${filled}${query === undefined ? '' : `?${query}`}`,
    {
      method,
      redirect: 'manual',
      signal: controller.signal,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json === undefined ? (bytes ?? null) : JSON.stringify(json),
    },
  )
  if (endless === true) {
    await response.body?.getReader().read()
    await delay(500)
    controller.abort()
  }
  const text = endless === true ? '' : await response.text()
  const isExpected = statuses === undefined ? response.status < 400 : statuses.includes(response.status)
  if (!isExpected) throw new Error(`status ${response.status}: ${text.slice(0, 500)}`)
}

interface Probe {
  reset(): void
  read(): Promise<number>
  stop(): Promise<unknown>
}

async function startProbe({ origin, child }: ServiceProcess): Promise<Probe> {
  const workerData = { origin, pid: child.pid ?? 0 }
  const worker = new Worker(new URL('./probe.fixture.ts', import.meta.url), { workerData })
  await once(worker, 'online')
  return {
    reset: () => worker.postMessage('reset'),
    read: async () => {
      const answer = once(worker, 'message')
      worker.postMessage('read')
      return (await answer)[0] as number
    },
    stop: () => worker.terminate(),
  }
}
