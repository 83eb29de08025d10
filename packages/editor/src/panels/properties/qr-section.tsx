import { DOCUMENT_LIMITS, luminance, over, parseColor, type QrLayer } from '@platen/drawing'
import { Banner } from '@platen/ui'
import { useCallback } from 'react'
import type { EditorLayer } from '../../document/layers.ts'
import { EXAMPLE_LINK } from '../../document/new-layers.ts'
import { useEditor } from '../../state/use-editor.ts'
import { usePanels, usePanelView } from '../services/use-panels.ts'
import { ColorProperty } from './color/color-property.tsx'
import { SelectProperty } from './fields/choice-property.tsx'
import { Section } from './fields/section.tsx'
import { TextProperty } from './fields/text-property.tsx'
import { useLayerEdit } from './selection.ts'

type Code = EditorLayer & QrLayer

const LEVELS = [
  ['L', 'errorCorrectionL'],
  ['M', 'errorCorrectionM'],
  ['Q', 'errorCorrectionQ'],
  ['H', 'errorCorrectionH'],
] as const

export function QrSection({ layers }: { layers: readonly Code[] }) {
  const { text } = useEditor()
  const content = useLayerEdit(layers, 'edit')
  const style = useLayerEdit(layers, 'style')
  const { view } = usePanels()
  const { edits } = usePanelView()
  const endSelecting = useCallback(() => view.show('properties'), [view])
  return (
    <>
      <Section title="content" reason={content.reason}>
        <div className="pe-wide">
          <TextProperty
            label={text('qrValue')}
            layers={layers}
            edit={content}
            name="value"
            rows={2}
            maxLength={DOCUMENT_LIMITS.qrLength}
            isRequired
            example={{ value: EXAMPLE_LINK, hint: text('qrExampleHint') }}
            isSelected={edits !== undefined && edits === layers[0]?.id}
            onSelected={endSelecting}
            get={({ value }) => value}
            set={(layer, value) => ({ ...layer, value })}
          />
        </div>
      </Section>
      <Section title="look" reason={style.reason}>
        <SelectProperty
          isWide
          label="errorCorrection"
          layers={layers}
          edit={style}
          choices={LEVELS.map(([id, name]) => ({ id, text: text(name) }))}
          get={({ errorCorrection }) => errorCorrection}
          set={(layer, errorCorrection) => ({ ...layer, errorCorrection })}
        />
        <ColorProperty
          label="qrColor"
          layers={layers}
          edit={style}
          get={({ color }) => color}
          set={(layer, color) => ({ ...layer, color })}
        />
        <ColorProperty
          label="qrBackground"
          layers={layers}
          edit={style}
          get={({ background }) => background}
          set={(layer, background) => ({ ...layer, background })}
        />
        {layers.every(isReadable) ? null : <Banner tone="warning">{text('qrContrastHint')}</Banner>}
      </Section>
    </>
  )
}

const PAPER = { red: 1, green: 1, blue: 1, alpha: 1 }
/** The least difference in reflectance that every reader must support: grade C of ISO/IEC 15415. */
const LEAST_CONTRAST = 0.4

/** Tells whether a code has enough contrast on white paper. Preflight also knows the layers below. */
function isReadable({ color, background }: Code): boolean {
  const light = over(parseColor(background), PAPER)
  return luminance(light) - luminance(over(parseColor(color), light)) >= LEAST_CONTRAST
}
