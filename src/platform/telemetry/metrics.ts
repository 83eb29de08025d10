import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { VERSION } from '../version.ts'

export interface Metrics {
  registry: Registry
  /** Seconds from the first byte of a request to the end of its response, by method, route and status. */
  requests: Histogram<'method' | 'route' | 'status'>
  flow: FlowMetrics
}

/** Metrics of the resources that slow clients occupy. */
export interface FlowMetrics {
  inFlight: Gauge
  heldBytes: Gauge
  cut: Counter<'reason'>
}

/**
 * Creates the Prometheus metrics of one service. Each service has its own registry, so that several services can run in
 * one process.
 */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addBuildInfo(registry)
  addEventLoopDelay(registry)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  return { registry, requests, flow: createFlowMetrics(registry) }
}

function addBuildInfo(registry: Registry): void {
  const info = new Gauge({
    name: 'platen_build_info',
    help: 'Always 1. The labels have the versions of the service and of Node.js.',
    labelNames: ['version', 'node'] as const,
    aggregator: 'first',
    registers: [registry],
  })
  info.set({ version: VERSION, node: process.versions.node }, 1)
}

function createFlowMetrics(registry: Registry): FlowMetrics {
  const registers = [registry]
  return {
    inFlight: new Gauge({
      name: 'platen_http_requests_in_flight',
      help: 'Requests whose response has not been sent completely.',
      registers,
    }),
    heldBytes: new Gauge({
      name: 'platen_http_held_bytes',
      help: 'Bytes of request bodies and responses that wait in memory for clients.',
      registers,
    }),
    cut: new Counter({
      name: 'platen_http_connections_cut_total',
      help: 'Connections that were cut because their client read or sent too slowly, sent requests without waiting for responses, or had too many connections.',
      labelNames: ['reason'] as const,
      registers,
    }),
  }
}

const RESOLUTION_MS = 10

/** Measures the delay of the event loop: the 95th percentile and the maximum since the metrics were last read. */
function addEventLoopDelay(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let seconds = { p95: 0, max: 0 }
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      aggregator: 'max',
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge(
    'platen_event_loop_delay_p95_seconds',
    '95th percentile of the event loop delay since the last reading.',
    () => {
      seconds = { p95: toSeconds(delays.percentile(95)), max: toSeconds(delays.max) }
      delays.reset()
      return seconds.p95
    },
  )
  // Metrics are collected in the order of registration, so this metric uses the values that the 95th percentile has
  // just read.
  gauge('platen_event_loop_delay_max_seconds', 'Largest event loop delay since the last reading.', () => seconds.max)
}

/**
 * Converts the interval between two timer ticks, in nanoseconds, to the delay of the event loop. The regular interval is the resolution.
 */
function toSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)
}
