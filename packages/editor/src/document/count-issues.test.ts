import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PreflightIssue, PreflightReport } from '@platen/drawing'
import { emptyState, rect } from '../factory.ts'
import { countIssues, isNotBegun } from './count-issues.ts'

const issue = (code: PreflightIssue['code'], severity: PreflightIssue['severity'] = 'error'): PreflightIssue => ({
  ...{ code, severity, pointer: '/placements', message: code },
})
const reportOf = (...issues: PreflightIssue[]): PreflightReport => ({ ok: issues.length === 0, issues })

test('problems and hints are counted apart', () => {
  const report = reportOf(issue('text_overflow'), issue('text_too_small', 'warning'), issue('bleed_missing', 'warning'))
  assert.deepEqual(countIssues(report), { errors: 1, warnings: 2 })
  assert.deepEqual(countIssues(undefined), { errors: 0, warnings: 0 })
})

test('only a design without any layer, and without another problem, is not begun', () => {
  const empty = emptyState().document
  const isEmpty = reportOf(issue('print_area_empty'))
  assert.equal(isNotBegun(empty, isEmpty), true)
  assert.equal(isNotBegun(emptyState([rect('a')]).document, isEmpty), false)
  assert.equal(isNotBegun(empty, reportOf(issue('print_area_empty'), issue('product_unavailable'))), false)
  assert.equal(isNotBegun(empty, reportOf()), false)
  assert.equal(isNotBegun(empty, undefined), false)
})
