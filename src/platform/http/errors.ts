import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { databaseUnavailable, isDatabaseUnavailable } from '../db/errors.ts'
import { Problem, type ProblemDetail } from '../problem.ts'
import { isDiskFault, storageUnavailable } from '../storage/index.ts'
import { httpProblems } from './problems.ts'
import { escapePointer } from './strict-json.ts'

/** More would only help someone who wants large answers to small requests. */
const MAX_REPORTED = 50

type AjvError = { keyword: string; instancePath: string; message?: string; params: Record<string, unknown> }

/** Turns whatever was thrown into the problem a client is shown; what is not a client's business becomes `internal_error`. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isDatabaseUnavailable(error)) return databaseUnavailable()
  if (isFaultOfDisk(error)) return storageUnavailable(error)
  if (isDatabaseFull(error)) return httpProblems.service_unavailable(DATABASE_FULL)
  const { code, validation, statusCode } = error as Partial<FastifyError>
  if (validation !== undefined) return validationProblem(error as FastifyError)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || code === 'FST_REQ_FILE_TOO_LARGE') return httpProblems.body_too_large()
  if (code?.startsWith('FST_ERR_CTP_INVALID_MEDIA_TYPE')) return httpProblems.unsupported_media_type()
  if (code?.startsWith('FST_ERR_CTP')) return httpProblems.malformed_json((error as Error).message)
  if (statusCode === 415) return httpProblems.unsupported_media_type()
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return httpProblems.malformed_request((error as Error).message)
  return httpProblems.internal_error()
}

const DATABASE_FULL = { detail: 'There is no room to store more at the moment.', headers: { 'Retry-After': '60' } }

/** Of a file that was being written outside of the storage's own functions, such as an upload. */
function isFaultOfDisk(error: unknown): boolean {
  return error instanceof Error && isDiskFault((error as { code?: unknown }).code)
}

/** SQLSTATE 53100. */
function isDatabaseFull(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '53100'
}

function validationProblem(error: FastifyError): Problem {
  const context = error.validationContext ?? 'body'
  const found = (error.validation ?? []) as unknown as AjvError[]
  const errors = found.slice(0, MAX_REPORTED).map((one) => toDetail(one, context))
  return httpProblems.validation_failed({ detail: `The ${describe(context)} does not match its schema.`, errors })
}

function describe(context: string): string {
  if (context === 'querystring') return 'query'
  return context === 'params' ? 'address' : context
}

function toDetail(error: AjvError, context: string): ProblemDetail {
  const { params } = error
  const member = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['missingProperty']
  const path = typeof member === 'string' ? `${error.instancePath}/${escapePointer(member)}` : error.instancePath
  const code = CODES[error.keyword] ?? 'invalid'
  const detail = explain(error)
  if (context === 'body') return { code, pointer: path, detail }
  return { code, [context === 'headers' ? 'header' : 'parameter']: path.slice(1), detail }
}

const CODES: Record<string, string> = {
  additionalProperties: 'unknown_field',
  unevaluatedProperties: 'unknown_field',
  required: 'required',
  type: 'wrong_type',
  enum: 'unknown_value',
  const: 'unknown_value',
  discriminator: 'unknown_value',
  format: 'wrong_format',
  pattern: 'wrong_format',
  minLength: 'too_short',
  maxLength: 'too_long',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  maximum: 'too_large',
  exclusiveMaximum: 'too_large',
  minItems: 'too_few',
  maxItems: 'too_many',
  uniqueItems: 'duplicate',
}

function explain({ keyword, message, params }: AjvError): string {
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return 'This member is not known here.'
  if (keyword === 'required') return 'This member is required.'
  if (keyword === 'enum') return `Expected one of: ${(params['allowedValues'] as unknown[]).join(', ')}.`
  if (keyword === 'const') return `Expected ${JSON.stringify(params['allowedValue'])}.`
  return `This ${message ?? 'is not valid'}.`
}

/** Renders an error as `application/problem+json` (RFC 9457), and logs it where it is our fault. */
export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  documentationBase: string,
): FastifyReply {
  const problem = toProblem(error)
  if (problem.status >= 500) {
    const level = problem.status === 500 ? 'error' : 'warn'
    request.log[level]({ err: error, requestId: request.id, code: problem.code }, problem.title)
  }
  reply.code(problem.status).headers({ 'Cache-Control': 'no-store', ...problem.extras.headers })
  return reply
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problemBody(problem, documentationBase, request.id, pathOf(request))))
}

/** The path alone: a query may hold a token that must not be repeated anywhere. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

export function problemBody(problem: Problem, documentationBase: string, requestId: string, instance: string): object {
  const { errors, members } = problem.extras
  return {
    type: `${documentationBase}/${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.detail,
    instance,
    code: problem.code,
    requestId,
    ...members,
    ...(errors === undefined ? {} : { errors }),
  }
}
