import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TypeID } from 'typeid-js'
import { newGuestId, shareOf } from './fair-share.ts'
import { defineIds, timeOfId } from './ids.ts'

const { newId, isId } = defineIds({ user: 'usr' })
const group = (...bytes: number[]) => Uint8Array.from(bytes)

test('guests of one group have one share together, and every other user has its own', () => {
  const [one, other] = [newGuestId('usr', group(1, 2, 3, 4)), newGuestId('usr', group(1, 2, 3, 4))]
  assert.notEqual(one, other)
  assert.equal(shareOf(one), shareOf(other))
  assert.notEqual(shareOf(one), shareOf(newGuestId('usr', group(1, 2, 3, 5))))
  for (let i = 0; i < 1000; i += 1) {
    const user = newId('user')
    assert.equal(shareOf(user), user)
  }
})

test('the id of a guest is a well-formed id with the time of its creation', () => {
  const before = Date.now()
  const id = newGuestId('usr', group(255, 255, 255, 255))
  assert.ok(isId('user', id))
  assert.match(TypeID.fromString(id).toUUID(), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.ok(timeOfId(id).getTime() >= before && timeOfId(id).getTime() <= Date.now())
})

test('a text that is no id has a share of its own', () => {
  for (const text of ['', 'usr_', 'gggggggggg', '192.0.2.1']) assert.equal(shareOf(text), text)
})
