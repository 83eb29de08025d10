import { Readable } from 'node:stream'
import type { FindShare } from '../../platform/fair-share.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { MAX_VALUES_OF_ANONYMOUS, parseStrictJson } from '../../platform/http/input/strict-json.ts'
import type { App } from '../../platform/http/server.ts'
import { type FileSource, SourceFailed } from '../../platform/uploads/source.ts'
import { assetProblems } from '../problems.ts'

const BODY_BYTES = 8 * 1024
const MAX_URL_LENGTH = 2_048

interface Source {
  fingerprint: string
  open(): Promise<Readable>
}

class UrlBody {
  readonly members: Record<string, unknown>

  constructor(members: Record<string, unknown>) {
    this.members = members
  }
}

/**
 * Makes the upload route of this scope accept JSON with the URL of the file. JSON without a URL is a file like any
 * other, because its declared type does not count.
 */
export function acceptUrls(app: App): void {
  const options = { parseAs: 'buffer', bodyLimit: BODY_BYTES } as const
  app.addContentTypeParser('application/json', options, async (_request: unknown, body: Buffer) => {
    const json = parsed(body)
    const isUrl = typeof json === 'object' && json !== null && 'url' in json
    return isUrl ? new UrlBody(json as Record<string, unknown>) : Readable.from([body], { objectMode: false })
  })
}

function parsed(body: Buffer): unknown {
  try {
    return parseStrictJson(body, MAX_VALUES_OF_ANONYMOUS)
  } catch {
    return undefined
  }
}

/**
 * Returns the source of the file that a JSON body names; undefined if the request contains the file.
 *
 * @throws `validation_failed`; opening and reading: `asset_source_refused`, `asset_source_unavailable`
 */
export function sourceOf(
  { files, findShare }: { files: FileSource; findShare: FindShare },
  body: unknown,
  { ownerId, signal }: { ownerId: string; signal: AbortSignal },
): Source | undefined {
  if (!(body instanceof UrlBody)) return undefined
  const url = readUrl(body.members)
  const open = async (): Promise<Readable> => {
    const stream = await files.open(url, { share: await findShare(ownerId), signal }).catch(explain)
    return Readable.from(explained(stream), { objectMode: false })
  }
  return { fingerprint: `url ${url}`, open }
}

function readUrl({ url, ...others }: Record<string, unknown>): string {
  const unknown = Object.keys(others).map((name) => {
    return { code: 'unknown_member', pointer: `/${name}`, detail: 'This member is not known here.' }
  })
  const isUrl = typeof url === 'string' && url !== '' && url.length <= MAX_URL_LENGTH && URL.canParse(url)
  if (isUrl && unknown.length === 0) return url
  const detail = `This must be a URL with at most ${MAX_URL_LENGTH} characters.`
  const errors = isUrl ? unknown : [{ code: 'wrong_format', pointer: '/url', detail }, ...unknown]
  throw httpProblems.validation_failed({ detail: 'The body does not match its schema.', errors })
}

/** A stream can fail while it is read, too. */
async function* explained(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>
  } catch (error) {
    explain(error)
  } finally {
    stream.destroy()
  }
}

function explain(error: unknown): never {
  if (!(error instanceof SourceFailed)) throw error
  throw error.kind === 'refused'
    ? assetProblems.asset_source_refused(error.message)
    : assetProblems.asset_source_unavailable(error.message)
}
