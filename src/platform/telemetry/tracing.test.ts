import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { startTraceCollector } from '../../../test/fakes/trace-collector.ts'
import { startWebhookReceiver } from '../../../test/fakes/webhook-receiver.ts'
import { until } from '../../../test/lib/until.ts'
import { readConfig } from '../../config/index.ts'
import { ADDRESS, startShop } from '../../orders/factory.ts'
import { createLog } from './log.ts'
import { createSampler } from './sampler.ts'
import { beginSpan, traced } from './span.ts'
import { startTracing, type TracingSettings } from './start-tracing.ts'
import { readTraceparent, toTraceparent } from './traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`
const REQUEST_ID = '0b9a6cc5-59b0-4a8b-8fcb-8d6e1b2f9a01'

const envOf = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-team=print%20shop',
  OTEL_SERVICE_NAME: 'shop',
  OTEL_BSP_SCHEDULE_DELAY: '20',
  PLATEN_LOG_LEVEL: 'info',
})

test('an order leads to one connected trace of HTTP, SQL, jobs, drawing and webhooks', async (t) => {
  const collector = await startTraceCollector(t)
  const receiver = await startWebhookReceiver(t)
  const env = {
    ...envOf(collector.url),
    PLATEN_TRUSTED_PROXIES: 'loopback',
    PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
  }
  const { service, finalizedDesign } = await startShop(t, undefined, { env })
  service.startJobs()
  const person = await service.signUp()
  const { accessToken: token, userId: ownerId } = person
  const designId = await finalizedDesign({ ownerId })
  const endpoint = await service.request('POST', '/webhook-endpoints', { token, body: { url: receiver.url } })
  assert.equal(endpoint.status, 201, endpoint.text)
  const headers = { traceparent: TRACEPARENT, 'x-request-id': REQUEST_ID.replaceAll('-', '') }
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const ordered = await service.request('POST', '/orders', { token, body, headers })
  assert.deepEqual([ordered.status, ordered.headers.get('x-request-id')], [201, REQUEST_ID], ordered.text)
  await service.request('GET', `/designs/${designId}/preview?printAreaId=front&width=64`, { token, headers })
  const email = 'grace.hopper@example.com'
  const registration = { email, password: 'a quiet lake at dusk' }
  await service.request('POST', '/api/auth/register', { body: registration, headers })

  await receiver.until((received) => received.body.includes(ordered.body.id))
  const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE)
  const names = () => ofTrace().map(({ name }) => name)
  for (const name of ['POST /v1/orders', 'INSERT', 'POST webhook']) await until(name, () => names().includes(name))
  await until('a job', () => names().some((name) => name.startsWith('process ')))
  await until('drawing', () => names().some((name) => name.startsWith('render ')))
  const ids = new Set([PARENT, ...ofTrace().map(({ spanId }) => spanId)])
  await until('all parents', () => {
    for (const { spanId } of ofTrace()) ids.add(spanId)
    return ofTrace().every(({ parentSpanId = '' }) => ids.has(parentSpanId))
  })

  const order = ofTrace().find(({ name }) => name === 'POST /v1/orders')
  assert.deepEqual([order?.parentSpanId, order?.kind, order?.service], [PARENT, 2, 'shop'])
  assert.equal(order?.attributes['http.response.status_code'], 201)
  assert.equal(order?.attributes['platen.request_id'], REQUEST_ID)
  const webhook = receiver.received.find((received) => received.body.includes(ordered.body.id))
  const sent = readTraceparent(webhook?.headers['traceparent'])
  assert.equal(sent?.traceId, TRACE)
  assert.ok(ofTrace().some(({ name, spanId }) => name === 'POST webhook' && spanId === sent?.spanId))
  assert.equal(collector.headers()['x-team'], 'print shop')
  const lines = service.logLines().split('\n')
  assert.ok(lines.some((line) => line.includes(REQUEST_ID) && JSON.parse(line).traceId === TRACE))
  const all = JSON.stringify(collector.spans)
  for (const secret of [email, person.email, registration.password, token, ADDRESS.name, ADDRESS.line1]) {
    assert.ok(!all.includes(secret), secret)
  }
})

test('a client that is no trusted proxy chooses neither the trace nor the request id', async (t) => {
  const collector = await startTraceCollector(t)
  const { service } = await startShop(t, undefined, { env: envOf(collector.url) })
  const headers = { traceparent: TRACEPARENT, 'x-request-id': REQUEST_ID }
  const answer = await service.request('GET', '/products', { headers })
  assert.notEqual(answer.headers.get('x-request-id'), REQUEST_ID)
  await until('the span', () => collector.spans.some(({ name }) => name === 'GET /v1/products'))
  assert.ok(!collector.spans.some(({ traceId }) => traceId === TRACE))
})

