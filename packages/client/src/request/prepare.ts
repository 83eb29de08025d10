import type { Operation } from '../operations.ts'
import type { HeaderOptions, RequestOptions, UploadOptions } from '../options.ts'
import type { Body } from './transport.ts'

/** All options that a method may get. */
export type AnyOptions = RequestOptions & HeaderOptions & UploadOptions & { query?: object }

/** A request, apart from its credential. */
export interface PreparedRequest {
  operation: Operation
  url: string
  headers: Headers
  body: Body | undefined
  options: AnyOptions
}

const HEADERS = {
  idempotencyKey: 'Idempotency-Key',
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
  prefer: 'Prefer',
  accept: 'Accept',
  customer: 'Platen-Customer',
} as const satisfies Record<keyof HeaderOptions, string>

/** Builds a request from the arguments of a method: parameters of the path, input, options. */
export function prepare(
  baseUrl: string,
  operation: Operation,
  args: readonly unknown[],
  defaults: { customer: string | undefined },
): PreparedRequest {
  const rest = [...args]
  const path = operation.path.replaceAll(/\{\w+\}/g, (name) =>
    encodeURIComponent(requireText(operation, name, rest.shift())),
  )
  const input = operation.input === undefined ? undefined : rest.shift()
  const options = (rest.shift() ?? {}) as AnyOptions
  const headers = headersOf(operation, options, defaults)
  const query = queryOf(operation.input === 'query' ? (input as object | undefined) : options.query)
  const body =
    operation.input === 'query' || input === undefined ? undefined : bodyOf(operation, input, options, headers)
  return { operation, url: `${baseUrl}${path}${query}`, headers, body, options }
}

/** An empty id would name another operation: `GET /orders/` is the list. So would dots, which `fetch` resolves. */
function requireText(operation: Operation, name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && !['', '.', '..'].includes(text)) return text
  throw new TypeError(`${operation.name} needs ${name}, and got ${JSON.stringify(value)}`)
}

function headersOf(operation: Operation, options: AnyOptions, { customer }: { customer: string | undefined }): Headers {
  const headers = new Headers(options.headers)
  const values: HeaderOptions = operation.takesCustomer ? { customer, ...definedOnly(options) } : options
  for (const [option, header] of Object.entries(HEADERS)) {
    const value = values[option as keyof HeaderOptions]
    if (value !== undefined) headers.set(header, value)
  }
  if (operation.takesKey && !headers.has(HEADERS.idempotencyKey)) headers.set(HEADERS.idempotencyKey, newKey())
  return headers
}

function definedOnly<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}

/** `crypto.randomUUID` does not exist in pages that are served over plain HTTP. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function queryOf(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (value instanceof Date) search.append(name, value.toISOString())
    else if (typeof value !== 'object' || value === null) search.append(name, String(value))
    else for (const [key, member] of Object.entries(value)) search.append(`${name}[${key}]`, String(member))
  }
  return search.size === 0 ? '' : `?${search}`
}

function bodyOf(operation: Operation, input: unknown, { contentType }: AnyOptions, headers: Headers): Body {
  if (operation.input === 'file' && isFile(input)) {
    // `fetch` adds the boundary of a form.
    if (!isA('FormData', input)) headers.set('Content-Type', contentType ?? typeOfFile(input))
    return input
  }
  if (operation.input === 'file' && !isPlainObject(input)) {
    const hint = 'A stream of Node.js becomes one with Readable.toWeb(stream).'
    throw new TypeError(`${operation.name} takes a Blob, bytes, a form, a web stream, or { url }. ${hint}`)
  }
  const isPatch = operation.takesJsonPatch && Array.isArray(input)
  headers.set('Content-Type', isPatch ? 'application/json-patch+json' : 'application/json')
  return JSON.stringify(input)
}

const FILE_KINDS = ['Blob', 'File', 'FormData', 'ReadableStream', 'ArrayBuffer', 'Uint8Array']

function isFile(input: unknown): input is Exclude<Body, string> {
  return FILE_KINDS.some((kind) => isA(kind, input))
}

/** Compares by name, because programs such as test runners have their own copies of these classes. */
function isA(kind: string, input: unknown): boolean {
  return Object.prototype.toString.call(input) === `[object ${kind}]`
}

/** Also true for objects of another realm. */
function isPlainObject(input: unknown): boolean {
  return isA('Object', input) && !('pipe' in (input as object))
}

function typeOfFile(input: Exclude<Body, string>): string {
  return 'type' in input && input.type !== '' ? input.type : 'application/octet-stream'
}
