import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { type StartOptions, sharedRenderer } from '../../test/harness.ts'
import { until } from '../../test/lib/until.ts'
import { type Person, type Shop, startShop } from '../orders/factory.ts'

/** A mail as the outbox returns it. */
export interface OutboxMail {
  kind: string
  to: string
  subject: string
  text: string
  html: string
}

/** A shop whose service runs jobs, and steps that tests of order mails share. */
export interface MailShop extends Shop {
  operator: Person
  /** Returns the mails about orders in the outbox, oldest first. */
  mails(): Promise<OutboxMail[]>
  /** Waits until so many mails about orders are in the outbox. */
  untilMails(count: number): Promise<OutboxMail[]>
  /** Waits until every event has been read and no mail waits. */
  untilIdle(): Promise<void>
  /** Sends a request about an order, which must succeed. */
  act(person: Person, orderId: string, action: string, body?: object): Promise<{ id: string }>
}

export async function startMailShop(t: TestContext, options: StartOptions = {}): Promise<MailShop> {
  const shop = await startShop(t, undefined, options)
  const { service } = shop
  // Mails do not wait long for their pictures, and the process that draws them may take longer to start.
  await sharedRenderer().warmUp()
  service.startJobs()
  const mails = async () => {
    const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
    return (body as OutboxMail[]).filter(({ kind }) => kind.startsWith('order_')).reverse()
  }
  return {
    ...shop,
    operator: await shop.signUp('operator'),
    mails,
    untilMails: async (count) => {
      await until(`${count} mails`, async () => (await mails()).length >= count)
      return mails()
    },
    untilIdle: () => until('every mail', () => isIdle(shop)),
    act: async ({ token }, orderId, action, body) => {
      const answer = await shop.request('POST', `/orders/${orderId}/${action}`, { token, body })
      if (answer.status >= 300) throw new Error(`${action}: ${answer.text}`)
      return answer.body
    },
  }
}

async function isIdle({ db }: Shop): Promise<boolean> {
  const { rows: unread } = await sql`
    select from events e, order_mail_cursor c
    where (e.transaction_id, e.position) > (c.transaction_id, c.position) limit 1`.execute(db)
  const waiting = await db.selectFrom('order_mails').select('id').where('status', '=', 'waiting').executeTakeFirst()
  return unread.length === 0 && waiting === undefined
}

/** Gives the design of an order a preview, which orders of the factory lack. */
export async function addPreview({ db, deps }: Pick<Shop, 'db' | 'deps'>, designId: string): Promise<void> {
  const bytes = await sharp({ create: { width: 600, height: 400, channels: 4, background: '#2a9d8fcc' } })
    .webp()
    .toBuffer()
  const path = join(await deps.storage.createWorkDir(), 'preview.webp')
  await writeFile(path, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await deps.storage.store({ path, sha256 })
  const preview = { id: 'preview-front', kind: 'preview', mediaType: 'image/webp', bytes: bytes.length, sha256 }
  await db
    .updateTable('finalizations')
    .set({ files: JSON.stringify([preview]) })
    .where('design_id', '=', designId)
    .execute()
}
