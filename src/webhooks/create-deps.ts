import { Counter, type Registry } from 'prom-client'
import type { Auth } from '../auth/index.ts'
import type { Config } from '../config/index.ts'
import type { WebhookDeps } from './context.ts'
import { SECRETS_PURPOSE } from './endpoints/secrets.ts'
import { createSender } from './transport/index.ts'

interface Given extends Pick<WebhookDeps, 'db' | 'clock' | 'log' | 'feed' | 'eventTypes' | 'hasFreeDisk'> {
  auth: Pick<Auth, 'boxFor'>
  config: Pick<Config, 'production' | 'webhookAllowedNetworks'>
  registry: Registry
}

export function createWebhookDeps({ auth, config, registry, ...shared }: Given): WebhookDeps {
  return {
    ...shared,
    sender: createSender({ allowedNetworks: config.webhookAllowedNetworks, allowHttp: !config.production }),
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
