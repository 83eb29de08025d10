import { PERMISSION_PROBLEMS, requirePermission, requireRole } from '../auth/index.ts'
import type { Replica } from '../platform/db/reading/replica.ts'
import type { App } from '../platform/http/server.ts'
import { readChangePage } from './read-page.ts'
import { ChangeRecordPage, ChangeRecordQuery, toChangeRecordBody } from './schemas.ts'

/** Adds the route with which administrators see who changed what. */
export function changeRecordRoutes(app: App, { replica }: { replica: Replica }): void {
  app.get(
    '/change-records',
    {
      onRequest: requireRole('admin', 'products:read'),
      schema: {
        operationId: 'listChangeRecords',
        problems: PERMISSION_PROBLEMS,
        tags: ['Settings'],
        summary: 'List the changes of the catalogue and of settings',
        description:
          'For administrators. Newest first. Each record names its actor and the values before and after, and is written in the transaction of the change. Records of the shop and of mail texts need `system:read`, too. Changes that were made before these records existed, and those of processes of earlier releases, are missing.',
        querystring: ChangeRecordQuery,
        response: { 200: ChangeRecordPage },
      },
    },
    async (request) => {
      const { subject, subjectId } = request.query
      if (subject === 'shop' || subject === 'mail_text') requirePermission(request, 'system:read')
      return replica.read((db) => readChangePage(db, request.query, { subject, subjectId }, toChangeRecordBody))
    },
  )
}
