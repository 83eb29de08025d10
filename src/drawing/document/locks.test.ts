import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { DesignDocument } from './design-document.ts'
import type { Layer, LayerInput } from './layer-types.ts'
import { findBrokenLocks } from './locks.ts'
import { normalizeDocument } from './normalize.ts'
import type { LayerLock } from './schema/fields.ts'

const BOX = { x: 1, y: 2, width: 30, height: 10 }

function layer(id: string, lock: LayerLock = {}, changes: object = {}): LayerInput {
  return { id, type: 'text', ...BOX, text: 'Hi', fontFamily: 'Inter', fontSizePt: 12, lock, ...changes } as LayerInput
}

const documentOf = (layers: LayerInput[], ...others: LayerInput[][]): DesignDocument =>
  normalizeDocument({
    version: 1,
    placements: [layers, ...others].map((one, index) => ({ printAreaId: `area-${index}`, layers: one })),
  })

const brokenIn = (before: LayerInput[], after: LayerInput[]) =>
  findBrokenLocks(documentOf(before), documentOf(after)).map(({ pointer, lock }) => `${lock} ${pointer}`)

const L = '/placements/0/layers'

test('each lock protects its own fields', () => {
  const fields = {
    move: { x: 5, y: 5, width: 31, height: 11, rotation: 3 },
    edit: { text: 'Bye' },
    style: { opacity: 0.5, fontFamily: 'Lora', fontWeight: 700, fontStyle: 'italic', fontSizePt: 13, color: '#ff0000' },
  }
  for (const [name, changes] of Object.entries(fields)) {
    for (const [field, value] of Object.entries(changes)) {
      for (const lock of ['move', 'edit', 'style', 'remove']) {
        const before = layer('a', { [lock]: true })
        const found = brokenIn([before], [{ ...before, [field]: value } as LayerInput])
        assert.deepEqual(found, lock === name ? [`${name} ${L}/0/${field}`] : [], `${lock}: ${field}`)
      }
    }
  }
})

test('images, shapes and QR codes have their content protected by `edit`, and the rest by `style`', () => {
  const cases: [layer: object, edit: object, style: object][] = [
    [{ type: 'image', assetId: 'a', fit: 'cover' }, { assetId: 'b' }, { fit: 'contain' }],
    [{ type: 'image', assetId: 'a' }, { crop: { x: 0, y: 0, width: 0.5, height: 1 } }, { flipX: true }],
    [{ type: 'shape', shape: 'path', path: 'M0 0L1 1' }, { path: 'M0 0L2 2' }, { fill: '#00ff00' }],
    [{ type: 'qr', value: 'a' }, { value: 'b' }, { errorCorrection: 'H' }],
  ]
  for (const [fields, edit, style] of cases) {
    for (const [lock, allowed, refused] of [
      ['edit', style, edit],
      ['style', edit, style],
    ] as const) {
      const before = { id: 'a', ...BOX, ...fields, lock: { [lock]: true } } as LayerInput
      assert.deepEqual(brokenIn([before], [{ ...before, ...allowed } as LayerInput]), [], JSON.stringify(allowed))
      assert.equal(brokenIn([before], [{ ...before, ...refused } as LayerInput]).length, 1, JSON.stringify(refused))
    }
  }
})

test('a layer that must not be removed keeps its id', () => {
  const kept = layer('a', { remove: true })
  assert.deepEqual(brokenIn([layer('b'), kept], [layer('b')]), [`remove ${L}/1`])
  assert.deepEqual(brokenIn([kept], [{ ...kept, id: 'c' }]), [`remove ${L}/0`])
  assert.deepEqual(brokenIn([layer('a', { move: true, edit: true, style: true })], []), [])
})

test('the lock of a layer cannot change, and a lock that is false is none', () => {
  const open = layer('a', { move: false })
  assert.deepEqual(brokenIn([open], [layer('a')]), [])
  assert.deepEqual(brokenIn([open], [layer('a', { edit: true })]), [`lock ${L}/0/lock`])
  const locked = layer('a', { remove: true })
  assert.deepEqual(brokenIn([locked], [layer('a')]), [`lock ${L}/0/lock`])
})

test('a locked place is the print area and the order among the layers that both versions have', () => {
  const fixed = layer('fixed', { move: true })
  const [a, b, fresh] = [layer('a'), layer('b'), layer('new')]
  assert.deepEqual(brokenIn([a, fixed, b], [b, fixed, a]), [`move ${L}/1`])
  assert.deepEqual(brokenIn([fixed, a], [a, fixed]), [`move ${L}/1`])
  assert.deepEqual(brokenIn([fixed, a, b], [fixed, b, a]), [])
  assert.deepEqual(brokenIn([a, fixed, b], [fresh, fixed, b]), [])
  const elsewhere = findBrokenLocks(documentOf([fixed, a], [b]), documentOf([a], [fixed, b]))
  assert.deepEqual(elsewhere, [{ pointer: '/placements/1/layers/0', layerId: 'fixed', lock: 'move' }])
})

const flag = fc.option(fc.boolean(), { nil: undefined })
const lockArbitrary = fc.record({ move: flag, edit: flag, style: flag, remove: flag }, { requiredKeys: [] })
const ID = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor')
const layerArbitrary = fc.record({ id: ID, lock: lockArbitrary, type: fc.constantFrom('text', 'qr') })

const made = ({ id, lock, type }: { id: string; lock: object; type: string }): LayerInput =>
  (type === 'text' ? layer(id, lock) : { id, type, ...BOX, value: 'v', lock }) as LayerInput

