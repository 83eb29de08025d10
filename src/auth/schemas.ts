import { Type } from 'typebox'

/** Members shared by the requests and answers of this feature. */

export const Closed = { additionalProperties: false } as const

/** The exact form is judged by `requireEmailAddress`; longer than this it can only be abuse. */
export const EmailAddress = Type.String({ minLength: 3, maxLength: 320, description: 'Email address.' })

/** Length and quality of a new password are a rule, answered 422; a password to be compared may be anything. */
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

/** A name or label: something to see, on one line. */
export const LABEL_PATTERN = '^(?=.*\\S)[^\\p{Cc}]*$'
