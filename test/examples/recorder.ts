import type { Examples } from '../../src/platform/http/operations/document/examples.ts'
import type { TestResponse, TestService } from '../harness.ts'

export interface CallOptions {
  token?: string
  params?: Record<string, string>
  query?: string
  /** JSON, or the bytes of an upload. */
  body?: unknown
  headers?: Record<string, string>
}

export interface Recorder {
  examples: Examples
  /** Sends a request and records it as the example of its operation. Throws if the service rejects the request. */
  call(operationId: string, options?: CallOptions): Promise<TestResponse['body']>
  /** Records a request that was sent by other means. The first successful request of an operation is its example. */
  record(operationId: string, request: unknown, response: TestResponse): void
  readonly operationIds: readonly string[]
}

type Operations = Record<string, Record<string, { operationId: string }>>

export async function createRecorder(service: TestService): Promise<Recorder> {
  const { body: document } = await service.request('GET', '/openapi.json')
  const places = new Map(
    Object.entries(document.paths as Operations).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, { method: method.toUpperCase(), path }]),
    ),
  )
  const examples: Examples = { operations: {}, events: {} }

  const record: Recorder['record'] = (operationId, request, response) => {
    if (response.status >= 400) throw new Error(`${operationId}: ${response.status} ${response.text}`)
    const type = response.headers.get('content-type') ?? ''
    const isText = /^text\/|^application\/jose/.test(type)
    const value = isText ? response.text : type.startsWith('application/json') ? response.body : undefined
    const { status } = response
    examples.operations[operationId] ??= {
      ...(isJson(request) ? { request: structuredClone(request) } : {}),
      ...(value === undefined ? {} : { response: { status, value: structuredClone(value) } }),
    }
  }

  return {
    examples,
    record,
    operationIds: [...places.keys()],
    call: async (operationId, { params = {}, query, ...options } = {}) => {
      const place = places.get(operationId)
      if (place === undefined) throw new Error(`there is no operation ${operationId}`)
      const path = place.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
      const response = await service.request(place.method, query === undefined ? path : `${path}?${query}`, options)
      record(operationId, options.body, response)
      return response.body
    },
  }
}

function isJson(body: unknown): boolean {
  return body !== undefined && !(body instanceof Uint8Array) && !(body instanceof FormData)
}