const hostileEdit = fc.record({
  kind: fc.constantFrom(
    'reorder',
    'area',
    'rename',
    'swapIds',
    'remove',
    'field',
    'unlock',
    'type',
    'add',
    'placements',
  ),
  one: fc.nat(20),
  other: fc.nat(20),
  field: fc.constantFrom('x', 'rotation', 'width', 'text', 'value', 'color', 'opacity', 'fontSizePt'),
  id: ID,
})
type Edit = { kind: string; one: number; other: number; field: string; id: string }

const ODD: Record<string, unknown> = { color: '#123456', text: 'Changed', value: 'changed', opacity: 0.25 }

/** Applies an edit of a client that tries to get around the locks. */
function attack(document: DesignDocument, { kind, one, other, field, id }: Edit): void {
  const all = document.placements.flatMap(({ layers }) => layers.map((each, index) => ({ layers, index, each })))
  const [target, second] = [all[one % Math.max(1, all.length)], all[other % Math.max(1, all.length)]]
  const area = document.placements[other % document.placements.length]
  if (kind === 'placements') document.placements.reverse()
  if (kind === 'add') area?.layers.splice(one % (area.layers.length + 1), 0, normalizedLayer(layer(id)))
  if (target === undefined || second === undefined) return
  const { layers, index, each } = target
  const open = each as unknown as Record<string, unknown>
  if (kind === 'remove') layers.splice(index, 1)
  if (kind === 'reorder') layers.splice(other % layers.length, 0, ...layers.splice(index, 1))
  if (kind === 'area') area?.layers.push(...layers.splice(index, 1))
  if (kind === 'rename') each.id = id
  if (kind === 'swapIds') [each.id, second.each.id] = [second.each.id, each.id]
  if (kind === 'field') open[field] = ODD[field] ?? 7
  if (kind === 'unlock') open['lock'] = other % 2 === 0 ? undefined : { move: false }
  if (kind === 'type') layers[index] = normalizedLayer(made({ id: each.id, lock: each.lock ?? {}, type: 'qr' }))
}

const normalizedLayer = (one: LayerInput): Layer => documentOf([one]).placements[0]?.layers[0] ?? assert.fail()

const uniqueIds = ({ placements }: DesignDocument): boolean => {
  const ids = placements.flatMap(({ layers }) => layers.map(({ id }) => id))
  return new Set(ids).size === ids.length
}

const find = ({ placements }: DesignDocument, wanted: string) => {
  for (const { printAreaId, layers } of placements) {
    const index = layers.findIndex(({ id }) => id === wanted)
    if (index !== -1) return { printAreaId, layers, index, layer: layers[index] as unknown as Record<string, unknown> }
  }
  return undefined
}

const NOT_STYLE = new Set([
  'id',
  'lock',
  'x',
  'y',
  'width',
  'height',
  'rotation',
  'text',
  'value',
  'assetId',
  'path',
  'crop',
])

/** States what the locks promise, in another way than the code: by the values before and after. */
function keepsPromises(before: DesignDocument, after: DesignDocument): boolean {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const on = (lock: unknown) =>
    ['move', 'edit', 'style', 'remove'].filter((name) => (lock as LayerLock)?.[name as never])
  return before.placements
    .flatMap(({ layers }) => layers)
    .every(({ id }) => {
      const [old, now] = [find(before, id) ?? assert.fail(), find(after, id)]
      const locks = on(old.layer['lock'])
      if (now === undefined) return !locks.includes('remove')
      const keeps = (names: string[]) => names.every((name) => same(old.layer[name], now.layer[name]))
      const styles = Object.keys({ ...old.layer, ...now.layer }).filter((name) => !NOT_STYLE.has(name))
      const below = (place: typeof old, rest: typeof old) =>
        place.layers.slice(0, place.index).filter((one) => rest.layers.some((another) => another.id === one.id))
      const ids = (layers: Layer[]) => layers.map((one) => one.id).sort()
      return (
        same(locks, on(now.layer['lock'])) &&
        (!locks.includes('style') || keeps(styles)) &&
        (!locks.includes('edit') || keeps(['text', 'value', 'assetId', 'path', 'crop'])) &&
        (!locks.includes('move') ||
          (keeps(['x', 'y', 'width', 'height', 'rotation']) &&
            old.printAreaId === now.printAreaId &&
            same(ids(below(old, now)), ids(below(now, old)))))
      )
    })
}

test('no reordering, renaming, removing or replacing gets around a lock, and nothing else is refused', () => {
  const seen = { accepted: 0, refused: 0 }
  const layers = fc.uniqueArray(layerArbitrary, { minLength: 2, maxLength: 5, selector: ({ id }) => id })
  fc.assert(
    fc.property(layers, fc.nat(3), fc.array(hostileEdit, { minLength: 1, maxLength: 4 }), (list, cut, edits) => {
      const before = documentOf(list.slice(cut).map(made), list.slice(0, cut).map(made))
      const after = structuredClone(before)
      for (const edit of edits) attack(after, edit)
      fc.pre(uniqueIds(after))
      const isAccepted = findBrokenLocks(before, after).length === 0
      seen[isAccepted ? 'accepted' : 'refused'] += 1
      assert.equal(isAccepted, keepsPromises(before, after))
    }),
    { numRuns: 3000 },
  )
  assert.ok(seen.accepted > 300 && seen.refused > 300, JSON.stringify(seen))
})
