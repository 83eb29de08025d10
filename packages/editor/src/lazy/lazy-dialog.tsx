import { Banner, Button, Dialog, Skeleton } from '@platen/ui'
import { type ComponentType, useEffect, useState } from 'react'
import type { EditorMessage } from '../messages.ts'
import { useEditor } from '../state/use-editor.ts'

interface Closable {
  onClose(): void
}

/** A dialog that opens later than this looks as if the press had done nothing. */
const SLOW_MS = 300

/** The program of a dialog, which is downloaded when it is opened first. */
export interface DialogProgram<Props> {
  load(): Promise<ComponentType<Props>>
  /** Undefined until it is there. */
  loaded?: ComponentType<Props>
}

export interface LazyDialogProps<Props extends Closable> {
  /** The title until the program is there. */
  title: EditorMessage
  program: DialogProgram<Props>
  /** The properties of the dialog. */
  with: Props
  /** What closing the dialog decides. Without its program, only a button with this text closes such a dialog. */
  decision?: EditorMessage
}

/** Shows a dialog whose program is loaded later. If this fails, the customer reads why, and can try again. */
export function LazyDialog<Props extends Closable>({ program, with: props, ...texts }: LazyDialogProps<Props>) {
  const { state, retry } = useLoading(program)
  const { loaded: Loaded } = program
  if (Loaded !== undefined) return <Loaded {...props} />
  if (state === 'begun') return null
  return <LoadingDialog {...texts} onClose={props.onClose} {...(state === 'failed' ? { onRetry: retry } : {})} />
}

type LoadingState = 'begun' | 'slow' | 'failed' | 'done'

function useLoading<Props>(program: DialogProgram<Props>): { state: LoadingState; retry(): void } {
  const [state, setState] = useState<LoadingState>('begun')
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads again
  useEffect(() => {
    if (program.loaded !== undefined) return
    let isCurrent = true
    const slow = setTimeout(() => setState('slow'), SLOW_MS)
    const end = (next: LoadingState): void => {
      clearTimeout(slow)
      if (isCurrent) setState(next)
    }
    program.load().then(
      (loaded) => {
        program.loaded = loaded
        end('done')
      },
      () => end('failed'),
    )
    return () => {
      isCurrent = false
      clearTimeout(slow)
    }
  }, [attempt])
  const retry = (): void => {
    setState('slow')
    setAttempt(attempt + 1)
  }
  return { state, retry }
}

interface LoadingDialogProps extends Closable, Pick<LazyDialogProps<Closable>, 'title' | 'decision'> {
  /** Undefined while the program is being loaded. */
  onRetry?: () => void
}

function LoadingDialog({ title, decision, onClose, onRetry }: LoadingDialogProps) {
  const { text } = useEditor()
  const onDismiss = decision === undefined ? onClose : undefined
  const action = (
    <>
      <Button {...(onRetry === undefined ? {} : { onPress: onRetry })}>{text('retry')}</Button>
      {decision === undefined ? null : <Button onPress={onClose}>{text(decision)}</Button>}
    </>
  )
  return (
    <Dialog title={text(title)} isOpen onClose={onDismiss} closeLabel={text('closePanel')} size="large">
      {onRetry === undefined ? (
        <Skeleton />
      ) : (
        <Banner tone="danger" isLive action={action}>
          {text('partFailed')}
        </Banner>
      )}
    </Dialog>
  )
}
