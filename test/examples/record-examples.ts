import type { TestContext } from 'node:test'
import type { Examples } from '../../src/platform/http/operations/document/examples.ts'
import { normalizeExamples } from './normalize.ts'
import { recordAccount, recordFactors, recordProviders } from './scenes/accounts.ts'
import { recordAdministration, recordCustomers } from './scenes/administration.ts'
import { recordCatalogue, recordUploads } from './scenes/catalogue.ts'
import { failFinalization, recordDesigns, recordTemplates } from './scenes/designs.ts'
import { recordErasedEvents, recordEvents, recordStripe, recordWebhooks } from './scenes/events.ts'
import { recordOrder, recordOtherOrders } from './scenes/orders.ts'
import { openStage, type Stage } from './scenes/stage.ts'
import { recordSystem } from './scenes/system.ts'

/**
 * Calls every operation of a real service, and returns what it took and answered. Ids, times and secrets are replaced,
 * so that two recordings differ only if the service does.
 */
export async function recordExamples(t: Pick<TestContext, 'after'>): Promise<Examples> {
  const stage = await openStage(t as TestContext)
  const startedAt = stage.service.clock.now()
  await playScenes(stage)
  await recordStripe(t as TestContext, stage)
  const { google, github, receiver } = stage
  const origins = {
    ...{ 'http://platen.localhost': 'https://platen.example.com', 'platen.localhost': 'platen.example.com' },
    ...{ [google.url]: 'https://accounts.google.com', [github.url]: 'https://github.com' },
    [receiver.url]: 'https://shop.example.com',
  }
  return normalizeExamples(stage.examples, { startedAt, texts: origins })
}

/** Calls every operation, besides those that need a service of their own. */
export async function playScenes(stage: Stage): Promise<void> {
  await recordCatalogue(stage)
  await recordUploads(stage)
  const designId = await recordDesigns(stage)
  await recordTemplates(stage)
  await recordOrder(stage, designId)
  await recordOtherOrders(stage, designId)
  await recordWebhooks(stage)
  if (stage.renderer !== undefined) await failFinalization(stage, stage.renderer)
  await recordCustomers(stage)
  await recordEvents(stage)
  await recordErasedEvents(stage)
  await recordAdministration(stage)
  await recordAccount(stage)
  await recordProviders(stage)
  await recordFactors(stage)
  await recordSystem(stage)
}
