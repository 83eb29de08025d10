import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parse } from '@formatjs/icu-messageformat-parser'
import type { Plugin } from 'vite'

/** A file of messages, with the group that is wanted of it. */
const MESSAGES = /\/packages\/ui\/messages\/[\w-]+\.json\?group=(\w+)$/

/**
 * Parses messages when the applications are built, so that pages need no parser. Texts without syntax stay texts. Each
 * group of a file is a module of its own, so that the shop does not load the texts of the editor.
 */
export const compileMessages: Plugin = {
  name: 'compile-messages',
  enforce: 'pre',
  config: () => ({
    resolve: {
      alias: {
        '@formatjs/icu-messageformat-parser': fileURLToPath(
          import.meta.resolve('@formatjs/icu-messageformat-parser/no-parser.js'),
        ),
      },
    },
  }),
  async load(id) {
    const [, group] = MESSAGES.exec(id) ?? []
    if (group === undefined) return undefined
    const file = id.replace(/\?.*$/, '')
    this.addWatchFile(file)
    const groups = JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, string>>
    const texts = Object.entries(groups[group] ?? {}).map(([name, text]) => [name, compile(text)])
    return { code: `export default ${JSON.stringify(Object.fromEntries(texts))}`, moduleType: 'js' }
  },
}

function compile(text: string): unknown {
  return /[{}']/.test(text) ? parse(text, { ignoreTag: true }) : text
}
