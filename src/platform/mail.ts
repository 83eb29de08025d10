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
  /** Time after which the message is useless and is no longer sent. */
  expiresAt?: Date
  /** Whether the recipient waits for a link or code in the message. Urgent messages are sent before others. */
  isUrgent?: boolean
  /** The notices that the mail contains. Until the mail is sent, `amendWaiting` can add further notices. */
  collected?: object
  /** Earliest time at which the mail is sent. */
  sendAfter?: Date
}

export interface OutboxEntry extends Pick<Message, 'channel' | 'to' | 'subject' | 'text'> {
  at: Date
}

/** Timeouts for the steps of a mail delivery. A mail server that hangs must not delay other jobs for long. */
const SMTP_TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

const deliverJob = defineJob<Delivery>('messages.deliver')

/**
 * Limit of attempts. Each text message costs money, and a message without a response may have been sent, so text
 * messages get fewer attempts than mails.
 */
const SMS_ATTEMPTS = 5

/** How many days messages are stored that could not or must not be delivered. */
const KEEP_DAYS = 7

/**
 * Adds a message in the transaction of the change that it reports. The message is sent only if the transaction commits.
 * If a mail or SMS service is configured, a job delivers the message at least once, with retries. Otherwise the message
 * stays in the outbox.
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
  // Text messages are sent one after another, so that a service that hangs does not delay other jobs.
  const oneByOne = { queue: deliverJob.name, maxAttempts: SMS_ATTEMPTS }
  const runAt = sendAfter === undefined ? {} : { runAt: sendAfter }
  await deliverJob.enqueue(trx, delivery, { priority, ...(channel === 'sms' ? oneByOne : runAt) })
}

/**
 * Added to the priority of messages that are not urgent. It exceeds the number of waiting messages of any recipient, so
 * that each urgent message comes before all other messages.
 */
const NOT_URGENT = 1_000

/**
 * Returns the priority of a message so that recipients are served in rotation: the first waiting message of each
 * recipient comes before the second message of any. Many messages to one recipient do not delay messages to others.
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
 * Adds a notice to a waiting mail that collects notices for this recipient.
 *
 * @param isDelayed true: adds to a mail with `sendAfter` in the future; false: to a mail that is due
 * @returns false if no such mail is waiting
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
    // The delivery job locks the same row: it waits for this change, or has already taken the mail.
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

/** Deletes waiting messages to these email addresses and telephone numbers. */
export async function withdrawMessages(trx: Trx, recipients: readonly string[]): Promise<void> {
  await trx.deleteFrom('outbox_messages').where('recipient', 'in', recipients).execute()
}

/** Lists messages, newest first. */
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

/** Adds timeouts as query parameters, from which nodemailer reads options. Existing parameters stay unchanged. */
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

/** Returns the jobs that deliver messages by SMTP and by an SMS service, and that delete old messages. */
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
          log.warn({ channel: message.channel }, 'a message expired before it could be delivered, and was dropped')
        } else {
          const sent = { to: message.recipient, subject: message.subject ?? '', text: message.text }
          await send(sent).catch(async (error: unknown) => {
            await db.updateTable('outbox_messages').set({ sending_at: null }).where('id', '=', id).execute()
            throw error
          })
        }
        // The text contains links and codes for sign-in, so it is deleted as soon as it is sent.
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

/** Sends a message. Also resolves if the message can never be delivered, so that it is not retried. */
type Send = (message: { to: string; subject: string; text: string }) => Promise<unknown>

function createMailer({ smtpUrl, from }: MessageSettings): Send | undefined {
  if (smtpUrl === undefined) return undefined
  const transport = createTransport(withTimeouts(smtpUrl))
  // Passes the email address as an object, so that it is used literally. As a text, it could contain a second
  // recipient.
  return ({ to, subject, text }) => transport.sendMail({ from, to: { name: '', address: to }, subject, text })
}

function createTexter({ smsUrl, log }: MessageSettings): Send | undefined {
  return smsUrl === undefined ? undefined : createTextSender(smsUrl, log)
}
