import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectedChannels } from '../../platform/processes/factory.ts'
import { createPlaces } from './places.ts'
import { createRemotePlaces, serveRemotePlaces } from './remote-places.ts'

/** Connects two processes to the same places. */
function connectTwo(limits: { perUser: number; total: number }) {
  const places = createPlaces(limits)
  const connect = () => {
    const [api, main] = connectedChannels()
    return { places: createRemotePlaces(api), end: serveRemotePlaces(places, main) }
  }
  return [connect(), connect()] as const
}

const opener = (userId: string) => ({ userId, isCustomers: true, share: userId, end: () => undefined })

test('the limit of an account counts the streams of all processes', async () => {
  const [one, two] = connectTwo({ perUser: 2, total: 100 })
  const leave = await one.places.take(opener('usr_1'))
  await two.places.take(opener('usr_1'))
  const refusal = { code: 'too_many_event_streams', detail: /has 2 open event streams/ }
  await assert.rejects(two.places.take(opener('usr_1')), refusal)
  leave()
  await two.places.take(opener('usr_1'))
  await assert.rejects(one.places.take(opener('usr_1')), refusal)
})

test('the places of a process that has ended are free', async () => {
  const [one, two] = connectTwo({ perUser: 1, total: 100 })
  await one.places.take(opener('usr_1'))
  await assert.rejects(two.places.take(opener('usr_1')), { code: 'too_many_event_streams' })
  one.end()
  await two.places.take(opener('usr_1'))
})
