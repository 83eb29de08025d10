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
