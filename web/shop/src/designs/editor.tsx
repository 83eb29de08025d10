import '@platen/editor'
import { useScheme } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { Design } from '@platen/client'
import type { PlatenEditorElement } from '@platen/editor'
import { useTexts } from '@platen/ui'
import { useEffect, useRef } from 'react'
import { palette } from '../shell/config.ts'
import { keepRows, type Row, readRows } from './stored-rows.ts'

export interface EditorProps {
  designId: string
  onFinalized(): void
  /** The work was saved as a new design, because the present one can no longer be changed. */
  onCopied(design: Design): void
}

/** The element `<platen-editor>`. It gets the client of the shop, and with it the session of the customer. */
export function Editor({ designId, onFinalized, onCopied }: EditorProps) {
  const { locale } = useTexts()
  const scheme = useScheme()
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = document.createElement('platen-editor') as PlatenEditorElement
    Object.assign(element, { client: platen })
    element.setAttribute('design', designId)
    element.setAttribute('palette', palette)
    element.setAttribute('takes-items', '')
    const ended = new AbortController()
    const on = (type: string, listener: (event: Event) => void): void =>
      element.addEventListener(type, listener, { signal: ended.signal })
    on('finalized', onFinalized)
    on('items', (event) => {
      const { items } = (event as CustomEvent<{ items: readonly { data: Row }[] }>).detail
      keepRows(
        designId,
        items.map(({ data }) => data),
      )
    })
    on('copied', (event) => {
      const { design } = (event as CustomEvent<{ design: Design }>).detail
      keepRows(design.id, readRows(designId))
      onCopied(design)
    })
    host.current?.append(element)
    return () => {
      ended.abort()
      element.remove()
    }
  }, [designId, onFinalized, onCopied])
  useEffect(() => {
    const element = host.current?.querySelector('platen-editor')
    element?.setAttribute('locale', locale)
    element?.setAttribute('color-scheme', scheme)
  }, [locale, scheme])
  return <div ref={host} className="editor-host" />
}
