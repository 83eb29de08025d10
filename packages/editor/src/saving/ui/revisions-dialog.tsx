import type { DesignRevision, DesignRevisionSummaryList } from '@platen/client'
import { type DesignDocument, normalizeDocument, type PrintArea } from '@platen/drawing'
import { Banner, Button, Dialog, Skeleton } from '@platen/ui'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { layersOf } from '../../document/layers.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { timeText } from './time-texts.ts'
import { useSaving } from './use-saving.ts'

type Revision = DesignRevisionSummaryList['data'][number]

export interface RevisionsDialogProps {
  onClose(): void
  /**
   * Draws one side of a document on a canvas, whose size it sets, and again when pictures arrive. Returns a function that
   * ends this.
   */
  renderPreview(document: DesignDocument, printArea: PrintArea, canvas: HTMLCanvasElement): () => void
}

/** Shows earlier versions of the design, and restores one as one step of undo. */
export function RevisionsDialog({ onClose, renderPreview }: RevisionsDialogProps) {
  const { text } = useEditor()
  return (
    <Dialog title={text('revisions')} isOpen onClose={onClose} closeLabel={text('closePanel')} size="large">
      <Revisions renderPreview={renderPreview} onRestored={onClose} />
    </Dialog>
  )
}

interface RevisionsProps extends Pick<RevisionsDialogProps, 'renderPreview'> {
  onRestored(): void
}

function Revisions({ renderPreview, onRestored }: RevisionsProps) {
  const { list, hasFailed, retry } = useRevisions()
  const [selected, select] = useState<number>()
  if (hasFailed) return <LoadFailed onRetry={retry} />
  if (list === undefined) return <Skeleton />
  const shown = selected ?? list[0]?.revision
  return (
    <div className="pe-revisions">
      <RevisionList list={list} selected={shown} onSelect={select} />
      {shown === undefined ? null : (
        <RevisionView
          key={shown}
          revision={shown}
          isCurrent={shown === list[0]?.revision}
          renderPreview={renderPreview}
          onRestored={onRestored}
        />
      )}
    </div>
  )
}

function LoadFailed({ onRetry }: { onRetry(): void }) {
  const { text } = useEditor()
  return (
    <Banner tone="danger" isLive action={<Button onPress={onRetry}>{text('retry')}</Button>}>
      {text('revisionsFailed')}
    </Banner>
  )
}

function RevisionList(props: { list: readonly Revision[]; selected: number | undefined; onSelect(to: number): void }) {
  const { list, selected, onSelect } = props
  const { text, locale } = useEditor()
  return (
    <ListBox
      className="pe-revision-list"
      aria-label={text('revisions')}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={selected === undefined ? [] : [selected]}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : keys
        if (key !== undefined) onSelect(Number(key))
      }}
    >
      {list.map(({ revision, createdAt, name }, index) => {
        const time = timeText(createdAt, locale)
        const version = index === 0 ? text('revisionCurrent') : text('revisionNumber', { number: revision })
        return (
          <ListBoxItem key={revision} id={revision} className="pe-revision" textValue={time}>
            <span className="pe-revision-time">{time}</span>
            <span className="pe-revision-note">
              {name === list[0]?.name ? version : text('revisionOfName', { version, name })}
            </span>
          </ListBoxItem>
        )
      })}
    </ListBox>
  )
}

interface RevisionViewProps extends RevisionsProps {
  revision: number
  isCurrent: boolean
}

function RevisionView({ revision, isCurrent, renderPreview, onRestored }: RevisionViewProps) {
  const { text } = useEditor()
  const { saver } = useSaving()
  const isEditable = useEditorState((state) => state.isEditable)
  const { content, hasFailed, retry } = useRevision(revision)
  const [restoring, setRestoring] = useState<'no' | 'pending' | 'failed'>('no')
  const restore = async (): Promise<void> => {
    setRestoring('pending')
    try {
      await saver.restoreRevision(revision)
      onRestored()
    } catch {
      setRestoring('failed')
    }
  }
  return (
    <div className="pe-revision-view">
      {hasFailed ? <LoadFailed onRetry={retry} /> : null}
      {content === undefined && !hasFailed ? <Skeleton /> : null}
      {content === undefined ? null : <Preview content={content} renderPreview={renderPreview} />}
      {restoring === 'failed' ? (
        <Banner tone="danger" isLive>
          {text('revisionNotRestored')}
        </Banner>
      ) : null}
      <Button
        look="primary"
        isDisabled={isCurrent || !isEditable}
        isPending={restoring === 'pending'}
        onPress={() => void restore()}
      >
        {text('revisionRestore')}
      </Button>
    </div>
  )
}

/** All sides of a version. */
function Preview({ content, renderPreview }: { content: DesignRevision } & Pick<RevisionsProps, 'renderPreview'>) {
  const areas = useEditorState((state) => state.product.printAreas)
  const document = useMemo(() => normalizeDocument(content.document as DesignDocument), [content])
  return (
    <div className="pe-revision-sides">
      {areas.map((area) => (
        <SidePreview key={area.id} {...{ document, area, renderPreview }} />
      ))}
    </div>
  )
}

interface SidePreviewProps extends Pick<RevisionsProps, 'renderPreview'> {
  document: DesignDocument
  area: PrintArea
}

function SidePreview({ document, area, renderPreview }: SidePreviewProps) {
  const { text, sideName } = useEditor()
  const side = sideName(area)
  const count = layersOf(document, area.id).length
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(
    () => (canvas.current === null ? undefined : renderPreview(document, area, canvas.current)),
    [document, area, renderPreview],
  )
  return (
    <figure className="pe-revision-side">
      <canvas ref={canvas} className="pe-revision-preview" role="img" aria-label={text('revisionPreview', { side })} />
      <figcaption>{text('revisionSide', { side, count })}</figcaption>
    </figure>
  )
}

function useRevisions() {
  const { client, store } = useEditor()
  const { id } = store.get().design
  const load = async (signal: AbortSignal): Promise<Revision[]> => {
    const list: Revision[] = []
    for await (const revision of client.designs.listRevisions(id, { limit: 100 }, { signal })) list.push(revision)
    return list
  }
  const { value, ...rest } = useLoaded(load, id)
  return { list: value, ...rest }
}

function useRevision(revision: number) {
  const { client, store } = useEditor()
  const { id } = store.get().design
  const load = async (signal: AbortSignal) => client.designs.getRevision(id, String(revision), { signal })
  const { value, ...rest } = useLoaded(load, `${id} ${revision}`)
  return { content: value, ...rest }
}

/** Loads a value once for each key, and again if the customer tries again. */
function useLoaded<Value>(load: (signal: AbortSignal) => Promise<Value>, key: string) {
  const [loaded, setLoaded] = useState<{ value?: Value; hasFailed: boolean }>({ hasFailed: false })
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is another one with each rendering
  useEffect(() => {
    const control = new AbortController()
    load(control.signal).then(
      (value) => setLoaded({ value, hasFailed: false }),
      () => {
        if (!control.signal.aborted) setLoaded({ hasFailed: true })
      },
    )
    return () => control.abort()
  }, [key, attempt])
  const retry = (): void => {
    setLoaded({ hasFailed: false })
    setAttempt(attempt + 1)
  }
  return { ...loaded, retry }
}
