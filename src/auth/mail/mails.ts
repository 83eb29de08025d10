import type { Config } from '../../config/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { sendMessage } from '../../platform/mail.ts'
import type { Client } from '../caller.ts'
import type { User } from '../users/store.ts'
import { noteMail } from './store.ts'
export interface MailDeps {
  clock: Clock
  /** The links of mails lead to this origin. */
  config: Pick<Config, 'origin'>
}

/**
 * The kinds of mail. Their texts hold nothing that a stranger could have written, such as a name given at registration:
 * otherwise the service could be made to send other people's words.
 */
type MailKind =
  | 'verify_email'
  | 'account_exists'
  | 'reset_password'
  | 'sign_in_ended'
  | 'sign_in_blocked'
  | 'codes_blocked'
  | 'confirmation_blocked'
  | 'new_device'
  | 'password_changed'
  | 'change_email'

/** Caps the mails that a signed-in person can have sent to email addresses of others. */
export async function mayChangeEmail(trx: Trx, { clock }: MailDeps, userId: string): Promise<boolean> {
  return noteMail(trx, { kind: 'change_email_by', recipient: userId, pauseSeconds: 0 }, clock.now())
}

/** Counts one more mail of this kind to a recipient, if the caps allow it. Returns whether they do. */
export async function mayMail(trx: Trx, { clock }: MailDeps, kind: MailKind, email: string): Promise<boolean> {
  return noteMail(trx, { kind, recipient: email }, clock.now())
}

/** Call `mayMail` first. The link is built from the configured origin, never from the request. */
export async function mailVerification(trx: Trx, mailing: MailDeps, email: string, token: string): Promise<void> {
  await send(trx, mailing, email, 'Confirm your e-mail address', [
    'Someone, probably you, registered with this e-mail address. To confirm it, open this link within 24 hours:',
    `${mailing.config.origin}/verify-email?token=${token}`,
    'If it was not you, do nothing: without the confirmation nobody can use the account.',
  ])
}

/** Call `mayMail` first. */
export async function mailAccountExists(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, email, 'You already have an account', [
    'Someone, probably you, tried to register with this e-mail address, but it already has an account.',
    'Sign in as usual. If you have forgotten the password, ask for a new one on the sign-in page.',
    'If it was not you, do nothing: your account has not changed.',
  ])
}

/** Call `mayMail` first. */
export async function mailReset(trx: Trx, mailing: MailDeps, email: string, token: string): Promise<void> {
  await send(trx, mailing, email, 'Set a new password', [
    'Someone, probably you, asked for a new password. To set one, open this link within 60 minutes:',
    `${mailing.config.origin}/reset-password?token=${token}`,
    'If it was not you, do nothing: your password has not changed.',
  ])
}

/** To an email address that was registered with different passwords before it was confirmed. */
export async function mailFirstPassword(trx: Trx, mailing: MailDeps, email: string, token: string): Promise<void> {
  await send(trx, mailing, email, 'Set your password', [
    'Your e-mail address is confirmed. It had been registered more than once with different passwords, so that none of ' +
      'them was kept. To set yours, open this link within 60 minutes:',
    `${mailing.config.origin}/reset-password?token=${token}`,
    'Later, ask for a new link with "forgot password" on the sign-in page.',
  ])
}

/** To the new email address. Call `mayMail` first. */
export async function mailEmailChange(trx: Trx, mailing: MailDeps, email: string, token: string): Promise<void> {
  await send(trx, mailing, email, 'Confirm your new e-mail address', [
    'Someone, probably you, wants to use this e-mail address for an account that they have already. If that account is ' +
      'yours, open this link within 60 minutes:',
    `${mailing.config.origin}/confirm-email?token=${token}`,
    'If it is not, do nothing: otherwise the account of somebody else would have your address.',
  ])
}

/** To the owner of the account that has the new email address already. Call `mayMail` first. */
export async function mailEmailTaken(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, email, 'Your e-mail address belongs to this account', [
    'Someone, perhaps you, tried to use this e-mail address for another account, but it already has this one.',
    'If it was not you, do nothing: your account has not changed.',
  ])
}

/** To the present email address, at once. Not capped, since requests for a change are. */
export async function mailEmailChangeRequested(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await mailSecurityNotice(trx, mailing, email, {
    subject: 'Your e-mail address is to be changed',
    what:
      'Somebody who is signed in to your account asked to change its e-mail address. This one stays valid until the ' +
      'new one is confirmed; setting a new password stops the change.',
  })
}

/** To the previous email address, which the account no longer knows. */
export async function mailEmailChanged(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, email, 'Your e-mail address was changed', [
    'Your account now has another e-mail address, and this one no longer opens it.',
    'If it was not you, write to whoever runs this service at once.',
  ])
}

export async function mailAccountDeleted(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, email, 'Your account was deleted', [
    'Your account was deleted as you asked. Your designs and images were removed from it; their files may stay in our ' +
      'storage for longer. Orders are kept as the law demands, without your name and address once they have ended.',
    'You can register again with this e-mail address at any time.',
  ])
}

