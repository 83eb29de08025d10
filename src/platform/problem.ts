import type { TProperties } from 'typebox'

/** One of several errors of a request. */
export interface ProblemDetail {
  /** The stable `snake_case` code of this error. */
  code: string
  /** JSON Pointer (RFC 6901) into the request body. */
  pointer?: string
  /** The name of the query or path parameter, if the error is there. */
  parameter?: string
  /** The name of the header, if the error is there. */
  header?: string
  detail: string
  [extension: string]: unknown
}

export interface ProblemExtras {
  detail?: string
  errors?: ProblemDetail[]
  /** Response headers of this problem, such as `Retry-After`. */
  headers?: Record<string, string>
  members?: Record<string, unknown>
}

/** An error that a client sees as RFC 9457 problem details. Rules throw it, and the HTTP base sends it. */
export class Problem extends Error {
  readonly code: string
  readonly status: number
  readonly title: string
  /** What is wrong with this request, or the title of the problem if there is no more specific text. */
  readonly detail: string
  /** Whether the caller has no such record, although one of its customers may have it. */
  readonly isOfAccount: boolean
  readonly extras: ProblemExtras
  private readonly definition: ProblemDefinition

  constructor(code: string, definition: ProblemDefinition, extras: ProblemExtras = {}) {
    super(extras.detail ?? definition.title)
    this.name = 'Problem'
    this.code = code
    this.status = definition.status
    this.title = definition.title
    this.detail = detailOf(definition, extras)
    this.isOfAccount = definition.ofAccount === true
    this.extras = extras
    this.definition = definition
  }

  /** Returns the same problem with another explanation. */
  withDetail(detail: string): Problem {
    return new Problem(this.code, this.definition, { ...this.extras, detail })
  }
}

function detailOf(
  { title, help, statesErrors = false }: ProblemDefinition,
  { detail, errors = [] }: ProblemExtras,
): string {
  const [first] = errors
  if (!statesErrors || first === undefined) return detail ?? help ?? `${title}.`
  const place = first.pointer ?? first.parameter ?? first.header
  const text = place === undefined || place === '' ? first.detail : `\`${place}\`: ${first.detail}`
  const more = errors.length === 1 ? '' : ` \`errors\` contains ${errors.length - 1} more.`
  return `${detail ?? `${title}.`} ${text}${more}`
}

export interface ProblemDefinition {
  status: number
  title: string
  /** The extension members that responses with this problem have, besides those of every problem. */
  members?: TProperties
  /** One or two sentences for the documentation page: when the problem occurs and what to do. */
  help?: string
  /** Whether `detail` states the first of `errors`, for clients that show only `detail`. */
  statesErrors?: boolean
  /** Whether the caller has no such record, although one of its customers may have it. */
  ofAccount?: boolean
}

/** All problems of the program, by code. The documentation pages are generated from this map. */
const catalogue = new Map<string, ProblemDefinition[]>()

/**
 * Returns all problems. Several features may use one code with different statuses: an unknown design is 404 when it is
 * read and 422 when it is ordered.
 */
export function problemCatalogue(): ReadonlyMap<string, readonly ProblemDefinition[]> {
  return catalogue
}

/** Creates a problem. Takes further members, or only a `detail` sentence. */
export interface ProblemFactory {
  (extras?: ProblemExtras | string): Problem
  readonly code: string
  readonly definition: ProblemDefinition
}

type ProblemTable<T> = { readonly [Code in keyof T]: ProblemFactory }

/** Declares the problems of a feature. Each key becomes a function that creates the problem. */
export function defineProblems<const T extends Record<string, ProblemDefinition>>(definitions: T): ProblemTable<T> {
  const table: Record<string, ProblemFactory> = {}
  for (const [code, definition] of Object.entries(definitions)) {
    catalogue.set(code, [...(catalogue.get(code) ?? []), definition])
    const create = (extras?: ProblemExtras | string) =>
      new Problem(code, definition, typeof extras === 'string' ? { detail: extras } : extras)
    table[code] = Object.assign(create, { code, definition })
  }
  return table as ProblemTable<T>
}
