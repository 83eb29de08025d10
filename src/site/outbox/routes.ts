import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Db } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { loopbackOnly } from '../../platform/http/operations/operations.ts'
import type { App } from '../../platform/http/server.ts'
import { findDesignedMessage, listMessages } from '../../platform/messages/mail.ts'
import { withPictures } from '../../platform/messages/mail-pictures.ts'
import { layout, type SiteSettings } from '../layout.ts'
import { outboxPage } from './list-page.ts'
import { showMail } from './shown-mail.ts'

const MailParams = Type.Object({ id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }) })
const PictureParams = Type.Object({ ...MailParams.properties, cid: Type.String() })

/** Adds pages that show the outbox as a customer would see it, to the same clients as `/dev/outbox`. */
export function outboxRoutes(app: App, { db, settings }: { db: Db; settings(): SiteSettings }): void {
  const onRequest = loopbackOnly(new URL(settings().origin).hostname)
  const options = { onRequest, config: { unlimited: true } } as const
  const requireMail = async (params: unknown) => {
    const { id } = params as Static<typeof MailParams>
    const mail = await findDesignedMessage(db, Number(id))
    if (mail === undefined) throw httpProblems.not_found()
    const url = `/dev/outbox/mails/${id}`
    const html = withPictures(mail.html, mail.pictures, ({ cid }) => `${url}/pictures/${cid}`)
    return { ...showMail(html, `${url}/style.css`), pictures: mail.pictures }
  }

  app.get('/dev/outbox/mails', { ...options, schema: { hide: true } }, async (_request, reply) =>
    send(reply, 'text/html; charset=utf-8', layout(outboxPage(await listMessages(db)), settings())),
  )
  app.get('/dev/outbox/mails/:id', { ...options, schema: { hide: true, params: MailParams } }, async (request, reply) =>
    send(reply, 'text/html; charset=utf-8', (await requireMail(request.params)).html),
  )
  app.get(
    '/dev/outbox/mails/:id/style.css',
    { ...options, schema: { hide: true, params: MailParams } },
    async (request, reply) => send(reply, 'text/css; charset=utf-8', (await requireMail(request.params)).css),
  )
  app.get(
    '/dev/outbox/mails/:id/pictures/:cid',
    { ...options, schema: { hide: true, params: PictureParams } },
    async (request, reply) => {
      const { cid } = request.params as Static<typeof PictureParams>
      const picture = (await requireMail(request.params)).pictures.find((one) => one.cid === cid)
      if (picture === undefined) throw httpProblems.not_found()
      return send(reply, picture.mediaType, Buffer.from(picture.base64, 'base64'))
    },
  )
}

function send(reply: FastifyReply, type: string, content: string | Buffer): FastifyReply {
  return reply.type(type).header('Cache-Control', 'no-store').send(content)
}
