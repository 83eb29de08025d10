import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'style', name))
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

const css = read('site.css')
const icon = read('icon.svg')

/** The style sheet and the icon. Their URLs contain a hash of their content, so that clients can store them forever. */
export const STYLESHEET = {
  css,
  path: `/pages/site.${hashOf(css)}.css`,
  icon,
  iconPath: `/pages/icon.${hashOf(icon)}.svg`,
}
