import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { a6, documentOf, faultsOf, imageLayer, qrLayer, shapeLayer, textLayer } from '../factory.ts'
import { checkDocument } from './check-document.ts'
import { normalizeDocument } from './normalize.ts'
import { fillPlaceholders, listPlaceholders } from './placeholders.ts'
import { DesignDocumentSchema } from './schema/design-document.ts'
import { ImageLayerSchema } from './schema/image-layer.ts'
import { DOCUMENT_LIMITS } from './schema/limits.ts'
import { QrLayerSchema } from './schema/qr-layer.ts'
import { ShapeLayerSchema } from './schema/shape-layer.ts'
import { TextLayerSchema } from './schema/text-layer.ts'

// Validates with the schema as requests do: in the validator of Fastify with the settings of the API.
const app = Fastify({
  ajv: {
    customOptions: {
      allErrors: true,
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: true,
      discriminator: true,
    },
  },
})
app.post('/', { schema: { body: DesignDocumentSchema }, attachValidation: true }, (request) =>
  (request.validationError?.validation ?? []).map(
    ({ instancePath, message }: { instancePath: string; message?: string }) => `${instancePath} ${message}`,
  ),
)

async function faults(document: unknown): Promise<string[]> {
  const answer = await app.inject({ method: 'POST', url: '/', payload: document as object })
  assert.equal(answer.statusCode, 200)
  return answer.json()
}

const smallText = {
  id: 't',
  type: 'text',
  x: 0,
  y: 0,
  width: 1,
  height: 1,
  text: '',
  fontFamily: 'Inter',
  fontSizePt: 9,
}

function placing(layer: object): object {
  return { version: 1, placements: [{ printAreaId: 'front', layers: [layer] }] }
}

test('accepts layers of every type with and without their optional fields', async () => {
  const full = documentOf(
    textLayer(),
    imageLayer({ crop: { x: 0, y: 0.5, width: 1, height: 0.5 }, flipX: true }),
    shapeLayer({ cornerRadius: 2, stroke: { color: '#11223344', widthMm: 1, dashMm: [2, 1] } }),
    qrLayer(),
  )
  assert.deepEqual(await faults(full), [])
  assert.deepEqual(await faults(placing(smallText)), [])
  assert.deepEqual(await faults({ version: 1, placements: [] }), [])
})

test('reports only the fault in the layer of the stated type', async () => {
  assert.deepEqual(await faults(placing({ ...smallText, fontSizePt: 'big' })), [
    '/placements/0/layers/0/fontSizePt must be number',
  ])
  const [unknownType] = await faults(placing({ ...smallText, type: 'video' }))
  assert.match(unknownType ?? '', /^\/placements\/0\/layers\/0 /)
})

for (const [what, fields] of Object.entries({
  'an unknown field': { shadow: 1 },
  'a field of another type': { assetId: 'x' },
  'a size of 0': { width: 0 },
  'a size beyond 10 m': { height: 10_000.001 },
  'an id with a slash': { id: 'a/b' },
  'a named colour': { color: 'red' },
  'a colour without #': { color: '112233' },
  'a NUL in a text': { text: 'a\0b' },
  'half a surrogate pair in a text': { text: 'a\ud800b' },
  'a weight of 950': { fontWeight: 950 },
  'an unknown alignment': { align: 'start' },
  'an opacity over 1': { opacity: 1.01 },
  'a text that is too long': { text: 'x'.repeat(DOCUMENT_LIMITS.textLength + 1) },
})) {
  test(`refuses ${what}`, async () => {
    assert.equal((await faults(placing({ ...smallText, ...fields }))).length, 1)
  })
}

test('a surrogate pair is one character and not a fault', async () => {
  assert.deepEqual(await faults(placing({ ...smallText, text: '😀'.repeat(10) })), [])
})

test('normalizing fills every default and is idempotent', () => {
  const once = normalizeDocument(placing(smallText) as never)
  assert.deepEqual(once.placements[0]?.layers[0], {
    ...smallText,
    rotation: 0,
    opacity: 1,
    fontWeight: 400,
    fontStyle: 'normal',
    color: '#000000',
    align: 'left',
    verticalAlign: 'top',
    lineHeight: 1.2,
    letterSpacing: 0,
  })
  assert.deepEqual(normalizeDocument(once), once)
  const all = documentOf(textLayer(), imageLayer(), shapeLayer({ stroke: { color: '#000000', widthMm: 1 } }), qrLayer())
  assert.deepEqual(normalizeDocument(all), all)
})

// Normalizing does not read the schema, which would otherwise be a part of every page with an editor.
test('normalizing keeps every field of the schema of each layer type, in its order', () => {
  for (const { properties } of [TextLayerSchema, ImageLayerSchema, ShapeLayerSchema, QrLayerSchema]) {
    const given = Object.fromEntries(Object.keys(properties).map((field) => [field, 'x']))
    const document = normalizeDocument(placing({ ...given, type: properties.type.const }) as never)
    const { id: _, type: __, ...fields } = properties
    assert.deepEqual(Object.keys(document.placements[0]?.layers[0] ?? {}), ['id', 'type', ...Object.keys(fields)])
  }
})

