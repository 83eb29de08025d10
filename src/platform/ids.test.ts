import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TypeID } from 'typeid-js'
import { defineIds } from './ids.ts'

const { newId, firstIdAt, isId } = defineIds({ thing: 'thg', other: 'oth' })

test('an id is well-formed exactly if it is the TypeID of its kind', () => {
  const id = newId('thing')
  const largest = TypeID.fromUUID('thg', 'ffffffff-ffff-ffff-ffff-ffffffffffff').toString()
  for (const formed of [id, firstIdAt('thing', new Date(0)), largest]) assert.equal(isId('thing', formed), true, formed)
  const malformed = [newId('other'), id.slice(4), id.slice(0, -1), `${id}0`, `${id}\n`, ` ${id}`, id.toUpperCase(), '']
  // The suffix would have more than 128 bits, or characters that TypeID leaves out.
  malformed.push(`thg_8${id.slice(5)}`, ...['i', 'l', 'o', 'u', 'é'].map((character) => id.slice(0, -1) + character))
  for (const other of malformed) assert.equal(isId('thing', other), false, JSON.stringify(other))
})
