import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Value } from 'typebox/value'
import type { JsonPatch, PreflightIssue } from '../checks/issue.ts'
import type { DesignDocument, PrintArea } from '../document/design-document.ts'
import type { Layer } from '../document/layer-types.ts'
import { DesignDocumentSchema } from '../document/schema/design-document.ts'
import { GENERATED_ASSETS, generatedDesigns } from '../documents.fixture.ts'
import { a6, documentOf, faultsOf, fonts, imageLayer, qrLayer, shapeLayer, textLayer } from '../factory.ts'
import { preflight } from './preflight.ts'

function check(document: DesignDocument, printAreas: readonly PrintArea[] = [a6], data = {}): PreflightIssue[] {
  return preflight({ document, product: { status: 'active', printAreas }, assets: GENERATED_ASSETS, fonts, data })
    .issues
}

// Applies a patch (RFC 6902). Fixes use only `replace`, which requires an existing value.
function patched(document: DesignDocument, patch: JsonPatch): DesignDocument {
  const copy = structuredClone(document)
  for (const { op, path, value } of patch) {
    assert.equal(op, 'replace')
    const keys = path.split('/').slice(1)
    const last = keys.pop() ?? ''
    const target = keys.reduce<Record<string, unknown>>(
      (at, key) => at[key] as Record<string, unknown>,
      copy as unknown as Record<string, unknown>,
    )
    assert.ok(Object.hasOwn(target, last), path)
    target[last] = value
  }
  return copy
}

// Names an issue by its layer, severity and code.
function placeOf({ severity, code, pointer }: PreflightIssue): string {
  return `${pointer.split('/').slice(0, 5).join('/')} ${severity} ${code}`
}

/**
 * Returns the document with the fix of an issue applied. Checks that the fix resolves the issue and causes no other
 * issue.
 */
function holding(document: DesignDocument, issue: PreflightIssue, areas: readonly PrintArea[]): DesignDocument {
  const fixed = patched(document, issue.fix ?? [])
  assert.ok(Value.Check(DesignDocumentSchema, fixed))
  assert.deepEqual(faultsOf(fixed), [])
  const before = new Set(check(document, areas).map(placeOf))
  const after = check(fixed, areas).map(placeOf)
  assert.ok(!after.includes(placeOf(issue)), `${placeOf(issue)} is still there`)
  assert.deepEqual(
    after.filter((place) => !before.has(place)),
    [],
    `fixing ${placeOf(issue)} raised others`,
  )
  return fixed
}

test('every fix resolves its issue, causes no other issue and keeps the document valid', () => {
  fc.assert(
    fc.property(generatedDesigns, ({ document, printAreas }) => {
      for (const issue of check(document, printAreas)) {
        if (issue.fix !== undefined) holding(document, issue, printAreas)
      }
    }),
    { numRuns: 100 },
  )
})

test('applying fixes one after another ends with no fixable issue left', () => {
  fc.assert(
    fc.property(generatedDesigns, ({ document, printAreas }) => {
      let [current, issues] = [document, check(document, printAreas)]
      const most = issues.length
      for (let steps = 0; ; steps++) {
        const issue = issues.find(({ fix }) => fix !== undefined)
        if (issue === undefined) return
        assert.ok(steps < most, 'each step resolves an issue')
        current = holding(current, issue, printAreas)
        issues = check(current, printAreas)
      }
    }),
    { numRuns: 40 },
  )
})

/** Returns the new values of the fixes for a layer, by issue code. */
function fixesOf(layer: Layer, area: Partial<PrintArea> = {}): Record<string, unknown> {
  const areas = [{ ...a6, ...area }]
  const document = documentOf(layer)
  const issues = check(document, areas).filter(({ fix }) => fix !== undefined)
  for (const issue of issues) holding(document, issue, areas)
  const values = (fix: JsonPatch) =>
    Object.fromEntries(fix.map(({ path, value }) => [path.split('/').slice(5).join('/'), value]))
  return Object.fromEntries(issues.map(({ code, fix }) => [code, values(fix ?? [])]))
}

