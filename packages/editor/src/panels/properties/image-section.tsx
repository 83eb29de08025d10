import { fitImage, type ImageLayer } from '@platen/drawing'
import { Button, classes, Icon } from '@platen/ui'
import { shownArea } from '../../actions/index.ts'
import type { EditorLayer } from '../../document/layers.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { ActionButton } from '../bars/action-button.tsx'
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
        <div className="pe-row">
          <ActionButton action="flipHorizontally" icon="flip-horizontal" />
          <ActionButton action="flipVertically" icon="flip-vertical" />
          <ActionButton action="rotateQuarterRight" icon="rotate" />
        </div>
      </Section>
    </>
  )
}

const FIT_NAMES = { cover: 'fitCover', contain: 'fitContain', stretch: 'fitStretch' } as const

/** Below this share of the target, preflight reports an error, unless the print area states another limit. */
const HARD_SHARE = 0.5

/** The resolution at which an image is printed, against the target of the print area. */
function Resolution({ layer }: { layer: Image }) {
  const { text } = useEditor()
  const asset = useEditorState((state) => state.assets.get(layer.assetId))
  const area = useEditorState(shownArea)
  if (asset === undefined) return <p className="pe-reason pe-wide">{text('imageUnknown')}</p>
  const { dpiX, dpiY } = fitImage(layer, asset)
  const dpi = Math.round(Math.min(dpiX, dpiY))
  const isGood = dpi >= area.targetDpi
  const isBad = dpi < (area.minDpi ?? area.targetDpi * HARD_SHARE)
  const tone = isGood ? 'good' : isBad ? 'danger' : 'warning'
  const words = isGood ? 'resolutionGood' : isBad ? 'resolutionBad' : 'resolutionLow'
  return (
    <p className={classes('pe-resolution', 'pe-wide', tone)}>
      <Icon name={isGood ? 'check' : isBad ? 'error' : 'warning'} size={20} />
      <span>{text(words, { dpi, target: area.targetDpi })}</span>
    </p>
  )
}
