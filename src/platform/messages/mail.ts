import { sql } from 'kysely'
import { addSeconds, type Clock } from '../clock.ts'
import { currentRequest } from '../concurrency/request-context.ts'
import type { Db, Trx } from '../db/index.ts'
import { networkOfShare } from '../fair-share.ts'
import { defineJob, type JobDefinition } from '../jobs/jobs.ts'
import type { Log } from '../telemetry/log.ts'
import { dataUrlOf, type MailPicture, withPictures } from './mail-pictures.ts'
import { createTextSender } from './sms.ts'
import { createMailer, type Mail } from './smtp.ts'

export interface Message {
  channel: 'email' | 'sms'
  /** What the message is, such as `reset_password`. */
  kind: string
  to: string
  subject?: string
  text: string
  /** The same content as HTML, with the pictures that it shows as `cid:` URLs. */
  html?: string
  pictures?: readonly MailPicture[]
  /** Id of the record that the message is about, by which `withdrawMessagesAbout` finds it. */
  about?: string
  /** Time after which the message is useless and is no longer sent. */
  expiresAt?: Date
  /** Whether the recipient waits for a link or code in the message. Urgent messages are sent before others. */
  isUrgent?: boolean
  /** The notices that the mail contains. Until the mail is sent, `amendWaiting` can add further notices. */
  collected?: object
  /** Earliest time at which the mail is sent. */
  sendAfter?: Date
}

export interface OutboxEntry extends Pick<Message, 'channel' | 'to' | 'subject' | 'text' | 'html'> {
  id: number
  /** Absent for messages of earlier releases. */
  kind?: string
  at: Date
}

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
  const id = await keepMessage(trx, message, at)
  const { channel, expiresAt, sendAfter } = message
  const delivery = { id, ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }) }
  const priority = await priorityOf(trx, message)
  // Text messages are sent one after another, so that a service that hangs does not delay other jobs.
  const oneByOne = { queue: deliverJob.name, maxAttempts: SMS_ATTEMPTS }
  const runAt = sendAfter === undefined ? {} : { runAt: sendAfter }
  await deliverJob.enqueue(trx, delivery, { priority, ...(channel === 'sms' ? oneByOne : runAt) })
}

/**
 * Adds a message to the outbox, from which nothing sends it. Without a mail server, developers read it there.
 *
 * @returns the id of the message in the outbox
 */
