import { SAMPLERS } from '../platform/telemetry/sampler.ts'
import type { TracingSettings } from '../platform/telemetry/start-tracing.ts'
import { checkServiceUrl } from './values/checks.ts'
import { ConfigError } from './values/config-error.ts'
import { type Check, choice, integer, list, optional, text, type ValuesOf, withDefault } from './values/kinds.ts'

/** Accepts `key=value`, percent-encoded, as in W3C Baggage. Messages contain no values, because they may be credentials. */
const checkPair: Check = (entry, { name }) => {
  if (/^[^=\s]+=/.test(entry) && decode(entry) !== undefined) return entry
  throw new ConfigError(name, 'must have the form key=value,key=value, with percent-encoded values.')
}

const checkRatio: Check<number> = (value, { name }) => {
  const ratio = Number(value)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new ConfigError(name, `is "${value}", but must be a number from 0 to 1.`)
}

/** Variables of the OpenTelemetry specification. */
export const TRACING_SETTINGS = {
  OTEL_SDK_DISABLED: choice('false', ['false', 'true']),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(checkServiceUrl),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(checkServiceUrl),
  // Receivers of OTLP over HTTP accept JSON, which the service sends, at the same URL as protobuf.
  OTEL_EXPORTER_OTLP_PROTOCOL: choice('http/json', ['http/json', 'http/protobuf']),
  OTEL_EXPORTER_OTLP_HEADERS: list(checkPair),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer(10_000, 1, 60_000),
  OTEL_SERVICE_NAME: text('platen'),
  OTEL_RESOURCE_ATTRIBUTES: list(checkPair),
  OTEL_TRACES_SAMPLER: choice('parentbased_always_on', SAMPLERS),
  OTEL_TRACES_SAMPLER_ARG: withDefault('1', checkRatio),
  OTEL_BSP_SCHEDULE_DELAY: integer(5_000, 1, 60_000),
  OTEL_BSP_MAX_QUEUE_SIZE: integer(2_048, 1, 100_000),
} as const

/** Returns the settings of traces. Undefined: no traces are recorded. */
export function readTracing(settings: ValuesOf<typeof TRACING_SETTINGS>): TracingSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces } = settings
  const url = ofTraces ?? (base && `${base}/v1/traces`)
  if (url === undefined || settings.OTEL_SDK_DISABLED === 'true') return undefined
  return {
    url,
    headers: toRecord(settings.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    resource: { ...toRecord(settings.OTEL_RESOURCE_ATTRIBUTES), 'service.name': settings.OTEL_SERVICE_NAME },
    sampler: { name: settings.OTEL_TRACES_SAMPLER, ratio: settings.OTEL_TRACES_SAMPLER_ARG },
    delayMs: settings.OTEL_BSP_SCHEDULE_DELAY,
    maxQueue: settings.OTEL_BSP_MAX_QUEUE_SIZE,
  }
}

function toRecord(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => decode(pair) ?? ['', '']))
}

function decode(pair: string): [string, string] | undefined {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
  try {
    return [key.trim(), decodeURIComponent(value.trim())]
  } catch {
    return undefined
  }
}
