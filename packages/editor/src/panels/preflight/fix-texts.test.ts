import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { normalizeLayer, type PreflightIssue } from '@platen/drawing'
import { createTranslator } from '../../../../ui/src/i18n/translator.ts'
import { rect } from '../../factory.ts'
import { fixText } from './fix-texts.ts'

const file = new URL('../../../../ui/messages/en.json', import.meta.url)
const { editor } = JSON.parse(await readFile(file, 'utf8'))
const { text } = createTranslator('en', editor, editor)

const box = { id: 'a', x: 1, y: 1, width: 20, height: 20 }
const layers = {
  text: normalizeLayer({ ...box, type: 'text', text: 'Words', fontFamily: 'Inter', fontSizePt: 5 }),
  qr: normalizeLayer({ ...box, type: 'qr', value: 'a' }),
  shape: rect('a', { width: 20, height: 20 }),
}

function wordsFor(code: PreflightIssue['code'], type: keyof typeof layers, changes: object, more: object = {}): string {
  const pointer = '/placements/0/layers/0'
  const fix = Object.entries(changes).map(([key, value]) => ({
    op: 'replace' as const,
    path: `${pointer}/${key}`,
    value,
  }))
  return fixText({ code, severity: 'error', pointer, message: code, fix, ...more }, layers[type], text, 'en')
}

test('a fix says what it does, with its values', () => {
  assert.deepEqual(
    [
      wordsFor('outside_safe_area', 'text', { x: 5 }),
      wordsFor('layer_outside_print_area', 'shape', { x: 5, y: 5 }),
      wordsFor('bleed_missing', 'shape', { x: -3, width: 24 }),
      wordsFor('bleed_missing', 'shape', { x: 5 }),
      wordsFor('text_too_small', 'text', { fontSizePt: 7, height: 30 }),
      wordsFor('text_overflow', 'text', { fontSizePt: 4 }),
      wordsFor('text_overflow', 'text', { height: 40 }),
      wordsFor('qr_too_small', 'qr', { width: 25.04, height: 25.04, x: 0, y: 0 }),
      wordsFor('image_resolution_low', 'shape', { width: 10, height: 12.26 }),
      wordsFor('qr_contrast_low', 'qr', { color: '#000000' }),
      wordsFor('qr_contrast_low', 'qr', { background: '#FFFFFF' }),
      wordsFor('qr_contrast_low', 'qr', { color: '#000000', background: '#FFFFFF' }),
      wordsFor('qr_value_too_long', 'qr', { errorCorrection: 'L' }),
      wordsFor('font_unknown', 'text', { fontFamily: 'Inter' }),
      wordsFor('line_too_thin', 'shape', { 'stroke/widthMm': 0.089 }, { limit: 0.25, unit: 'pt' }),
    ],
    [
      'Move inside the safe margin',
      'Move onto the page',
      'Extend into the bleed',
      'Move away from the edge',
      'Make larger to 7\u00a0pt',
      'Make smaller to 4\u00a0pt',
      'Fit the box to the text',
      'Make larger to 25 × 25 mm',
      'Make smaller to 10 × 12.3 mm',
      'Make the code black',
      'Make the background white',
      'Make the code black on white',
      'Use less error correction',
      'Use the font Inter',
      'Make the line 0.25\u00a0pt thick',
    ],
  )
})