test('normalizing removes float noise from lengths and does not change its input', () => {
  const given = placing({ ...smallText, x: 0.1 + 0.2, y: -1e-9 })
  const copy = structuredClone(given)
  const layer = normalizeDocument(given as never).placements[0]?.layers[0]
  assert.equal(layer?.x, 0.3)
  assert.ok(Object.is(layer?.y, 0))
  assert.deepEqual(given, copy)
  assert.deepEqual(checkDocument(given as never), [])
})

test('reports faults that a schema cannot express, each with its pointer', () => {
  const problems = checkDocument({
    version: 1,
    placements: [
      { printAreaId: 'front', layers: [textLayer({ id: 'a' }), textLayer({ id: 'a', x: 1.2345 })] },
      {
        printAreaId: 'front',
        layers: [
          textLayer({ id: 'b', rotation: Number.NaN }),
          imageLayer({ crop: { x: 0.5, y: 0, width: 0.6, height: 1 } }),
          shapeLayer({ width: 0 }),
          shapeLayer({ id: 'line', shape: 'line', width: 0, height: 0 }),
          shapeLayer({ id: 'dash', stroke: { color: '#000000', widthMm: 1, dashMm: [0, 0] } }),
          shapeLayer({ id: 'fine', shape: 'line', height: 0 }),
        ],
      },
    ],
  })
  assert.deepEqual(
    problems.map(({ code, pointer }) => `${code} ${pointer}`),
    [
      'duplicate_layer_id /placements/0/layers/1/id',
      'too_many_decimals /placements/0/layers/1/x',
      'duplicate_print_area /placements/1/printAreaId',
      'number_not_finite /placements/1/layers/0/rotation',
      'crop_outside_image /placements/1/layers/1/crop',
      'size_not_positive /placements/1/layers/2/width',
      'size_not_positive /placements/1/layers/3/width',
      'dash_without_length /placements/1/layers/4/stroke/dashMm',
    ],
  )
})

test('a size that rounds to 0 is not positive', () => {
  const tiny = 5e-324
  const places = (layer: Parameters<typeof documentOf>[0]) =>
    checkDocument(documentOf(layer)).map(({ code, pointer }) => `${code} ${pointer}`)
  const raw = <Kind extends object>(layer: Kind, fields: object): Kind => ({ ...layer, ...fields })
  assert.deepEqual(places(raw(textLayer(), { width: tiny })), ['size_not_positive /placements/0/layers/0/width'])
  assert.deepEqual(places(raw(imageLayer(), { height: 1e-7 })), ['size_not_positive /placements/0/layers/0/height'])
  assert.deepEqual(places(raw(qrLayer(), { height: 1e-7 })), ['size_not_positive /placements/0/layers/0/height'])
  assert.deepEqual(places(raw(shapeLayer(), { stroke: { color: '#000000', widthMm: tiny, dashMm: [tiny] } })), [
    'size_not_positive /placements/0/layers/0/stroke/widthMm',
    'dash_without_length /placements/0/layers/0/stroke/dashMm',
  ])
})

test('the limits of layers and of text length apply to the whole document, and not to each placement', () => {
  const layers = Array.from({ length: 101 }, (_, i) => textLayer({ id: `l${i}`, text: 'x'.repeat(100) }))
  const twice = {
    version: 1 as const,
    placements: [
      { printAreaId: a6.id, layers },
      { printAreaId: 'back', layers: layers.map((layer) => ({ ...layer, id: `${layer.id}b` })) },
    ],
  }
  assert.deepEqual(
    checkDocument(twice).map(({ code }) => code),
    ['too_many_layers', 'too_much_text'],
  )
  twice.placements[1]?.layers.splice(99)
  assert.deepEqual(checkDocument(twice), [])
  const codes = Array.from({ length: 11 }, (_, i) => qrLayer({ id: `c${i}`, value: 'x'.repeat(2_000) }))
  assert.deepEqual(
    checkDocument(documentOf(...codes)).map(({ code }) => code),
    ['too_much_text'],
  )
})

test('counts the dashes of all strokes, and names the stroke with most of them', () => {
  const dashed = (id: string, fields: object, dashMm: number[]) =>
    shapeLayer({ id, width: 100, height: 100, stroke: { color: '#000000', widthMm: 1, dashMm }, ...fields })
  const places = (...layers: Parameters<typeof documentOf>) =>
    faultsOf(documentOf(...layers)).map(({ code, pointer }) => `${code} ${pointer}`)
  const refused = (index: number) => [`too_many_dashes /placements/0/layers/${index}/stroke/dashMm`]
  // An outline of 400 mm with a dash every 0.02 mm has exactly the allowed number of dashes.
  assert.deepEqual(places(dashed('full', {}, [0.01])), [])
  assert.deepEqual(places(dashed('full', {}, [0.01, 0.01])), [])
  assert.deepEqual(places(dashed('a', {}, [1]), dashed('b', {}, [0.01]), dashed('c', {}, [2])), refused(1))
  assert.deepEqual(places(dashed('e', { shape: 'ellipse' }, [0.002])), refused(0))
  assert.deepEqual(places(dashed('l', { shape: 'line' }, [0.002])), refused(0))
  for (const path of ['M0 0H50V50Z', 'M0 0C100 0 100 100 0 100', 'M0 0H9M9 9A30 30 0 0 1 69 9', 'M0 0H1e6']) {
    assert.deepEqual(places(dashed('p', { shape: 'path', path }, [0.002])), refused(0), path)
    assert.deepEqual(places(dashed('p', { shape: 'path', path }, [100])), [], path)
  }
  assert.deepEqual(places(dashed('far', { shape: 'path', path: 'M0 0M900000 0H900001' }, [0.002])), [])
  assert.deepEqual(places(shapeLayer({ width: 9_999, height: 9_999, stroke: { color: '#000000', widthMm: 1 } })), [])
})

