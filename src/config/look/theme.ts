import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../values/config-error.ts'
import { readOrRefuse } from '../values/files.ts'
import type { Check } from '../values/kinds.ts'
import { findUnreadable } from './theme-contrast.ts'
import { parseTokens, STYLES, type Tokens } from './tokens.ts'

/** Themes that come with the service. The tokens of the style sheet are the theme `paper`. */
const READY: Readonly<Record<string, () => Tokens>> = {
  paper: () => ({}),
  ink: () => parseTokens(readFileSync(join(STYLES, 'themes/ink.css'), 'utf8')),
}

/** Accepts the name of a theme, or the path of a style sheet with design tokens. Returns the tokens that it changes. */
export const checkTheme: Check<Tokens> = (value, { name }) => {
  const ready = Object.hasOwn(READY, value) ? READY[value] : undefined
  if (ready !== undefined) return ready()
  if (!value.endsWith('.css')) {
    const names = Object.keys(READY).join(', ')
    throw new ConfigError(name, `is "${value}", but must be one of: ${names}, or the path of a .css file.`)
  }
  const path = resolve(value)
  const css = readOrRefuse(name, path, () => readFileSync(path, 'utf8'))
  const tokens = parseOrRefuse(name, value, css)
  const unreadable = findUnreadable(tokens)
  if (unreadable === undefined) return tokens
  throw new ConfigError(name, `names "${value}", which ${unreadable}.`)
}

function parseOrRefuse(name: string, value: string, css: string): Tokens {
  try {
    return parseTokens(css)
  } catch (error) {
    throw new ConfigError(name, `names "${value}", which ${(error as Error).message}.`)
  }
}
