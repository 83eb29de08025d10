import { mutateList } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'

export const PATH_SEEDS = [
  'M0 0H30V20z',
  'M10,10 L20,20 30,10 Z',
  'm10-10.5.5.5l1e1-1E-1z',
  'M0 0C1 2 3 4 5 6S7 8 9 10',
  'M0 0Q5 5 10 0T20 0 30 0',
  'M-5-5A10 10 0 1 1 0-10z',
  'M0 0a25,25 -30 0,1 50,-25l50,-25 25,60 -30 0,1z',
  'M0 0A1 1 0 00.5.5a1e-6 1e6 361 10 1 1',
  'M1e6 0L-1e6 1e6',
  'M0 0zm1 1zM2 2',
  'M0 0 h1 v1 h-1 v-1 z m 5 5 h1 v1 h-1 z',
  `M0 0${'l1 1-1 1'.repeat(100)}z`,
]

const COMMANDS = [...'MmZzLlHhVvCcSsQqTtAa']
const ARITY: Readonly<Record<string, number>> = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 }
const ODD = [
  '0',
  '-0',
  '1e-7',
  '1e-300',
  '1e300',
  '1e999',
  '1000000',
  '-1000000',
  '999999.9999',
  '.5',
  '5.',
  '+3',
  '-.0e-0',
  '1e',
  '1e+',
  '.',
  '-',
  '00',
  '01',
  '1.2.3',
  '0x10',
  'NaN',
  'Infinity',
  '\u00e9',
  '\0',
  '1_0',
  '٣',
  '4e5',
  '0.0000001',
  '90',
  '180',
  '360',
  '720',
  '-45',
]
const SEPARATORS = [' ', ' ', ' ', ',', ', ', '', '\n', '\t', '\f', '\r', '  ', ',,', ' , ', '\u00a0', '\v']

/** Changes path data token by token, or generates new path data by the grammar. */
export function mutatePath(random: Random, input: string, other: string): string {
  if (random.chance(0.25)) return generate(random)
  let tokens = tokensOf(input)
  const times = 1 + random.below(6)
  for (let i = 0; i < times; i += 1) tokens = mutateTokens(random, tokens, other)
  return tokens.join('')
}

function tokensOf(data: string): string[] {
  return data.match(/[A-Za-z]|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[\s,]+|./gsu) ?? []
}

function mutateTokens(random: Random, tokens: string[], other: string): string[] {
  const copy = [...tokens]
  const at = random.below(copy.length)
  switch (random.below(8)) {
    case 0:
      copy[at] = random.pick(COMMANDS)
      return copy
    case 1:
    case 2:
      copy[at] = numberText(random)
      return copy
    case 3:
      copy.splice(at, 0, random.pick(SEPARATORS))
      return copy
    case 4: {
      const theirs = tokensOf(other)
      const start = random.below(theirs.length)
      copy.splice(at, random.below(4), ...theirs.slice(start, start + 1 + random.below(20)))
      return copy
    }
    case 5: {
      // The limit keeps the data within the limits of a document.
      const piece = copy.slice(at, at + 1 + random.below(12))
      const times = Math.min(2 ** random.below(13), Math.floor(20_000 / Math.max(1, piece.length)))
      copy.splice(at, 0, ...Array.from({ length: times }, () => piece).flat())
      return copy
    }
    case 6:
      return copy.slice(0, at)
    default:
      return mutateList(random, copy)
  }
}

function generate(random: Random): string {
  const count = random.chance(0.05) ? 2_000 : 1 + random.below(20)
  const parts = [random.chance(0.95) ? `M${args(random, 2)}` : '']
  for (let i = 0; i < count; i += 1) {
    const command = random.pick(COMMANDS)
    const arity = ARITY[command.toUpperCase()] ?? 0
    const repeats = random.chance(0.2) ? 1 + random.below(4) : 1
    parts.push(random.pick(SEPARATORS.slice(0, 6)), command)
    for (let r = 0; r < repeats; r += 1) {
      parts.push(arity === 7 ? arc(random) : args(random, random.chance(0.02) ? arity + 1 : arity), ' ')
    }
  }
  return parts.join('')
}

function arc(random: Random): string {
  const flags = [random.below(2), random.below(2)].join(random.chance(0.3) ? '' : ' ')
  return `${args(random, 3)} ${flags}${random.chance(0.3) ? '' : ' '}${args(random, 2)}`
}

function args(random: Random, count: number): string {
  return Array.from({ length: count }, () => numberText(random)).join(
    random.chance(0.9) ? ' ' : random.pick(SEPARATORS),
  )
}

function numberText(random: Random): string {
  if (random.chance(0.1)) return random.pick(ODD)
  const scale = 10 ** (random.below(9) - 5)
  const value = (random.below(20_001) - 10_000) * scale
  return random.chance(0.5) ? String(Math.round(value)) : String(value)
}
