import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const
const Url = Type.String()

const WARNINGS = [
  'payment_webhook_never_received',
  'payments_in_test_mode',
  'payment_disputes_unavailable',
  'shop_origin_not_allowed',
  'shop_without_passkeys',
  'public_url_insecure',
  'sending_off',
] as const

export const ConfigurationBody = Type.Object(
  {
    payments: Type.Object(
      {
        provider: Type.String({
          description: 'Name of the payment provider, or `manual` (`PLATEN_PAYMENT_PROVIDER`).',
        }),
        mode: Type.Union([Type.Literal('live'), Type.Literal('test'), Type.Null()], {
          description: 'Whether real money is paid. Null: the shop records payments itself.',
        }),
        webhookUrl: Type.Union([Url, Type.Null()], { description: 'URL that the provider must call.' }),
        lastWebhookAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
          description: 'When the provider called it last, to the minute. Null: never.',
        }),
      },
      closed,
    ),
    domains: Type.Object(
      {
        publicUrl: Type.String({ description: '`PLATEN_PUBLIC_URL`' }),
        shopUrl: Type.String({ description: '`PLATEN_SHOP_URL`' }),
        corsOrigins: Type.Array(Url, {
          description:
            'Further origins whose pages may call the API: `PLATEN_CORS_ORIGINS`, and those of `redirectUris`.',
        }),
        redirectUris: Type.Array(Url, { description: '`PLATEN_REDIRECT_URIS`' }),
        passkeyDomain: Type.String({ description: 'Domain of passkeys: `PLATEN_PASSKEY_RP_ID`.' }),
        passkeyOrigins: Type.Array(Url, {
          description: 'Origins whose pages can use passkeys: `PLATEN_PUBLIC_URL` and `PLATEN_PASSKEY_ORIGINS`.',
        }),
      },
      closed,
    ),
    warnings: Type.Array(Type.Unsafe<(typeof WARNINGS)[number]>({ type: 'string', enum: WARNINGS }), {
      description:
        '`payment_webhook_never_received`: the provider has not called `webhookUrl`. `payments_in_test_mode`: a production service takes no real money. `payment_disputes_unavailable`: the API key of the provider may not read disputes. `shop_origin_not_allowed`: pages of `shopUrl` may not call the API. `shop_without_passkeys`: pages of `shopUrl` cannot use passkeys. `public_url_insecure`: `publicUrl` is not HTTPS. `sending_off`: mails, text messages, webhooks and payments wait (`PLATEN_SEND`).',
    }),
  },
  { ...closed, title: 'SystemConfiguration' },
)
export type ConfigurationBody = Static<typeof ConfigurationBody>
