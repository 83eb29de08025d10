import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import multipart, { type FastifyMultipartBaseOptions } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { ClientGone } from '../../concurrency/client-gone.ts'
import { Problem } from '../../problem.ts'
import { uploadProblems } from '../../uploads/problems.ts'
import type { App } from '../core/app-type.ts'
import { httpProblems } from '../core/problems.ts'
import { escapePointer } from '../input/strict-json.ts'

/** Room for the boundaries and part headers around the file. */
const FORM_OVERHEAD_BYTES = 16 * 1024

/**
 * Makes the routes of this scope accept uploads instead of JSON: forms, and bodies of any media type as a stream.
 *
 * @param app a separate scope, because other routes must not accept such bodies
 */
export async function acceptUploads(app: App, { maxBytes }: { maxBytes: number }): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(multipart, formOptions(maxBytes))
  // Accepts every media type, because the content of the file determines its type.
  app.addContentTypeParser('*', async (_request: unknown, body: unknown) => body)
}

/** RFC 2046, section 5.1.1, allows 70 characters. The parser accepts longer boundaries, so a limit is needed. */
const MAX_BOUNDARY_CHARACTERS = 200

/**
 * The limits of the parser are one byte and one part higher than what is accepted, so that this module detects and
 * reports the excess.
 */
function formOptions(maxBytes: number): FastifyMultipartBaseOptions {
  const limits = { fileSize: maxBytes + 1, files: 2, fields: 2, parts: 3, fieldSize: 1024, fieldNameSize: 100 }
  return { throwFileSizeLimit: false, limits }
}

/** A file that was received completely and closed. */
export interface ReceivedFile {
  path: string
  /** SHA-256 of the bytes in hexadecimal. */
  sha256: string
  bytes: number
}

/**
 * Returns the range of the file size that a request declares. A form declares its total length, so its file is up to 16
 * KiB smaller.
 *
 * @returns undefined if the length of the body is not declared
 */
export function declaredSize(request: FastifyRequest): { least: number; most: number } | undefined {
  const { 'content-length': length } = request.headers
  if (length === undefined) return undefined
  const most = Number(length)
  return { least: request.isMultipart() ? Math.max(0, most - FORM_OVERHEAD_BYTES) : most, most }
}

interface ReceiveOptions {
  maxBytes: number
  /** Called with the size of the file so far, each time before more bytes are written. An exception ends the upload. */
  onProgress?(bytes: number): Promise<void>
}

/**
 * Writes the file of a request (the part `file` of a form, or the body itself) into a folder and computes its hash.
 * Only one chunk is in memory at a time. The caller removes the folder, even if this function throws.
 *
 * @throws `body_too_large`, `validation_failed`, `upload_malformed`, `upload_interrupted`, `unsupported_media_type`
 */
export async function receiveUpload(
  request: FastifyRequest,
  dir: string,
  options: ReceiveOptions,
): Promise<ReceivedFile> {
  try {
    const target = { path: join(dir, 'upload'), ...options }
    if (request.isMultipart()) return await receiveForm(request, target)
    if (request.body instanceof Readable) return await receiveBody(request, request.body, target)
    throw httpProblems.unsupported_media_type('The request has neither a body nor a Content-Type.')
  } catch (error) {
    discardRest(request)
    throw toProblem(error, request)
  }
}

/** Writes the file of another source into a folder, as `receiveUpload` does. @throws `body_too_large` */
export async function receiveStream(source: Readable, dir: string, options: ReceiveOptions): Promise<ReceivedFile> {
  try {
    return await save(source, { path: join(dir, 'upload'), ...options })
  } finally {
    source.destroy()
  }
}

interface Target extends ReceiveOptions {
  path: string
}

async function receiveBody(request: FastifyRequest, body: Readable, target: Target): Promise<ReceivedFile> {
  refuseDeclared(request, target, 0)
  return save(body, target)
}

async function receiveForm(request: FastifyRequest, target: Target): Promise<ReceivedFile> {
  refuseDeclared(request, target, FORM_OVERHEAD_BYTES)
  const [, boundary = ''] = /\bboundary=([^;]*)/i.exec(request.headers['content-type'] ?? '') ?? []
  if (boundary.length > MAX_BOUNDARY_CHARACTERS) {
    throw uploadProblems.upload_malformed('The boundary of the form is too long: 70 characters are allowed.')
  }
  let received: ReceivedFile | undefined
  for await (const part of request.parts()) {
    if (part.fieldname !== 'file')
      throw refusedPart('unknown_field', part.fieldname, 'The form must contain only the part "file".')
    if (part.type !== 'file') throw refusedPart('wrong_type', 'file', 'The part must be a file, with a file name.')
    if (received !== undefined) throw refusedPart('duplicate', 'file', 'The form must contain only one file.')
    received = await save(part.file, target)
  }
  if (received === undefined) throw refusedPart('required', 'file', 'The form has no part of this name.')
  return received
}

/** Rejects a request whose declared length is too large, without reading it. */
function refuseDeclared(request: FastifyRequest, { maxBytes }: Target, overheadBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + overheadBytes) throw tooLarge(maxBytes)
}

async function save(source: Readable, { path, maxBytes, onProgress }: Target): Promise<ReceivedFile> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path, 'wx', 0o600)
  try {
    // Leaves the source open, because destroying it would close the connection before the client has read the error.
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      await onProgress?.(bytes)
      hash.update(chunk)
      await file.appendFile(chunk)
    }
  } finally {
    await file.close()
  }
  return { path, sha256: hash.digest('hex'), bytes }
}

/** Reads and discards the remaining body. The client can then read the response and reuse the connection. */
export function discardRest({ raw }: FastifyRequest): void {
  raw.unpipe()
  raw.resume()
}

function toProblem(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof Problem || error instanceof ClientGone) return error
  if (request.raw.destroyed && !request.raw.complete) return uploadProblems.upload_interrupted()
  // The remaining errors come from the disk or from the form parser, whose errors name no system call.
  const isFormError = request.isMultipart() && error instanceof Error && !('syscall' in error)
  return isFormError ? uploadProblems.upload_malformed(error.message) : error
}

function tooLarge(maxBytes: number): Problem {
  return httpProblems.body_too_large(`A file can have up to ${maxBytes} bytes.`)
}

function refusedPart(code: string, name: string, detail: string): Problem {
  const errors = [{ code, pointer: `/${escapePointer(name)}`, detail }]
  return httpProblems.validation_failed({ detail: 'The form does not match its schema.', errors })
}
