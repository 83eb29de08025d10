import type { Config } from '../../config/index.ts'
import type { CachedBytes } from '../../platform/concurrency/cached-bytes.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import type { RenderMail } from './templates.ts'

/** What creating the content of a mail needs. */
export interface ContentDeps {
  db: Db
  log: Log
  storage: Pick<Storage, 'localPath'>
  render: RenderMail
  /** Draws an image smaller, in another process. */
  drawThumbnail(
    job: { path: string; longestSidePx: number; format: 'jpeg' | 'png' },
    options: { owner: string; signal: AbortSignal },
  ): Promise<Uint8Array>
  /** Pictures for mails, by image, format and size. */
  pictures: CachedBytes
  config: Pick<Config, 'shopName' | 'shopUrl' | 'shopColor' | 'shopLogo' | 'shopLanguages'>
}
