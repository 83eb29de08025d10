import { type Static, Type } from 'typebox'
import { pageOf } from '../../platform/http/responses/pagination.ts'
import { Closed, Timestamp } from '../schemas.ts'
import { SecondFactorBody, TokenBody } from '../sessions/schemas.ts'
import { PRESET_NAMES } from './provider-settings.ts'
import type { Identity } from './store.ts'

export const StartQuery = Type.Object(
  {
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2048,
        description:
          'URL to which the callback redirects with `code` or `error`; it must equal a URL of `PLATEN_REDIRECT_URIS`. ' +
          'Without it the callback returns the tokens as JSON.',
      }),
    ),
    state: Type.Optional(
      Type.String({
        maxLength: 512,
        pattern: '^\\P{Cc}*$',
        description: 'Value that is passed to `redirectUri` unchanged.',
      }),
    ),
    codeChallenge: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{43}$',
        description: 'S256 code challenge (RFC 7636). Redeeming the code then requires its verifier.',
      }),
    ),
  },
  Closed,
)

const { redirectUri, state } = StartQuery.properties

/** Returns the schema of a body that can be left out. @param status what the callback passes on after a success */
function returnBody(status: 'linked' | 'stepped_up') {
  const members = {
    redirectUri: Type.Optional(
      Type.String({
        ...redirectUri,
        description: `URL to which the callback redirects with \`status=${status}\` and \`provider\`, or with \`error\`; it must equal a URL of \`PLATEN_REDIRECT_URIS\`. Without it the callback returns JSON.`,
      }),
    ),
    state,
  }
  return Type.Union([Type.Object(members, Closed), Type.Null()])
}

export const LinkRequestBody = returnBody('linked')
export const StepUpRequestBody = returnBody('stepped_up')

/** Providers add parameters of their own. */
export const CallbackQuery = Type.Object({
  code: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
})

/** Returns the schema of the callback's response. @param providers the names that `provider` may have */
export function callbackBody(providers: readonly string[]) {
  const provider = Type.Unsafe<string>(Type.Union(providers.map((name) => Type.Literal(name))))
  const LinkedBody = Type.Object({ status: Type.Literal('linked'), provider }, { ...Closed, title: 'ProviderLinked' })
  const SteppedUpBody = Type.Object(
    { status: Type.Literal('stepped_up'), provider },
    { ...Closed, title: 'ProviderSteppedUp' },
  )
  return Type.Union([TokenBody, SecondFactorBody, LinkedBody, SteppedUpBody], { title: 'ProviderCallbackResult' })
}

export const Redirection = Type.Null({ description: 'Redirect to the URL in `Location`.' })

export const RedeemBody = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The `code` parameter that `redirectUri` received.',
    }),
    codeVerifier: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          'Verifier of the `codeChallenge`. Required if the sign-in started with a `codeChallenge`, otherwise not allowed.',
      }),
    ),
  },
  Closed,
)

const PRESETS = PRESET_NAMES.map((name) => `\`${name}\``).join(', ')

export const ProviderParams = Type.Object(
  { provider: Type.String({ description: `${PRESETS}, or a name of \`PLATEN_OIDC_PROVIDERS\`.` }) },
  Closed,
)

export const AuthorizationBody = Type.Object(
  {
    authorizationUrl: Type.String({
      description:
        'URL to open in the browser of this request, which has received the cookie that the callback requires.',
    }),
  },
  { ...Closed, title: 'ProviderAuthorization' },
)

export const IdentityBody = Type.Object(
  {
    provider: Type.String(),
    label: Type.Union([Type.String(), Type.Null()], {
      description: 'Email address or login name at the provider, as of the last sign-in.',
    }),
    createdAt: Timestamp,
    lastUsedAt: Type.Union([Timestamp, Type.Null()]),
  },
  { ...Closed, title: 'Identity' },
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
