import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A fake of the range API of Have I Been Pwned, which lists breached passwords. */
export interface RangeService {
  /** The URL for `PLATEN_PASSWORD_RANGE_URL`. */
  url: string
  requests: { path: string; headers: IncomingMessage['headers'] }[]
  /** Replaces the normal responses, for example by an error, a redirect, or a response without an end. */
  answerWith(answer: (response: ServerResponse) => void): void
}

/**
 * Starts the fake.
 * @param breached the listed passwords, with the number of times each was seen. An entry with 0 looks like padding
 */
export async function startRangeService(t: TestContext, breached: Record<string, number>): Promise<RangeService> {
  const requests: RangeService['requests'] = []
  const known = Object.entries(breached).map(([password, count]) => {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
    return { prefix: digest.slice(0, 5), line: `${digest.slice(5)}:${count}` }
  })
  let answer: ((response: ServerResponse) => void) | undefined
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers })
    if (answer !== undefined) return answer(response)
    const prefix = request.url?.split('/').at(-1)
    const lines = known.filter((one) => one.prefix === prefix).map(({ line }) => line)
    const padding = `${'0'.repeat(35)}:0`
    response.setHeader('content-type', 'text/plain').end([...lines, padding].join('\r\n'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/range`,
    requests,
    answerWith: (other) => {
      answer = other
    },
  }
}
