import { type Auth, requireRole } from '../../auth/index.ts'
import { editorOf } from '../../change-records/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import type { HttpRequest } from '../../platform/http/core/request.ts'
import { isExpectedVersion } from '../../platform/http/responses/etag.ts'
import type { App } from '../../platform/http/server.ts'
import { orderMailProblems } from '../problems.ts'
import { requireKind } from '../require-kind.ts'
import { changeText } from './change-text.ts'
import type { EditedText } from './edited-text.ts'
import { MailTextBody, MailTextParams, NewMailTextBody, toMailTextBody } from './schemas.ts'
import { findText, type StoredText, type TextKey } from './store.ts'

const tags = ['Settings']

export interface MailTextDeps extends Pick<Auth, 'recordAdminAct'> {
  db: Db
  clock: Clock
}

const etagOf = ({ revision }: StoredText): string => `"${revision}"`

/** Routes with which administrators edit the texts of mails about orders. */
export function mailTextRoutes(app: App, deps: MailTextDeps): void {
  const { db } = deps
  const path = '/mail-texts/:kind/:language'

  app.get(
    path,
    {
      onRequest: requireRole('admin', 'system:read'),
      config: { sets: ['ETag'] },
      schema: {
        operationId: 'getMailText',
        problems: [orderMailProblems.mail_not_found],
        tags,
        summary: 'Read the text of a mail to customers',
        description:
          'For administrators: subject and body in one language, with the placeholders that they can contain. The `ETag` is the version for `If-Match`.',
        params: MailTextParams,
        response: { 200: MailTextBody },
      },
    },
    async ({ params }, reply) => {
      const key = keyOf(params)
      const text = await findText(db, key)
      reply.header('ETag', etagOf(text))
      return toMailTextBody(key, text)
    },
  )

  app.put(
    path,
    {
      onRequest: requireRole('admin', 'system:write'),
      config: { honours: ['If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'replaceMailText',
        problems: [orderMailProblems.mail_not_found, orderMailProblems.mail_text_invalid],
        tags,
        summary: 'Replace the text of a mail to customers',
        description:
          'Applies to all mails of the kind in the language that are sent from now on; heading, button and everything below the text stay. A placeholder such as `{{number}}` is replaced by its value, and one of a sentence by nothing if the sentence does not apply. The text is plain: HTML and the tags of templates are shown as they are written. If it is not the version of `If-Match`, 412 `precondition_failed` contains the present `mailText`. The security events record the change as `shop_settings_changed`, with `"setting": "mail_text"`.',
        params: MailTextParams,
        body: NewMailTextBody,
        response: { 200: MailTextBody },
      },
    },
    async (request, reply) => {
      const key = keyOf(request.params)
      const isExpected = (etag: string) => isExpectedVersion(request, etag)
      const text = await change(deps, request, { key, text: request.body, isExpected })
      reply.header('ETag', etagOf(text))
      return toMailTextBody(key, text)
    },
  )

  app.delete(
    path,
    {
      onRequest: requireRole('admin', 'system:write'),
      config: { honours: ['If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'resetMailText',
        problems: [orderMailProblems.mail_not_found],
        tags,
        summary: 'Reset the text of a mail to customers',
        description: 'Lets the text of the service apply again, and returns it.',
        params: MailTextParams,
        response: { 200: MailTextBody },
      },
    },
    async (request, reply) => {
      const key = keyOf(request.params)
      const isExpected = (etag: string) => isExpectedVersion(request, etag)
      const text = await change(deps, request, { key, text: undefined, isExpected })
      reply.header('ETag', etagOf(text))
      return toMailTextBody(key, text)
    },
  )
}

interface Params {
  kind: string
  language: TextKey['language']
}

/** @throws `mail_not_found` */
const keyOf = ({ kind, language }: Params): TextKey => ({ kind: requireKind(kind), language })

interface Change {
  key: TextKey
  text: EditedText | undefined
  /** Whether the administrator has seen the version with this entity tag. */
  isExpected(etag: string): boolean
}

function change(
  { db, clock, recordAdminAct }: MailTextDeps,
  request: HttpRequest,
  { key, text, isExpected }: Change,
): Promise<StoredText> {
  const requireVersion = (present: StoredText): void => {
    if (isExpected(etagOf(present))) return
    const members = { mailText: toMailTextBody(key, present) }
    throw httpProblems.precondition_failed({ headers: { ETag: etagOf(present) }, members })
  }
  const editor = editorOf(request)
  return db.transaction().execute(async (trx) => {
    const changed = await changeText(trx, key, { text, editor, now: clock.now(), requireVersion })
    await recordAdminAct(trx, request, { setting: 'mail_text', ...key, isEdited: text !== undefined })
    return changed
  })
}
