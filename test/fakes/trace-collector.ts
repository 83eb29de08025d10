import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Record<string, string | number | boolean>
  isFailed: boolean
  service: string
}

/** A fake collector on the loopback interface. It parses OTLP in JSON. */
export interface TraceCollector {
  url: string
  spans: CollectedSpan[]
  /** Headers of the last request. */
  headers(): Record<string, unknown>
  /** Requests without a response, while `hold` is on. */
  held: ServerResponse[]
  hold(isOn: boolean): void
}

type Attribute = {
  key: string
  value: { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean }
}

export async function startTraceCollector(t: TestContext): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const held: ServerResponse[] = []
  let [isHolding, last]: [boolean, Record<string, unknown>] = [false, {}]
  const server = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: the members are checked by reading them
    const body = (await json(request)) as any
    if (request.url !== '/v1/traces' || request.method !== 'POST') return response.writeHead(404).end()
    last = request.headers
    for (const { resource, scopeSpans } of body.resourceSpans) {
      const service = String(toRecord(resource.attributes)['service.name'])
      for (const span of scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans)) {
        if (!(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano)))
          throw new Error('a span ends before it begins')
        spans.push({ ...span, attributes: toRecord(span.attributes), isFailed: span.status.code === 2, service })
      }
    }
    if (isHolding) held.push(response)
    else response.end('{}')
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    held,
    headers: () => last,
    hold: (isOn) => {
      isHolding = isOn
      if (!isOn) for (const response of held.splice(0)) response.end('{}')
    },
  }
}

function toRecord(attributes: readonly Attribute[]): CollectedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  )
}
