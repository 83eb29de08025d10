import type { Design } from '@platen/client'
import { Banner, Button, Icon } from '@platen/ui'
import { useMemo, useState } from 'react'
import { layerName } from '../../actions/index.ts'
import { useEditor } from '../../state/use-editor.ts'
import type { SaveProblem, SavingNotice } from '../saving-types.ts'
import { timeText } from './time-texts.ts'
import { useSaving } from './use-saving.ts'

export interface SaveNoticesProps {
  /** Opens the new design after the work was saved as a copy. */
  onCopy?: ((design: Design) => void) | undefined
  /** Opens the design again, to restore changes of an earlier tab. */
  onReopen?: (() => void) | undefined
}

/** Shows why changes are not saved, and what restoring and merging have done. Takes no room if there is nothing to say. */
export function SaveNotices({ onCopy, onReopen }: SaveNoticesProps) {
  const { saving } = useSaving()
  const { problem, notices } = saving
  return (
    <div className="pe-save-notices">
      {problem === undefined ? null : <ProblemBanner problem={problem} onCopy={onCopy} />}
      {notices.map((notice) =>
        notice.kind === 'restored' ? <RestoredNotice key={notice.at} notice={notice} /> : null,
      )}
      {notices.map((notice) =>
        notice.kind === 'unread' ? <UnreadNotice key={notice.kind} {...{ notice, onReopen }} /> : null,
      )}
      {notices.map((notice) =>
        notice.kind === 'merged' ? <MergedNotice key={noticeKey(notice)} notice={notice} /> : null,
      )}
    </div>
  )
}

const keys = new WeakMap<object, number>()
let lastKey = 0

function noticeKey(notice: SavingNotice): number {
  const key = keys.get(notice) ?? ++lastKey
  keys.set(notice, key)
  return key
}

function ProblemBanner({ problem, onCopy }: { problem: SaveProblem } & Pick<SaveNoticesProps, 'onCopy'>) {
  const { text, store } = useEditor()
  const { behaviour, layerId, message, values } = problem
  const [hasCopyFailed, setCopyFailed] = useState(false)
  const tone = behaviour === 'retry' || behaviour === 'warn' ? 'warning' : 'danger'
  const action = (
    <>
      {layerId === undefined ? null : <Button onPress={() => store.select([layerId])}>{text('saveShowLayer')}</Button>}
      {behaviour === 'stop' ? <CopyButton onCopy={onCopy} onResult={setCopyFailed} /> : null}
      {behaviour === 'change' || behaviour === 'sign_in' ? <RetryButton /> : null}
    </>
  )
  return (
    <Banner tone={tone} isLive action={action}>
      <p>{text(message, values)}</p>
      {hasCopyFailed ? <p>{text('saveCopyFailed')}</p> : null}
    </Banner>
  )
}

function RetryButton() {
  const { text } = useEditor()
  const { saver } = useSaving()
  return <Button onPress={() => saver.resume()}>{text('saveTryAgain')}</Button>
}

interface CopyButtonProps extends Pick<SaveNoticesProps, 'onCopy'> {
  onResult(hasFailed: boolean): void
}

function CopyButton({ onCopy, onResult }: CopyButtonProps) {
  const { text } = useEditor()
  const { saver } = useSaving()
  const [isPending, setPending] = useState(false)
  const copy = async (): Promise<void> => {
    setPending(true)
    try {
      const design = await saver.saveCopy()
      onResult(false)
      onCopy?.(design)
    } catch {
      onResult(true)
    } finally {
      setPending(false)
    }
  }
  return (
    <Button look="primary" isPending={isPending} onPress={() => void copy()}>
      {text('saveAsCopy')}
    </Button>
  )
}

/** Says that changes of an earlier tab are back, and offers to undo that. */
export function RestoredNotice({ notice }: { notice: Extract<SavingNotice, { kind: 'restored' }> }) {
  const { text, locale } = useEditor()
  const { saver } = useSaving()
  const time = useMemo(() => timeText(notice.at, locale), [notice.at, locale])
  const action = (
    <>
      <Button onPress={() => saver.undoRestore()}>{text('undo')}</Button>
      <DismissButton notice={notice} />
    </>
  )
  return (
    <Banner tone="info" isLive action={action}>
      {text('saveRestored', { time })}
    </Banner>
  )
}

/** Says that changes of an earlier tab could not be read, and offers another attempt. */
function UnreadNotice({ notice, onReopen }: { notice: SavingNotice } & Pick<SaveNoticesProps, 'onReopen'>) {
  const { text } = useEditor()
  const { saver } = useSaving()
  const [attempt, setAttempt] = useState<'none' | 'pending' | 'failed'>('none')
  const retry = async (): Promise<void> => {
    setAttempt('pending')
    try {
      await saver.prepareReopening()
      onReopen?.()
    } catch {
      setAttempt('failed')
    }
  }
  const action = (
    <>
      <Button isPending={attempt === 'pending'} onPress={() => void retry()}>
        {text('saveTryAgain')}
      </Button>
      <DismissButton notice={notice} />
    </>
  )
  return (
    <Banner tone="warning" isLive action={action}>
      <p>{text('saveUnread')}</p>
      {attempt === 'failed' ? <p>{text('saveStillUnread')}</p> : null}
    </Banner>
  )
}

function MergedNotice({ notice }: { notice: Extract<SavingNotice, { kind: 'merged' }> }) {
  const { text } = useEditor()
  return (
    <Banner tone="info" isLive action={<DismissButton notice={notice} />}>
      <p>{text('saveMerged')}</p>
      {notice.layers.map(({ kind, layer }) => (
        <p key={layer.id}>
          {text(kind === 'deleted_there' ? 'saveKeptDeletedThere' : 'saveKeptDeletedHere', {
            name: layerName(layer, text),
          })}
        </p>
      ))}
      {notice.hasKeptOrder ? <p>{text('saveKeptOrder')}</p> : null}
    </Banner>
  )
}

function DismissButton({ notice }: { notice: SavingNotice }) {
  const { text } = useEditor()
  const { saver } = useSaving()
  return (
    <Button look="quiet" isIcon aria-label={text('closePanel')} onPress={() => saver.dismiss(notice)}>
      <Icon name="close" size={18} />
    </Button>
  )
}
