import { createHash } from 'node:crypto'
import { layout, type PageContent, type SiteSettings } from './layout.ts'

/** A response that is the same for all clients. Rendered once and kept in memory. */
export interface StoredPage {
  type: string
  bytes: Buffer
  /** With the quotes. */
  etag: string
}

export function storedPage(type: string, text: string | Buffer): StoredPage {
  const bytes = Buffer.from(text)
  return { type, bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` }
}

export function htmlPage(content: PageContent, settings: SiteSettings): StoredPage {
  return storedPage('text/html; charset=utf-8', layout(content, settings))
}
