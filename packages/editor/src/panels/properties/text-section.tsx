import { DOCUMENT_LIMITS, type TextLayer } from '@platen/drawing'
import { Banner, Button, Icon, ToggleButton } from '@platen/ui'
import type { EditorLayer } from '../../document/layers.ts'
import type { EditorMessage } from '../../messages.ts'
import { useEditor } from '../../state/use-editor.ts'
import { useEngine } from '../services/use-panels.ts'
import { ColorProperty } from './color/color-property.tsx'
import type { Legibility } from './color/legibility.ts'
import { useLegibility } from './color/use-legibility.ts'
import { IconProperty } from './fields/choice-property.tsx'
import { NumberProperty } from './fields/number-property.tsx'
import { Section } from './fields/section.tsx'
import { TextProperty } from './fields/text-property.tsx'
import { fittingBox, fittingSize } from './fit-text.ts'
import { FontFields } from './font/font-fields.tsx'
import { sharedValue, useLayerEdit } from './selection.ts'

type Text = EditorLayer & TextLayer

export function TextSection({ layers }: { layers: readonly Text[] }) {
  const { text } = useEditor()
  const content = useLayerEdit(layers, 'edit')
  const style = useLayerEdit(layers, 'style')
  const isItalic = sharedValue(layers, ({ fontStyle }) => fontStyle === 'italic')
  const legibility = LEGIBILITY_HINTS[useLegibility(layers)]
  return (
    <>
      <Section title="content" reason={content.reason}>
        <div className="pe-wide">
          <TextProperty
            label={text('textContent')}
            layers={layers}
            edit={content}
            name="text"
            rows={3}
            maxLength={DOCUMENT_LIMITS.textLength}
            get={(layer) => layer.text}
            set={(layer, value) => ({ ...layer, text: value })}
          />
        </div>
      </Section>
      <Section title="font" reason={style.reason}>
        <FontFields layers={layers} edit={style} />
        <div className="pe-row">
          <ToggleButton
            isIcon
            aria-label={text('italic')}
            isSelected={isItalic === true}
            isDisabled={style.isDisabled}
            onChange={(italic) =>
              style.change('italic', (layer) => ({ ...layer, fontStyle: italic ? 'italic' : 'normal' }))
            }
          >
            <Icon name="italic" />
          </ToggleButton>
        </div>
        <div className="pe-wide">
          <NumberProperty
            label={text('fontSize')}
            layers={layers}
            edit={style}
            name="fontSize"
            suffix="pt"
            minValue={0.1}
            maxValue={10_000}
            hasSteppers
            get={({ fontSizePt }) => fontSizePt}
            set={(layer, fontSizePt) => ({ ...layer, fontSizePt })}
          />
        </div>
        <ColorProperty
          label="textColor"
          layers={layers}
          edit={style}
          get={(layer) => layer.color}
          set={(layer, next) => ({ ...layer, color: next })}
        />
        {legibility === undefined ? null : <Banner tone={legibility.tone}>{text(legibility.words)}</Banner>}
      </Section>
      <ParagraphSection layers={layers} />
    </>
  )
}

const LEGIBILITY_HINTS: Readonly<Record<Legibility, { tone: 'warning' | 'info'; words: EditorMessage } | undefined>> = {
  good: undefined,
  low_on_paper: { tone: 'warning', words: 'textContrastHint' },
  low_on_layers: { tone: 'warning', words: 'textContrastBelow' },
  unknown: { tone: 'info', words: 'textContrastUnknown' },
}

function ParagraphSection({ layers }: { layers: readonly Text[] }) {
  const { text } = useEditor()
  const style = useLayerEdit(layers, 'style')
  return (
    <Section title="paragraph" reason={style.reason}>
      <IconProperty
        label="alignText"
        layers={layers}
        edit={style}
        choices={[
          { id: 'left', icon: 'text-left', label: 'textLeft' },
          { id: 'center', icon: 'text-center', label: 'textCenter' },
          { id: 'right', icon: 'text-right', label: 'textRight' },
          { id: 'justify', icon: 'text-justify', label: 'textJustify' },
        ]}
        get={({ align }) => align}
        set={(layer, align) => ({ ...layer, align })}
      />
      <IconProperty
        label="alignTextVertically"
        layers={layers}
        edit={style}
        choices={[
          { id: 'top', icon: 'align-top', label: 'textTop' },
          { id: 'middle', icon: 'align-middle', label: 'textMiddle' },
          { id: 'bottom', icon: 'align-bottom', label: 'textBottom' },
        ]}
        get={({ verticalAlign }) => verticalAlign}
        set={(layer, verticalAlign) => ({ ...layer, verticalAlign })}
      />
      <NumberProperty
        label={text('lineHeight')}
        layers={layers}
        edit={style}
        name="lineHeight"
        step={0.05}
        minValue={0.1}
        maxValue={10}
        get={({ lineHeight }) => lineHeight}
        set={(layer, lineHeight) => ({ ...layer, lineHeight })}
      />
      <NumberProperty
        label={text('letterSpacing')}
        layers={layers}
        edit={style}
        name="letterSpacing"
        unit="percent"
        step={0.005}
        minValue={-1}
        maxValue={10}
        get={({ letterSpacing }) => letterSpacing}
        set={(layer, letterSpacing) => ({ ...layer, letterSpacing })}
      />
      <FitButtons layers={layers} />
    </Section>
  )
}

function FitButtons({ layers }: { layers: readonly Text[] }) {
  const { text, announce } = useEditor()
  const engine = useEngine()
  const style = useLayerEdit(layers, 'style')
  const move = useLayerEdit(layers, 'move')
  const fitText = (): void => {
    if (engine === undefined) return
    style.end()
    style.change('fitText', (layer) => ({ ...layer, fontSizePt: fittingSize(layer, engine) ?? layer.fontSizePt }))
    announce(text('textFitted'))
  }
  const fitBox = (): void => {
    if (engine === undefined) return
    move.end()
    move.change('fitBox', (layer) => fittingBox(layer, engine) ?? layer)
    announce(text('boxFitted'))
  }
  return (
    <div className="pe-row pe-wide">
      <Button isDisabled={style.isDisabled || engine === undefined} onPress={fitText}>
        {text('fitText')}
      </Button>
      <Button isDisabled={move.isDisabled || engine === undefined} onPress={fitBox}>
        {text('fitBox')}
      </Button>
    </div>
  )
}
