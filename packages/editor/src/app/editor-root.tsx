import type { Platen } from '@platen/client'
import { Button, EmptyState, OverlayContainer, Skeleton, TextProvider, type Texts, useLoadedTexts } from '@platen/ui'
import { useEffect, useRef, useState } from 'react'
import { type EditorSession, isNotFound, openSession, type SessionEvents } from '../session/open-session.ts'
import type { PageOptions } from '../state/host.ts'
import { EditorLayout } from './editor-layout.tsx'

export interface EditorRootProps {
  client: Platen
  serviceUrl: string
  designId: string
  language: string
  events: SessionEvents & { ready(): void }
  page: PageOptions
  /** The element into which dialogs are put. */
  getOverlays(): HTMLElement | null
}

/** Opens the design, and shows the editor or why there is none. */
export function EditorRoot(props: EditorRootProps) {
  const texts = useLoadedTexts(props.language, ['common', 'editor'])
  if (texts === undefined) return <Loading />
  return (
    <TextProvider texts={texts}>
      <OverlayContainer getContainer={props.getOverlays}>
        <Opening key={props.designId} {...props} texts={texts} />
      </OverlayContainer>
    </TextProvider>
  )
}

type Opened = { session: EditorSession } | { error: unknown } | undefined

function Opening({ texts, ...props }: EditorRootProps & { texts: Texts }) {
  const [attempt, setAttempt] = useState(0)
  const opened = useSession({ ...props, texts }, attempt)
  if (opened === undefined) return <Loading />
  const reopen = (): void => setAttempt(attempt + 1)
  if ('session' in opened) return <EditorLayout session={opened.session} onReopen={reopen} />
  const isGone = isNotFound(opened.error)
  return (
    <EmptyState icon="error" title={texts.text(isGone ? 'editor.designNotFound' : 'editor.openFailed')}>
      {isGone ? null : (
        <Button look="primary" onPress={reopen}>
          {texts.text('editor.tryAgain')}
        </Button>
      )}
    </EmptyState>
  )
}

function useSession(input: EditorRootProps & { texts: Texts }, attempt: number): Opened {
  const [opened, setOpened] = useState<Opened>()
  const { client, serviceUrl, designId, events, page } = input
  // Another language must not open the design again, which would end undo.
  const texts = useRef(input.texts)
  texts.current = input.texts
  const closing = useRef<Promise<void>>(Promise.resolve())
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens the design again
  useEffect(() => {
    const ended = new AbortController()
    setOpened(undefined)
    // The session before may still be saving what this one is about to read.
    const opening = closing.current.then(() =>
      openSession({
        client,
        serviceUrl,
        designId,
        texts: () => texts.current,
        events,
        page,
        signal: ended.signal,
      }),
    )
    opening.then(
      (session) => {
        if (ended.signal.aborted) return
        setOpened({ session })
        events.ready()
      },
      (error: unknown) => {
        if (ended.signal.aborted) return
        setOpened({ error })
        events.problem(error)
      },
    )
    return () => {
      ended.abort()
      closing.current = opening.then(
        (session) => session.close(),
        () => undefined,
      )
    }
  }, [client, serviceUrl, designId, events, page, attempt])
  return opened
}

function Loading() {
  return (
    <div className="pe-loading" aria-busy="true">
      <Skeleton />
    </div>
  )
}
