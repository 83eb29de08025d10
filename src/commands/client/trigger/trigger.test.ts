import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES as SERVICE_TYPES } from '../../../features.ts'
import { type ClientScene, type NewKey, startClientScene } from '../client.fixture.ts'
import { EVENT_TYPES, type EventType, recipeFor } from './recipes.ts'

const TRIGGERABLE = EVENT_TYPES.filter((type) => 'steps' in recipeFor(type))

/** Triggers an event, and returns its id, which the command printed and `GET /events` lists. */
async function triggered({ run, service }: ClientScene, { env, token }: NewKey, type: EventType): Promise<string> {
  const { code, out, err } = await run(['trigger', type], env)
  assert.deepEqual([code, err], [0, ''], type)
  const line = out.split('\n').find((one) => one.includes(`  ${type}  `))
  const [id = '', , subject = ''] = line?.split('  ') ?? []
  const { body } = await service.request('GET', `/events?type=${type}&limit=100`, { token })
  const event = body.data.find((one: { id: string }) => one.id === id)
  assert.equal(event?.subject, subject, `${type}: ${out}`)
  return id
}

test('every event type that can be triggered is emitted for a record that the command made', async (t) => {
  const scene = await startClientScene(t)
  scene.service.startJobs()
  const key = await scene.newKey()
  const ids = new Set<string>()
  for (const type of TRIGGERABLE) ids.add(await triggered(scene, key, type))
  assert.equal(ids.size, TRIGGERABLE.length)
})

test('the table of steps names exactly the event types of the service, and the command lists them', async (t) => {
  assert.deepEqual([...EVENT_TYPES], [...SERVICE_TYPES].sort())
  const { run } = await startClientScene(t)
  const { code, out } = await run(['trigger'])
  assert.deepEqual([code, out.trimEnd().split('\n').length], [0, EVENT_TYPES.length])
  assert.match(out, /^design\.files_ready +create a design, finalize, order with text$/m)
  assert.equal((await run(['trigger', '--list'])).out, out)
  for (const type of EVENT_TYPES.filter((one) => !TRIGGERABLE.includes(one))) {
    const refused = await run(['trigger', type])
    assert.equal(refused.code, 1)
    assert.match(refused.err, new RegExp(`^platen: ${type} cannot be triggered: it needs .*\\.\n$`))
  }
  assert.equal((await run(['trigger', 'order.eaten'])).code, 2)
})

test('without the simulator, the command acts as an operator, and tells other accounts to', async (t) => {
  const env = { PLATEN_DATABASE_URL: 'postgresql://shop.example/platen' }
  const scene = await startClientScene(t, { env })
  const operator = await scene.newKey({ role: 'operator' })
  for (const type of ['order.released', 'order.partially_shipped', 'shipment.returned'] as const) {
    await triggered(scene, operator, type)
  }
  const { code, err } = await scene.run(['trigger', 'order.shipped'], (await scene.newKey()).env)
  assert.equal(code, 1)
  assert.match(err, /^platen: This installation has no simulator, so the step "start_production" needs .* operator: /)
})

test('a key of an installation with real orders is refused before any request', async (t) => {
  const { run, newKey, service } = await startClientScene(t, { env: { PLATEN_PAYMENT_PROVIDER: 'manual' } })
  const { env, token } = await newKey()
  const before = service.logLines()
  const { code, err } = await run(['trigger', 'order.created'], env)
  assert.equal(code, 1)
  assert.match(
    err,
    /^platen: The key in PLATEN_API_KEY does not begin with platen_test_, so orders at .* may be real\./,
  )
  assert.equal(service.logLines(), before)
  assert.deepEqual((await service.request('GET', '/designs', { token })).body.data, [])
})
