import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { addSeconds, type Clock } from './clock.ts'
import type { Db, Trx } from './db/index.ts'
import { defineJob, type JobDefinition } from './jobs.ts'
import type { Log } from './log.ts'
import { createTextSender } from './sms.ts'

export interface Message {
  channel: 'email' | 'sms'
  to: string
  subject?: string
  text: string
  /** From then on it is of no use, and not sent any more. */
  expiresAt?: Date
  /** Its recipient waits for a link or a code in it. It is sent before other messages. */
  isUrgent?: boolean
  /** What the mail collects. Further notices can be added until it is sent (`amendWaiting`). */
  collected?: object
  /** The mail is not sent before this time. */
  sendAfter?: Date
}

export interface OutboxEntry extends Pick<Message, 'channel' | 'to' | 'subject' | 'text'> {
  at: Date
}

/** How long a mail server may take for a step: one that hangs must not hold up the other jobs for long. */
const SMTP_TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

const deliverJob = defineJob<Delivery>('messages.deliver')

/** Text messages are paid for, and one whose answer is lost may have been sent: it is not tried as often as a mail. */
const SMS_ATTEMPTS = 5

/** Messages that could not be delivered, or are not to be, are kept this long. */
const KEEP_DAYS = 7

/**
 * Takes a message in the transaction of the change it tells of: it is sent exactly when that commits.
 * Where a service for it is configured a job delivers it, with retries and thus at least once; otherwise it stays in the
 * outbox.
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
      collected: message.collected === undefined ? null : JSON.stringify(message.collected),
      send_after: message.sendAfter ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { channel, expiresAt, sendAfter } = message
  const delivery = { id, ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }) }
  const priority = await priorityOf(trx, message)
  // One text message after the other: a service that hangs holds up no other job.
  const oneByOne = { queue: deliverJob.name, maxAttempts: SMS_ATTEMPTS }
  const runAt = sendAfter === undefined ? {} : { runAt: sendAfter }
  await deliverJob.enqueue(trx, delivery, { priority, ...(channel === 'sms' ? oneByOne : runAt) })
}

/** Above the number of any waiting message, so that each urgent message comes before all others. */
const NOT_URGENT = 1_000

/**
 * Recipients take turns: the first waiting message of each is sent before the second of any. Many messages to one
 * recipient do not delay those to others.
 */
async function priorityOf(trx: Db | Trx, { to, isUrgent }: Message): Promise<number> {
  const { waiting } = await trx
    .selectFrom('outbox_messages')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('recipient', '=', to)
    .where('sending_at', 'is', null)
    .executeTakeFirstOrThrow()
  return (isUrgent === true ? 0 : NOT_URGENT) + Math.min(waiting, NOT_URGENT - 1)
}

/**
 * Adds to a mail that collects notices for this recipient and is not being sent yet.
 *
 * @param isDelayed whether to add to a mail that waits for its time, or to one that is due
 * @returns false if there is no such mail
 */
export async function amendWaiting(
  trx: Trx,
  { to, isDelayed }: { to: string; isDelayed: boolean },
  amend: (collected: unknown) => Required<Pick<Message, 'subject' | 'text' | 'collected'>>,
): Promise<boolean> {
  const waiting = await trx
    .selectFrom('outbox_messages')
    .select(['id', 'collected'])
    .where('recipient', '=', to)
    .where('collected', 'is not', null)
    .where('sending_at', 'is', null)
    .where('send_after', isDelayed ? 'is not' : 'is', null)
    .orderBy('id')
    .limit(1)
    // The job that sends it waits for this change, or has taken it already.
    .forUpdate()
    .executeTakeFirst()
  if (waiting === undefined) return false
  const { subject, text, collected } = amend(waiting.collected)
  await trx
    .updateTable('outbox_messages')
    .set({ subject, text, collected: JSON.stringify(collected) })
    .where('id', '=', waiting.id)
    .execute()
  return true
}

/** Takes back what is still to be sent to these addresses and telephone numbers. */
export async function withdrawMessages(trx: Trx, recipients: readonly string[]): Promise<void> {
  await trx.deleteFrom('outbox_messages').where('recipient', 'in', recipients).execute()
}

/** The newest messages first. */
export async function listMessages(db: Db, limit = 200): Promise<OutboxEntry[]> {
  const rows = await db
    .selectFrom('outbox_messages')
    .select(['channel', 'recipient', 'subject', 'text', 'created_at'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
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

interface Delivery {
  id: number
  expiresAt?: string
}

export interface MessageSettings {
  clock: Clock
  log: Log
  smtpUrl: string | undefined
  from: string
  smsUrl: string | undefined
}

/** Delivery by SMTP and by a service for text messages, and the clearing of old messages. */
export function messageJobs(db: Db, settings: MessageSettings): JobDefinition[] {
  const { clock, log } = settings
  const deliver = { email: createMailer(settings), sms: createTexter(settings) }
  return [
    deliverJob.handledBy(
      async ({ id, expiresAt }) => {
        const message = await db
          .updateTable('outbox_messages')
          .set({ sending_at: sql<Date>`clock_timestamp()` })
          .where('id', '=', id)
          .returning(['channel', 'recipient', 'subject', 'text'])
          .executeTakeFirst()
        const send = message && deliver[message.channel === 'sms' ? 'sms' : 'email']
        if (message === undefined || send === undefined) return
        if (expiresAt !== undefined && clock.now() >= new Date(expiresAt)) {
          log.warn({ channel: message.channel }, 'a message could not be delivered while it was of use, and is dropped')
        } else {
          const sent = { to: message.recipient, subject: message.subject ?? '', text: message.text }
          await send(sent).catch(async (error: unknown) => {
            await db.updateTable('outbox_messages').set({ sending_at: null }).where('id', '=', id).execute()
            throw error
          })
        }
        // The text holds links and codes that sign people in: it is not kept longer than needed.
        await db.deleteFrom('outbox_messages').where('id', '=', id).execute()
      },
      { isDelivery: true },
    ),
    {
      name: 'messages.prune',
      cron: '17 3 * * *',
      handle: async () => {
        const oldest = addSeconds(clock.now(), -KEEP_DAYS * 86_400)
        await db.deleteFrom('outbox_messages').where('created_at', '<', oldest).execute()
      },
    },
  ]
}

/** Ends well also when the message can never be delivered. */
type Send = (message: { to: string; subject: string; text: string }) => Promise<unknown>

function createMailer({ smtpUrl, from }: MessageSettings): Send | undefined {
  if (smtpUrl === undefined) return undefined
  const transport = createTransport(withTimeouts(smtpUrl))
  // As an object the address is taken whole: nothing in it can become a second recipient.
  return ({ to, subject, text }) => transport.sendMail({ from, to: { name: '', address: to }, subject, text })
}

function createTexter({ smsUrl, log }: MessageSettings): Send | undefined {
  return smsUrl === undefined ? undefined : createTextSender(smsUrl, log)
}
