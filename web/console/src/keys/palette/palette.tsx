import type { OwnUser } from '@platen/client'
import { Dialog, Icon, useTexts } from '@platen/ui'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { forgetTableAbove } from '../../parts/table/use-place.ts'
import type { ConsolePage } from '../../shell/console-page.ts'
import { takeKeys } from '../typed-ahead.ts'
import type { Command } from './command.ts'
import { useCommands } from './use-commands.ts'

export interface PaletteProps {
  pages: readonly ConsolePage[]
  user: OwnUser
  onShowKeys(): void
  onClose(): void
}

/** Goes to a page or an order, or runs an action of the present page, by typing a part of its name. */
export function Palette({ pages, user, onShowKeys, onClose }: PaletteProps) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = useId()
  const { commands, isOpen } = useCommands(typed, pages, user)
  // The words that are confirmed before their result is there. An earlier result must not be opened instead.
  const [entered, setEntered] = useState<string>()
  const at = Math.min(chosen, commands.length - 1)
  const run = (command: Command | undefined): void => {
    if (command === undefined) return
    if (command.href === undefined && command.run === undefined) {
      onShowKeys()
      return
    }
    onClose()
    if (command.href !== undefined) {
      forgetTableAbove(command.href)
      navigate(command.href)
    }
    // The dialog of the action opens after this one has given the focus back.
    else setTimeout(() => command.run?.())
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && commands.length > 0) {
      event.preventDefault()
      setChosen((at + step + commands.length) % commands.length)
    }
    if (event.key !== 'Enter') return
    if (isOpen && at <= 0) setEntered(typed)
    else run(commands[at])
  }
  const isDue = entered === typed && !isOpen
  // biome-ignore lint/correctness/useExhaustiveDependencies: the command runs once, when it is certain
  useEffect(() => {
    if (!isDue) return
    setEntered(undefined)
    run(commands[0])
  }, [isDue])
  return (
    <Dialog title={text('console.find')} isOpen onClose={onClose} closeLabel={text('common.close')}>
      <div className="palette">
        <input
          className="pl-input"
          role="combobox"
          aria-label={text('console.findHint')}
          aria-expanded={commands.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          {...(commands.length === 0 ? {} : { 'aria-activedescendant': `${list}-${at}` })}
          placeholder={text('console.findHint')}
          autoFocus
          onFocus={() => {
            const early = takeKeys()
            if (early.text === '') return
            setTyped(early.text)
            if (early.isEntered) setEntered(early.text)
          }}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setEntered(undefined)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
        <div id={list} role="listbox" aria-label={text('console.found')} className="palette-list">
          {commands.map((command, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={command.id}
              id={`${list}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              className="pl-list-item"
              onClick={() => run(command)}
              onPointerMove={() => setChosen(index)}
            >
              <Icon name={command.icon} size={18} />
              <span className="pl-list-item-text">{command.title}</span>
              {command.note === undefined ? null : <span className="note">{command.note}</span>}
            </div>
          ))}
        </div>
        <p role="status" className="note">
          {commands.length === 0 ? text('console.nothingFound') : ''}
        </p>
      </div>
    </Dialog>
  )
}
