import { MoreTexts, part } from '@platen/app/frame'
import type { OwnUser } from '@platen/client'
import { Button, Icon, useTexts } from '@platen/ui'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { pagesOf } from '../shell/pages.tsx'
import { focusSearch, hasSearch, leaveField } from './fields.ts'
import { keyNames } from './key-names.ts'
import { hasRows, hasSelectableRows, moveInRows, openRow, selectRow } from './rows.ts'
import { listenForShortcuts, useShortcuts } from './shortcuts.ts'
import { SUB_PAGE_TEXTS } from './sub-page-texts.ts'
import { collectKeys, takeKeys } from './typed-ahead.ts'

const Palette = part(() => import('./palette/palette.tsx'), 'Palette', null)
const ShortcutList = part(() => import('./shortcut-list.tsx'), 'ShortcutList', null)

const GLOBAL = { isGlobal: true, moves: true }
const SELECTION = { moves: true, isHere: hasSelectableRows }

/** The keys of the console, and the button of the command palette for those who have no keyboard. */
export function Keys({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const [open, setOpen] = useState<'palette' | 'list'>()
  const pages = pagesOf(user)
  useEffect(listenForShortcuts, [])
  const close = (): void => setOpen(undefined)
  const openPalette = (event?: KeyboardEvent): void => {
    event?.preventDefault()
    collectKeys(close)
    setOpen('palette')
  }
  useShortcuts([
    { keys: 'Control+k', ...GLOBAL, inFields: true, title: 'console.find', run: openPalette },
    { keys: '?', ...GLOBAL, title: 'console.shortcutList', run: () => setOpen('list') },
    { keys: 'Escape', ...GLOBAL, inFields: true, title: 'console.shortcutLeaveField', run: leaveField },
    { keys: '/', moves: true, title: 'console.shortcutSearch', isHere: hasSearch, run: focusSearch },
    { keys: 'j', moves: true, title: 'console.shortcutNextRow', isHere: hasRows, run: () => moveInRows(1) },
    { keys: 'k', moves: true, title: 'console.shortcutPreviousRow', isHere: hasRows, run: () => moveInRows(-1) },
    { keys: 'o', moves: true, title: 'console.shortcutOpenRow', isHere: hasRows, run: openRow },
    { ...SELECTION, keys: 'x', title: 'console.shortcutSelectRow', run: () => selectRow(false) },
    { ...SELECTION, keys: 'X', title: 'console.shortcutSelectRows', run: () => selectRow(true) },
    ...pages.slice(0, 10).map((page, index) => ({
      // The tenth page has the key right of the ninth.
      keys: `g ${(index + 1) % 10}`,
      ...GLOBAL,
      title: page.title,
      run: () => navigate(page.path),
    })),
  ])
  useEffect(() => {
    if (open !== 'palette') takeKeys()
  }, [open])
  return (
    <>
      <Button look="quiet" className="console-link console-find" onPress={() => openPalette()}>
        <Icon name="search" size={20} />
        <span>{text('console.find')}</span>
        <kbd className="pl-keys" aria-hidden>
          {keyNames('Control+k').join(' ')}
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
