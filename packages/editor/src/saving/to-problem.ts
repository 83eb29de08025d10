import type { PreflightReport } from '@platen/client'
import { findRule, PRODUCT_UNAVAILABLE, type ProblemRule, ruleOf } from './problems.ts'
import type { DesignContent, SaveProblem } from './saving-types.ts'

/** The members of an error of the client that decide what follows. Errors of functions of the page have none. */
interface ErrorMembers {
  code?: unknown
  status?: unknown
  detail?: unknown
  pointer?: unknown
  errors?: unknown
  headers?: unknown
  used?: unknown
  quota?: unknown
  designStatus?: unknown
}

interface Fault {
  code?: unknown
  pointer?: unknown
  detail?: unknown
}

export function codeOf(error: unknown): string {
  const { code } = membersOf(error)
  return typeof code === 'string' ? code : 'unknown'
}

/** Returns the status of the design that an error states; undefined if it states none. */
export function designStatusOf(error: unknown): string | undefined {
  const { designStatus } = membersOf(error)
  return typeof designStatus === 'string' ? designStatus : undefined
}

/** Whether the request may have had an effect: a response was lost, or is not from the service. */
export function isOutcomeUnknown(error: unknown): boolean {
  const { status } = membersOf(error)
  return typeof status !== 'number' || (status >= 500 && status !== 503) || codeOf(error) === 'unexpected_response'
}

/** Returns the milliseconds that the service asks to wait. */
export function retryAfterMs(error: unknown): number | undefined {
  const { headers } = membersOf(error)
  const value = headers instanceof Headers ? headers.get('retry-after') : null
  if (value === null || value === '') return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

export interface ProblemContext {
  /** What was sent. Pointers lead into it. */
  content: DesignContent
  /** Whether the journal has the changes. */
  isKept: boolean
}

/** Explains why a save failed. The codes of its faults say more than that of the response. */
export function toProblem(error: unknown, { content, isKept }: ProblemContext): SaveProblem {
  const { status, errors, used, quota } = membersOf(error)
  const faults = Array.isArray(errors) ? errors.map((fault: unknown): Fault => membersOf(fault)) : []
  const fault = faults.find((one) => findRule(partOf(one)) !== undefined) ?? faults[0] ?? membersOf(error)
  const rule = ruleFor(error, typeof status === 'number' ? status : undefined)
  const detail = detailOf(error, fault)
  const pointer = typeof fault.pointer === 'string' ? fault.pointer : undefined
  const layerId = pointer === undefined ? undefined : layerAt(content, pointer)
  return {
    code: codeOf(error),
    ...(rule.behaviour === 'change' ? (findRule(partOf(fault)) ?? rule) : rule),
    detail,
    ...(pointer === undefined ? {} : { pointer }),
    ...(layerId === undefined ? {} : { layerId }),
    values: { kept: isKept ? 'yes' : 'no', detail, used: megabytes(used), quota: megabytes(quota) },
    ...(error instanceof Error ? { error } : {}),
  }
}

/** Returns the warning of a saved design whose product can no longer be ordered. */
export function warningOf(report: Pick<PreflightReport, 'issues'>): SaveProblem | undefined {
  const issue = report.issues.find(({ code }) => code === PRODUCT_UNAVAILABLE.code)
  if (issue === undefined) return undefined
  return { ...PRODUCT_UNAVAILABLE, behaviour: 'warn', detail: issue.message, values: {} }
}

/** A design that is being finalized becomes a draft again if that fails, so the save waits. */
function ruleFor(error: unknown, status: number | undefined): ProblemRule {
  const designStatus = designStatusOf(error)
  if (designStatus === 'finalizing') return ruleOf('design_finalizing', status)
  if (designStatus === 'archived') return ruleOf('design_archived', status)
  return ruleOf(codeOf(error), status)
}

/** The schema limits the layers of a print area, and the service those of the document. For the customer, both are one. */
function partOf({ code, pointer }: Fault): unknown {
  return typeof pointer === 'string' && pointer.endsWith('/layers') ? 'too_many_layers' : code
}

const megabytes = (bytes: unknown): number => (typeof bytes === 'number' ? Math.ceil(bytes / 1e6) : 0)

function membersOf(error: unknown): ErrorMembers & Fault {
  return typeof error === 'object' && error !== null ? error : {}
}

function detailOf(error: unknown, fault: Fault): string {
  const { detail } = membersOf(error)
  if (typeof fault.detail === 'string') return fault.detail
  if (typeof detail === 'string') return detail
  return error instanceof Error ? error.message : String(error)
}

/** Finds the layer to which a JSON Pointer leads, such as `/document/placements/0/layers/3/text`. */
function layerAt({ document }: DesignContent, pointer: string): string | undefined {
  const [, placement, layer] = /^\/document\/placements\/(\d+)\/layers\/(\d+)/.exec(pointer) ?? []
  return document.placements[Number(placement)]?.layers[Number(layer)]?.id
}
