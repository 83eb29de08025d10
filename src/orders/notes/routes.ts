import { Type } from 'typebox'
import { requireRoleWithAny } from '../../auth/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { paragraph } from '../../platform/http/input/text.ts'
import type { App } from '../../platform/http/server.ts'
import { findActorsOf, NoteBody, toNoteBody } from '../order/bodies/actor-body.ts'
import { OrderParams } from '../order/bodies/requests.ts'
import { type ActionDeps, actingUser, contextFor } from '../order/change/action-context.ts'
import { orderProblems } from '../problems.ts'
import { addNote } from './add-note.ts'
import { deleteOwnNote } from './delete-note.ts'

const NewNoteBody = Type.Object({ text: paragraph(2_000) }, { additionalProperties: false })

const NoteParams = Type.Object({ ...OrderParams.properties, noteId: Type.String() }, { additionalProperties: false })

/** For operators with any permission to change orders, because each part of the work has something to note. */
const mayNote = requireRoleWithAny('operator', 'orders:write', 'payments:write', 'production:write', 'shipping:write')

export function noteRoutes(app: App, deps: ActionDeps): void {
  app.post(
    '/orders/:orderId/notes',
    {
      onRequest: mayNote,
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'addOrderNote',
        problems: [orderProblems.too_many_order_notes],
        tags: ['Production'],
        summary: 'Add an internal note to an order',
        description:
          'Only operators see notes, in `notes` of the order. Exports, events, webhooks and mails do not contain them. A note increases the `revision` of the order and emits no event. Notes cannot be changed, and only their authors can delete them. Erasing the personal data of the customer deletes them.',
        params: OrderParams,
        body: NewNoteBody,
        response: { 201: NoteBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => {
        const context = contextFor(deps, actingUser(principalOf(request), 'operator'))
        const note = await addNote(trx, context, { id: request.params.orderId }, request.body.text)
        return { status: 201, body: toNoteBody(note, await findActorsOf(trx, [note])) }
      }),
  )

  app.delete(
    '/orders/:orderId/notes/:noteId',
    {
      onRequest: mayNote,
      schema: {
        operationId: 'deleteOrderNote',
        problems: [orderProblems.order_note_not_found, orderProblems.order_note_of_another_author],
        tags: ['Production'],
        summary: 'Delete an own note on an order',
        description:
          'Deletes a note that the user of the session, or the owner of the API key, has written. It increases the `revision` of the order and emits no event.',
        params: NoteParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { orderId, noteId } = request.params
      const context = contextFor(deps, actingUser(principalOf(request), 'operator'))
      await deps.db.transaction().execute((trx) => deleteOwnNote(trx, context, { id: orderId, noteId }))
      return reply.code(204).send(null)
    },
  )
}
