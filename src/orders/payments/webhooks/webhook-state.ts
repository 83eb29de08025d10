import { sql } from 'kysely'
import type { Config } from '../../../config/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { PaymentProvider } from '../providers/provider.ts'

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
  /** Whether the provider does not let the service read disputes. */
  lacksDisputes: boolean
}

/** Describes how customers pay, without secrets. */
export async function readPaymentState(
  { db, provider: opened }: { db: Db; provider: Pick<PaymentProvider, 'mayReadDisputes'> | undefined },
  { paymentProvider: provider, paymentProviders }: Pick<Config, 'paymentProvider' | 'paymentProviders'>,
): Promise<PaymentState> {
  if (provider !== 'stripe') {
    const mode = provider === 'test' ? 'test' : null
    return { provider, mode, webhookPath: null, lastWebhookAt: null, lacksDisputes: false }
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
    lacksDisputes: (await opened?.mayReadDisputes?.()) === false,
  }
}