export async function keepMessage(trx: Db | Trx, message: Message, at: Date): Promise<number> {
  const { id } = await trx
    .insertInto('outbox_messages')
    .values({
      channel: message.channel,
      kind: message.kind,
      about: message.about ?? null,
      recipient: message.to,
      subject: message.subject ?? null,
      text: message.text,
      html: message.html ?? null,
      pictures: message.pictures === undefined ? null : JSON.stringify(message.pictures),
      created_at: at,
      collected: message.collected === undefined ? null : JSON.stringify(message.collected),
      send_after: message.sendAfter ?? null,
      network: currentSender() ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Added to the priority of messages that are not urgent. It exceeds the number of waiting messages of any recipient, so
 * that each urgent message comes before all other messages.
 */
const NOT_URGENT = 1_000

/**
 * Returns the priority of a message so that recipients are served in rotation: the first waiting message of each
 * recipient comes before the second message of any. Customers and networks of visitors take turns in the same way with the
 * messages that they cause. Many messages to one recipient, or caused by one customer or network, do not delay others.
 */
async function priorityOf(trx: Db | Trx, { to, isUrgent }: Message): Promise<number> {
  const sender = currentSender()
  // Both numbers include the message itself.
  const [toRecipient, ofSender] = [
    await countWaiting(trx, 'recipient', to),
    sender === undefined ? 0 : await countWaiting(trx, 'network', sender),
  ]
  return (isUrgent === true ? 0 : NOT_URGENT) + Math.max(toRecipient, ofSender)
}

/**
 * Returns who causes the messages of the current request: the network of a visitor, or the account of another customer.
 * Undefined for staff and for the service itself.
 */
function currentSender(): string | undefined {
  const { anonymousNetwork, isCustomer, share, account } = currentRequest() ?? {}
  if (anonymousNetwork !== undefined) return anonymousNetwork
  // When the client disconnects, the context loses its account and keeps the share.
  const name = share ?? account
  return isCustomer === true && name !== undefined ? networkOfShare(name) : undefined
}

/** Counts the messages that wait, up to the most that a priority can express. */
async function countWaiting(trx: Db | Trx, column: 'recipient' | 'network', value: string): Promise<number> {
  const { waiting } = await trx
    .selectFrom((eb) =>
      eb
        .selectFrom('outbox_messages')
        .select('id')
        .where(column, '=', value)
        .where('sending_at', 'is', null)
        .limit(NOT_URGENT - 1)
        .as('found'),
    )
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow()
  return waiting
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

/** Deletes waiting messages about these records. */
export async function withdrawMessagesAbout(trx: Trx, ids: readonly string[]): Promise<void> {
  await trx.deleteFrom('outbox_messages').where(sql<boolean>`about = any(${ids}::text[])`).execute()
}

/** Lists messages, newest first. The pictures of their HTML are `data:` URLs, so that it can be shown by itself. */
export async function listMessages(db: Db, limit = 200): Promise<OutboxEntry[]> {
  const rows = await db
    .selectFrom('outbox_messages')
    .select(['id', 'channel', 'kind', 'recipient', 'subject', 'text', 'html', 'pictures', 'created_at'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ pictures, ...row }) => ({
    id: row.id,
    channel: row.channel === 'sms' ? 'sms' : 'email',
    ...(row.kind === null ? {} : { kind: row.kind }),
    to: row.recipient,
    ...(row.subject === null ? {} : { subject: row.subject }),
    text: row.text,
    ...(row.html === null ? {} : { html: withPictures(row.html, toPictures(pictures), dataUrlOf) }),
    at: row.created_at,
  }))
}

/** Finds a message with HTML, whose pictures are `cid:` URLs. */
export async function findDesignedMessage(
  db: Db,
  id: number,
): Promise<{ subject: string; html: string; pictures: readonly MailPicture[] } | undefined> {
  const row = await db
    .selectFrom('outbox_messages')
    .select(['subject', 'html', 'pictures'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row?.html == null) return undefined
  return { subject: row.subject ?? '', html: row.html, pictures: toPictures(row.pictures) }
}

function toPictures(stored: unknown): MailPicture[] {
  return (stored ?? []) as MailPicture[]
}

export interface MessageQueue {
  waiting: number
  /** When the oldest of these messages was created. */
  since: Date | null
}

/** Counts the messages that are not sent. A message that nothing could send stays for some days. */
export async function readMessageQueue(db: Db): Promise<MessageQueue> {
  return db
    .selectFrom('outbox_messages')
    .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.min<Date | null>('created_at').as('since')])
    .executeTakeFirstOrThrow()
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
  const deliver: Record<'email' | 'sms', Send | undefined> = {
    email: createMailer(settings),
    sms: createTexter(settings),
  }
  return [
    deliverJob.handledBy(
      async ({ id, expiresAt }) => {
        const message = await db
          .updateTable('outbox_messages')
          .set({ sending_at: sql<Date>`clock_timestamp()` })
          .where('id', '=', id)
          .returning(['channel', 'recipient', 'subject', 'text', 'html', 'pictures'])
          .executeTakeFirst()
        const send = message && deliver[message.channel === 'sms' ? 'sms' : 'email']
        if (message === undefined || send === undefined) return
        if (expiresAt !== undefined && clock.now() >= new Date(expiresAt)) {
          log.warn({ channel: message.channel }, 'a message expired before it could be delivered, and was dropped')
        } else {
          const { recipient: to, subject, text, html, pictures } = message
          const designed = html === null ? {} : { html, pictures: toPictures(pictures) }
          const sent = { to, subject: subject ?? '', text, ...designed }
          await send(sent).catch(async (error: unknown) => {
            await db.updateTable('outbox_messages').set({ sending_at: null }).where('id', '=', id).execute()
            throw error
          })
        }
        // The text contains links and codes for sign-in, so it is deleted as soon as it is sent.
        await db.deleteFrom('outbox_messages').where('id', '=', id).execute()
      },
      { isDelivery: true, isSending: true },
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
type Send = (message: Mail) => Promise<unknown>

function createTexter({ smsUrl, log }: MessageSettings): Send | undefined {
  return smsUrl === undefined ? undefined : createTextSender(smsUrl, log)
}
