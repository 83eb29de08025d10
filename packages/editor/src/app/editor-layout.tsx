import { IconButton, Notices, useText } from '@platen/ui'
import { useCallback, useEffect, useRef, useState } from 'react'
import { drawPreview } from '../canvas/painting/draw-preview.ts'
import { Stage } from '../canvas/stage.tsx'
import { BeginHint, BottomBar, Dialogs, PanelBody, PanelsContext, PanelTabs, TopBar } from '../panels/index.ts'
import {
  Conflicts,
  Revisions,
  type RevisionsDialogProps,
  SaveNotices,
  SaveStatus,
  SavingContext,
} from '../saving/index.ts'
import type { EditorSession } from '../session/open-session.ts'
import { EditorContext, useEditorState } from '../state/use-editor.ts'
import { FontNotice } from './font-notice.tsx'

export interface EditorLayoutProps {
  session: EditorSession
  /** Ends the session, and opens the design again. */
  onReopen(): void
}

/** The whole editor: bars, panels and stage. */
export function EditorLayout({ session, onReopen }: EditorLayoutProps) {
  const { services, panels, saver } = session
  return (
    <EditorContext value={services}>
      <PanelsContext value={panels}>
        <SavingContext value={saver}>
          <Frame {...{ session, onReopen }} />
        </SavingContext>
      </PanelsContext>
    </EditorContext>
  )
}

function Frame({ session, onReopen }: EditorLayoutProps) {
  const { panels, engine, images, notices } = session
  const text = useText()
  const rootRef = useRef<HTMLDivElement>(null)
  const [showsHistory, showHistory] = useState(false)
  const printAreaId = useEditorState((state) => state.printAreaId)
  const areas = useEditorState((state) => state.product.printAreas)
  const printArea = areas.find(({ id }) => id === printAreaId)
  useShortcuts(rootRef, session)
  const renderPreview = useCallback<RevisionsDialogProps['renderPreview']>(
    (document, side, canvas) => drawPreview({ document, printArea: side, canvas }, { ...session, ...session.services }),
    [session],
  )
  return (
    <div ref={rootRef} className="pe-root">
      <TopBar
        status={
          <>
            <SaveStatus />
            <IconButton icon="history" label={text('editor.history')} onPress={() => showHistory(true)} />
          </>
        }
      />
      <SaveNotices onCopy={(design) => session.events.copied(design)} onReopen={onReopen} />
      <FontNotice engine={engine} />
      <div className="pe-body">
        <PanelTabs />
        <PanelBody />
        {printArea === undefined ? null : (
          <Stage
            key={printArea.id}
            {...{ engine, images, printArea }}
            onDropFiles={(files, at) => panels.placeFiles(files, at)}
          >
            <BeginHint />
          </Stage>
        )}
      </div>
      <BottomBar />
      <Dialogs />
      <Conflicts />
      {showsHistory ? <Revisions onClose={() => showHistory(false)} renderPreview={renderPreview} /> : null}
      <Announcer session={session} />
      <Notices queue={notices} label={text('editor.notices')} closeLabel={text('common.close')} />
    </div>
  )
}

/** Single-page applications move the focus to the heading of each new page. */
const NOWHERE = 'html, body, h1'

/** Shortcuts act while the focus is in the editor, or nowhere. */
function useShortcuts(ref: { current: HTMLElement | null }, { panels }: EditorSession): void {
  useEffect(() => {
    const root = ref.current
    const host = (root?.getRootNode() as ShadowRoot | undefined)?.host
    if (root === null || host === undefined) return
    const ended = new AbortController()
    const { signal } = ended
    // A key pressed in a dialog must not change the layers behind it.
    const hasDialog = (): boolean => host.shadowRoot?.querySelector('[role=dialog], [role=alertdialog]') != null
    const isHere = (event: Event): boolean =>
      !hasDialog() && (event.composedPath().includes(host) || (event.target as Element).matches(NOWHERE))
    document.addEventListener(
      'keydown',
      (event) => {
        if (isHere(event) && !event.defaultPrevented) panels.actions.handleKeyDown(event)
      },
      { signal },
    )
    document.addEventListener(
      'paste',
      (event) => {
        if (isHere(event) && !event.defaultPrevented) panels.actions.handlePaste(event)
      },
      { signal },
    )
    return () => ended.abort()
  }, [ref, panels])
}

/** Reads out what actions have done. */
function Announcer({ session }: { session: EditorSession }) {
  const [message, setMessage] = useState('')
  useEffect(() => {
    session.services.announcer.say = (next) => setMessage((before) => (before === next ? `${next}\u00a0` : next))
    return () => {
      session.services.announcer.say = () => undefined
    }
  }, [session])
  return (
    <p className="pe-announcer" role="status">
      {message}
    </p>
  )
}
