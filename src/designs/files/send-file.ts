import type { FastifyReply, FastifyRequest } from 'fastify'
import { isNotModified } from '../../platform/http/etag.ts'
import type { Storage } from '../../platform/storage.ts'
import type { FinalizationFile } from '../finalization/store.ts'

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/webp': 'webp',
  'image/png': 'png',
}

/**
 * Answers with the bytes of a finalization's file. Whoever calls decides who may have them.
 *
 * @param baseName first part of the file's name, for people who save it
 */
export async function sendFinalizationFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { storage, file, baseName }: { storage: Storage; file: FinalizationFile; baseName: string },
): Promise<FastifyReply> {
  // A finalization never changes, so neither does what is at this address.
  reply.header('Cache-Control', 'private, max-age=31536000, immutable')
  if (isNotModified(request, reply, `"${file.sha256}"`)) return reply.code(304).send(null)
  const { stream, bytes } = await storage.open(file.sha256)
  const disposition = file.kind === 'print' ? 'attachment' : 'inline'
  const fileName = `${baseName}-${file.id}.${EXTENSIONS[file.mediaType] ?? 'bin'}`
  return reply
    .type(file.mediaType)
    .header('Content-Length', bytes)
    .header('Content-Disposition', `${disposition}; filename="${fileName}"`)
    .send(stream)
}
