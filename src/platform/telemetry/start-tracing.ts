import { setTimeout as delay } from 'node:timers/promises'
import { Counter, type Registry } from 'prom-client'
import { VERSION } from '../version.ts'
import { toOtlp } from './otlp.ts'
import { createSampler, type SamplerName } from './sampler.ts'
import { type FinishedSpan, setSpanRecorder } from './span.ts'

export interface TracingSettings {
  /** URL to which spans are posted. */
  url: string
  headers: Readonly<Record<string, string>>
  timeoutMs: number
  /** Attributes of the resource, such as `service.name`. */
  resource: Readonly<Record<string, string>>
  sampler: { name: SamplerName; ratio: number }
  /** Time for which spans wait for others, so that one request sends many. */
  delayMs: number
  /** Number of spans that may wait. Further ones are dropped. */
  maxQueue: number
}

export interface Tracing {
  /** Sends the spans that wait, for two seconds at most. */
  close(): Promise<void>
}

const BATCH = 512
const CLOSE_MS = 2_000
const PAUSES_MS = [1_000, 4_000]
const WARN_EVERY_MS = 60_000

/** Statuses for which OTLP asks clients to try again. */
const RETRIED = [429, 502, 503, 504]

interface Deps {
  log: { warn(fields: object, message: string): void }
  registry: Registry
}

/**
 * Sends the spans of this process to a collector (OTLP over HTTP, in JSON). Requests and jobs never wait for it. If the
 * collector is slow or down, spans wait in a queue of limited size and are dropped beyond it.
 */
export function startTracing(settings: TracingSettings, { log, registry }: Deps): Tracing {
  const counter = new Counter({
    name: 'platen_trace_spans_total',
    help: 'Spans of traces, by outcome: exported, or dropped because the collector did not accept them in time.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  // Otherwise the first spans that are dropped would be no change, which an alert could see.
  for (const outcome of ['exported', 'dropped']) counter.inc({ outcome }, 0)
  const stopping = new AbortController()
  let queue: FinishedSpan[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let warnedAt = Number.NEGATIVE_INFINITY

  const drop = (count: number, reason: string): void => {
    counter.inc({ outcome: 'dropped' }, count)
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    log.warn({ reason }, 'spans of traces were dropped')
  }

  const send = async (spans: readonly FinishedSpan[]): Promise<void> => {
    const body = toOtlp(spans, { resource: settings.resource, version: VERSION })
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      const failure = await post(settings, body, stopping.signal)
      if (failure === undefined) return counter.inc({ outcome: 'exported' }, spans.length)
      if (!failure.mayPass || pauseMs === undefined || stopping.signal.aborted)
        return drop(spans.length, failure.reason)
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }

  const sendAll = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH)
      queue = queue.slice(BATCH)
      await send(batch)
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }

  const recorder = {
    isSampled: createSampler(settings.sampler.name, settings.sampler.ratio),
    record: (span: FinishedSpan): void => {
      if (queue.length >= settings.maxQueue) {
        drop(1, 'too many spans wait')
        return
      }
      queue.push(span)
      if (sending !== undefined) return
      if (queue.length >= BATCH) void flush()
      else timer ??= setTimeout(flush, settings.delayMs).unref()
    },
  }
  setSpanRecorder(recorder)
  return {
    close: async () => {
      setSpanRecorder(undefined)
      const end = setTimeout(() => stopping.abort(), CLOSE_MS)
      await sending
      await flush()
      clearTimeout(end)
    },
  }
}

interface SendFailure {
  reason: string
  mayPass: boolean
}

/** Posts a batch. Returns why it failed, or undefined. */
async function post(
  { url, headers, timeoutMs }: TracingSettings,
  body: string,
  stopping: AbortSignal,
): Promise<SendFailure | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]),
    })
    await response.body?.cancel()
    if (response.ok) return undefined
    return { reason: `status ${response.status}`, mayPass: RETRIED.includes(response.status) }
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } }
    return { reason: cause?.code ?? name, mayPass: true }
  }
}
