import type { OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import type { ConsolePage } from '../../shell/console-page.ts'
import { useKnownShortcuts } from '../shortcuts.ts'
import type { Command } from './command.ts'
import { subPagesOf } from './sub-pages.ts'
import { useRecords } from './use-records.ts'

export interface Found {
  /** Pages and actions of the present page, before records that the user may open. */
  commands: readonly Command[]
  /** Whether the first one may still change: the records are those of earlier words, or are not there yet. */
  isOpen: boolean
}

/** Returns what matches the typed words. */
export function useCommands(typed: string, pages: readonly ConsolePage[], user: OwnUser): Found {
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
  const known = [...ofPages.filter(matches), ...actions, ...[ofKeys].filter(matches)]
  const { records, isSearching } = useRecords(words, pages)
  return { commands: [...known, ...records], isOpen: isSearching && known.length === 0 }
}
