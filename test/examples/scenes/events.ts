import type { TestContext } from 'node:test'
import { startWebhooks } from '../../../src/webhooks/engine.ts'
import { untilEventsVisible } from '../../harness.ts'
import { until } from '../../lib/until.ts'
import { openStripeShop } from '../../payments/stripe-shop.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from './stage.ts'

/** Webhook endpoints, their deliveries and the log of events. */
export async function recordWebhooks(stage: Stage): Promise<void> {
  const { service, call, customer, receiver } = stage
  const token = customer.accessToken
  startWebhooks(service.services.webhooks)
  const wanted = {
    url: `${receiver.url}/hooks`,
    types: ['order.shipped', 'design.archived'],
    description: 'Shop backend',
  }
  const { id: endpointId } = await call('createWebhookEndpoint', { token, body: wanted })
  const params = { endpointId }
  await call('getWebhookEndpoint', { token, params })
  await call('updateWebhookEndpoint', { token, params, body: { types: null } })
  await call('rotateWebhookSecret', { token, params, body: { overlapSeconds: 3_600 } })
  await call('testWebhookEndpoint', { token, params })
  await receiver.until(({ path }) => path === '/hooks')
  const deliveryId = await deliveredOnce(stage, token, endpointId)
  await call('listWebhookDeliveries', { token, params })
  await call('getWebhookDelivery', { token, params: { endpointId, deliveryId } })
  await call('retryWebhookDelivery', { token, params: { endpointId, deliveryId } })
  const from = new Date(service.clock.now().getTime() - 60_000).toISOString()
  await call('replayWebhookEvents', { token, params, body: { from } })
  await call('listWebhookEndpoints', { token })
  await call('deleteWebhookEndpoint', { token, params })
  const test = receiver.received.find(({ path }) => path === '/hooks')
  stage.examples.events['webhook.test'] = JSON.parse(test?.body ?? 'null')
}

/** Waits until the response to the test event is recorded. */
async function deliveredOnce({ service }: Stage, token: string, endpointId: string): Promise<string> {
  let id = ''
  await until('a delivery', async () => {
    const { body } = await service.request('GET', `/webhook-endpoints/${endpointId}/deliveries`, { token })
    id = body.data.find(({ status }: { status: string }) => status === 'delivered')?.id ?? ''
    return id !== ''
  })
  return id
}

/** The events of all records, one of each type, and the stream. */
export async function recordEvents(stage: Stage): Promise<void> {
  const { service, call, customer, examples } = stage
  const token = customer.accessToken
  await untilEventsVisible(service.db)
  const { data: newest } = await call('listEvents', { token, query: 'limit=1' })
  await call('getEvent', { token, params: { eventId: newest[0].id } })
  const { ticket } = await call('createEventStreamTicket', { token })
  const events: { id: string; type: string }[] = []
  for (let after = ''; ; after = `&after=${events.at(-1)?.id}`) {
    const { body } = await service.request('GET', `/events?limit=100${after}`, { token })
    events.push(...body.data)
    if (body.nextCursor === null && body.data.length < 100) break
  }
  for (const event of events) examples.events[event.type] ??= event
  const [first] = events
  const text = await firstEvent(
    `${service.baseUrl}/events/stream?ticket=${ticket}&after=${first?.id}&type=design.archived`,
  )
  examples.operations['streamEvents'] = { response: { status: 200, value: text } }
}

async function firstEvent(url: string): Promise<string> {
  const controller = new AbortController()
  const { body } = await fetch(url, { signal: controller.signal })
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (/^data: .*\n\n/m.test(text)) break
  }
  controller.abort()
  return text
}

/** The events of a deleted account, as operators read them. */
export async function recordErasedEvents({ service, operator, product, examples }: Stage): Promise<void> {
  const { accessToken: token } = await service.signUp({ email: 'leaving@example.com' })
  const body = { productId: product.id, variantId: product.variants[0].id }
  const { body: design } = await service.request('POST', '/designs', { token, body })
  await service.request('DELETE', `/designs/${design.id}`, { token })
  await service.request('DELETE', '/me', { token })
  await untilEventsVisible(service.db)
  const { body: page } = await service.request('GET', '/events?limit=100&type=design.archived', {
    token: operator.accessToken,
  })
  const erased = page.data.find(({ data }: { data: { erased?: true } }) => data.erased === true)
  if (erased === undefined) throw new Error('no event was erased')
  examples.events['erased'] = erased
}

/** An event of the payment provider, which needs a service of its own. */
export async function recordStripe(t: TestContext, { record }: Pick<Recorder, 'record'>): Promise<void> {
  const { stripe, shop, sell } = await openStripeShop(t)
  const { total } = await sell()
  const intent = { id: 'pi_3OrderOfAda', object: 'payment_intent', amount: total.amount, currency: 'eur' }
  const { body, headers } = stripe.event('payment_intent.succeeded', intent, { at: shop.service.clock.now() })
  const response = await shop.request('POST', '/payments/stripe/webhook', { body, headers })
  record('receiveStripeEvent', JSON.parse(body), response)
}
