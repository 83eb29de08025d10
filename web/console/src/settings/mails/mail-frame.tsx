import { useCallback, useEffect, useRef } from 'react'
import { showMail } from './show-mail.ts'

export interface MailFrameProps {
  html: string
  /** The accessible name. */
  title: string
}

/**
 * The HTML of a mail in a page of its own, in which no script runs. The page has the origin of the console, so that the
 * console can fill it in: its policy refuses the styles and pictures of a document that contains them.
 */
export function MailFrame({ html, title }: MailFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const fill = useCallback((): void => {
    const { current } = frame
    if (current?.contentDocument == null) return
    void showMail(current.contentDocument, html).then(() => fitHeight(current))
  }, [html])
  useEffect(() => {
    fill()
    const { current } = frame
    if (current === null) return undefined
    const resizes = new ResizeObserver(() => fitHeight(current))
    resizes.observe(current)
    return () => resizes.disconnect()
  }, [fill])
  return (
    // Not every browser has the empty page at once.
    <iframe ref={frame} className="mail-frame" title={title} sandbox="allow-same-origin" srcDoc={EMPTY} onLoad={fill} />
  )
}

/** Without the line, browsers lay out the mail as those of the last century. */
const EMPTY = '<!doctype html><title>-</title>'

function fitHeight(frame: HTMLIFrameElement): void {
  const body = frame.contentDocument?.body
  if (body != null) frame.style.blockSize = `${body.scrollHeight}px`
}
