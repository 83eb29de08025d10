import type { DesignDocument, PreflightReport } from '@platen/drawing'

export interface IssueCounts {
  /** Problems that stand in the way of finalizing. */
  errors: number
  /** Hints that do not. */
  warnings: number
}

export function countIssues(report: PreflightReport | undefined): IssueCounts {
  const issues = report?.issues ?? []
  const errors = issues.filter(({ severity }) => severity === 'error').length
  return { errors, warnings: issues.length - errors }
}

/**
 * Tells whether a design has not been begun. Preflight reports its empty sides as errors, but the customer has made no
 * mistake.
 */
export function isNotBegun(document: DesignDocument, report: PreflightReport | undefined): boolean {
  const isEmpty = document.placements.every(({ layers }) => layers.length === 0)
  const issues = report?.issues ?? []
  return isEmpty && issues.length > 0 && issues.every(({ code }) => code === 'print_area_empty')
}