test('every issue that needs no decision of the customer has a fix', () => {
  const thin = { color: '#000000', widthMm: 0.05 }
  const fixed = {
    bleed_missing: shapeLayer({ x: 0 }),
    font_unknown: textLayer({ fontFamily: 'Papyrus' }),
    image_resolution_low: imageLayer({ x: 10, width: 90 }),
    layer_outside_print_area: shapeLayer({ x: 300 }),
    line_too_thin: shapeLayer({ stroke: thin }),
    outside_safe_area: textLayer({ x: 1 }),
    qr_contrast_low: qrLayer({ color: '#DDDDDD' }),
    qr_too_small: qrLayer({ width: 5, height: 5 }),
    qr_value_too_long: qrLayer({ value: 'x'.repeat(1500), errorCorrection: 'H', x: 5, y: 5, width: 90, height: 90 }),
    text_overflow: textLayer({ height: 2 }),
    text_too_small: textLayer({ fontSizePt: 3 }),
  }
  for (const [code, layer] of Object.entries(fixed)) assert.ok(code in fixesOf(layer), code)
  assert.deepEqual(fixesOf(fixed.font_unknown), { font_unknown: { fontFamily: 'Inter' } })
  assert.deepEqual(fixesOf(fixed.line_too_thin), { line_too_thin: { 'stroke/widthMm': 0.089 } })
})

test('a text is moved, or gets a larger box or smaller letters, so that no other issue arises', () => {
  assert.deepEqual(fixesOf(textLayer({ x: 1 })), { outside_safe_area: { x: 4 } })
  assert.deepEqual(fixesOf(textLayer({ height: 2, fontSizePt: 10 })), { text_overflow: { height: 4.234 } })
  const low = textLayer({ text: 'one\ntwo', y: 136, height: 5, fontSizePt: 12 })
  assert.deepEqual(fixesOf(low), { text_overflow: { height: 10.16 }, outside_safe_area: { y: 133.84 } })
})

test('text that does not fit the card becomes smaller, also if it is rotated', () => {
  const page = { text: 'Many words. '.repeat(30), x: 4, y: 4, width: 97, height: 140, fontSizePt: 40 }
  for (const rotation of [0, 90, 180]) {
    const fix = fixesOf(textLayer({ ...page, rotation }))['outside_safe_area'] as Record<string, number>
    assert.ok((fix['fontSizePt'] ?? 0) > 15 && (fix['fontSizePt'] ?? 0) < 25, `${fix['fontSizePt']}`)
  }
  const slanted = fixesOf(textLayer({ ...page, rotation: 20 }))['outside_safe_area'] as Record<string, number>
  assert.ok((slanted['fontSizePt'] ?? 0) >= 7)
})

test('text in a box wider than the card gets lines that fit', () => {
  const line = textLayer({
    text: 'one two three four five six seven eight nine ten',
    width: 300,
    fontSizePt: 20,
    height: 9,
  })
  const fix = fixesOf(line)['outside_safe_area'] as Record<string, number>
  assert.equal(fix['width'], 97)
  assert.equal(fix['x'], 4)
  assert.ok((fix['height'] ?? 0) > 9)
})

test('a background is enlarged to the bleed, also if rotated, and a small layer at the edge is moved inside', () => {
  const card = { x: 0, y: 0, width: 105, height: 148 }
  assert.deepEqual(fixesOf(shapeLayer(card)), { bleed_missing: { x: -3, y: -3, width: 111, height: 154 } })
  assert.deepEqual(fixesOf(shapeLayer({ x: -21.5, y: 21.5, width: 148, height: 105, rotation: 90 })), {
    bleed_missing: { x: -24.5, y: 18.5, width: 154, height: 111 },
  })
  const line = { color: '#000000', widthMm: 1 }
  assert.deepEqual(fixesOf(shapeLayer({ shape: 'line', x: 0, y: 20, width: 0, height: 50, stroke: line })), {
    bleed_missing: { x: 4.5 },
  })
  const round = { widthMm: 60, heightMm: 60, shape: 'ellipse' } as const
  assert.deepEqual(fixesOf(shapeLayer({ shape: 'ellipse', x: 0, y: 0, width: 60, height: 60 }), round), {
    bleed_missing: { x: -3, y: -3, width: 66, height: 66 },
  })
})

