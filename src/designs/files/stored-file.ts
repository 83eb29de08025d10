import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendStored } from '../../platform/http/send-stored.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { FinalizationFile } from '../finalization/store.ts'

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/webp': 'webp',
  'image/png': 'png',
}

/**
 * Answers with a finalization's file, or with an address where it is. Whoever calls decides who may have it.
 *
 * @param baseName first part of the file's name, for people who save it
 */
export async function sendFinalizationFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { storage, file, baseName }: { storage: Storage; file: FinalizationFile; baseName: string },
): Promise<FastifyReply> {
  const { id, kind, mediaType, sha256 } = file
  const fileName = `${baseName}-${id}.${EXTENSIONS[mediaType] ?? 'bin'}`
  const disposition = kind === 'print' ? 'attachment' : 'inline'
  return sendStored(request, reply, { storage, file: { sha256, mediaType, disposition, fileName } })
}
