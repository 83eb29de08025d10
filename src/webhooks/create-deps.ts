import { Counter, type Registry } from 'prom-client'
import type { AccountRole, Auth } from '../auth/index.ts'
import type { Config } from '../config/index.ts'
import type { WebhookDeps } from './context.ts'
import { SECRETS_PURPOSE } from './endpoints/secrets.ts'
import { listHiddenEvents } from './hidden-events.ts'
import { createThreadedSender } from './outbound/in-thread.ts'

interface Given extends Pick<WebhookDeps, 'db' | 'clock' | 'log' | 'feed' | 'eventTypes' | 'hasFreeDisk'> {
  auth: Pick<Auth, 'boxFor'>
  config: Pick<Config, 'production' | 'webhookAllowedNetworks'>
  registry: Registry
  /** Lists the types of events that are hidden from staff. */
  hiddenTypesOf: (reader: AccountRole) => readonly string[]
}

export function createWebhookDeps({ auth, config, registry, hiddenTypesOf, ...shared }: Given): WebhookDeps {
  return {
    ...shared,
    hiddenEvents: listHiddenEvents(hiddenTypesOf),
    sender: createThreadedSender({ allowedNetworks: config.webhookAllowedNetworks, allowHttp: !config.production }),
    box: auth.boxFor(SECRETS_PURPOSE),
    attempts: new Counter({
      name: 'platen_webhook_attempts_total',
      help: 'Attempts to deliver webhooks, by outcome: delivered or failed.',
      labelNames: ['outcome'] as const,
      registers: [registry],
    }),
    engine: undefined,
  }
}
