import { isUtf8 } from 'node:buffer'
import { httpProblems } from '../core/problems.ts'

/** No request of this API needs deeper nesting, which would only slow down the parser and the validators. */
const MAX_DEPTH = 64

/**
 * More values than the largest product has. Each value may cause an error in a validator, which blocks the event loop.
 */
const MAX_VALUES = 100_000

/** Limit of values for customers. The largest order, with 100 texts for each of 100 items, has fewer than half. */
export const MAX_VALUES_OF_CUSTOMERS = 25_000

/** Limit of values for anonymous callers. A sign-in or a registration has far fewer. */
export const MAX_VALUES_OF_ANONYMOUS = 1_000

const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype'])

/** Matches every string in JSON text. The group is set if the string is the name of a member. */
const STRING_TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?/gs

/**
 * Parses a request body as JSON (RFC 8259). Rejects what parsers interpret differently or the database cannot store:
 * bytes that are not UTF-8, duplicate names, `__proto__` and similar names, NUL characters, unpaired surrogates, deep
 * nesting.
 *
 * @param maxValues the most values of all kinds in the body
 * @throws `malformed_json` with the JSON Pointer of the first fault
 */
export function parseStrictJson(body: Buffer, maxValues = MAX_VALUES): unknown {
  // Decoding would replace all invalid bytes by the same character, so two different passwords could become equal.
  if (!isUtf8(body)) throw refused('The body is not UTF-8.', '')
  checkStructure(body, maxValues)
  const text = body.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refused(`The body is not valid JSON: ${(error as Error).message}`, '')
  }
  const names = inspect(value, '', { maxValues, valuesLeft: maxValues })
  // JSON.parse keeps only the last of two equal names. A text with duplicates therefore has more names than the parsed
  // value.
  if (names < countNames(text)) throw refused('An object in the body has two members of the same name.', '')
  return value
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING = [0x5b, 0x7b] as const
const CLOSING = [0x5d, 0x7d] as const

/**
 * Rejects too deep nesting and too many values. Unlike `JSON.parse`, it stops at the first fault and creates nothing, so
 * that a body of a million commas costs two milliseconds and not two hundred.
 */
function checkStructure(body: Buffer, maxValues: number): void {
  let depth = 0
  let separators = 0
  let isInString = false
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index]
    if (isInString) {
      if (byte === BACKSLASH) index += 1
      else if (byte === QUOTE) isInString = false
    } else if (byte === QUOTE) isInString = true
    else if (byte === COMMA) {
      separators += 1
      if (separators >= maxValues) throw tooManyValues(maxValues)
    } else if (byte === OPENING[0] || byte === OPENING[1]) {
      depth += 1
      if (depth > MAX_DEPTH) throw refused(`The body is nested deeper than ${MAX_DEPTH} levels.`, '')
    } else if (byte === CLOSING[0] || byte === CLOSING[1]) depth -= 1
  }
}

function countNames(text: string): number {
  let count = 0
  for (const match of text.matchAll(STRING_TOKEN)) if (match[1] !== undefined) count += 1
  return count
}

interface Budget {
  maxValues: number
  valuesLeft: number
}

/** Walks a parsed value, throws at the first fault, and returns the number of named members. */
function inspect(value: unknown, pointer: string, budget: Budget): number {
  budget.valuesLeft -= 1
  if (budget.valuesLeft < 0) throw tooManyValues(budget.maxValues)
  if (typeof value === 'string') checkText(value, pointer)
  if (typeof value !== 'object' || value === null) return 0
  let names = 0
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) names += inspect(value[index], `${pointer}/${index}`, budget)
    return names
  }
  for (const name of Object.keys(value)) {
    const place = `${pointer}/${escapePointer(name)}`
    if (FORBIDDEN_NAMES.has(name)) throw refused(`A member must not be named "${name}".`, place)
    checkText(name, place)
    names += 1 + inspect((value as Record<string, unknown>)[name], place, budget)
  }
  return names
}

function checkText(text: string, pointer: string): void {
  if (text.includes('\0')) throw refused('Text must not contain the NUL character.', pointer)
  if (!text.isWellFormed()) throw refused('Text must not contain an unpaired surrogate.', pointer)
}

const tooManyValues = (maxValues: number) => refused(`The body contains more than ${maxValues} values.`, '')

function refused(detail: string, pointer: string) {
  return httpProblems.malformed_json({ detail, errors: [{ code: 'malformed_json', pointer, detail }] })
}

/** Escapes one reference token of a JSON Pointer (RFC 6901). */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}
