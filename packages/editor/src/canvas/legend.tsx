import type { PrintArea } from '@platen/drawing'
import { Button, Icon } from '@platen/ui'
import { useState } from 'react'
import { useEditor } from '../state/use-editor.ts'

const KEY = 'platen.editor.legend'

/** The width in pixels below which a stage has no room for the whole legend. */
const NARROW_PX = 820

/** Explains the lines of the page. The customer can hide it, and this device remembers that. */
export function Legend({ printArea, widthPx }: { printArea: PrintArea; widthPx: number }) {
  const { text } = useEditor()
  const [chosen, choose] = useState(load)
  const isOpen = chosen ?? widthPx >= NARROW_PX
  const toggle = (): void => {
    choose(!isOpen)
    store(!isOpen)
  }
  return (
    <div className="pe-legend" data-pe-own-keys>
      {isOpen ? <Lines printArea={printArea} /> : null}
      <Button look="quiet" isIcon={isOpen} aria-expanded={isOpen} aria-label={text('legend')} onPress={toggle}>
        <Icon name={isOpen ? 'close' : 'info'} size={20} />
        {isOpen ? null : text('legend')}
      </Button>
    </div>
  )
}

function Lines({ printArea: { widthMm, heightMm, bleedMm, safeMarginMm } }: { printArea: PrintArea }) {
  const { text, locale } = useEditor()
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
  const mm = (length: number): string => `${format.format(length)}\u00a0mm`
  const lines = [
    { id: 'trim', words: text('legendTrim', { width: format.format(widthMm), height: mm(heightMm) }), isThere: true },
    { id: 'bleed', words: text('legendBleed', { bleed: mm(bleedMm) }), isThere: bleedMm > 0 },
    { id: 'safe', words: text('legendSafe', { margin: mm(safeMarginMm) }), isThere: safeMarginMm > 0 },
  ]
  return (
    <ul aria-label={text('legend')}>
      {lines
        .filter(({ isThere }) => isThere)
        .map(({ id, words }) => (
          <li key={id}>
            <svg width="28" height="12" aria-hidden="true">
              <path className={`pe-line ${id}`} d="M0 6h28" />
            </svg>
            {words}
          </li>
        ))}
    </ul>
  )
}

function load(): boolean | undefined {
  try {
    const stored = globalThis.localStorage?.getItem(KEY)
    return stored === 'shown' || stored === 'hidden' ? stored === 'shown' : undefined
  } catch {
    // Storage may be blocked.
    return undefined
  }
}

function store(isOpen: boolean): void {
  try {
    globalThis.localStorage?.setItem(KEY, isOpen ? 'shown' : 'hidden')
  } catch {
    // The choice lasts until the page is closed.
  }
}
