import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { checkPayload, checkSignature, type S3Credentials, type S3Refusal } from './s3-signature.ts'

const BUCKET = 'platen-test'
const CREDENTIALS: S3Credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'eu-central-1',
}

/**
 * A fault that replaces the normal response.
 * - `hang`: the fake sends no response
 * - `disconnect`: the fake ignores the request and closes the connection
 * - `lose`: the request takes effect, and the fake closes the connection before the response
 * - `cut`: the response is truncated
 * - `corrupt`: the response has other bytes
 */
export type S3Behaviour = { status: number; code: string } | 'hang' | 'disconnect' | 'lose' | 'cut' | 'corrupt'

export interface S3Request {
  method: string
  /** The key of the object, without the bucket. */
  key: string
  /** The status of the response; undefined if there was no response. */
  status: number | undefined
  /** The number of bytes of the body that arrived. */
  bytes: number
  headers: IncomingMessage['headers']
}

export interface FakeS3 {
  /** The settings with which a service stores its files in the fake. */
  env: { PLATEN_STORAGE_URL: string; PLATEN_S3_ACCESS_KEY_ID: string; PLATEN_S3_SECRET_ACCESS_KEY: string }
  origin: string
  /** The stored objects, by key. */
  objects: Map<string, Buffer>
  requests: S3Request[]
  /**
   * Sets the behaviour of the next requests with this method, one for each request. Later requests get normal
   * responses.
   */
  next(method: string, ...behaviours: S3Behaviour[]): void
  /** Gives every request this behaviour from now on. With undefined, requests get normal responses again. */
  always(behaviour: S3Behaviour | undefined): void
  /** Blocks requests with this method, before they have any effect, until `letGo` is called. */
  hold(method: string): { arrived: Promise<void>; letGo: () => void }
}

/**
 * Starts a fake of Amazon S3 over HTTP: PUT with conditions and checksums, GET and HEAD also with signed URLs, DELETE,
 * and lists. The fake verifies signatures as S3 does.
 *
 * @param options `pageSize` is the number of objects in one page of a list
 */
export async function startS3(t: TestContext, { pageSize = 1000 } = {}): Promise<FakeS3> {
  const objects = new Map<string, Buffer>()
  const requests: S3Request[] = []
  const upcoming = new Map<string, S3Behaviour[]>()
  const gates = new Map<string, { arrived: () => void; open: Promise<void> }>()
  let standing: S3Behaviour | undefined

  const serve = async (request: IncomingMessage, response: ServerResponse, waits: boolean): Promise<void> => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const [bucket, ...rest] = url.pathname.slice(1).split('/')
    const key = rest.map(decodeURIComponent).join('/')
    const method = request.method ?? ''
    const seen: S3Request = { method, key, status: undefined, bytes: 0, headers: request.headers }
    requests.push(seen)
    const gate = gates.get(method)
    gate?.arrived()
    await gate?.open
    const behaviour = upcoming.get(method)?.shift() ?? standing
    if (behaviour === 'hang') return
    if (behaviour === 'disconnect') return void request.socket.destroy()
    const refuse = (refusal: S3Refusal): void => {
      seen.status = refusal.status
      sendRefusal(response, refusal, method)
    }
    if (typeof behaviour === 'object') return refuse({ ...behaviour, message: 'The test configured this error.' })
    const refusal =
      checkSignature(request, url, CREDENTIALS) ??
      (bucket === BUCKET ? undefined : { status: 404, code: 'NoSuchBucket', message: 'No such bucket' }) ??
      checkCondition(request, objects.has(key))
    if (refusal !== undefined) return refuse(refusal)
    if (waits) response.writeContinue()
    const body = await readBytes(request)
    seen.bytes = body.length
    const broken = method === 'PUT' ? checkPayload(request, body) : undefined
    if (broken !== undefined) return refuse(broken)
    if (behaviour === 'lose') {
      carryOut(objects, method, key, body)
      return void request.socket.destroy()
    }
    const answer = answerTo({ objects, method, key, body, query: url.searchParams, pageSize })
    if ('code' in answer) return refuse(answer)
    seen.status = answer.status
    send(response, answer, { isHead: method === 'HEAD', behaviour })
  }

  const handle = (waits: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    // A client may disconnect. This is no fault of the service, so the error is ignored.
    serve(request, response, waits).catch(() => request.socket.destroy())
  }
  const server = createServer(handle(false)).on('checkContinue', handle(true))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: {
      PLATEN_STORAGE_URL: `s3://${BUCKET}/shop?region=${CREDENTIALS.region}&endpoint=${encodeURIComponent(origin)}`,
      PLATEN_S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      PLATEN_S3_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    },
    origin,
    objects,
    requests,
    next: (method, ...behaviours) => void upcoming.set(method, [...(upcoming.get(method) ?? []), ...behaviours]),
    always: (behaviour) => {
      standing = behaviour
    },
    hold: (method) => {
      const arrived = Promise.withResolvers<void>()
      const open = Promise.withResolvers<void>()
      gates.set(method, { arrived: arrived.resolve, open: open.promise })
      const letGo = (): void => {
        gates.delete(method)
        open.resolve()
      }
      return { arrived: arrived.promise, letGo }
    },
  }
}

