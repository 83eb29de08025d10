import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { Config } from '../../../config/index.ts'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import { authProblems } from '../../problems.ts'
export interface SmsSettings {
  config: Pick<Config, 'production' | 'sms'>
}

/** A telephone number with its country code, in which blanks and punctuation may separate digits (E.123). */
const INTERNATIONAL = /^\+[\d ().\-/]{4,40}$/

/**
 * Types of numbers that may get messages. Numbers of other types earn money for their owner, or cannot receive text
 * messages.
 */
const RECEIVE_TEXT: readonly (string | undefined)[] = ['MOBILE', 'FIXED_LINE_OR_MOBILE']

/**
 * Reads a telephone number for text messages. While messages go to the outbox, any number of a possible length is
 * accepted, so that developers can use invented numbers.
 *
 * @param pointer position of the number in the request body
 * @returns the number in E.164 form, such as `+4915112345678`
 * @throws `validation_failed`, `sms_not_configured`, `country_not_allowed`, `phone_number_not_mobile`
 */
export function parsePhoneNumber(auth: SmsSettings, text: string, pointer: string): string {
  requireSms(auth)
  const number = INTERNATIONAL.test(text) ? parsePhoneNumberFromString(text, { extract: false }) : undefined
  if (number === undefined || !number.isPossible()) throw notANumber(pointer)
  requireAllowedCountry(auth, number.number)
  if (auth.config.sms !== undefined) {
    // For ranges that were assigned after its release, the library does not know the country and the type.
    const isUnknownRange = number.country === undefined && !number.isValid()
    if (!isUnknownRange && !number.isValid()) throw notANumber(pointer)
    if (!isUnknownRange && !RECEIVE_TEXT.includes(number.getType())) throw authProblems.phone_number_not_mobile()
  }
  return number.number
}

/**
 * Checks that text messages can be sent. Outside of production, they go to the outbox if no SMS service is set.
 *
 * @throws `sms_not_configured`
 */
export function requireSms({ config }: SmsSettings): void {
  if (config.sms === undefined && config.production) throw authProblems.sms_not_configured()
}

/**
 * Checks that `PLATEN_SMS_COUNTRIES` contains the country of a number.
 *
 * @param phoneNumber E.164
 * @throws `country_not_allowed`
 */
export function requireAllowedCountry({ config }: SmsSettings, phoneNumber: string): void {
  if (config.sms === undefined) return
  const country = countryOf(parsePhoneNumberFromString(phoneNumber))
  if (country === undefined || !config.sms.countries.includes(country)) throw authProblems.country_not_allowed()
}

/**
 * Returns the digits that the numbers of one block share: the country calling code and four more digits. Attackers who
 * earn money by receiving messages own numbers in blocks.
 *
 * @param phoneNumber E.164
 */
export function prefixOf(phoneNumber: string): string {
  const callingCode = parsePhoneNumberFromString(phoneNumber)?.countryCallingCode ?? ''
  return phoneNumber.slice(0, 1 + callingCode.length + 4)
}

/**
 * Returns the ISO 3166-1 alpha-2 code of a number's country. Returns undefined for networks that belong to no country.
 * A number of an unknown range counts as a number of the first country with its calling code, because new ranges are
 * common in the United States.
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
