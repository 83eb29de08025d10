/** One of several things that are wrong with a request. */
export interface ProblemDetail {
  /** Stable `snake_case` code of this part of the problem. */
  code: string
  /** JSON Pointer (RFC 6901) into the request body. */
  pointer?: string
  /** Name of the query or path parameter, where the fault is not in the body. */
  parameter?: string
  /** Name of the header, where the fault is there. */
  header?: string
  detail: string
  [extension: string]: unknown
}

export interface ProblemExtras {
  detail?: string
  errors?: ProblemDetail[]
  /** Response headers that belong to this problem, such as `Retry-After`. */
  headers?: Record<string, string>
  members?: Record<string, unknown>
}

/** An error that a client is shown, as RFC 9457 problem details. Thrown by rules, rendered by the HTTP base. */
export class Problem extends Error {
  readonly code: string
  readonly status: number
  readonly title: string
  /** What is wrong this time, else what this problem means in general. */
  readonly detail: string
  readonly extras: ProblemExtras

  constructor(code: string, definition: ProblemDefinition, extras: ProblemExtras = {}) {
    super(extras.detail ?? definition.title)
    this.name = 'Problem'
    this.code = code
    this.status = definition.status
    this.title = definition.title
    this.detail = extras.detail ?? definition.help ?? `${definition.title}.`
    this.extras = extras
  }
}

export interface ProblemDefinition {
  status: number
  title: string
  /** One or two sentences for the documentation page: when it happens and what to do. */
  help?: string
}

/** Every problem the program can answer with, by code: the source of the documentation pages. */
const catalogue = new Map<string, ProblemDefinition[]>()

/** Several features may use one code, each with a status of its own: an unknown design is 404 to read and 422 to order. */
export function problemCatalogue(): ReadonlyMap<string, readonly ProblemDefinition[]> {
  return catalogue
}

type ProblemTable<T> = { readonly [Code in keyof T]: (extras?: ProblemExtras | string) => Problem }

/**
 * Declares a feature's error table. Each key becomes a function that makes the problem;
 * it takes further members, or just a `detail` sentence.
 */
export function defineProblems<const T extends Record<string, ProblemDefinition>>(definitions: T): ProblemTable<T> {
  const table: Record<string, (extras?: ProblemExtras | string) => Problem> = {}
  for (const [code, definition] of Object.entries(definitions)) {
    catalogue.set(code, [...(catalogue.get(code) ?? []), definition])
    table[code] = (extras) => new Problem(code, definition, typeof extras === 'string' ? { detail: extras } : extras)
  }
  return table as ProblemTable<T>
}
