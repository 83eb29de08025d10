import { createLog } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import type { Principal } from './core/principal.ts'
import { type App, createHttpApp, type HttpOptions } from './server.ts'

/** Creates an HTTP app for tests, without log output and limits. All callers are anonymous. */
export function createTestApp(options: Partial<HttpOptions> = {}): App {
  return createHttpApp({
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
    trustedProxies: [],
    httpsOnly: false,
    rateLimits: undefined,
    flow: undefined,
    documentationBase: 'https://print.example.com/problems',
    authenticate: async () => undefined,
    ...options,
  })
}

/** A customer as caller, for tests of routes that require a credential. */
export const TEST_PRINCIPAL = { userId: 'usr_1', role: 'customer' } as Principal
