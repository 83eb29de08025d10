import { Button, classes, Icon, Slider, TextField, ToolBar } from '@platen/ui'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { EditorMessage } from '../../../messages.ts'
import { useEditor, useEditorState } from '../../../state/use-editor.ts'
import { useValue } from '../../../state/value-store.ts'
import { usePanels } from '../../services/use-panels.ts'
import { alphaOf, colorsOf, opaqueOf, PALETTE, readHex, withAlpha } from './colors.ts'
import { contrastOnPaper } from './contrast.ts'
import { recentColors } from './recent-colors.ts'

export interface ColorPickerProps {
  /** Undefined if the selected layers have different colours. */
  value: string | undefined
  onChange(color: string): void
  /** Remembers the present colours of the selected layers. Returns a function that brings them back. */
  remember(): () => void
}

export function ColorPicker({ value, onChange, remember }: ColorPickerProps) {
  const { text } = useEditor()
  const { host } = usePanels()
  const ofShop = host.palette()
  const document = useEditorState((state) => state.document)
  const ofDesign = useMemo(() => colorsOf(document), [document])
  const recent = useValue(recentColors)
  const alpha = value === undefined ? 1 : alphaOf(value)
  const pick = (color: string): void => onChange(withAlpha(color, alpha === 0 ? 1 : alpha))
  const names = useMemo(() => new Map(PALETTE.map(({ color, name }) => [color, name])), [])
  const swatches = { value, names, onPick: pick }
  return (
    <div className="pe-color-picker">
      <Swatches {...swatches} label="palette" colors={ofShop.length > 0 ? ofShop : PALETTE.map(({ color }) => color)} />
      <Swatches {...swatches} label="colorsOfDesign" colors={ofDesign} />
      <Swatches {...swatches} label="recentColors" colors={recent} />
      <HexField {...{ value, onChange, remember }} />
      <Slider
        label={text('transparency')}
        value={alpha}
        minValue={0}
        maxValue={1}
        step={0.01}
        formatOptions={{ style: 'percent' }}
        isDisabled={value === undefined}
        onChange={(next) => value !== undefined && onChange(withAlpha(value, next))}
      />
    </div>
  )
}

interface SwatchesProps {
  label: EditorMessage
  colors: readonly string[]
  value: string | undefined
  names: ReadonlyMap<string, EditorMessage>
  onPick(color: string): void
}

function Swatches({ label, colors, value, names, onPick }: SwatchesProps) {
  const { text } = useEditor()
  if (colors.length === 0) return null
  const selected = value === undefined ? undefined : opaqueOf(value)
  return (
    <div>
      <p className="pl-label" aria-hidden>
        {text(label)}
      </p>
      <ToolBar aria-label={text(label)} className="pe-swatches">
        {colors.map((color) => {
          const name = names.get(color)
          const isSelected = color === selected
          return (
            <Button
              key={color}
              look="quiet"
              isIcon
              className="pe-swatch-button"
              aria-label={name === undefined ? color : `${text(name)} ${color}`}
              aria-pressed={isSelected}
              onPress={() => onPick(color)}
            >
              <span className={classes('pe-swatch', contrastOnPaper(color) > 4 && 'dark')}>
                <span style={{ backgroundColor: color }} />
                {isSelected ? <Icon name="check" size={18} /> : null}
              </span>
            </Button>
          )
        })}
      </ToolBar>
    </div>
  )
}

/**
 * Colours apply while they are typed. Escape brings back those from before. If there is nothing to bring back, it closes
 * the picker.
 */
function HexField({ value, onChange, remember }: ColorPickerProps) {
  const { text } = useEditor()
  const before = useRef<{ shown: string; restore(): void }>(undefined)
  const shown = value?.toUpperCase() ?? ''
  const [draft, setDraft] = useState(shown)
  useEffect(() => setDraft(shown), [shown])
  const isWrong = draft !== '' && draft !== '#' && readHex(draft) === undefined
  return (
    <TextField
      label={text('hexColor')}
      value={draft}
      maxLength={9}
      spellCheck="false"
      placeholder="#000000"
      onChange={(next) => {
        setDraft(next)
        const color = readHex(next)
        // Three digits may be the beginning of six.
        if (color !== undefined && next.trim().replace('#', '').length >= 6) onChange(color)
      }}
      onFocus={() => {
        before.current = { shown, restore: remember() }
      }}
      onKeyDown={(event) => {
        const color = readHex(draft)
        if (event.key === 'Enter' && color !== undefined) onChange(color)
        if (event.key === 'Escape' && before.current !== undefined && draft !== before.current.shown) {
          setDraft(before.current.shown)
          before.current.restore()
        } else event.continuePropagation()
      }}
      onBlur={() => {
        const color = readHex(draft)
        if (color !== undefined && color !== shown) onChange(color)
        else setDraft(shown)
      }}
      {...(isWrong ? { error: text('hexWrong') } : {})}
    />
  )
}
