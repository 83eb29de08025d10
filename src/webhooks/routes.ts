import type { App } from '../platform/http/server.ts'
import type { WebhookDeps } from './context.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { endpointRoutes } from './endpoints/routes.ts'

export function webhookRoutes(app: App, deps: WebhookDeps): void {
  endpointRoutes(app, deps)
  deliveryRoutes(app, deps)
}
