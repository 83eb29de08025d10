import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { publicRoute } from '../../platform/http/core/guard.ts'
import { isNotModified, sendNotModified } from '../../platform/http/responses/etag.ts'
import type { App } from '../../platform/http/server.ts'
import { documentSchema } from './document-schema.ts'

/** Serves the schema of design documents, for clients that check documents before they send them. */
export function documentSchemaRoutes(app: App): void {
  const text = JSON.stringify(documentSchema())
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`

  app.get(
    '/schemas/design-document.json',
    {
      onRequest: publicRoute,
      schema: {
        operationId: 'getDesignDocumentSchema',
        tags: ['Designs'],
        summary: 'Read the JSON Schema of design documents',
        description:
          'JSON Schema 2020-12, without external references. Rules that a schema cannot express, such as unique ids, are checked when a design is saved.',
        response: {
          200: {
            description: 'The schema.',
            content: { 'application/schema+json': { schema: Type.Unsafe<unknown>({}) } },
          },
          304: Type.Null(),
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'public, max-age=3600')
      if (isNotModified(request, reply, etag)) return sendNotModified(reply)
      return reply.type('application/schema+json; charset=utf-8').send(text)
    },
  )
}
