import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface SigningKey {
  identifier: string
  privateKey: KeyObject
  /** The public key in PEM format. */
  publicKey: string
}

export interface FakeSecretScanning {
  /** The URL for `PLATEN_SECRET_SCANNING_KEYS_URL`. */
  url: string
  /** The published keys. */
  keys: SigningKey[]
  /** The `If-None-Match` header of each request for the keys. */
  requests: (string | undefined)[]
  /** Sends the response to requests for the keys. If undefined, the response contains the keys. */
  answer: ((response: ServerResponse) => void) | undefined
  addKey(curve?: string): SigningKey
  /** Returns the headers that GitHub sends with a body. */
  headersFor(body: string | Buffer, key?: SigningKey): Record<string, string>
}

/** Starts a fake of GitHub's secret scanning, which publishes keys and signs alerts. */
export async function startSecretScanning(t: TestContext): Promise<FakeSecretScanning> {
  const requests: (string | undefined)[] = []
  const keys: SigningKey[] = []
  const server = createServer((request, response) => {
    requests.push(request.headers['if-none-match'])
    if (fake.answer !== undefined) return fake.answer(response)
    const body = JSON.stringify({ public_keys: keys.map(describe) })
    const etag = `"${keys.length}"`
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { ETag: etag }).end()
    response.writeHead(200, { 'Content-Type': 'application/json', ETag: etag }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const fake: FakeSecretScanning = {
    url: `http://127.0.0.1:${port}/meta/public_keys/secret_scanning`,
    keys,
    requests,
    answer: undefined,
    addKey: (curve) => {
      const key = newKey(curve)
      keys.push(key)
      return key
    },
    headersFor: (body, key = keys.at(-1)) => {
      if (key === undefined) throw new Error('the fake has no key')
      return {
        'content-type': 'application/json',
        'Github-Public-Key-Identifier': key.identifier,
        'Github-Public-Key-Signature': sign('sha256', Buffer.from(body), key.privateKey).toString('base64'),
      }
    },
  }
  fake.addKey()
  return fake
}

/** Makes a key that is not published. */
export function newKey(namedCurve = 'P-256'): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { identifier: randomBytes(32).toString('hex'), privateKey, publicKey: pem }
}

function describe({ identifier, publicKey }: SigningKey, index: number, all: readonly SigningKey[]) {
  return { key_identifier: identifier, key: publicKey, is_current: index === all.length - 1 }
}