test('an image is shrunk to the resolution it has, around its centre', () => {
  const fix = fixesOf(imageLayer({ x: 10, y: 10, width: 80, height: 62.222, assetId: 'photo' }))['image_resolution_low']
  assert.deepEqual(fix, { x: 11.9, y: 11.478, width: 76.2, height: 59.266 })
})

test('a code is enlarged, moved inside if there is no room, or encoded with less error correction', () => {
  assert.deepEqual(fixesOf(qrLayer({ x: 20, y: 20, width: 9.55, height: 9.55 })), {
    qr_too_small: { x: 19, y: 19, width: 11.55, height: 11.55 },
  })
  assert.deepEqual(fixesOf(qrLayer({ x: 4, y: 4, width: 9.55, height: 9.55 })), {
    qr_too_small: { width: 11.55, height: 11.55 },
  })
  const long = qrLayer({ value: 'x'.repeat(1500), errorCorrection: 'H', x: 5, y: 5, width: 90, height: 90 })
  assert.deepEqual(fixesOf(long), { qr_value_too_long: { errorCorrection: 'Q' } })
  const label = { widthMm: 20, heightMm: 20, safeMarginMm: 3, required: false }
  const code = qrLayer({ x: 3, y: 3, width: 14, height: 14, value: 'x'.repeat(40), errorCorrection: 'H' })
  assert.deepEqual(fixesOf(code, label), { qr_too_small: { errorCorrection: 'M' } })
})

test('no fix changes the text or image of a customer', () => {
  for (const layer of [
    textLayer({ text: '\u{10FFFD}' }),
    imageLayer({ assetId: 'gone' }),
    shapeLayer({ shape: 'path', path: 'M' }),
  ]) {
    assert.deepEqual(fixesOf(layer), {})
  }
  const filled = textLayer({ text: '{{name}}', fontSizePt: 6 })
  const [issue] = check(documentOf(filled), [a6], { name: 'Ada' })
  const fix = [{ op: 'replace', path: '/placements/0/layers/0/fontSizePt', value: 7 }]
  assert.deepEqual(issue?.fix, fix)
  // A value that contains braces is ordinary text. Its braces are not a placeholder.
  const odd = { name: '{{long}}', long: 'Long text '.repeat(200) }
  assert.deepEqual(check(documentOf(filled), [a6], odd)[0]?.fix, fix)
})

test('a shape is not moved under a code that would then be unreadable', () => {
  const outside = shapeLayer({ id: 'dark', x: 200, y: 20, width: 60, height: 60, fill: '#222222' })
  const code = (background: string) => qrLayer({ x: 60, y: 30, width: 30, height: 30, background })
  const fixWith = (background: string) => check(documentOf(outside, code(background)))[0]?.fix
  assert.deepEqual(fixWith('#FFFFFF'), [{ op: 'replace', path: '/placements/0/layers/0/x', value: 40.999 }])
  assert.equal(fixWith('#FFFFFF00'), undefined)
})

test('the search for fixes is bounded: a document full of faults gets some fixes and a timely report', () => {
  const text = 'Many words that overflow their box. '.repeat(2)
  const layers = Array.from({ length: 200 }, (_, i) =>
    textLayer({
      id: `t${i}`,
      text: `${i} ${text}`,
      x: 90,
      width: 3,
      height: 1,
      rotation: i % 2 ? 0 : 90,
      fontSizePt: 30,
    }),
  )
  const issues = check(documentOf(...layers)).filter(({ code }) => code === 'text_overflow')
  assert.equal(issues.length, 200)
  const fixed = issues.filter(({ fix }) => fix !== undefined).length
  assert.ok(fixed > 10 && fixed < 200, `${fixed}`)
})

test('a report without fixes has the same issues, and spends no effort on fixes', () => {
  const document = documentOf(textLayer({ text: 'Many words that overflow their box.', width: 10, height: 5 }))
  const input = { document, product: { status: 'active', printAreas: [a6] }, assets: GENERATED_ASSETS, fonts }
  const withFixes = preflight(input).issues
  assert.ok(withFixes.some(({ fix }) => fix !== undefined))
  const bare = withFixes.map(({ fix: _, ...issue }) => issue)
  assert.deepEqual(preflight({ ...input, withFixes: false }).issues, bare)
})
