import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { startService } from '../../../test/harness.ts'
import { preflight } from '../../drawing/engine.ts'
import {
  checkDocument,
  type DesignDocumentInput,
  DesignDocumentSchema,
  normalizeDocument,
} from '../../drawing/index.ts'
import { validatorCompiler } from '../../platform/http/input/validation.ts'
import { SAMPLE_CATALOGUE } from '../../products/sample/catalogue.ts'
import { loadFonts } from '../../rendering/installed-fonts/fonts.ts'
import { documentSchema } from './document-schema.ts'

const DOCS = join(import.meta.dirname, '../../../docs')

// Compiles the schema as a client would: without options, an unknown keyword or format is an error.
const isValid = new Ajv2020().compile(documentSchema())

const judge = validatorCompiler({ schema: DesignDocumentSchema, method: 'POST', url: '/', httpPart: 'body' })
/** Whether the service accepts a document. The validator fills in defaults, so it gets a copy. */
const serviceAccepts = (document: unknown): boolean => judge(structuredClone(document)) === true

const read = async (path: string) => JSON.parse(await readFile(join(DOCS, path), 'utf8'))

test('the committed schema is the one that the service publishes', async () => {
  assert.deepEqual(await read('design-document.schema.json'), documentSchema(), 'run: npm run document-schema')
})

test('the schema is public, and a client that has it gets 304', async (t) => {
  const service = await startService(t)
  const answer = await service.request('GET', '/schemas/design-document.json')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/schema+json; charset=utf-8')
  assert.match(answer.headers.get('cache-control') ?? '', /public, max-age=\d+/)
  assert.deepEqual(JSON.parse(answer.text), documentSchema())
  const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
  assert.equal((await service.request('GET', '/schemas/design-document.json', { headers })).status, 304)
})

/** A document with every field of the schema. */
const FULL: DesignDocumentInput = {
  version: 1,
  placements: [
    {
      printAreaId: 'front',
      layers: [
        {
          id: 'text',
          type: 'text',
          x: 1,
          y: 2,
          width: 30,
          height: 10,
          rotation: 15,
          opacity: 0.5,
          text: 'Hello {{name}}',
          fontFamily: 'Inter',
          fontWeight: 700,
          fontStyle: 'italic',
          fontSizePt: 12,
          color: '#112233',
          align: 'justify',
          verticalAlign: 'middle',
          lineHeight: 1.4,
          letterSpacing: 0.1,
        },
        {
          id: 'image',
          type: 'image',
          x: 1,
          y: 2,
          width: 30,
          height: 10,
          assetId: 'ast_1',
          fit: 'contain',
          crop: { x: 0, y: 0.5, width: 1, height: 0.5 },
          flipX: true,
          flipY: false,
        },
        {
          id: 'shape',
          type: 'shape',
          shape: 'path',
          x: 1,
          y: 2,
          width: 30,
          height: 0,
          path: 'M0 0L9 9',
          cornerRadius: 2,
          fill: '#11223344',
          stroke: { color: '#000000', widthMm: 0.5, dashMm: [2, 1] },
        },
        {
          id: 'qr',
          type: 'qr',
          x: 1,
          y: 2,
          width: 30,
          height: 30,
          value: 'https://example.org',
          errorCorrection: 'H',
          color: '#000000',
          background: '#FFFFFF',
        },
      ],
    },
  ],
}

type Place = { owner: Record<string, unknown>; key: string }

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const owner = value as Record<string, unknown>
  return Object.keys(owner).flatMap((key) => [{ owner, key }, ...placesIn(owner[key])])
}

const odd = fc.oneof(
  fc.constantFrom(
    ...[-1, 0, 1, 0.5, 4, 900, 1_001, 10_000, 10_000.5, -10_000, 1e300],
    ...[
      '',
      'text',
      'image',
      'shape',
      'qr',
      'line',
      'H',
      '#12345',
      '#12345678',
      'a\u0000',
      'a\ud800',
      '😀',
      'x'.repeat(101),
    ],
    ...[null, true, {}, []],
  ),
  fc.jsonValue({ maxDepth: 2 }),
)
const change = fc.record({ place: fc.nat(), how: fc.constantFrom('replace', 'remove', 'add'), value: odd })

test('the schema accepts and refuses the documents that the service accepts and refuses', () => {
  const seen = { accepted: 0, refused: 0 }
  const property = fc.property(fc.array(change, { maxLength: 3 }), (changes) => {
    const document = structuredClone(FULL) as unknown as Record<string, unknown>
    for (const { place, how, value } of changes) {
      const places = placesIn(document)
      const { owner, key } = places[place % places.length] ?? { owner: document, key: 'version' }
      if (how === 'replace') owner[key] = value
      else if (how === 'add') owner[Array.isArray(owner) ? owner.length : 'added'] = value
      else if (Array.isArray(owner)) owner.splice(Number(key), 1)
      else delete owner[key]
    }
    const expected = serviceAccepts(document)
    seen[expected ? 'accepted' : 'refused'] += 1
    assert.equal(isValid(document), expected, JSON.stringify({ document, errors: isValid.errors }))
  })
  fc.assert(property, { numRuns: 1000, seed: 1 })
  assert.ok(seen.accepted > 100 && seen.refused > 100, JSON.stringify(seen))
})

test('every example of the documentation can be finalized for the A6 postcard of the sample catalogue', async () => {
  const { book: fonts } = loadFonts()
  const assets = new Map([['ast_01h455vb4pex5vsknk084sn02q', { widthPx: 2400, heightPx: 1800 }]])
  const { printAreas } = SAMPLE_CATALOGUE.find(({ name }) => name === 'A6 postcard') ?? assert.fail()
  const names = await readdir(join(DOCS, 'examples'))
  const guide = await readFile(join(DOCS, 'DESIGN-DOCUMENT.md'), 'utf8')
  assert.ok(names.length >= 4)
  for (const name of names) {
    const input = (await read(join('examples', name))) as DesignDocumentInput
    assert.ok(isValid(input), `${name}: ${JSON.stringify(isValid.errors)}`)
    assert.deepEqual(checkDocument(input), [], name)
    const product = { status: 'active' as const, printAreas, variantAvailable: true }
    const report = preflight({ document: normalizeDocument(input), product, assets, fonts })
    assert.deepEqual(report, { ok: true, issues: [] }, name)
    assert.ok(guide.includes(`examples/${name}`), `docs/DESIGN-DOCUMENT.md does not name ${name}`)
  }
})

test('the guide names every field of a document, with its default, and every limit', async () => {
  const guide = await readFile(join(DOCS, 'DESIGN-DOCUMENT.md'), 'utf8')
  for (const [title, definition] of Object.entries(documentSchema() as { $defs: Record<string, object> }).flatMap(
    ([key, value]) => (key === '$defs' ? Object.entries(value) : []),
  )) {
    const { properties = {} } = definition as { properties?: Record<string, { default?: unknown }> }
    for (const [field, { default: preset }] of Object.entries(properties)) {
      const row = guide.split('\n').find((line) => line.startsWith('|') && new RegExp(`[\`.]${field}\``).test(line))
      assert.ok(row !== undefined, `${title}.${field} has no row`)
      if (preset !== undefined) assert.ok(row.includes(`\`${String(preset)}\``), `the default of ${title}.${field}`)
    }
  }
})