interface Asked {
  objects: Map<string, Buffer>
  method: string
  key: string
  body: Buffer
  query: URLSearchParams
  pageSize: number
}

interface S3Answer {
  status: number
  headers: Record<string, string | number>
  body: Buffer
}

const EMPTY = Buffer.alloc(0)

function answerTo(asked: Asked): S3Answer | S3Refusal {
  const { objects, method, key, body, query } = asked
  if (method === 'GET' && key === '' && query.get('list-type') === '2') return list(asked)
  if (key === '') return { status: 405, code: 'MethodNotAllowed', message: 'Not of a bucket' }
  if (method === 'PUT' || method === 'DELETE') {
    carryOut(objects, method, key, body)
    return {
      status: method === 'PUT' ? 200 : 204,
      headers: method === 'PUT' ? { ETag: etagOf(body) } : {},
      body: EMPTY,
    }
  }
  const found = objects.get(key)
  if (found === undefined) return { status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' }
  const type = query.get('response-content-type') ?? 'application/octet-stream'
  const disposition = query.get('response-content-disposition')
  const shown = disposition === null ? {} : { 'Content-Disposition': disposition }
  const headers = { 'Content-Type': type, ETag: etagOf(found), 'Last-Modified': new Date().toUTCString(), ...shown }
  return { status: 200, headers, body: found }
}

function carryOut(objects: Map<string, Buffer>, method: string, key: string, body: Buffer): void {
  if (method === 'PUT') objects.set(key, body)
  if (method === 'DELETE') objects.delete(key)
}

function checkCondition({ method, headers }: IncomingMessage, exists: boolean): S3Refusal | undefined {
  if (method !== 'PUT' || headers['if-none-match'] !== '*' || !exists) return undefined
  return { status: 412, code: 'PreconditionFailed', message: 'At least one of the pre-conditions did not hold' }
}

function list({ objects, query, pageSize }: Asked): S3Answer {
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const limit = Math.min(pageSize, Number(query.get('max-keys') ?? 1000))
  const left = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
  const page = left.slice(0, limit)
  const contents = page.map(
    (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length ?? 0}</Size></Contents>`,
  )
  const isTruncated = left.length > limit
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${BUCKET}</Name><Prefix>${prefix}</Prefix>
<KeyCount>${page.length}</KeyCount><MaxKeys>${limit}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}
${contents.join('')}</ListBucketResult>`
  return { status: 200, headers: { 'Content-Type': 'application/xml' }, body: Buffer.from(xml) }
}

function send(
  response: ServerResponse,
  { status, headers, body }: S3Answer,
  { isHead, behaviour }: { isHead: boolean; behaviour: S3Behaviour | undefined },
): void {
  const length = status === 204 ? {} : { 'Content-Length': body.length }
  response.writeHead(status, { ...headers, ...length, 'x-amz-request-id': 'FAKE' })
  if (isHead) return void response.end()
  if (behaviour === 'cut') {
    response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy())
    return
  }
  response.end(behaviour === 'corrupt' ? body.map((byte) => byte ^ 1) : body)
}

function sendRefusal(response: ServerResponse, { status, code, message }: S3Refusal, method: string): void {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>${code}</Code><Message>${message}</Message><RequestId>FAKE</RequestId></Error>`
  // The fake does not read the remaining body, so it closes the connection.
  response.writeHead(status, { 'Content-Type': 'application/xml', 'x-amz-request-id': 'FAKE', Connection: 'close' })
  response.end(method === 'HEAD' ? undefined : xml)
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
