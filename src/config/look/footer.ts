import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../values/config-error.ts'
import { checkFolder, readOrRefuse } from '../values/files.ts'
import type { Check, Setting } from '../values/kinds.ts'

const MAX_LINKS = 12
const MAX_PAGES = 50
const MAX_KIB = 256

export interface FooterLink {
  label: string
  /** `https:`, `mailto:`, or a path on the site of the shop. */
  url: string
}

/** Reads links such as `Contact|mailto:hello@shop.example, Instagram|https://instagram.example/shop`. */
export const footerLinks: Setting<readonly FooterLink[]> = ({ name, value = '' }) => {
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  if (entries.length > MAX_LINKS)
    throw new ConfigError(name, `has ${entries.length} links, but takes at most ${MAX_LINKS}.`)
  return entries.map((entry) => {
    const [label = '', url = '', ...rest] = entry.split('|').map((part) => part.trim())
    if (rest.length === 0 && isLabel(label) && isTarget(url)) return { label, url }
    throw new ConfigError(
      name,
      `contains "${entry}", but takes a name, "|", and a URL that begins with https:, mailto: or /, such as Contact|mailto:hello@shop.example.`,
    )
  })
}

const isLabel = (label: string): boolean => /^[^\p{Cc}\p{Zl}\p{Zp}]{1,40}$/u.test(label)

function isTarget(url: string): boolean {
  if (/[\s\\]/.test(url)) return false
  if (url.startsWith('/')) return !url.startsWith('//')
  const { protocol, hostname } = URL.parse(url) ?? {}
  if (protocol === 'mailto:') return url.includes('@')
  return protocol === 'https:' && hostname !== '' && url.startsWith('https://')
}

/** A file with a page of the shop, such as an imprint. */
export interface PageFile {
  /** Last part of the URL path: `/pages/{name}`. */
  name: string
  /** Language of the text. Undefined for the text that readers of all other languages get. */
  language: string | undefined
  path: string
}

const MESSAGES = join(import.meta.dirname, '../../../packages/ui/messages')

/** Accepts a folder with Markdown files such as `imprint.md` and `imprint.de.md`. */
export const checkPages: Check<readonly PageFile[]> = (value, variable) => {
  const { name } = variable
  const folder = checkFolder(value, variable)
  const files = readOrRefuse(name, folder, () => readdirSync(folder)).filter((file) => file.endsWith('.md'))
  if (files.length === 0 || files.length > MAX_PAGES) {
    throw new ConfigError(
      name,
      `names "${value}", a folder with ${files.length} .md files. It takes 1 to ${MAX_PAGES}.`,
    )
  }
  return files.sort().map((file) => readPage(name, folder, file))
}

function readPage(name: string, folder: string, file: string): PageFile {
  const path = resolve(folder, file)
  const languages = readdirSync(MESSAGES).map((one) => one.replace(/\.json$/, ''))
  const [, page, language] = /^([a-z0-9][a-z0-9-]{0,49})(?:\.([a-zA-Z-]+))?\.md$/.exec(file) ?? []
  if (page === undefined || (language !== undefined && !languages.includes(language))) {
    throw new ConfigError(
      name,
      `contains "${file}". Names consist of a-z, 0-9 and hyphens, and may end with a language of the shop (${languages.join(', ')}), such as imprint.md or imprint.de.md.`,
    )
  }
  const source = readOrRefuse(name, path, () => readFileSync(path, 'utf8'))
  if (source.length > MAX_KIB * 1024)
    throw new ConfigError(name, `contains "${file}", which has more than ${MAX_KIB} KiB.`)
  if (!/^ {0,3}#{1,6}[ \t]+\S/m.test(source)) {
    throw new ConfigError(
      name,
      `contains "${file}", which has no heading. Its first heading, such as "# Imprint", is its title.`,
    )
  }
  return { name: page, language, path }
}
