import type en from '../../messages/en.json'
import type { Messages } from './translator.ts'

type Groups = typeof en

/** `group.name`, such as `common.close`. English defines which messages there are. */
export type MessageKey = { [Group in keyof Groups]: `${Group}.${keyof Groups[Group] & string}` }[keyof Groups]

export type MessageGroup = keyof Groups

export type Texts = Record<string, string>

/** Loads the texts of a group, by the path of the file of each language. */
export type MessageFiles = Record<string, () => Promise<Texts>>

// The build makes a module of each group of a file: `web/compile-messages.ts`.
const FILES: Partial<Record<MessageGroup, MessageFiles>> & Record<'common', MessageFiles> = {
  common: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=common' }),
  editor: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=editor' }),
  order: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=order' }),
  shop: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=shop' }),
  account: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=account' }),
  session: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=session' }),
}

/** Adds groups that only one application has, so that the others need not contain the addresses of their files. */
export function addMessages(files: Partial<Record<MessageGroup, MessageFiles>>): void {
  Object.assign(FILES, files)
}

const languageOf = (path: string): string => path.replace(/^.*\/|\.json.*$/g, '')

/** Languages that have a file, English first. */
export const LANGUAGES: readonly string[] = Object.keys(FILES.common)
  .map(languageOf)
  .sort((a, b) => Number(b === 'en') - Number(a === 'en') || a.localeCompare(b))

/** Loads groups of the messages of one of `LANGUAGES`. */
export async function loadMessages(language: string, groups: readonly MessageGroup[]): Promise<Messages<MessageKey>> {
  const loaded = await Promise.all(groups.map((group) => loadGroup(language, group)))
  return Object.fromEntries(loaded.flat()) as Messages<MessageKey>
}

async function loadGroup(language: string, group: MessageGroup): Promise<[string, string][]> {
  const load = Object.entries(FILES[group] ?? {}).find(([path]) => languageOf(path) === language)?.[1]
  if (load === undefined) throw new Error(`There are no messages of ${group} in ${language}`)
  return Object.entries(await load()).map(([name, text]) => [`${group}.${name}`, text])
}
