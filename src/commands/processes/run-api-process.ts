import type { Worker } from 'node:cluster'
import type { Registry } from 'prom-client'
import { createService, type Service, urlOf } from '../../app.ts'
import { type Config, ConfigError, readConfig } from '../../config/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { type DatabasePool, openDatabase } from '../../platform/db/index.ts'
import { type Channel, createChannel } from '../../platform/processes/channel.ts'
import { collectGarbageOfStart } from '../../platform/processes/collect-garbage.ts'
import { type ProcessGroup, partOf } from '../../platform/processes/process-group.ts'
import { createSharedCounts } from '../../platform/processes/shared-counts.ts'
import { BEGIN, COMPLETE, REFUSED, SERVING, STOP } from '../../platform/processes/supervisor.ts'
import { createLog, type Log } from '../../platform/telemetry/log.ts'
import { createRemotePool, createStarts, START_JOB } from '../../rendering/index.ts'
import { ignoreClosedOutput } from '../command-line/terminal.ts'
import { explainListening } from '../serve/listening.ts'
import { budgetsOf, poolOfApi } from './connections.ts'
import { type Begin, COLLECT_METRICS, COUNTS, JOIN, READ_METRICS, type Stop } from './messages.ts'

/** A body of JSON and a page of records must fit into the memory of one process. */
const LEAST_HELD_BYTES = 4 * 1024 * 1024

/** Serves requests until the main process tells this process to end, or has ended itself. */
export async function runApiProcess(worker: Worker, number: string): Promise<void> {
  ignoreClosedOutput()
  const config = readConfig()
  const log = createLog({ level: config.logLevel, destination: process.stderr, process: `api-${number}` })
  // The main process decides when this process ends. A terminal, or systemd, sends the signal to both.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
  const main = createChannel({ send: (message) => process.send?.(message, undefined, undefined, () => undefined), log })
  process.on('message', main.receive)
  // Without its main process, this process could neither draw nor be stopped.
  worker.on('disconnect', () => process.exit(1))
  const running: { service?: Service; database?: DatabasePool } = {}
  main.handle(STOP, async (stop: Stop) => {
    await running.service?.close(stop)
    await running.database?.close()
    process.exit(0)
  })
  try {
    const begin = await main.call<Begin>(BEGIN)
    await serveRequests({ config, log, main, running, begin })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    await main.call(REFUSED, { variable: error.variable, problem: error.problem })
    process.exit(1)
  }
}

interface Start {
  config: Config
  log: Log
  main: Channel
  running: { service?: Service; database?: DatabasePool }
  begin: Begin
}

async function serveRequests({ config, log, main, running, begin }: Start): Promise<void> {
  const max = poolOfApi(config)
  const { slowStatementMs } = config
  const database = openDatabase({ ...begin.poolSettings, max, slowStatementMs, budgets: budgetsOf(config) }, log)
  running.database = database
  const shared = createSharedCounts((changes) => main.tell(COUNTS, changes))
  const starts = createStarts()
  main.handle(START_JOB, starts.run)
  let isComplete = false
  main.handle(COMPLETE, (complete: boolean) => {
    isComplete = complete
  })
  const group: ProcessGroup = {
    processes: config.processes,
    shared,
    sharesPort: begin.shared.isShareable,
    main,
    isComplete: () => isComplete,
    readMetrics: () => main.call<string>(READ_METRICS),
  }
  const service = await createService({
    config: partOfConfig({ ...config, port: begin.shared.port }),
    log,
    clock: systemClock,
    database,
    group,
    pools: {
      drawing: createRemotePool('drawing', main, starts),
      checking: createRemotePool('checking', main, starts),
    },
  })
  running.service = service
  handleMetrics(main, service.metrics.registry)
  main.handle(COUNTS, shared.receive)
  await main.call(JOIN)
  await explainListening(config, service.listen())
  main.tell(SERVING, urlOf(service.app))
  collectGarbageOfStart()
}

function handleMetrics(main: Channel, registry: Registry): void {
  main.handle(COLLECT_METRICS, () => registry.getMetricsAsJSON())
}

/** Returns the settings of one API process. Each has its part of the memory that clients may occupy in the node. */
function partOfConfig(config: Config): Config {
  const { flow } = config
  const totalBytes = partOf(flow.totalBytes, config, LEAST_HELD_BYTES)
  return {
    ...config,
    // The main process serves this port.
    metricsPort: undefined,
    flow: { ...flow, totalBytes, accountBytes: Math.min(flow.accountBytes, totalBytes) },
  }
}
