import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** Kinds of spans, with their numbers in OTLP. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
export type SpanKind = keyof typeof SPAN_KINDS

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** What identifies a span in other processes (W3C Trace Context). */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  isSampled: boolean
}

export interface FinishedSpan extends SpanContext {
  parentSpanId: string | undefined
  name: string
  kind: SpanKind
  /** Unix times in microseconds. */
  beganAt: number
  endedAt: number
  attributes: Readonly<Record<string, string | number | boolean>>
  /** Type of the error. Undefined: none. */
  error: string | undefined
}

/** Receives spans. It must neither wait nor throw. */
export interface SpanRecorder {
  /** Decides whether a span is recorded. */
  isSampled(traceId: string, parent: SpanContext | undefined): boolean
  record(span: FinishedSpan): void
}

export interface SpanOptions {
  kind?: SpanKind
  attributes?: Attributes
  /** Default: the current span. */
  parent?: SpanContext | undefined
}

/** Longest value of an attribute, so that spans that wait need little memory. */
const LONGEST_VALUE = 2_000

let recorder: SpanRecorder | undefined

/** Sets where the spans of this process go. Undefined: no spans are created. */
export function setSpanRecorder(next: SpanRecorder | undefined): void {
  recorder = next
}

const current = new AsyncLocalStorage<Span>()

/** A step of a request or a job. Attributes never contain values of statements, credentials or personal data. */
export class Span implements SpanContext {
  readonly traceId: string
  readonly spanId = randomHex(8)
  readonly isSampled: boolean
  readonly #parentSpanId: string | undefined
  readonly #name: string
  readonly #kind: SpanKind
  readonly #beganAt = nowMicros()
  readonly #attributes: Record<string, string | number | boolean> = {}
  #error: string | undefined
  #isEnded = false

  constructor(name: string, { kind = 'internal', attributes = {}, parent }: SpanOptions) {
    this.traceId = parent?.traceId ?? randomHex(16)
    this.isSampled = recorder?.isSampled(this.traceId, parent) === true
    this.#parentSpanId = parent?.spanId
    this.#name = name
    this.#kind = kind
    this.set(attributes)
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined) continue
      this.#attributes[name] = typeof value === 'string' ? value.slice(0, LONGEST_VALUE) : value
    }
  }

  /** Marks the span as failed. @param type name or code of the error; never its message, which may contain values */
  fail(type: string): void {
    this.#error = type
    this.set({ 'error.type': type })
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (!this.isSampled) return
    recorder?.record({
      traceId: this.traceId,
      spanId: this.spanId,
      isSampled: true,
      parentSpanId: this.#parentSpanId,
      name: this.#name,
      kind: this.#kind,
      beganAt: this.#beganAt,
      endedAt: nowMicros(),
      attributes: this.#attributes,
      error: this.#error,
    })
  }
}

/** Tells whether spans are recorded, so that a hot path can leave out what only a span needs. */
export const isTracing = (): boolean => recorder !== undefined

/** Begins a span that the caller ends. Returns undefined if tracing is off. */
export function beginSpan(name: string, options: SpanOptions): Span | undefined {
  return recorder === undefined ? undefined : new Span(name, options)
}

/** Runs work so that the span is the current one in it. */
export function runInSpan<Result>(span: Span | undefined, work: () => Result): Result {
  return span === undefined ? work() : current.run(span, work)
}

/** Returns the span of the current work. Undefined outside of spans, and if the span has ended. */
export function currentSpan(): Span | undefined {
  if (recorder === undefined) return undefined
  const span = current.getStore()
  return span?.isEnded === false ? span : undefined
}

/**
 * Runs a step of the current work in a span. Outside of a span, for example in a query of a timer, no span is created.
 *
 * @param options with a parent, or with `isRoot`, the step gets a span in any case
 */
export function traced<Result>(
  name: string,
  { isRoot = false, ...options }: SpanOptions & { isRoot?: boolean },
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  if (recorder === undefined) return work(undefined)
  const parent = options.parent ?? currentSpan()
  if (parent === undefined && !isRoot) return work(undefined)
  return runTraced(new Span(name, { ...options, parent }), work)
}

async function runTraced<Result>(span: Span, work: (span: Span) => Promise<Result>): Promise<Result> {
  try {
    return await current.run(span, () => work(span))
  } catch (error) {
    span.fail(typeOf(error))
    throw error
  } finally {
    span.end()
  }
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}

/** Returns the members of a log line that name the current span. */
export function traceOfLine(): { traceId?: string; spanId?: string } {
  const span = currentSpan()
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId }
}

const POOL_BYTES = 8_192
let [pool, used] = [Buffer.alloc(0), 0]

/** Makes a random id. The pool saves the call of the operating system, which takes 20 times as long as the rest. */
function randomHex(bytes: number): string {
  if (used + bytes > pool.length) [pool, used] = [randomBytes(POOL_BYTES), 0]
  used += bytes
  return pool.toString('hex', used - bytes, used)
}

function nowMicros(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1_000)
}
