import type { PreflightReport } from '@platen/drawing'

export function countIssues(report: PreflightReport | undefined): { errors: number; warnings: number } {
  const issues = report?.issues ?? []
  const errors = issues.filter(({ severity }) => severity === 'error').length
  return { errors, warnings: issues.length - errors }
}
