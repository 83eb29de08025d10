import type { Config } from '../../config/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { type Message, sendMessage } from '../../platform/messages/mail.ts'
import type { Client } from '../caller.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import type { User } from '../users/store.ts'
import { noteMail } from './store.ts'
export interface MailDeps {
  clock: Clock
  keys: KeyDerivation
  /** `shopUrl` is the base of the links in mails. */
  config: Pick<Config, 'origin' | 'shopUrl' | 'shopName' | 'smtpUrl'>
}

/**
 * The kinds of mail, which are limited separately. A mail never contains text of an unverified user, such as a
 * registered name. Otherwise attackers could make the service send their own texts.
 */
type MailKind =
  | 'verify_email'
  | 'no_verify_email'
  | 'account_exists'
  | 'reset_password'
  | 'no_reset_password'
  | 'sign_in_ended'
  | 'sign_in_blocked'
  | 'codes_blocked'
  | 'confirmation_blocked'
  | 'new_device'
  | 'password_changed'
  | 'change_email'
  | 'invitation'

/**
 * Counts a mail to the new email address of a user who requests a change.
 *
 * @returns whether the limits allow the mail
 */
export async function mayChangeEmail(trx: Trx, mailing: MailDeps, userId: string): Promise<boolean> {
  return noteMail(trx, mailing, { kind: 'change_email_by', recipient: userId, pauseSeconds: 0 })
}

/**
 * Counts a mail of this kind to a recipient.
 *
 * @returns whether the limits allow the mail
 */
export async function mayMail(trx: Trx, mailing: MailDeps, kind: MailKind, email: string): Promise<boolean> {
  return noteMail(trx, mailing, { kind, recipient: email })
}

/** Call `mayMail` first. The link has the configured base, never that of the request. */
export async function mailVerification(trx: Trx, mailing: MailDeps, email: string, token: string): Promise<void> {
  await send(
    trx,
    mailing,
    'verify_email',
    email,
    'Confirm your email address',
    [
      'Someone, probably you, registered with this email address. To confirm it, open this link within 24 hours:',
      `${mailing.config.shopUrl}/verify-email?token=${token}`,
      'If it was not you, do nothing: the account cannot be used without this confirmation.',
    ],
    { isUrgent: true },
  )
}

/** Tells the owner of an account that its email address was registered again. Call `mayMail` first. */
export async function mailAccountExists(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, 'account_exists', email, 'You already have an account', [
    'Someone, probably you, tried to register with this email address, but it already has an account.',
    'Sign in as usual. If you have forgotten the password, use "forgot password" on the sign-in page.',
    'If it was not you, do nothing: your account has not changed.',
  ])
}

/** Mails a token for a new password. Call `mayMail` first. */
export async function mailReset(trx: Trx, mailing: MailDeps, email: string, token: string): Promise<void> {
  await send(
    trx,
    mailing,
    'reset_password',
    email,
    'Set a new password',
    [
      'Someone, probably you, asked for a new password. To set one, open this link within 60 minutes:',
      `${mailing.config.shopUrl}/reset-password?token=${token}`,
      'If it was not you, do nothing: your password has not changed.',
    ],
    { isUrgent: true },
  )
}

/**
 * Mails a token for a password to an email address that was registered with several passwords before its verification.
 */
export async function mailFirstPassword(trx: Trx, mailing: MailDeps, email: string, token: string): Promise<void> {
  await send(
    trx,
    mailing,
    'first_password',
    email,
    'Set your password',
    [
      'Your email address is confirmed. It was registered more than once with different passwords, so we kept none of ' +
        'them. To set your password, open this link within 60 minutes:',
      `${mailing.config.shopUrl}/reset-password?token=${token}`,
      'After that, request a new link with "forgot password" on the sign-in page.',
    ],
    { isUrgent: true },
  )
}

/** Mails a confirmation token to the new email address. Call `mayMail` first. */
export async function mailEmailChange(trx: Trx, mailing: MailDeps, email: string, token: string): Promise<void> {
  await send(
    trx,
    mailing,
    'change_email',
    email,
    'Confirm your new email address',
    [
      'Someone, probably you, wants to use this email address for an existing account. If it is your account, open this ' +
        'link within 60 minutes:',
      `${mailing.config.shopUrl}/confirm-email?token=${token}`,
      'If it is not your account, do nothing: the link would give your email address to the account of another person.',
    ],
    { isUrgent: true },
  )
}

/** Tells the owner of an account that another account requested to use its email address. Call `mayMail` first. */
export async function mailEmailTaken(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, 'email_taken', email, 'Your email address belongs to this account', [
    'Someone, perhaps you, tried to use this email address for another account, but it belongs to this one.',
    'If it was not you, do nothing: your account has not changed.',
  ])
}

/** Tells the owner of an account, at the previous email address, that the email address has changed. */
export async function mailEmailChanged(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, 'email_changed', email, 'Your email address was changed', [
    'Your account now has another email address. You can no longer sign in with this one.',
    'If it was not you, contact the operator of this service at once.',
  ])
}

export async function mailAccountDeleted(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, 'account_deleted', email, 'Your account was deleted', [
    'Your account was deleted as you requested. Your designs and images were removed; their files may stay in our ' +
      'storage for a short time. Orders are kept as the law requires, without your name and address once they have ended.',
    'You can register again with this email address at any time.',
  ])
}