test('counts the path data of all shapes, names the longest, and does not read paths above the limit', () => {
  const path = (id: string, characters: number, fields: object = {}) =>
    shapeLayer({ id, shape: 'path', path: `M0 0${'h'.repeat(characters - 4)}`, ...fields })
  const places = (...layers: Parameters<typeof documentOf>) =>
    faultsOf(documentOf(...layers)).map(({ code, pointer }) => `${code} ${pointer}`)
  const full = [path('a', 60_000), path('b', 65_000), path('c', 60_000), path('d', 15_000)]
  assert.deepEqual(places(...full), [])
  assert.deepEqual(places(...full, path('e', 5)), ['too_much_path_data /placements/0/layers/1/path'])
  // A rectangle does not draw its path data, but the data count towards the limit.
  assert.deepEqual(places(...full, path('e', 5, { shape: 'rect' })), ['too_much_path_data /placements/0/layers/1/path'])
  const long = 'M0 0H1e6'.padEnd(60_000)
  const dashed = ['a', 'b', 'c', 'd'].map((id) =>
    shapeLayer({ id, shape: 'path', path: long, stroke: { color: '#000000', widthMm: 1, dashMm: [0.002] } }),
  )
  assert.deepEqual(places(...dashed), ['too_much_path_data /placements/0/layers/0/path'])
})

test('lists placeholders of texts and QR values once each, and fills those with a value', () => {
  const document = documentOf(
    textLayer({ text: 'Dear {{ name }}, {{greeting}} {{}} {{a  b}}' }),
    qrLayer({ value: 'https://example.org/{{code}}/{{name}}' }),
    imageLayer(),
  )
  assert.deepEqual(listPlaceholders(document), ['name', 'greeting', 'code'])
  assert.equal(fillPlaceholders('{{ name }} {{other}}', { name: '$& {{other}}' }), '$& {{other}} {{other}}')
  assert.equal(fillPlaceholders('{{constructor}}', {}), '{{constructor}}')
})

test('names of placeholders may be in any script, with single spaces, up to 64 characters', () => {
  const names = (text: string) => listPlaceholders(documentOf(textLayer({ text })))
  for (const name of [
    'first name',
    'Größe',
    'ä',
    'Gro\u0308ße',
    'नाम',
    'الاسم الأول',
    '名前',
    '٣',
    '𝒳𠮷',
    'a.b-c_d',
    'x'.repeat(64),
  ]) {
    assert.deepEqual(names(`{{${name}}}`), [name])
    assert.deepEqual(names(`{{ \t${name}\n}}`), [name], 'white space at the ends is not of the name')
    assert.equal(fillPlaceholders(`<{{ ${name} }}>`, { [name]: '1' }), '<1>')
  }
  for (const text of [
    '{{a\nb}}',
    '{{a\tb}}',
    '{{a  b}}',
    '{{a\u00a0b}}',
    '{{a!}}',
    '{{😀}}',
    '{{}}',
    '{{ }}',
    '{a}',
    '{{a}',
    `{{${'x'.repeat(65)}}}`,
  ]) {
    assert.deepEqual(names(text), [], JSON.stringify(text))
  }
  assert.deepEqual(names(`{{${'𝒳'.repeat(64)}}}`), ['𝒳'.repeat(64)])
  assert.deepEqual(names(`{{${'a '.repeat(32)}a}}`), [], 'spaces count')
})

test('names that JSON bodies may not contain are not placeholders, and inherited members fill no placeholder', () => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    for (const text of [`{{${name}}}`, `{{ ${name} }}`]) {
      assert.deepEqual(listPlaceholders(documentOf(textLayer({ text }))), [])
      assert.equal(fillPlaceholders(text, JSON.parse(`{"${name}":"x"}`)), text)
    }
  }
  for (const name of ['toString', 'hasOwnProperty', '__defineGetter__']) {
    assert.equal(fillPlaceholders(`{{${name}}}`, {}), `{{${name}}}`)
    assert.equal(fillPlaceholders(`{{${name}}}`, { [name]: 'x' }), 'x')
  }
  assert.deepEqual(listPlaceholders(documentOf(textLayer({ text: '{{constructor name}}' }))), ['constructor name'])
})
