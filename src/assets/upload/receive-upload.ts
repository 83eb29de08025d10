import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyMultipartBaseOptions } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { httpProblems } from '../../platform/http/problems.ts'
import { escapePointer } from '../../platform/http/strict-json.ts'
import { Problem } from '../../platform/problem.ts'
import { assetProblems } from '../problems.ts'

/** The largest file that is accepted. */
export const MAX_ASSET_BYTES = 64 * 1024 * 1024

/** Room for the boundaries and part headers around the file. */
const FORM_OVERHEAD_BYTES = 16 * 1024

/** For the form parser: a byte and a part more than are accepted, so that what is too much is seen and answered here. */
export const FORM_OPTIONS: FastifyMultipartBaseOptions = {
  throwFileSizeLimit: false,
  limits: { fileSize: MAX_ASSET_BYTES + 1, files: 2, fields: 2, parts: 3, fieldSize: 1024, fieldNameSize: 100 },
}

/** A file that has arrived, whole and closed. */
export interface ReceivedFile {
  path: string
  /** SHA-256 of the bytes, in hexadecimal. */
  sha256: string
  bytes: number
}

/**
 * Writes the file that a request carries (the part `file` of a form, or the body itself) into a folder and hashes it on
 * the way, holding only a chunk at a time. The caller removes the folder, also when this throws.
 *
 * @throws `body_too_large`, `validation_failed`, `upload_malformed`, `upload_interrupted`, `unsupported_media_type`
 */
export async function receiveUpload(request: FastifyRequest, dir: string): Promise<ReceivedFile> {
  try {
    const path = join(dir, 'upload')
    if (request.isMultipart()) return await receiveForm(request, path)
    if (request.body instanceof Readable) return await receiveBody(request, request.body, path)
    throw httpProblems.unsupported_media_type('The request has neither a body nor a Content-Type.')
  } catch (error) {
    discardRest(request)
    throw toProblem(error, request)
  }
}

async function receiveBody(request: FastifyRequest, body: Readable, path: string): Promise<ReceivedFile> {
  refuseDeclared(request, MAX_ASSET_BYTES)
  return save(body, path)
}

async function receiveForm(request: FastifyRequest, path: string): Promise<ReceivedFile> {
  refuseDeclared(request, MAX_ASSET_BYTES + FORM_OVERHEAD_BYTES)
  let received: ReceivedFile | undefined
  for await (const part of request.parts()) {
    if (part.fieldname !== 'file') throw refusedPart('unknown_field', part.fieldname, 'This part is not known here.')
    if (part.type !== 'file') throw refusedPart('wrong_type', 'file', 'Send the part as a file, with a file name.')
    if (received !== undefined) throw refusedPart('duplicate', 'file', 'Send one file at a time.')
    received = await save(part.file, path)
  }
  if (received === undefined) throw refusedPart('required', 'file', 'The form has no part of this name.')
  return received
}

/** A request that says itself that it is too large need not be read. */
function refuseDeclared(request: FastifyRequest, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
}

async function save(source: Readable, path: string): Promise<ReceivedFile> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path, 'wx', 0o600)
  try {
    // Destroying the source would cut the connection before the client has read why.
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_ASSET_BYTES) throw tooLarge()
      hash.update(chunk)
      await file.appendFile(chunk)
    }
  } finally {
    await file.close()
  }
  return { path, sha256: hash.digest('hex'), bytes }
}

/** Reads what still arrives and forgets it: the client gets to read the answer, and the connection can be used again. */
function discardRest({ raw }: FastifyRequest): void {
  raw.unpipe()
  raw.resume()
}

function toProblem(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof Problem) return error
  if (request.raw.destroyed && !request.raw.complete) return assetProblems.upload_interrupted()
  // What is left is a fault of the disk, or of the form, whose parser names no system call.
  const isFormError = request.isMultipart() && error instanceof Error && !('syscall' in error)
  return isFormError ? assetProblems.upload_malformed(error.message) : error
}

function tooLarge(): Problem {
  return httpProblems.body_too_large(`A file may have up to ${MAX_ASSET_BYTES} bytes.`)
}

function refusedPart(code: string, name: string, detail: string): Problem {
  const errors = [{ code, pointer: `/${escapePointer(name)}`, detail }]
  return httpProblems.validation_failed({ detail: 'The form does not match its schema.', errors })
}
