import { type Static, Type } from 'typebox'
import { pageOf } from '../../platform/http/pagination.ts'
import { Closed, Timestamp } from '../schemas.ts'
import { SecondFactorBody, TokenBody } from '../sessions/schemas.ts'
import type { Identity } from './store.ts'

const ProviderLiteral = Type.Union([Type.Literal('google'), Type.Literal('github')])

export const StartQuery = Type.Object(
  {
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2048,
        description:
          'Where the browser is sent in the end, with `code` or `error`: an address of `PLATEN_REDIRECT_URIS`, exactly. ' +
          'Without it the callback answers with the tokens as JSON.',
      }),
    ),
    state: Type.Optional(
      Type.String({ maxLength: 512, pattern: '^\\P{Cc}*$', description: 'Given back to `redirectUri` as it is.' }),
    ),
    codeChallenge: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{43}$',
        description: 'S256 code challenge (RFC 7636): only who knows its verifier can redeem the code.',
      }),
    ),
  },
  Closed,
)

/** Providers add parameters of their own. */
export const CallbackQuery = Type.Object({
  code: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
})

export const LinkedBody = Type.Object({ status: Type.Literal('linked'), provider: ProviderLiteral }, Closed)

export const CallbackBody = Type.Union([TokenBody, SecondFactorBody, LinkedBody])

export const Redirection = Type.Null({ description: 'Go on at the address in `Location`.' })

export const RedeemBody = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 200, description: 'The `code` that `redirectUri` was called with.' }),
    codeVerifier: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'What `codeChallenge` was made of; required exactly if there was one.',
      }),
    ),
  },
  Closed,
)

export const ProviderParams = Type.Object({ provider: Type.String({ description: '`google` or `github`.' }) }, Closed)

export const LinkBody = Type.Object(
  {
    authorizationUrl: Type.String({
      description: 'Open it in the browser that made this request: it was given a cookie that the callback asks for.',
    }),
  },
  Closed,
)

export const IdentityBody = Type.Object(
  {
    provider: Type.String(),
    label: Type.Union([Type.String(), Type.Null()], {
      description: 'Address or login name at the provider, as it was when last used.',
    }),
    createdAt: Timestamp,
    lastUsedAt: Type.Union([Timestamp, Type.Null()]),
  },
  Closed,
)
export type IdentityBody = Static<typeof IdentityBody>

export const IdentityList = pageOf(IdentityBody)

export function toIdentityBody({ provider, label, createdAt, lastUsedAt }: Identity): IdentityBody {
  return {
    provider,
    label,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt === null ? null : lastUsedAt.toISOString(),
  }
}
