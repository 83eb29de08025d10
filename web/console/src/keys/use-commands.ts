import type { OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import type { ConsolePage } from '../shell/console-page.ts'
import type { Command } from './command.ts'
import { useKnownShortcuts } from './shortcuts.ts'
import { subPagesOf } from './sub-pages.ts'
import { useRecords } from './use-records.ts'

/** Returns what matches the typed words: pages, actions of the present page, and records that the user may open. */
export function useCommands(typed: string, pages: readonly ConsolePage[], user: OwnUser): readonly Command[] {
  const { text } = useTexts()
  const words = typed.trim().toLowerCase()
  const matches = ({ title }: { title: string }): boolean => title.toLowerCase().includes(words)
  const ofPages: Command[] = pages.flatMap((page) => [
    { id: page.path, icon: page.icon, title: text(page.title), href: page.path },
    // Without words, the list is that of the navigation.
    ...(words === '' ? [] : subPagesOf(page, user)).map(({ href, title }) => ({
      id: href,
      icon: page.icon,
      title: text(title),
      note: text(page.title),
      href,
    })),
  ])
  const actions: Command[] = useKnownShortcuts().flatMap(({ id, keys, title, of, moves = false, run }) => {
    // Actions on the rows of a table would fill the list.
    const isShown =
      !moves && (of === undefined ? matches({ title }) : words !== '' && matches({ title: `${title} ${of}` }))
    const note = of ?? keys
    return isShown
      ? [{ id, icon: 'chevron-right', title, ...(note === undefined ? {} : { note }), run: () => run() }]
      : []
  })
  const ofKeys: Command = { id: 'keys', icon: 'info', title: text('console.shortcuts') }
  return [...ofPages.filter(matches), ...actions, ...[ofKeys].filter(matches), ...useRecords(words, pages)]
}
