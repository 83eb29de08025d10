import { Type } from 'typebox'

export const Closed = { additionalProperties: false } as const

/**
 * `requireEmailAddress` checks the exact form. The maximum length only rejects values that cannot be email addresses,
 * before they are processed.
 */
export const EmailAddress = Type.String({ minLength: 3, maxLength: 320, description: 'Email address.' })

/**
 * The schema sets no maximum length. The password policy limits new passwords, with status 422, and a password that is
 * only verified may be longer.
 */
export const Password = Type.String({
  minLength: 1,
  description: 'Password. The service uses it unchanged and in full length.',
})

export const MailedToken = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The token from the link in the mail.',
})

export const Timestamp = Type.String({ format: 'date-time' })

export const NoContent = Type.Null({ description: 'Success without a body.' })

const LOCALE_PATTERN = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}$/
const LOCALE_LENGTH = 35

/** A language tag of BCP 47, such as `de` or `pt-BR`. */
export const Locale = Type.String({
  pattern: LOCALE_PATTERN.source,
  maxLength: LOCALE_LENGTH,
  description: 'Language tag (BCP 47), such as `en` or `de-AT`.',
})

export const isLocale = (text: string): boolean => text.length <= LOCALE_LENGTH && LOCALE_PATTERN.test(text)

/** Visible text on one line, for names and labels. */
export const LABEL_PATTERN = '^(?=.*\\S)[^\\p{Cc}]*$'

export const ExternalId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[\\x20-\\x7e]+$',
  description: 'Id of the customer in your own system: printable ASCII.',
})
