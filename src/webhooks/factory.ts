import type { TestContext } from 'node:test'
import { startWebhookReceiver, type WebhookReceiver } from '../../test/fakes/webhook-receiver.ts'
import { type StartOptions, startService, type TestResponse, type TestService } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'
import { until } from '../../test/lib/until.ts'
import type { SignedUp } from '../../test/people.ts'
import type { Role } from '../platform/http/core/principal.ts'
import { emit } from '../platform/outbox/index.ts'
import type { WebhookEngine } from './context.ts'
import { startWebhooks } from './engine.ts'

export interface NewEvent {
  ownerId: string
  subject?: string
  type?: string
  data?: object
}

/** A running service that sends webhooks, and a receiver for them. */
export interface WebhookScene {
  service: TestService
  receiver: WebhookReceiver
  /** Starts the engine in this process. It stops when the service stops. */
  start(): WebhookEngine
  /** Signs a user up. The token is an API key, which does not expire when the clock is shifted. */
  signUp(role?: Role): Promise<SignedUp & { token: string }>
  /** Adds an endpoint whose URL is this path of the receiver. */
  addEndpoint(token: string, path?: string, body?: object): Promise<TestResponse['body']>
  /** Writes events in this order, each in a transaction of its own. Returns the subjects of the events. */
  write(...events: NewEvent[]): Promise<string[]>
  deliveries(token: string, endpointId: string, query?: string): Promise<TestResponse['body'][]>
  /** Reads the log of an endpoint repeatedly until the predicate holds. */
  untilDeliveries(
    token: string,
    endpointId: string,
    isWanted: (deliveries: TestResponse['body'][]) => boolean,
  ): Promise<TestResponse['body'][]>
  /** Shifts the clock and wakes the engine. */
  shift(seconds: number): void
}

/** Setting that allows webhooks to the receiver on the loopback interface. */
export const LOOPBACK = { PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }

/** What `claimDue` is told by lanes without claims. */
export const NOTHING_HELD = {
  places: new Map<string, number>(),
  held: new Map<string, number>(),
  mostOfNetwork: { known: 128, otherwise: 128 },
  hiddenEvents: [],
}

/**
 * Starts the service and the receiver.
 *
 * @param options if `isStill` is true, the engine runs only after `start` was called
 */
export async function startWebhookScene(
  t: TestContext,
  { isStill = false, ...options }: StartOptions & { isStill?: boolean } = {},
): Promise<WebhookScene> {
  const receiver = await startWebhookReceiver(t)
  const service = await startService(t, { ...options, env: { ...LOOPBACK, ...options.env } })
  const { request, db, clock } = service
  const start = (): WebhookEngine => startWebhooks(service.services.webhooks)
  if (!isStill) start()

  const deliveries: WebhookScene['deliveries'] = async (token, endpointId, query = '') => {
    const { status, body, text } = await request('GET', `/webhook-endpoints/${endpointId}/deliveries${query}`, {
      token,
    })
    if (status !== 200) throw new Error(text)
    return body.data
  }
  return {
    service,
    receiver,
    start,
    deliveries,
    signUp: async (role = 'customer') => {
      const person = await service.signUp({ role })
      const wanted = { name: 'test', permissions: ['read', 'write'] }
      const { body } = await request('POST', '/api/api-keys', { token: person.accessToken, body: wanted })
      return { ...person, token: body.key }
    },
    addEndpoint: async (token, path = '/hook', wanted = {}) => {
      const body = { url: `${receiver.url}${path}`, ...wanted }
      const answer = await request('POST', '/webhook-endpoints', { token, body })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body
    },
    write: async (...events) => {
      const subjects: string[] = []
      for (const { ownerId, subject = newId('order'), type = 'order.created', data = { id: subject } } of events) {
        subjects.push(subject)
        await db.transaction().execute((trx) => emit(trx, { type, subject, ownerId, data, at: clock.now() }))
      }
      return subjects
    },
    untilDeliveries: async (token, endpointId, isWanted) => {
      let found: Awaited<ReturnType<typeof deliveries>> = []
      await until('deliveries', async () => {
        found = await deliveries(token, endpointId)
        return isWanted(found)
      }).catch((error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify(found)}`)
      })
      return found
    },
    shift: (seconds) => {
      clock.shift(seconds)
      service.services.webhooks.engine?.wake()
    },
  }
}

export const untilTrue = (isTrue: () => Promise<boolean>): Promise<void> => until('the condition', isTrue)

/** Returns the ids of the records in the events that this path received, in order. */
export function subjectsAt({ receiver }: WebhookScene, path: string): string[] {
  return receiver.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).data.id)
}
