import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyState, rect } from '../factory.ts'
import { layerName, nameOfFile, withOwnNames } from './layer-name.ts'

const text = (key: string) => ({ rectangle: 'Rectangle', photo: 'Photo' })[key] ?? key
const namesAfter = (names: (string | undefined)[], ...inserted: Parameters<typeof rect>[]) => {
  const known = names.map((name, i) => rect(`l${i}`, name === undefined ? {} : { name }))
  const layers = inserted.map((one) => rect(...one))
  return withOwnNames(emptyState(known).document, layers, text).map((layer) => layerName(layer, text))
}

test('layers that look alike in the list are numbered', () => {
  assert.deepEqual(namesAfter([], ['a'], ['b'], ['c']), ['Rectangle', 'Rectangle 2', 'Rectangle 3'])
  assert.deepEqual(namesAfter([undefined, 'Rectangle 2'], ['a']), ['Rectangle 3'])
})

test('a copy gets the next number, and a number that belongs to a name stays', () => {
  assert.deepEqual(namesAfter([undefined, 'Rectangle 2'], ['a', { name: 'Rectangle 2' }]), ['Rectangle 3'])
  assert.deepEqual(namesAfter(['Summer 2024'], ['a', { name: 'Summer 2024' }]), ['Summer 2024 2'])
  const long = 'x'.repeat(100)
  assert.equal(namesAfter([long], ['a', { name: long }])[0]?.length, 98)
})

test('a photo is named by its file without the ending', () => {
  assert.deepEqual(['Lake at dusk.final.JPG', 'IMG_2034.jpeg', 'notes', '\0.png', 'image.png'].map(nameOfFile), [
    'Lake at dusk.final',
    'IMG_2034',
    'notes',
    undefined,
    undefined,
  ])
  assert.equal(nameOfFile(`${'x'.repeat(300)}.jpg`)?.length, 100)
})