export async function mailSignInEnded(trx: Trx, mailing: MailDeps, { email }: User): Promise<void> {
  if (!(await mayMail(trx, mailing, 'sign_in_ended', email))) return
  await send(trx, mailing, 'sign_in_ended', email, 'We signed a device out', [
    'A token that keeps one of your devices signed in was used twice. It may have been copied, so we ended the session ' +
      'of that device. Your other devices stay signed in.',
    'Sign in again on that device. If you do not know why this happened, change your password as well.',
  ])
}

export async function mailPasswordChanged(trx: Trx, mailing: MailDeps, { email }: User): Promise<void> {
  if (!(await mayMail(trx, mailing, 'password_changed', email))) return
  await send(trx, mailing, 'password_changed', email, 'Your password was changed', [
    'The password of your account was changed, and other devices were signed out.',
    'If it was not you, set a new password at once with "forgot password" on the sign-in page.',
  ])
}

/** Tells the owner of an account that sign-in is blocked. Call `mayMail` first. */
export async function mailBlocked(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, 'sign_in_blocked', email, 'Sign-in is blocked for a while', [
    'There were several failed attempts to sign in to your account, so sign-in is blocked for a while.',
    'Devices on which you signed in before are not affected by attempts on other devices. To end the block, set a new ' +
      'password with "forgot password" on the sign-in page.',
    'If it was not you, you need not do anything: none of the attempts succeeded.',
  ])
}

/** Tells the owner of an account that the confirmation of the password is blocked. Call `mayMail` first. */
export async function mailConfirmationBlocked(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, 'confirmation_blocked', email, 'Wrong passwords on a signed-in device', [
    'A device that is signed in to your account had to confirm the password and sent wrong ones several times. For a ' +
      'while, no signed-in device can confirm the password. Signing in is not affected.',
    'If it was not you, another person is using your account. Set a new password at once with "forgot password" on the ' +
      'sign-in page. This signs out every device and ends the block.',
  ])
}

/** Tells the owner of an account that codes are blocked. Call `mayMail` first. */
export async function mailCodesBlocked(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, 'codes_blocked', email, 'Wrong codes for your account', [
    'Several wrong codes were entered for your account, so no code is accepted for a while. Devices on which you signed ' +
      'in before are not affected by codes entered on other devices.',
    'If it was not you, the sign-in did not succeed, but the other person probably knows your password. Set a new ' +
      'password at once with "forgot password" on the sign-in page.',
  ])
}

export async function mailNewDevice(trx: Trx, mailing: MailDeps, { email }: User, client: Client): Promise<void> {
  if (!(await mayMail(trx, mailing, 'new_device', email))) return
  await send(trx, mailing, 'new_device', email, 'Sign-in on a new device', [
    `A new device signed in to your account at ${mailing.clock.now().toISOString()} (UTC), ` +
      `from the IP address ${client.ip}.`,
    'If it was not you, set a new password at once with "forgot password" on the sign-in page. This signs out the device.',
  ])
}

/**
 * Tells an administrator that the limit of text messages is reached. The caller ensures that it is sent at most once an
 * hour.
 */
export async function mailSmsCapReached(
  trx: Trx,
  mailing: MailDeps,
  email: string,
  { messages, isOfEnrolments }: { messages: number; isOfEnrolments: boolean },
): Promise<void> {
  const [what, limit] = isOfEnrolments
    ? ['text messages to confirm new telephone numbers', 'half of its limit of text messages']
    : ['text messages', 'its limit']
  await send(trx, mailing, 'sms_limit_reached', email, 'Limit of text messages reached', [
    `The service has sent ${messages} ${what} within an hour, which is ${limit} ` +
      '(PLATEN_SMS_PER_HOUR). It refuses further requests for them until the number within an hour is below the limit.',
    'If you did not expect so many messages, this may be an attack that earns money with them. Check the bill of your ' +
      'message provider before you raise the limit.',
  ])
}

/**
 * Tells the owner of an API key that it leaked. The first and the last characters of the key tell the owner which key
 * it is.
 */
export async function mailKeyLeaked(
  trx: Trx,
  mailing: MailDeps,
  email: string,
  { start, last4 }: { start: string; last4: string },
): Promise<void> {
  await send(trx, mailing, 'key_leaked', email, 'One of your API keys was found in public', [
    `GitHub found the API key that begins with ${start} and ends with ${last4} in a public place. ` +
      'We revoked it at once, so it no longer works.',
    'Create a new key for the programs that used it, and remove the old one from the public place. Check your designs, ' +
      'assets and orders for changes made with it.',
  ])
}

async function send(
  trx: Trx,
  { clock, config }: MailDeps,
  kind: string,
  to: string,
  subject: string,
  paragraphs: readonly string[],
  options: Pick<Message, 'isUrgent'> = {},
): Promise<void> {
  const text = signed(paragraphs.join('\n\n'), config)
  await sendMessage(trx, { channel: 'email', kind, to, subject, text, ...options }, clock.now())
}

export interface MailContent extends Pick<Message, 'isUrgent'> {
  kind: string
  to: string
  subject: string
  /** Text that the service wrote. It must not contain text of a user. */
  paragraphs: readonly string[]
}

/** Sends a mail that another folder words. */
export async function mailText(trx: Trx, mailing: MailDeps, content: MailContent): Promise<void> {
  const { kind, to, subject, paragraphs, ...options } = content
  await send(trx, mailing, kind, to, subject, paragraphs, options)
}

/** Ends the text of a mail with the name of the shop. */
export function signed(text: string, { shopName }: Pick<Config, 'shopName'>): string {
  return `${text}\n\n${shopName}\n`
}
