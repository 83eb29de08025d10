import { isUtf8 } from 'node:buffer'
import { httpProblems } from '../core/problems.ts'

/** Deeper nesting has no use in any request of this API and would only burden the validators. */
const MAX_DEPTH = 64

/** More than the largest product has. Each value may cost a validator an error, and nothing else runs meanwhile. */
const MAX_VALUES = 100_000

const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype'])

/** Every string of a JSON text; the group is set where the string is the name of a member. */
const STRING_TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?/gs

/**
 * Parses a request body as JSON (RFC 8259) and refuses what parsers disagree about or the database cannot hold:
 * bytes that are not UTF-8, duplicate names, `__proto__` and its kin, NUL characters, unpaired surrogates, deep nesting.
 *
 * @throws `malformed_json` with the JSON Pointer of the first offence.
 */
export function parseStrictJson(body: Buffer): unknown {
  // Decoding would put the same character in the place of all that it cannot read: two passwords would become one.
  if (!isUtf8(body)) throw refused('The body is not UTF-8.', '')
  const text = body.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refused(`The body is not valid JSON: ${(error as Error).message}`, '')
  }
  const names = inspect(value, '', 0, { valuesLeft: MAX_VALUES })
  // JSON.parse keeps the last of two equal names, so a text with duplicates has more names than its value.
  if (names < countNames(text)) throw refused('The body names a member of an object twice.', '')
  return value
}

function countNames(text: string): number {
  let count = 0
  for (const match of text.matchAll(STRING_TOKEN)) if (match[1] !== undefined) count += 1
  return count
}

/** Walks a parsed value, throws at the first offence, and returns how many named members it holds. */
function inspect(value: unknown, pointer: string, depth: number, budget: { valuesLeft: number }): number {
  budget.valuesLeft -= 1
  if (budget.valuesLeft < 0) throw refused(`The body holds more than ${MAX_VALUES} values.`, '')
  if (typeof value === 'string') checkText(value, pointer)
  if (typeof value !== 'object' || value === null) return 0
  if (depth >= MAX_DEPTH) throw refused(`The body is nested deeper than ${MAX_DEPTH} levels.`, pointer)
  let names = 0
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1)
      names += inspect(value[index], `${pointer}/${index}`, depth + 1, budget)
    return names
  }
  for (const name of Object.keys(value)) {
    const place = `${pointer}/${escapePointer(name)}`
    if (FORBIDDEN_NAMES.has(name)) throw refused(`A member must not be named "${name}".`, place)
    checkText(name, place)
    names += 1 + inspect((value as Record<string, unknown>)[name], place, depth + 1, budget)
  }
  return names
}

function checkText(text: string, pointer: string): void {
  if (text.includes('\0')) throw refused('Text must not contain the NUL character.', pointer)
  if (!text.isWellFormed()) throw refused('Text must not contain an unpaired surrogate.', pointer)
}

function refused(detail: string, pointer: string) {
  return httpProblems.malformed_json({ detail, errors: [{ code: 'malformed_json', pointer, detail }] })
}

/** Escapes one reference token of a JSON Pointer (RFC 6901). */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}
