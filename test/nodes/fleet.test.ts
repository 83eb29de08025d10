import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { ShiftableClock } from '../../src/platform/clock.ts'
import { type Examples, readExamples } from '../../src/platform/http/operations/document/examples.ts'
import { playScenes } from '../examples/record-examples.ts'
import { openStage, type StageSettings } from '../examples/scenes/stage.ts'
import { createDatabase, requester, startService, type TestService } from '../harness.ts'
import { type Fleet, startFleet } from '../lib/nodes/fleet.ts'

/** They need a service with another payment provider, and one that is alone in drawing. */
const ALONE = ['receiveStripeEvent', 'retryOrderItemFiles']

test('two nodes with two processes each behind a reverse proxy and a pooler serve every operation like one', async (t) => {
  let fleet: Fleet | undefined
  const stage = await openStage(t, async (t, settings) => {
    const { service, fleet: started } = await openNodes(t, settings)
    fleet = started
    return service
  })
  await playScenes(stage)
  const { operations } = readExamples()
  for (const name of ALONE) delete operations[name]
  assert.deepEqual(statusesOf(stage.examples.operations), statusesOf(operations))
  const outputs = fleet?.outputs() ?? []
  for (const output of outputs) assert.doesNotMatch(output, /"level":60/)
  assert.ok(outputs.every(servesRequests), 'a node has served no request')
})

/**
 * The bodies are not compared with the examples. The nodes draw and send mails meanwhile, so some orders are a step
 * further.
 */
function statusesOf(calls: Examples['operations']): object {
  return Object.fromEntries(Object.entries(calls).map(([name, { response }]) => [name, response?.status]))
}

const servesRequests = (output: string): boolean => /"process":"api-\d".*"requestId"/.test(output)

const STEP_MS = 30_000

/**
 * Returns a clock whose shifts lead to the start of the next step of authenticator apps. Several shifts do not add up,
 * because the nodes accept only codes near their own time.
 */
function createNearClock(): ShiftableClock {
  let aheadMs = 0
  return {
    now: () => new Date(Date.now() + aheadMs),
    shift: () => {
      aheadMs = STEP_MS - (Date.now() % STEP_MS)
    },
  }
}

/** The service in the process of the test only prepares accounts and reads mails. All requests of the scenes go to the fleet. */
async function openNodes(t: TestContext, settings: StageSettings): Promise<{ service: TestService; fleet: Fleet }> {
  const database = await createDatabase(t)
  const env = { ...settings, PLATEN_SECRET_KEY: randomBytes(32).toString('base64') }
  const service = await startService(t, { database, env, clock: createNearClock() })
  const shared = {
    PLATEN_DATA_DIR: service.config.dataDir,
    PLATEN_PUBLIC_URL: service.config.origin,
    PLATEN_PAYMENT_PROVIDER: 'test',
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_STORAGE_FREE_MIB: '0',
    PLATEN_REQUEST_LOG: 'off',
  }
  const fleet = await startFleet(t, { nodes: 2, processes: 2, database, env: { ...env, ...shared } })
  const throughProxy = requester(fleet.origin)
  // Operations for developers are closed behind a proxy.
  const request: TestService['request'] = (method, path, options) =>
    (path.startsWith('/dev/') ? service.request : throughProxy)(method, path, options)
  return { service: { ...service, request, baseUrl: `${fleet.origin}/v1` }, fleet }
}
