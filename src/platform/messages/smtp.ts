import { lazily } from '../lazily.ts'
import type { MailPicture } from './mail-pictures.ts'

/** Timeouts for the steps of a mail delivery. A mail server that hangs must not delay other jobs for long. */
const SMTP_TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** A mail as it is sent. */
export interface Mail {
  to: string
  subject: string
  text: string
  /** The same content as HTML, with the pictures that it shows as `cid:` URLs. */
  html?: string
  pictures?: readonly MailPicture[]
  /** The local part of the `Message-ID`. A mail that is sent twice has the same one, by which mail programs know it. */
  messageId?: string
}

export type SendMail = (mail: Mail) => Promise<unknown>

/** Enhanced codes for a bad or disabled mailbox (RFC 3463, section 3): `5.1.1` to `5.1.3`, `5.1.6`, `5.1.10`, `5.2.1`. */
const NO_MAILBOX = /^5\d\d[ -]5\.(1\.([1236]|10)|2\.1)\b/

/**
 * Returns whether the mailbox of the recipient does not exist, so that another attempt would be useless. Mail servers
 * also reject recipients when the sender or its credential is at fault, which the shop can mend.
 */
export function isMailboxUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { command, response = '' } = error as Error & { command?: string; response?: string }
  return command === 'RCPT TO' && NO_MAILBOX.test(response)
}

export interface SmtpSettings {
  smtpUrl: string | undefined
  from: string
}

/** Creates the function that sends mails. Returns undefined without a mail server. */
export function createMailer({ smtpUrl, from }: SmtpSettings): SendMail | undefined {
  if (smtpUrl === undefined) return undefined
  const url = withTimeouts(smtpUrl)
  // Loaded with the first mail, so that a process that sends none does not keep the package in memory.
  const transport = lazily(async () => (await import('nodemailer')).createTransport(url))
  return async ({ to, subject, text, html, pictures = [], messageId }) =>
    (await transport()).sendMail({
      from,
      // Passes the email address as an object, so that it is used literally. As a text, it could contain a second
      // recipient.
      to: { name: '', address: to },
      subject,
      text,
      ...(html === undefined ? {} : { html, attachments: pictures.map(toAttachment) }),
      ...(messageId === undefined ? {} : { messageId: `<${messageId}@${domainOf(from)}>` }),
      // Keeps programs that answer mails, such as notices of an absence, from answering (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
}

/** Adds timeouts as query parameters, from which nodemailer reads options. Existing parameters stay unchanged. */
export function withTimeouts(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const [name, ms] of Object.entries(SMTP_TIMEOUTS_MS)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(ms))
  }
  return url.href
}

/** Pictures are parts of the mail, because most mail programs show neither `data:` URLs nor, at first, remote pictures. */
function toAttachment({ cid, mediaType, base64 }: MailPicture) {
  const extension = mediaType.split('/')[1] ?? 'bin'
  return {
    cid,
    filename: `${cid}.${extension}`,
    contentType: mediaType,
    content: Buffer.from(base64, 'base64'),
    contentDisposition: 'inline' as const,
  }
}

/** Returns the domain of a sender such as `"Shop" <no-reply@example.com>`. */
function domainOf(from: string): string {
  return /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
}
