import type { Channel } from '../platform/processes/channel.ts'
import type { WebhookDeps, WebhookEngine } from './context.ts'

const WAKE = 'webhooks: wake'
const RECALL = 'webhooks: recall'

/** Creates an engine for a process that sends no webhooks. It tells the process of the node that sends them. */
export function createRemoteWebhooks(main: Pick<Channel, 'tell'>): WebhookEngine {
  return {
    wake: (endpointId) => main.tell(WAKE, endpointId),
    recall: (endpointId) => main.tell(RECALL, endpointId),
    stop: async () => undefined,
  }
}

/** Passes what another process of the node tells on to the engine of this process, if it runs. */
export function serveRemoteWebhooks(deps: WebhookDeps, other: Pick<Channel, 'handle'>): void {
  other.handle(WAKE, (endpointId: string | undefined) => deps.engine?.wake(endpointId))
  other.handle(RECALL, (endpointId: string) => deps.engine?.recall(endpointId))
}