test('a collector that does not respond delays no request, and spans beyond the queue are dropped', async (t) => {
  const collector = await startTraceCollector(t)
  collector.hold(true)
  const { service } = await startShop(t, undefined, { env: { ...envOf(collector.url), OTEL_BSP_MAX_QUEUE_SIZE: '8' } })
  await service.request('GET', '/products')
  await until('a request to the collector', () => collector.held.length > 0)
  for (let index = 0; index < 20; index += 1) assert.equal((await service.request('GET', '/products')).status, 200)
  const metrics = await service.services.auth.services.metrics.registry.metrics()
  const dropped = Number(/platen_trace_spans_total\{outcome="dropped"\} (\d+)/.exec(metrics)?.[1])
  assert.ok(dropped >= 12, String(dropped))
  assert.equal(collector.held.length, 1, 'one request at a time')
  // The end of the service waits for the collector for two seconds at most.
  await service.close()
})

test('spans are sent again when the collector is back, and a refused batch is dropped', async (t) => {
  const settings = (url: string): TracingSettings => ({
    url: `${url}/v1/traces`,
    headers: {},
    timeoutMs: 10_000,
    resource: {},
    sampler: { name: 'always_on', ratio: 1 },
    delayMs: 1,
    maxQueue: 10,
  })
  const log = createLog({ level: 'silent' })
  const collector = await startTraceCollector(t)
  const fresh = new Registry()
  const tracing = startTracing(settings(collector.url), { log, registry: fresh })
  const counts = (await fresh.metrics()).match(/^platen_trace_spans_total\{.*$/gm)
  assert.deepEqual(
    counts,
    ['exported', 'dropped'].map((outcome) => `platen_trace_spans_total{outcome="${outcome}"} 0`),
  )
  collector.hold(true)
  await traced('first', { isRoot: true }, async () => undefined)
  await until('the first batch', () => collector.held.length === 1)
  await assert.rejects(traced('second', { isRoot: true }, () => Promise.reject(new TypeError('of +49 30 12345'))))
  for (const response of collector.held.splice(0)) response.writeHead(503).end()
  collector.hold(false)
  await until('both spans', () => collector.spans.some(({ name }) => name === 'second'))
  // The first one was received twice: with status 503, and when it was sent again.
  assert.deepEqual(
    collector.spans.map(({ name }) => name),
    ['first', 'first', 'second'],
  )
  const failed = collector.spans.at(-1)
  assert.deepEqual([failed?.isFailed, failed?.attributes['error.type']], [true, 'TypeError'])
  assert.ok(!JSON.stringify(failed).includes('12345'))
  await tracing.close()
  assert.equal(beginSpan('after the end', {}), undefined)

  const registry = new Registry()
  const refused = startTracing(settings(`${collector.url}/none`), { log, registry })
  await traced('lost', { isRoot: true }, async () => undefined)
  await refused.close()
  assert.match(await registry.metrics(), /outcome="dropped"\} 1/)
})

test('samplers follow their parent or the share of traces, and decide equally in every process', () => {
  const sampled = { traceId: TRACE, spanId: PARENT, isSampled: true }
  const low = `${'0'.repeat(31)}1`
  const high = 'f'.repeat(32)
  assert.ok(!createSampler('parentbased_always_off', 1)(low, undefined))
  assert.ok(createSampler('parentbased_always_off', 1)(low, sampled))
  assert.ok(!createSampler('parentbased_always_on', 1)(low, { ...sampled, isSampled: false }))
  const half = createSampler('traceidratio', 0.5)
  assert.deepEqual([half(low, undefined), half(high, undefined), half(high, sampled)], [true, false, false])
})

test('only well-formed values of traceparent are read', () => {
  assert.equal(toTraceparent(readTraceparent(TRACEPARENT) ?? assert.fail()), TRACEPARENT)
  assert.ok(readTraceparent(`01-${TRACE}-${PARENT}-00-more`))
  const malformed = [
    '',
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
  ]
  for (const value of [...malformed, TRACEPARENT.toUpperCase(), `${TRACEPARENT}x`, [TRACEPARENT], undefined]) {
    assert.equal(readTraceparent(value), undefined)
  }
})

test('traces are off without an endpoint, and invalid variables are refused by name', () => {
  assert.equal(readConfig({ OTEL_SERVICE_NAME: 'shop' }).tracing, undefined)
  assert.equal(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' }).tracing, undefined)
  assert.equal(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }).tracing?.url, 'http://c:4318/v1/traces')
  assert.equal(readConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/t' }).tracing?.url, 'http://c/t')
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'c:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ] as const) {
    assert.throws(() => readConfig({ [name]: value }), new RegExp(name))
  }
  assert.throws(
    () => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: 'hush' }),
    (error: Error) => !error.message.includes('hush'),
  )
})