export async function mailSignInEnded(trx: Trx, mailing: MailDeps, { email }: User): Promise<void> {
  if (!(await mayMail(trx, mailing, 'sign_in_ended', email))) return
  await send(trx, mailing, email, 'We signed a device out', [
    'A key that keeps one of your devices signed in was used twice. This can mean that somebody copied it, so that ' +
      'sign-in was ended. Your other devices stay signed in.',
    'Sign in again on that device. If you do not know why this happened, change your password as well.',
  ])
}

export async function mailPasswordChanged(trx: Trx, mailing: MailDeps, { email }: User): Promise<void> {
  if (!(await mayMail(trx, mailing, 'password_changed', email))) return
  await send(trx, mailing, email, 'Your password was changed', [
    'The password of your account was changed, and other devices were signed out.',
    'If it was not you, set a new password at once with "forgot password" on the sign-in page.',
  ])
}

/** Call `mayMail` first. */
export async function mailBlocked(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, email, 'Sign-in is blocked for a while', [
    'There were several failed attempts to sign in to your account, so that sign-in is blocked for a while.',
    'A device on which you signed in before is blocked only by attempts on itself. Setting a new password with "forgot ' +
      'password" on the sign-in page lifts the block.',
    'If it was not you, nobody got in, and you need not do anything.',
  ])
}

/** Call `mayMail` first. */
export async function mailConfirmationBlocked(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, email, 'Wrong passwords inside your account', [
    'Somebody who is signed in to your account was asked for its password again and gave wrong ones, so that none is ' +
      'accepted there for a while, on any of your devices. Signing in is not affected.',
    'If it was not you, somebody else is in your account: set a new password at once with "forgot password" on the ' +
      'sign-in page. That signs every device out and lifts the block.',
  ])
}

/** Call `mayMail` first. */
export async function mailCodesBlocked(trx: Trx, mailing: MailDeps, email: string): Promise<void> {
  await send(trx, mailing, email, 'Wrong codes for your account', [
    'Several wrong codes were entered for your account, so that none is accepted for a while. A device on which you ' +
      'signed in before is blocked only by codes entered on itself.',
    'If it was not you, nobody got in. But whoever it was had passed the first step of signing in, so set a new ' +
      'password at once with "forgot password" on the sign-in page.',
  ])
}

export async function mailNewDevice(trx: Trx, mailing: MailDeps, { email }: User, client: Client): Promise<void> {
  if (!(await mayMail(trx, mailing, 'new_device', email))) return
  await send(trx, mailing, email, 'Sign-in on a new device', [
    `Your account was signed in to on a device that we do not know, at ${mailing.clock.now().toISOString()} (UTC), ` +
      `from the network address ${client.ip}.`,
    'If it was not you, set a new password at once with "forgot password" on the sign-in page: that ends the sign-in.',
  ])
}

/**
 * Tells the owner that something by which the account is protected has changed. Every change is told, also several in a
 * minute: no cap hides one.
 *
 * @param what a sentence of the service; no text of a user
 */
export async function mailSecurityNotice(
  trx: Trx,
  mailing: MailDeps,
  email: string,
  { subject, what }: { subject: string; what: string },
): Promise<void> {
  await send(trx, mailing, email, subject, [
    what,
    'If it was not you, set a new password at once with "forgot password" on the sign-in page, and look through your ' +
      'ways to sign in.',
  ])
}

/** For the administrators, at most once an hour. */
export async function mailSmsCapReached(
  trx: Trx,
  mailing: MailDeps,
  email: string,
  { perHour }: { perHour: number },
): Promise<void> {
  await send(trx, mailing, email, 'No more text messages are sent for now', [
    `The service has sent ${perHour} text messages within an hour, which is as many as it may ` +
      '(PLATEN_SMS_PER_HOUR). Requests for more are refused until fewer were sent within an hour.',
    'If so many were not to be expected, somebody may be having them sent to earn money with them. Look at the bill of ' +
      'the service that sends them before you raise the limit.',
  ])
}

/** @param key what the owner recognises it by */
export async function mailKeyLeaked(
  trx: Trx,
  mailing: MailDeps,
  email: string,
  { start, last4 }: { start: string; last4: string },
): Promise<void> {
  await send(trx, mailing, email, 'An API key of yours was found in public', [
    `GitHub found one of your API keys in a public place: the one that begins with ${start} and ends with ${last4}. ` +
      'Anybody may have read it, so it was revoked at once and no longer works.',
    'Create a new key for what used it, and remove the old one from where it was published. Look through what was done ' +
      'with it: your designs, assets and orders.',
  ])
}

async function send(
  trx: Trx,
  { clock }: MailDeps,
  to: string,
  subject: string,
  paragraphs: readonly string[],
): Promise<void> {
  await sendMessage(trx, { channel: 'email', to, subject, text: `${paragraphs.join('\n\n')}\n` }, clock.now())
}
