import { type FinishedSpan, SPAN_KINDS } from './span.ts'

type Value = string | number | boolean

/** Encodes spans as the body of an OTLP/HTTP request in JSON (`ExportTraceServiceRequest`). */
export function toOtlp(
  spans: readonly FinishedSpan[],
  { resource, version }: { resource: Readonly<Record<string, Value>>; version: string },
): string {
  const scopeSpans = [{ scope: { name: 'platen', version }, spans: spans.map(toSpan) }]
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: toAttributes(resource) }, scopeSpans }] })
}

const ERROR_STATUS = 2

function toSpan({ traceId, spanId, parentSpanId, name, kind, beganAt, endedAt, attributes, error }: FinishedSpan) {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: `${beganAt}000`,
    endTimeUnixNano: `${endedAt}000`,
    attributes: toAttributes(attributes),
    status: error === undefined ? {} : { code: ERROR_STATUS },
  }
}

function toAttributes(attributes: Readonly<Record<string, Value>>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))
}

function toValue(value: Value) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
