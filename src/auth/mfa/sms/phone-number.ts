import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { Config } from '../../../config/index.ts'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import { authProblems } from '../../problems.ts'
export interface SmsSettings {
  config: Pick<Config, 'production' | 'sms'>
}

/** A number with country code, and with spaces and punctuation (E.123). */
const INTERNATIONAL = /^\+[\d ().\-/]{4,40}$/

/** Numbers of other types earn money for their owner, or receive no text messages. */
const RECEIVE_TEXT: readonly (string | undefined)[] = ['MOBILE', 'FIXED_LINE_OR_MOBILE']

/**
 * Reads a telephone number for text messages. While messages stay in the outbox, any number of a possible length is
 * accepted, so that developers can use invented ones.
 *
 * @param pointer its position in the request body
 * @returns E.164: `+4915112345678`
 * @throws `validation_failed`, `sms_not_configured`, `country_not_allowed`, `phone_number_not_mobile`
 */
export function parsePhoneNumber(auth: SmsSettings, text: string, pointer: string): string {
  requireSms(auth)
  const number = INTERNATIONAL.test(text) ? parsePhoneNumberFromString(text, { extract: false }) : undefined
  if (number === undefined || !number.isPossible()) throw notANumber(pointer)
  requireAllowedCountry(auth, number.number)
  if (auth.config.sms !== undefined) {
    // The library's data lacks country and type of ranges that were assigned after its release.
    const isUnknownRange = number.country === undefined && !number.isValid()
    if (!isUnknownRange && !number.isValid()) throw notANumber(pointer)
    if (!isUnknownRange && !RECEIVE_TEXT.includes(number.getType())) throw authProblems.phone_number_not_mobile()
  }
  return number.number
}

/** @throws `sms_not_configured` in production without an SMS service; elsewhere messages go to the outbox */
export function requireSms({ config }: SmsSettings): void {
  if (config.sms === undefined && config.production) throw authProblems.sms_not_configured()
}

/**
 * @param phoneNumber E.164
 * @throws `country_not_allowed`
 */
export function requireAllowedCountry({ config }: SmsSettings, phoneNumber: string): void {
  if (config.sms === undefined) return
  const country = countryOf(parsePhoneNumberFromString(phoneNumber))
  if (country === undefined || !config.sms.countries.includes(country)) throw authProblems.country_not_allowed()
}

/**
 * Returns the digits that numbers of one block share: country calling code and four more. Fraudsters who earn money by
 * receiving messages own numbers in blocks.
 *
 * @param phoneNumber E.164
 */
export function prefixOf(phoneNumber: string): string {
  const callingCode = parsePhoneNumberFromString(phoneNumber)?.countryCallingCode ?? ''
  return phoneNumber.slice(0, 1 + callingCode.length + 4)
}

/**
 * Returns ISO 3166-1 alpha-2; undefined for networks without a country. A number of an unknown range belongs to the
 * first country of its calling code, because new ranges in the United States are common.
 */
function countryOf(number: PhoneNumber | undefined): string | undefined {
  return number?.country ?? (number?.isValid() ? undefined : number?.getPossibleCountries()[0])
}

function notANumber(pointer: string) {
  const detail = 'Expected one telephone number with its country code, such as +4915112345678.'
  return httpProblems.validation_failed({
    detail: 'The body does not match its schema.',
    errors: [{ code: 'wrong_format', pointer, detail }],
  })
}
