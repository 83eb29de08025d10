import type { Trx } from '../../platform/db/index.ts'
import { sendMessage } from '../../platform/mail.ts'
import type { User } from '../accounts/store.ts'
import type { AuthContext } from '../context.ts'
import type { Client } from '../sessions/client.ts'
import { noteMail } from './store.ts'

type Mailing = Pick<AuthContext, 'clock' | 'config'>

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
  | 'new_device'
  | 'password_changed'

/** Whether one more mail of this kind may go to this address now; if so, it is counted. */
export async function mayMail(trx: Trx, { clock }: Mailing, kind: MailKind, address: string): Promise<boolean> {
  return noteMail(trx, kind, address, clock.now())
}

/** Call `mayMail` first. The link is built from the configured address, never from the request. */
export async function mailVerification(trx: Trx, mailing: Mailing, address: string, token: string): Promise<void> {
  await send(trx, mailing, address, 'Confirm your e-mail address', [
    'Someone, probably you, registered with this e-mail address. To confirm it, open this link within 24 hours:',
    `${mailing.config.origin}/verify-email?token=${token}`,
    'If it was not you, do nothing: without the confirmation nobody can use the account.',
  ])
}

/** Call `mayMail` first. */
export async function mailAccountExists(trx: Trx, mailing: Mailing, address: string): Promise<void> {
  await send(trx, mailing, address, 'You already have an account', [
    'Someone, probably you, tried to register with this e-mail address, but it already has an account.',
    'Sign in as usual. If you have forgotten the password, ask for a new one on the sign-in page.',
    'If it was not you, do nothing: your account has not changed.',
  ])
}

/** Call `mayMail` first. */
export async function mailReset(trx: Trx, mailing: Mailing, address: string, token: string): Promise<void> {
  await send(trx, mailing, address, 'Set a new password', [
    'Someone, probably you, asked for a new password. To set one, open this link within 60 minutes:',
    `${mailing.config.origin}/reset-password?token=${token}`,
    'If it was not you, do nothing: your password has not changed.',
  ])
}

export async function mailSignInEnded(trx: Trx, mailing: Mailing, { email }: User): Promise<void> {
  if (!(await mayMail(trx, mailing, 'sign_in_ended', email))) return
  await send(trx, mailing, email, 'We signed a device out', [
    'A key that keeps one of your devices signed in was used twice. This can mean that somebody copied it, so that ' +
      'sign-in was ended. Your other devices stay signed in.',
    'Sign in again on that device. If you do not know why this happened, change your password as well.',
  ])
}

export async function mailPasswordChanged(trx: Trx, mailing: Mailing, { email }: User): Promise<void> {
  if (!(await mayMail(trx, mailing, 'password_changed', email))) return
  await send(trx, mailing, email, 'Your password was changed', [
    'The password of your account was changed, and other devices were signed out.',
    'If it was not you, set a new password at once with "forgot password" on the sign-in page.',
  ])
}

/** Call `mayMail` first. */
export async function mailBlocked(trx: Trx, mailing: Mailing, address: string): Promise<void> {
  await send(trx, mailing, address, 'Sign-in is blocked for a while', [
    'There were several failed attempts to sign in to your account, so that sign-in is blocked for a while.',
    'Devices on which you signed in before are not affected. Setting a new password with "forgot password" on the ' +
      'sign-in page lifts the block.',
    'If it was not you, nobody got in, and you need not do anything.',
  ])
}

export async function mailNewDevice(trx: Trx, mailing: Mailing, { email }: User, client: Client): Promise<void> {
  if (!(await mayMail(trx, mailing, 'new_device', email))) return
  await send(trx, mailing, email, 'Sign-in on a new device', [
    `Your account was signed in to on a device that we do not know, at ${mailing.clock.now().toISOString()} (UTC), ` +
      `from the network address ${client.ipAddress}.`,
    'If it was not you, set a new password at once with "forgot password" on the sign-in page: that ends the sign-in.',
  ])
}

/**
 * Tells the owner that something by which the account is protected has changed. Every change is told, also several in a
 * minute: no cap hides one.
 *
 * @param what a sentence of ours; nothing that somebody else wrote
 */
export async function mailSecurityNotice(
  trx: Trx,
  mailing: Mailing,
  address: string,
  { subject, what }: { subject: string; what: string },
): Promise<void> {
  await send(trx, mailing, address, subject, [
    what,
    'If it was not you, set a new password at once with "forgot password" on the sign-in page, and look through your ' +
      'ways to sign in.',
  ])
}

async function send(
  trx: Trx,
  { clock }: Mailing,
  to: string,
  subject: string,
  paragraphs: readonly string[],
): Promise<void> {
  await sendMessage(trx, { channel: 'email', to, subject, text: `${paragraphs.join('\n\n')}\n` }, clock.now())
}
