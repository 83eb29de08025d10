import { MoreTexts, part } from '@platen/app/frame'
import type { OwnUser } from '@platen/client'
import { Button, Icon, useTexts } from '@platen/ui'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { pagesOf } from '../shell/pages.tsx'
import { listenForShortcuts, useShortcuts } from './shortcuts.ts'
import { SUB_PAGE_TEXTS } from './sub-page-texts.ts'

const Palette = part(() => import('./palette.tsx'), 'Palette', null)
const ShortcutList = part(() => import('./shortcut-list.tsx'), 'ShortcutList', null)

/** The keys of the console, and the button of the command palette for those who have no keyboard. */
export function Keys({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const [open, setOpen] = useState<'palette' | 'list'>()
  const pages = pagesOf(user)
  useEffect(listenForShortcuts, [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((!event.ctrlKey && !event.metaKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      setOpen((before) => (before === undefined ? 'palette' : before))
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useShortcuts([
    { keys: '?', moves: true, title: 'console.shortcutList', run: () => setOpen('list') },
    { keys: '/', moves: true, title: 'console.shortcutSearch', run: focusSearch },
    { keys: 'j', moves: true, title: 'console.shortcutNextRow', run: () => moveInRows(1) },
    { keys: 'k', moves: true, title: 'console.shortcutPreviousRow', run: () => moveInRows(-1) },
    { keys: 'x', moves: true, title: 'console.shortcutSelectRow', run: selectRow },
    ...pages.slice(0, 10).map((page, index) => ({
      // The tenth page has the key right of the ninth.
      keys: `g ${(index + 1) % 10}`,
      moves: true,
      title: page.title,
      run: () => navigate(page.path),
    })),
  ])
  const close = (): void => setOpen(undefined)
  return (
    <>
      <Button look="quiet" className="console-link console-find" onPress={() => setOpen('palette')}>
        <Icon name="search" size={20} />
        <span>{text('console.find')}</span>
        <kbd className="pl-keys" aria-hidden>
          {/Mac|iP/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}
        </kbd>
      </Button>
      {open === 'palette' ? (
        <MoreTexts groups={SUB_PAGE_TEXTS} fallback={null}>
          <Palette pages={pages} user={user} onShowKeys={() => setOpen('list')} onClose={close} />
        </MoreTexts>
      ) : null}
      {open === 'list' ? <ShortcutList onClose={close} /> : null}
    </>
  )
}

const focusSearch = (): void => document.querySelector<HTMLInputElement>('[data-search]')?.focus()

/** Selects the row or the card whose link has the focus, if it can be selected. */
const selectRow = (): void =>
  document.activeElement?.closest('tr, li')?.querySelector<HTMLInputElement>('.select-box input')?.click()

/** Moves the focus between the links of the rows of a table. */
function moveInRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step
  rows[next]?.focus()
}
