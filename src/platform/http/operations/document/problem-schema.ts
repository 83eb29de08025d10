import { Type } from 'typebox'
import { type ProblemDefinition, problemCatalogue } from '../../../problem.ts'
import type { Json } from './json.ts'

export const PROBLEM_SCHEMA: Json = {
  title: 'Problem',
  type: 'object',
  description: 'Problem details (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'URL of a page that explains the problem.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', description: 'Stable identifier of the kind of problem.' },
    requestId: { type: 'string' },
    pointer: {
      type: 'string',
      description: 'JSON Pointer into the request body. Present if the only fault is in the body.',
    },
    parameter: {
      type: 'string',
      description: 'Name of the path or query parameter. Present if the only fault is in a parameter.',
    },
    header: { type: 'string', description: 'Name of the header. Present if the only fault is in a header.' },
    errors: {
      type: 'array',
      items: {
        title: 'ProblemDetail',
        type: 'object',
        required: ['code', 'detail'],
        properties: {
          code: { type: 'string' },
          pointer: { type: 'string', description: 'JSON Pointer into the request body.' },
          parameter: { type: 'string' },
          header: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
  },
}

const PROBLEM_REFERENCE: Json = { $ref: '#/components/schemas/Problem' }

/**
 * Returns the schema of a response with one of these problems. A problem with extension members has a schema of its own.
 * Since later versions may add codes, every problem stays allowed.
 */
export function schemaOfProblems(
  codes: readonly string[],
  definitionOf: (code: string) => ProblemDefinition | undefined,
): Json {
  const extended = codes.flatMap((code) => {
    const { members, status } = definitionOf(code) ?? {}
    return members === undefined ? [] : [extendedProblem(code, status, members)]
  })
  return extended.length === 0 ? PROBLEM_REFERENCE : { anyOf: [...extended, PROBLEM_REFERENCE] }
}

function extendedProblem(code: string, status: number | undefined, members: Members): Json {
  const { required = [], properties } = Type.Object(members) as { required?: string[]; properties: Json }
  const extension = {
    type: 'object',
    required: ['code', ...required],
    properties: { code: { type: 'string', enum: [code] }, ...properties },
  }
  return { title: nameOf(code, status), type: 'object', allOf: [PROBLEM_REFERENCE, extension] }
}

type Members = NonNullable<ProblemDefinition['members']>

/** Returns the name of a schema, with the status if problems of several statuses share the code. */
function nameOf(code: string, status: number | undefined): string {
  const name = code.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  const statuses = new Set(
    problemCatalogue()
      .get(code)
      ?.map((definition) => definition.status),
  )
  return `${name}${statuses.size > 1 ? status : ''}Problem`
}
