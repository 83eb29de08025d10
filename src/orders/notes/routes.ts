import { Type } from 'typebox'
import { requireRoleWithAny } from '../../auth/index.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { paragraph } from '../../platform/http/input/text.ts'
import type { App } from '../../platform/http/server.ts'
import { type ActionDeps, actingUser, contextFor } from '../order/action-context.ts'
import { findActorsOf, NoteBody, toNoteBody } from '../order/actor-body.ts'
import { OrderParams } from '../order/requests.ts'
import { orderProblems } from '../problems.ts'
import { addNote } from './add-note.ts'

const NewNoteBody = Type.Object({ text: paragraph(2_000) }, { additionalProperties: false })

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
          'Only operators see notes, in `notes` of the order. Exports, events, webhooks and mails do not contain them. A note increases the `revision` of the order and emits no event. Notes cannot be changed. Erasing the personal data of the customer deletes them.',
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
}
