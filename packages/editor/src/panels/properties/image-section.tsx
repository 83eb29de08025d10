import { type ImageLayer, printedResolution } from '@platen/drawing'
import { Button, classes, Icon } from '@platen/ui'
import { shownArea } from '../../actions/index.ts'
import type { EditorLayer } from '../../document/layers.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { ActionButton } from '../bars/action-button.tsx'
import { isClose, shownDpi } from '../preflight/issue-texts.ts'
import { usePanels } from '../services/use-panels.ts'
import { SelectProperty } from './fields/choice-property.tsx'
import { Section } from './fields/section.tsx'
import { useLayerEdit } from './selection.ts'

type Image = EditorLayer & ImageLayer

const FITS = ['cover', 'contain', 'stretch'] as const

export function ImageSection({ layers }: { layers: readonly Image[] }) {
  const { text } = useEditor()
  const { view } = usePanels()
  const content = useLayerEdit(layers, 'edit')
  const style = useLayerEdit(layers, 'style')
  const [only] = layers
  return (
    <>
      <Section title="content" reason={content.reason}>
        {only !== undefined && layers.length === 1 ? <Resolution layer={only} /> : null}
        <div className="pe-row pe-wide">
          <ActionButton action="fillSide" icon="fit" isLabelled />
          <ActionButton action="crop" icon="crop" isLabelled />
          <Button
            look="quiet"
            className="pe-labelled"
            isDisabled={content.isDisabled || layers.length > 1}
            onPress={() => view.show('images', { replaces: true })}
          >
            <Icon name="image" />
            {text('replace')}
          </Button>
        </div>
      </Section>
      <Section title="look" reason={style.reason}>
        <SelectProperty
          isWide
          label="fit"
          layers={layers}
          edit={style}
          choices={FITS.map((id) => ({ id, text: text(FIT_NAMES[id]) }))}
          get={({ fit }) => fit}
          set={(layer, fit) => ({ ...layer, fit })}
        />
        <div className="pe-row pe-wide">
          <ActionButton action="flipHorizontally" icon="flip-horizontal" />
          <ActionButton action="flipVertically" icon="flip-vertical" />
          <ActionButton action="rotateQuarterRight" icon="rotate" />
        </div>
      </Section>
    </>
  )
}

const FIT_NAMES = { cover: 'fitCover', contain: 'fitContain', stretch: 'fitStretch' } as const

/** The resolution at which an image is printed, judged as preflight does. */
function Resolution({ layer }: { layer: Image }) {
  const { text } = useEditor()
  const asset = useEditorState((state) => state.assets.get(layer.assetId))
  const area = useEditorState(shownArea)
  if (asset === undefined) return <p className="pe-reason pe-wide">{text('imageUnknown')}</p>
  const { dpi, severity } = printedResolution(layer, asset, area)
  const target = area.targetDpi
  const { tone, icon, words } = LOOKS[severity ?? 'good']
  const isSlight = severity === 'warning' && isClose(dpi, target)
  return (
    <p className={classes('pe-resolution', 'pe-wide', tone)}>
      <Icon name={icon} size={20} />
      <span>
        {text(isSlight ? 'resolutionClose' : words, {
          dpi: severity === undefined ? Math.round(dpi) : shownDpi(dpi),
          target,
        })}
      </span>
    </p>
  )
}

const LOOKS = {
  good: { tone: 'good', icon: 'check', words: 'resolutionGood' },
  warning: { tone: 'warning', icon: 'warning', words: 'resolutionLow' },
  error: { tone: 'danger', icon: 'error', words: 'resolutionBad' },
} as const
