import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Storage } from '../../storage/index.ts'
import { contentDisposition } from './content-disposition.ts'
import { isNotModified, sendNotModified } from './etag.ts'

/** The responses of `sendStored` other than 200, for the schema of a route. */
export const STORED_FILE_RESPONSES = {
  302: Type.Null({
    description:
      'With object storage: the bytes are at the URL in `Location`, which is valid for five minutes and needs no credential.',
  }),
  304: Type.Null(),
}

export interface StoredFile {
  sha256: string
  mediaType: string
  disposition: 'attachment' | 'inline'
  /** Visible ASCII without quotes, as the name of the downloaded file. */
  fileName: string
  /** A name in any script, for clients that know RFC 6266. `contentDisposition` removes what file systems refuse. */
  title?: string
}

export interface StoredFileAccess {
  storage: Storage
  file: StoredFile
  /** How long the caller may have the bytes. Default: forever. */
  lifeSeconds?: number
}

/**
 * Sends stored bytes, or redirects to a signed URL for them. The route decides which callers may have the bytes. The
 * bytes of a hash never change, so a client may cache them forever.
 */
export async function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  { storage, file, lifeSeconds }: StoredFileAccess,
): Promise<FastifyReply> {
  reply.header('Cache-Control', `private, max-age=${lifeSeconds ?? 31_536_000}, immutable`)
  if (isNotModified(request, reply, `"${file.sha256}"`)) return sendNotModified(reply)
  const { mediaType, sha256 } = file
  const disposition = contentDisposition(file)
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
  const life = lifeSeconds === undefined ? {} : { lifeSeconds }
  const url = isLoadedByPage(request)
    ? undefined
    : await storage.signedUrl(sha256, { ...{ method, mediaType, disposition }, ...life })
  if (url !== undefined) {
    // Everyone with the signed URL can read the file, so the redirect must not be cached.
    return reply.removeHeader('ETag').header('Cache-Control', 'no-store').redirect(url)
  }
  const { stream, bytes } = await storage.open(sha256)
  return reply.type(mediaType).header('Content-Length', bytes).header('Content-Disposition', disposition).send(stream)
}

/**
 * Tells whether a page loads the file into itself. Policies of pages do not allow the host of the storage, and its
 * bucket may not admit the origin of the page, so such requests must not be redirected. Only browsers send
 * `Sec-Fetch-Site` (W3C Fetch Metadata).
 */
function isLoadedByPage({ headers }: FastifyRequest): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  if (site === undefined || site === 'none') return false
  return site === 'same-origin' ? mode !== 'navigate' : mode === 'cors'
}
