import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Values of design tokens by their names, such as `--pl-ink`. */
export type Tokens = Readonly<Record<string, string>>

export const STYLES = join(import.meta.dirname, '../../../packages/ui/src/styles')

const LENGTH = String.raw`(?:0|\d{1,3}(?:\.\d{1,4})?(?:px|rem))`
const COLOR = '#[0-9a-f]{6}'
const FAMILY = String.raw`(?:"[\w .-]{1,60}"|[a-z][a-z-]{0,40})`
const FLUID = String.raw`clamp\(${LENGTH}, ${LENGTH} \+ \d{1,2}(?:\.\d{1,3})?vw, ${LENGTH}\)`
const SHADOW = String.raw`(?:-?${LENGTH} ){2,4}rgb\(\d{1,3} \d{1,3} \d{1,3} / (?:0|1|0?\.\d{1,3})\)`

/** What the values of a token look like, by the beginning of its name. All other tokens are colours. */
const FORMS: readonly (readonly [prefix: string, form: RegExp, example: string])[] = [
  ['--pl-font', new RegExp(`^${FAMILY}(?:, ${FAMILY})*$`, 'i'), '"Lora", Georgia, serif'],
  ['--pl-size-', new RegExp(`^(?:${LENGTH}|${FLUID})$`), '1rem, or clamp(2rem, 1rem + 3vw, 3rem)'],
  ['--pl-space-', new RegExp(`^${LENGTH}$`), '0.5rem'],
  ['--pl-radius-', new RegExp(`^${LENGTH}$`), '8px'],
  ['--pl-weight-', /^[1-9]\d{2}$/, '650'],
  ['--pl-tracking-', /^(?:0|-?0?\.\d{1,3}em)$/, '-0.01em'],
  ['--pl-shadow-', new RegExp(`^(?:none|${SHADOW}(?:, ${SHADOW})*)$`), '0 1px 2px rgb(0 0 0 / 0.1)'],
]
const COLORS = [
  new RegExp(`^(?:${COLOR}|light-dark\\(${COLOR}, ${COLOR}\\))$`, 'i'),
  'light-dark(#1c1d22, #f0f0f2)',
] as const

/** A finger needs this size in each theme. */
const FIXED = ['--pl-target']

/** The tokens of the shop with their default values: those of the style sheet in packages/ui. */
export const DEFAULT_TOKENS: Tokens = Object.freeze(readDefaults())

function readDefaults(): Tokens {
  const css = readFileSync(join(STYLES, 'tokens.css'), 'utf8')
  const declared = [...css.matchAll(/(--pl-[\w-]+): ([^;]+);/g)].map(([, name = '', value = '']) => [name, value])
  return Object.fromEntries(declared.filter(([name = '']) => !FIXED.includes(name))) as Tokens
}

/**
 * Reads the style sheet of a theme. It contains one rule `:root` with design tokens, and nothing else.
 *
 * @throws {Error} whose message says what is wrong
 */
export function parseTokens(css: string): Tokens {
  const [, block] = /^\s*:root\s*\{([^{}]*)\}\s*$/.exec(css.replaceAll(/\/\*.*?\*\//gs, '')) ?? []
  if (block === undefined) throw new Error('must contain one rule, ":root { ... }", and nothing else')
  const tokens: Record<string, string> = {}
  for (const declaration of block.split(';').map((one) => one.trim())) {
    if (declaration === '') continue
    const [name = '', ...rest] = declaration.split(':')
    tokens[name.trim()] = checkValue(name.trim(), rest.join(':').trim().replaceAll(/\s+/g, ' '))
  }
  return tokens
}

function checkValue(name: string, value: string): string {
  if (!Object.hasOwn(DEFAULT_TOKENS, name)) throw new Error(`sets "${name}", which is not a design token of a theme`)
  const [, other] = /^var\((--pl-[\w-]+)\)$/.exec(value) ?? []
  const [form, example] = formOf(name)
  const isSame =
    other !== undefined && Object.hasOwn(DEFAULT_TOKENS, other) && formOf(other)[0] === form && other !== name
  if (isSame || form.test(value)) return value
  throw new Error(`sets ${name} to "${value}", but its values look like ${example}`)
}

function formOf(name: string): readonly [form: RegExp, example: string] {
  const found = FORMS.find(([prefix]) => name.startsWith(prefix))
  return found === undefined ? COLORS : [found[1], found[2]]
}

export const SCHEMES = ['light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

/** Returns the colours of a scheme as `#rrggbb`, by the names of their tokens without the prefix. */
export function colorsOf(tokens: Tokens, scheme: Scheme): (name: string) => string {
  const resolve = (name: string, depth = 0): string => {
    const value = tokens[name] ?? DEFAULT_TOKENS[name] ?? ''
    const [, other] = /^var\((.+)\)$/.exec(value) ?? []
    if (other !== undefined && depth < 5) return resolve(other, depth + 1)
    const [light = '#000000', dark = light] = value.match(/#[\da-f]{6}/gi) ?? []
    return (scheme === 'light' ? light : dark).toLowerCase()
  }
  return (name) => resolve(`--pl-${name}`)
}
