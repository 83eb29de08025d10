import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ClientGone } from '../../concurrency/client-gone.ts'
import { TransferLimited } from '../../db/admission/connection-gate.ts'
import { isDatabaseUnavailable } from '../../db/connections/errors.ts'
import { Problem, type ProblemDetail } from '../../problem.ts'
import { isDiskFault, storageUnavailable } from '../../storage/index.ts'
import { httpProblems } from '../core/problems.ts'
import { validationProblem } from '../input/validation-problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Code of the problem that the client got. */
    problemCode: string | undefined
  }
}

/**
 * Turns any error into the problem that the client gets. Errors that do not concern the client become `internal_error`.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ClientGone) return httpProblems.service_unavailable()
  if (error instanceof TransferLimited) return tooManyBytes(error)
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

const DATABASE_FULL = { detail: 'The database has no free space.', headers: { 'Retry-After': '60' } }

/** Tells whether an error comes from the disk, in code that writes files outside the storage, such as uploads. */
function isFaultOfDisk(error: unknown): boolean {
  return error instanceof Error && isDiskFault((error as { code?: unknown }).code)
}

/** Tells whether the disk of the database is full (SQLSTATE 53100, disk_full). */
function isDatabaseFull(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '53100'
}

export function databaseUnavailable(): Problem {
  return httpProblems.service_unavailable({
    detail: 'The database is temporarily unavailable.',
    headers: { 'Retry-After': '2' },
  })
}

/** Sends an error as `application/problem+json` (RFC 9457). Logs the error if the service is the cause. */
export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  documentationBase: string,
): FastifyReply {
  const problem = hintAtCustomer(toProblem(error), request)
  request.problemCode = problem.code
  if (problem.status >= 500) logFault(error, problem, request)
  reply.code(problem.status).headers({ 'Cache-Control': 'no-store', ...problem.extras.headers })
  return reply.type(PROBLEM_TYPE).send(textOfProblem(problem, request, documentationBase))
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

export function textOfProblem(problem: Problem, request: FastifyRequest, documentationBase: string): string {
  return JSON.stringify(problemBody(problem, documentationBase, request.id, pathOf(request)))
}

/**
 * Logs an error of the service. Only unexpected errors have a stack: a client that causes many refusals would fill the log
 * and hide them.
 */
function logFault(error: unknown, problem: Problem, { log, id }: FastifyRequest): void {
  const fields = { requestId: id, code: problem.code }
  if (problem.status === 500) log.error({ err: error, ...fields }, problem.title)
  else log[error instanceof ClientGone ? 'info' : 'warn']({ ...fields, reason: messageOf(error) }, problem.title)
}

/** Returns the message of the cause of an error, or of the error if it has no cause. */
function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

/** Explains to operators who forgot `Platen-Customer` why a record of a customer was not found. */
function hintAtCustomer(problem: Problem, { principal, routeOptions }: FastifyRequest): Problem {
  const isOperator = principal !== undefined && principal.role !== 'customer'
  if (!problem.isOfAccount || !isOperator || routeOptions.config.guard?.takesCustomer !== true) return problem
  const detail = `${problem.title} among the records of this account. To act for a customer, send \`Platen-Customer\`.`
  return problem.withDetail(detail)
}

/** Returns the path without the query, because a query may contain a token that must not be repeated. */
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
    ...(errors?.length === 1 ? placeOf(errors[0]) : {}),
  }
}

/**
 * Returns the place of the only error. The problem states it next to `code`, so that clients need not read `errors`.
 */
function placeOf({ pointer, parameter, header }: Partial<ProblemDetail> = {}): object {
  return {
    ...(pointer === undefined ? {} : { pointer }),
    ...(parameter === undefined ? {} : { parameter }),
    ...(header === undefined ? {} : { header }),
  }
}

function tooManyBytes({ retryAfterSeconds }: TransferLimited): Problem {
  const detail =
    'Earlier requests of this caller, or of its network, have read or written too many bytes. Wait, then repeat the request.'
  return httpProblems.rate_limited({ detail, headers: { 'Retry-After': String(retryAfterSeconds) } })
}
