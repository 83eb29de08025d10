import { httpProblems } from '../http/core/problems.ts'
import type { Problem } from '../problem.ts'

/** The outcome of inspecting an uploaded file. Each `Refusal` is the code of a problem. */
export type Inspection<Info, Refusal extends string> =
  | { outcome: 'accepted'; info: Info }
  | { outcome: Refusal; detail: string }
  /** No process is free, so the file was not inspected. */
  | { outcome: 'busy' }

const RETRY_SECONDS = 3

/**
 * Returns the properties of an accepted file.
 *
 * @throws the problem of a rejected file, `service_unavailable`
 */
export function requireAccepted<Info, Refusal extends string>(
  inspection: Inspection<Info, Refusal>,
  problems: Readonly<Record<Refusal, (detail: string) => Problem>>,
): Info {
  if ('info' in inspection) return inspection.info
  if ('detail' in inspection) throw problems[inspection.outcome](inspection.detail)
  throw httpProblems.service_unavailable({
    detail: 'Too many files are being inspected. Try again later.',
    headers: { 'Retry-After': String(RETRY_SECONDS) },
  })
}
