import { sql } from 'kysely'
import type { Config } from '../../../config/index.ts'
import type { Db } from '../../../platform/db/index.ts'

/** Records that a message of a provider arrived, at most once a minute, so that many messages do not wait for a row. */
export async function recordPaymentWebhook(db: Db, provider: string): Promise<void> {
  await sql`
    insert into payment_webhooks (provider, received_at) select ${provider}, now()
    where not exists (
      select from payment_webhooks where provider = ${provider} and received_at > now() - interval '1 minute'
    )
    on conflict (provider) do update set received_at = excluded.received_at`.execute(db)
}

interface PaymentState {
  /** Name of the provider, or `manual`. */
  provider: string
  /** Null for payments that the shop records itself. */
  mode: 'live' | 'test' | null
  /** URL path to which the provider sends its messages. Null if it sends none. */
  webhookPath: string | null
  lastWebhookAt: Date | null
}

/** Describes how customers pay, without secrets. */
export async function readPaymentState(
  db: Db,
  { paymentProvider: provider, paymentProviders }: Pick<Config, 'paymentProvider' | 'paymentProviders'>,
): Promise<PaymentState> {
  if (provider !== 'stripe') {
    return { provider, mode: provider === 'test' ? 'test' : null, webhookPath: null, lastWebhookAt: null }
  }
  const isLive = /^(sk|rk)_live_/.test(paymentProviders.stripe?.secretKey ?? '')
  const row = await db
    .selectFrom('payment_webhooks')
    .select('received_at')
    .where('provider', '=', provider)
    .executeTakeFirst()
  return {
    ...{ provider, mode: isLive ? 'live' : 'test', webhookPath: '/v1/payments/stripe/webhook' },
    lastWebhookAt: row?.received_at ?? null,
  }
}
