import { findContact, limitOperation, requireRole } from '../../auth/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import type { App } from '../../platform/http/server.ts'
import type { Language } from '../../platform/languages.ts'
import { sendMessage } from '../../platform/messages/mail.ts'
import { dataUrlOf, withPictures } from '../../platform/messages/mail-pictures.ts'
import type { ContentDeps } from '../content/deps.ts'
import { requireFillable } from '../edited-texts/change-text.ts'
import { ORDER_MAIL_KINDS } from '../kinds.ts'
import { orderMailProblems } from '../problems.ts'
import { requireKind } from '../require-kind.ts'
import { previewMail, type Wanted } from './preview-mail.ts'
import {
  MailKindList,
  MailParams,
  MailPreviewBody,
  PreviewBody,
  PreviewQuery,
  TestMailBody,
  TestMailSent,
} from './schemas.ts'

const tags = ['Settings']

export interface MailPreviewDeps extends ContentDeps {
  clock: Clock
}

/** Routes with which administrators see the mails about orders, with the data of an example. */
export function mailPreviewRoutes(app: App, deps: MailPreviewDeps): void {
  readRoutes(app, deps)
  sendRoute(app, deps)
}

function readRoutes(app: App, deps: MailPreviewDeps): void {
  app.get(
    '/mail-previews',
    {
      onRequest: requireRole('admin', 'system:read'),
      schema: {
        operationId: 'listMailPreviews',
        tags,
        summary: 'List the mails to customers',
        description:
          'For administrators: the mails about orders, in the order of their causes, with the languages of the shop.',
        response: { 200: MailKindList },
      },
    },
    async () => {
      const languages = [...deps.config.shopLanguages] as Language[]
      return { data: ORDER_MAIL_KINDS.map((kind) => ({ kind, languages })) }
    },
  )

  app.get(
    '/mail-previews/:kind',
    {
      onRequest: requireRole('admin', 'system:read'),
      schema: {
        operationId: 'previewMail',
        problems: [orderMailProblems.mail_not_found],
        tags,
        summary: 'Preview a mail to customers',
        description:
          'For administrators. Renders the mail as the service sends it, with its templates, the look of the shop, and the data of an example.',
        params: MailParams,
        querystring: PreviewQuery,
        response: { 200: MailPreviewBody },
      },
    },
    async (request) => {
      const kind = requireKind(request.params.kind)
      const { language } = request.query
      const ownerId = principalOf(request).userId
      return showMail(deps, { kind, language, ownerId, now: deps.clock.now() })
    },
  )

  app.post(
    '/mail-previews/:kind',
    {
      onRequest: requireRole('admin', 'system:read'),
      schema: {
        operationId: 'previewMailText',
        problems: [orderMailProblems.mail_not_found, orderMailProblems.mail_text_invalid],
        tags,
        summary: 'Preview a mail to customers with another text',
        description:
          'Changes nothing. Renders the mail as `GET /mail-previews/{kind}` does, with a subject and a body that are not saved. They have the rules of `PUT /mail-texts/{kind}/{language}`.',
        params: MailParams,
        body: PreviewBody,
        response: { 200: MailPreviewBody },
      },
    },
    async (request) => {
      const kind = requireKind(request.params.kind)
      const { language, ...text } = request.body
      requireFillable(kind, text)
      return showMail(deps, { kind, language, text, ownerId: principalOf(request).userId, now: deps.clock.now() })
    },
  )
}

async function showMail(deps: MailPreviewDeps, wanted: Wanted): Promise<MailPreviewBody> {
  const { kind, language } = wanted
  const { subject, text, html, pictures } = await previewMail(deps, wanted)
  return { kind, language, subject, text, html: withPictures(html, pictures, dataUrlOf) }
}

function sendRoute(app: App, deps: MailPreviewDeps): void {
  app.post(
    '/mail-previews/:kind/send',
    {
      onRequest: requireRole('admin', 'system:write'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'sendTestMail',
        problems: [orderMailProblems.mail_not_found, orderMailProblems.mail_text_invalid],
        tags,
        summary: 'Send a test mail to the caller',
        description:
          'Sends the preview of a mail to the email address of the account of the caller, at most 20 an hour. Its subject begins with `[Test]`. With `text`, the mail has a subject and a body that are not saved.',
        params: MailParams,
        body: TestMailBody,
        response: { 202: TestMailSent },
      },
    },
    async (request, reply) => {
      const kind = requireKind(request.params.kind)
      const { language, text } = request.body
      if (text !== undefined) requireFillable(kind, text)
      const { userId } = principalOf(request)
      const now = deps.clock.now()
      const { subject, ...content } = await previewMail(deps, { kind, language, text, ownerId: userId, now })
      return idempotently(deps, request, reply, async (trx) => {
        await limitOperation(trx, { userId, operation: 'send_test_mail' }, now)
        const to = (await findContact(trx, userId))?.email
        if (to == null) throw new Error(`the administrator ${userId} has no email address`)
        const message = { channel: 'email', kind: 'test_mail', to, subject: `[Test] ${subject}`, ...content } as const
        await sendMessage(trx, message, now)
        return { status: 202, body: { to } }
      })
    },
  )
}
