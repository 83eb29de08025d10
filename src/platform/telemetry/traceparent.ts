import { currentSpan, type SpanContext } from './span.ts'

const FORM = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Reads the value of a `traceparent` header (W3C Trace Context, level 1). Returns undefined if it is malformed. */
export function readTraceparent(value: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof value === 'string' && FORM.exec(value)) || []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function toTraceparent({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** Returns the `traceparent` of the current span, for work that continues it in another process. */
export function currentTraceparent(): string | undefined {
  const span = currentSpan()
  return span && toTraceparent(span)
}
