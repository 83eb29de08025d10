import { createTransport } from 'nodemailer'
import { addSeconds, type Clock } from './clock.ts'
import type { Db, Trx } from './db/index.ts'
import { enqueue, type JobDefinition } from './jobs.ts'

/** A mail or text message to one person. */
export interface Message {
  channel: 'email' | 'sms'
  to: string
  subject?: string
  text: string
}

export interface OutboxEntry extends Message {
  at: Date
}

/** How long a mail server may take for a step: one that hangs must not hold up the other jobs for long. */
const SMTP_TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

const DELIVER = 'messages.deliver'

/** Undelivered messages of an installation without mail service are kept this long. */
const KEEP_DAYS = 7

/**
 * Takes a message in the transaction of the change it tells of: it is sent exactly when that commits.
 * Where an SMTP service is configured a job delivers it, with retries; otherwise it stays in the outbox.
 */
export async function sendMessage(trx: Db | Trx, message: Message, at: Date): Promise<void> {
  const { id } = await trx
    .insertInto('outbox_messages')
    .values({
      channel: message.channel,
      recipient: message.to,
      subject: message.subject ?? null,
      text: message.text,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await enqueue(trx, DELIVER, { id })
}

/** The newest messages first. */
export async function listMessages(db: Db, limit = 200): Promise<OutboxEntry[]> {
  const rows = await db.selectFrom('outbox_messages').selectAll().orderBy('id', 'desc').limit(limit).execute()
  return rows.map((row) => ({
    channel: row.channel === 'sms' ? 'sms' : 'email',
    to: row.recipient,
    ...(row.subject === null ? {} : { subject: row.subject }),
    text: row.text,
    at: row.created_at,
  }))
}

/** Adds the time limits as query parameters, where nodemailer takes its options from; those that are set stay. */
export function withTimeouts(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const [name, ms] of Object.entries(SMTP_TIMEOUTS_MS)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(ms))
  }
  return url.href
}

/** Delivery by SMTP, and the clearing of old messages. */
export function messageJobs(
  db: Db,
  settings: { clock: Clock; smtpUrl: string | undefined; from: string },
): JobDefinition[] {
  const transport = settings.smtpUrl === undefined ? undefined : createTransport(withTimeouts(settings.smtpUrl))
  return [
    {
      name: DELIVER,
      handle: async (payload) => {
        if (transport === undefined) return
        const { id } = payload as { id: number }
        const message = await db.selectFrom('outbox_messages').selectAll().where('id', '=', id).executeTakeFirst()
        if (message === undefined || message.channel !== 'email') return
        const { recipient: to, text } = message
        // As an object the address is taken whole: nothing in it can become a second recipient.
        await transport.sendMail({
          from: settings.from,
          to: { name: '', address: to },
          subject: message.subject ?? '',
          text,
        })
        // The text holds links that sign people in or reset passwords: it is not kept longer than needed.
        await db.deleteFrom('outbox_messages').where('id', '=', id).execute()
      },
    },
    {
      name: 'messages.prune',
      cron: '17 3 * * *',
      handle: async () => {
        const oldest = addSeconds(settings.clock.now(), -KEEP_DAYS * 86_400)
        await db.deleteFrom('outbox_messages').where('created_at', '<', oldest).execute()
      },
    },
  ]
}
