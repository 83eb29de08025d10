import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sideName } from './side-name.ts'

const text = (key: string) => `translated ${key}`

test('common sides get the word of the language, and names of the shop stay', () => {
  assert.equal(sideName({ id: 'front', name: 'Front' }, text), 'translated common.sideFront')
  assert.equal(sideName({ id: 'front', name: 'Brust' }, text), 'Brust')
  assert.equal(sideName({ id: 'sleeve', name: 'Sleeve' }, text), 'Sleeve')
  assert.equal(sideName({ id: 'constructor', name: 'Constructor' }, text), 'Constructor')
})
