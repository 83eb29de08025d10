import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { Readable } from 'node:stream'
import { hasTooManyParts } from '../../platform/http/input/short-parts.ts'
import { type FileRequest, type FileSource, SourceFailed } from '../../platform/uploads/source.ts'
import { VERSION } from '../../platform/version.ts'
import { failureOf, type Phase } from './failures.ts'
import { GatedAgent, type SharedRequest } from './gated-agent.ts'
import { limitInformational } from './informational.ts'
import { guardedLookup, type SenderOptions, targetRulesOf } from './sender.ts'
import { parseTarget, RefusedTarget, type TargetRules } from './target.ts'

/** For everything together: name resolution, connections, redirects, the whole file. */
const TIMEOUT_MS = 60_000

const MAX_REDIRECTS = 3
const REDIRECTS = [301, 302, 303, 307, 308]
const MAX_HEADER_BYTES = 16 * 1024
/** Bytes that wait for the reader. */
const BUFFERED_BYTES = 512 * 1024

/** Creates a source of files with the same rules for targets as webhooks. Each redirect is checked like the first URL. */
export function createFileSource(options: SenderOptions): FileSource {
  const { timeoutMs = TIMEOUT_MS, certificateAuthorities } = options
  const rules = targetRulesOf(options)
  const authorities = certificateAuthorities === undefined ? {} : { ca: certificateAuthorities }
  const agents = {
    'http:': new HttpAgent({ lookup: guardedLookup('http:', rules) }),
    'https:': new GatedAgent({ lookup: guardedLookup('https:', rules), ...authorities }),
  }

  const get = (url: URL, { share, signal }: FileRequest): Promise<IncomingMessage> =>
    new Promise((found, refuse) => {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest
      const options: RequestOptions & SharedRequest = {
        agent: agents[url.protocol as keyof typeof agents],
        share,
        headers: { accept: 'image/*, */*', 'accept-encoding': 'identity', 'user-agent': `Platen/${VERSION}` },
        maxHeaderSize: MAX_HEADER_BYTES,
        insecureHTTPParser: false,
        signal,
      }
      const request = send(url, options)
      let phase: Phase = 'connecting'
      request.on('socket', (socket) =>
        socket.once('connect', () => (phase = url.protocol === 'https:' ? 'securing' : 'waiting')),
      )
      request.on('error', (error: NodeJS.ErrnoException) => refuse(toSourceFailed(error, phase, signal)))
      request.on('upgrade', (_response, socket) => {
        socket.destroy()
        refuse(new SourceFailed('unavailable', 'The response changes the protocol (101).'))
      })
      limitInformational(request, (detail) => refuse(new SourceFailed('unavailable', detail)))
      request.on('response', found)
      request.end()
    })

  return {
    open: async (given, { share, signal: hangUp }) => {
      const signal = AbortSignal.any([hangUp, AbortSignal.timeout(timeoutMs)])
      let url = parse(given, rules)
      for (let redirects = 0; ; redirects += 1) {
        const response = await get(url, { share, signal })
        const { statusCode = 0, headers } = response
        if (statusCode === 200 && (headers['content-encoding'] ?? 'identity') === 'identity') {
          return Readable.from(readParts(response, signal), { objectMode: false, highWaterMark: BUFFERED_BYTES })
        }
        response.on('error', () => undefined).destroy()
        if (!REDIRECTS.includes(statusCode) || headers.location === undefined) throw unfit(statusCode)
        if (redirects === MAX_REDIRECTS) throw new SourceFailed('unavailable', 'There are too many redirects.')
        url = parse(URL.parse(headers.location, url)?.href ?? '', rules)
      }
    },
  }
}

function parse(text: string, rules: TargetRules): URL {
  try {
    return parseTarget(text, rules)
  } catch (error) {
    throw error instanceof RefusedTarget ? new SourceFailed('refused', error.message) : error
  }
}

function unfit(status: number): SourceFailed {
  const detail = status === 200 ? 'The response is compressed.' : `The source responded with status ${status}.`
  return new SourceFailed('unavailable', detail)
}

async function* readParts(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  let [bytes, parts] = [0, 0]
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length
      parts += 1
      if (hasTooManyParts(parts, bytes)) {
        throw new SourceFailed('unavailable', 'The response comes in too many short chunks.')
      }
      yield part
    }
  } catch (error) {
    throw toSourceFailed(error as Error, 'reading', signal)
  } finally {
    response.destroy()
  }
}

function toSourceFailed(error: NodeJS.ErrnoException, phase: Phase, signal: AbortSignal): SourceFailed {
  if (error instanceof SourceFailed) return error
  if (signal.aborted) return new SourceFailed('unavailable', 'The source did not send the file in time.')
  const { error: kind, detail } = failureOf(error, phase)
  return new SourceFailed(kind === 'refused_target' ? 'refused' : 'unavailable', detail)
}
