import { fileURLToPath } from 'node:url'
import pTimeout from 'p-timeout'
import { AggregatorRegistry, Counter, Gauge, type Metric, type Registry } from 'prom-client'
import type { Service } from '../../app.ts'
import { type Config, ConfigError } from '../../config/index.ts'
import { createPlaces, serveRemotePlaces } from '../../events/index.ts'
import type { PoolSettings } from '../../platform/db/index.ts'
import type { Channel } from '../../platform/processes/channel.ts'
import type { ProcessGroup } from '../../platform/processes/process-group.ts'
import { ALONE, type Changes, createHoldings } from '../../platform/processes/shared-counts.ts'
import { type Peer, StartRefused, startSupervisor } from '../../platform/processes/supervisor.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { type Pools, serveRemotePools } from '../../rendering/index.ts'
import { serveRemoteWebhooks } from '../../webhooks/index.ts'
import { explainListening, findPort } from '../serve/listening.ts'
import { type Begin, COLLECT_METRICS, COUNTS, JOIN, READ_METRICS, type Stop } from './messages.ts'

const API_PROCESS = fileURLToPath(new URL('./api-process.ts', import.meta.url))

/** How long an API process may take to report its metrics. */
const COLLECT_MS = 2_000

/** The main process of a node, which runs everything that the node needs once, besides its API processes. */
export interface MainProcess {
  group: ProcessGroup
  /**
   * Lets the API processes open the database and serve requests. Returns the URL of the service.
   *
   * @throws {ConfigError} if the port cannot be opened
   */
  serve(service: Service, poolSettings: PoolSettings): Promise<string>
  /** Ends the API processes after they have completed their requests. */
  stop(stop: Stop): Promise<void>
}

/** Time beyond `withinMs` that an API process has for closing its connections. */
const CLOSE_MS = 2_000

interface MainProcessOptions {
  config: Config
  log: Log
  /** Variables to add to the environment of the API processes. */
  env: Record<string, string>
  /** The pools in which the API processes check and draw. */
  pools: Pools
}

/** Starts the API processes. They load their modules while the database starts, and wait for `serve`. */
export function startMainProcess({ config, log, env, pools }: MainProcessOptions): MainProcess {
  const places = createPlaces(config.eventStreams)
  const holdings = createHoldings()
  const joined = new Map<number, Channel>()
  let service: Service | undefined
  let url: string | undefined

  const share = (from: number, changes: Changes): void => {
    for (const [number, channel] of joined) if (number !== from) channel.tell(COUNTS, changes)
  }
  const connect = ({ number, channel }: Peer): (() => void) => {
    serveRemotePools(pools, channel)
    channel.handle(COUNTS, (changes: Changes) => {
      holdings.add(number, changes)
      share(number, changes)
    })
    channel.handle(JOIN, () => {
      if (service === undefined) throw new Error('an API process joined before the database was open')
      serveRemoteWebhooks(service.services.webhooks, channel)
      channel.tell(COUNTS, holdings.all())
      joined.set(number, channel)
    })
    channel.handle(READ_METRICS, () => (service === undefined ? '' : group.readMetrics(service.metrics.registry)))
    const leavePlaces = serveRemotePlaces(places, channel)
    return () => {
      joined.delete(number)
      leavePlaces()
      share(number, holdings.remove(number))
    }
  }
  const supervisor = startSupervisor({
    count: config.processes,
    module: API_PROCESS,
    env,
    log,
    connect,
    onServing: (served) => {
      url ??= served as string
    },
  })
  const group: ProcessGroup = {
    processes: config.processes,
    shared: ALONE,
    sharesPort: false,
    main: undefined,
    isComplete: supervisor.isComplete,
    readMetrics: async (own) => {
      const others = await Promise.all(supervisor.serving().map(({ channel }) => collect(channel)))
      return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...others] as Metric[][] as never).metrics()
    },
  }
  return {
    group,
    serve: async (created, poolSettings) => {
      service = created
      measureProcesses(service.metrics.registry, supervisor)
      const shared = await explainListening(config, findPort(config))
      supervisor.begin({ poolSettings, shared } satisfies Begin)
      await supervisor.untilServing().catch((error: unknown) => {
        if (error instanceof StartRefused) throw new ConfigError(error.refusal.variable, error.refusal.problem)
        throw error
      })
      return url ?? ''
    },
    stop: (stop) => supervisor.stop(stop, stop.delayMs + stop.withinMs + CLOSE_MS),
  }
}

/** Returns the metrics of another process, or none if it does not respond. */
function collect(channel: Channel): Promise<unknown[]> {
  const metrics = channel.call<unknown[]>(COLLECT_METRICS).catch(() => [])
  return pTimeout(metrics, { milliseconds: COLLECT_MS, fallback: () => [] })
}

function measureProcesses(registry: Registry, { serving, restarts }: ReturnType<typeof startSupervisor>): void {
  new Gauge({
    name: 'platen_api_processes',
    help: 'API processes of this node that serve requests. Missing with PLATEN_PROCESSES=1.',
    registers: [registry],
    collect() {
      this.set(serving().length)
    },
  })
  new Counter({
    name: 'platen_api_process_restarts_total',
    help: 'API processes of this node that ended unexpectedly and were replaced.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(restarts())
    },
  })
}
