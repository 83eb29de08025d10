import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { PreflightIssue } from '@platen/drawing'
import { createTranslator } from '../../../../ui/src/i18n/translator.ts'
import { ISSUE_TEXTS, issueText } from './issue-texts.ts'

const names = { layer: 'Title', side: 'Front' }
const issueOf = (issue: Partial<PreflightIssue>): PreflightIssue => ({
  ...{ code: 'text_too_small', severity: 'error', pointer: '/placements/0/layers/0', message: 'Own words.' },
  ...issue,
})

for (const language of ['en', 'de']) {
  const file = new URL(`../../../../ui/messages/${language}.json`, import.meta.url)
  const { editor } = JSON.parse(await readFile(file, 'utf8'))
  const { text } = createTranslator(language, editor, editor)

  test(`every issue has words with its values in ${language}`, () => {
    for (const code of Object.keys(ISSUE_TEXTS) as PreflightIssue['code'][]) {
      for (const severity of ['error', 'warning'] as const) {
        const words = issueText(issueOf({ code, severity, measured: 3, limit: 7, unit: 'pt' }), names, text, language)
        assert.ok(words.length > 20, `${code}: ${words}`)
        assert.doesNotMatch(words, /[{}]|undefined|NaN/, code)
      }
    }
  })

  test(`values are written as in ${language}`, () => {
    const small = issueText(issueOf({ measured: 3.5, limit: 7, unit: 'pt' }), names, text, language)
    assert.ok(small.includes(language === 'de' ? '3,5\u00a0pt' : '3.5\u00a0pt'), small)
  })
}

test('a resolution just below its target is not called soft, and is never shown as the target', async () => {
  const { editor } = JSON.parse(await readFile(new URL('../../../../ui/messages/en.json', import.meta.url), 'utf8'))
  const { text } = createTranslator('en', editor, editor)
  const wordsAt = (measured: number) =>
    issueText(
      issueOf({ code: 'image_resolution_low', severity: 'warning', measured, limit: 300, unit: 'dpi' }),
      ...([names, text, 'en'] as const),
    )
  assert.match(wordsAt(297), /slightly softer than it could: 297\u00a0dpi of 300\u00a0dpi/)
  assert.match(wordsAt(299.7), /299\u00a0dpi of 300\u00a0dpi/)
  assert.match(wordsAt(200), /may look soft: 200\u00a0dpi instead of 300\u00a0dpi/)
})

test('an issue of a later version has the words of the service', () => {
  const issue = issueOf({ code: 'ink_too_wet' as never })
  assert.equal(
    issueText(issue, names, () => '', 'en'),
    'Own words.',
  )
})
